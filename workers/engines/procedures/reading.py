"""Reads `procedure.yaml`: each fault with its line."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter, ValidationError

from contracts.procedures import (
    AskStep,
    CallStep,
    ChartStep,
    CompareStep,
    Condition,
    FindStep,
    GateStep,
    Procedure,
    Step,
    SuggestStep,
    Vocabulary,
)
from contracts.refusals import in_words
from workers.engines.procedures.expressions import SCOPE, BadExpression, names_in
from workers.engines.procedures.marked_yaml import Fault, Path, read_marked

KINDS = ("call", "ask", "gate", "say", "find", "compare", "chart", "suggest")
"""A step has exactly one of these keys: it says what the step does."""

_TOP = ("topic", "about", "vocabulary", "let", "steps", "version")
_AS_STORED = {"ask": "form"}
"""Kinds that are called otherwise in the contract."""
_INTO_STEP = {"with": "arguments"}
"""Keys that are called otherwise in the file than in the contract."""
_STEP: TypeAdapter[Step] = TypeAdapter(Step)


@dataclass(frozen=True, slots=True)
class ProcedureFault:
    """Why a procedure cannot be used."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class ProcedureRead:
    """A procedure, or what is wrong with its file."""

    procedure: Procedure | None
    faults: tuple[ProcedureFault, ...] = ()
    lines: Mapping[Path, int] = field(default_factory=dict[Path, int])
    """Place in the file, `("steps", 0, "with", "text")`, → its line."""

    def line(self, *path: str | int) -> int:
        """The line of a place, or of what it is in."""
        return _line_of(path, self.lines)


def read_procedure(text: str) -> ProcedureRead:
    """The procedure in the text of a file. A fault leaves no procedure."""
    try:
        value, lines = read_marked(text.removeprefix("\ufeff"))
        faults: list[ProcedureFault] = []
        procedure = _procedure(value, lines, faults)
        if procedure is not None and not faults:
            faults += _meaning(procedure, lines)
    except Fault as fault:
        return ProcedureRead(None, (ProcedureFault(fault.line, fault.message),))
    return ProcedureRead(None if faults else procedure, tuple(sorted(faults, key=lambda fault: fault.line)), lines)


def _procedure(value: Any, lines: dict[Path, int], faults: list[ProcedureFault]) -> Procedure | None:
    if not isinstance(value, dict) or not isinstance(value.get("steps"), list):  # pyright: ignore[reportUnknownMemberType] YAML from outside
        raise Fault(1, "the file is no procedure: it needs a list `steps`")
    read: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType] as above
    for name in read:
        if name not in _TOP:
            faults.append(ProcedureFault(lines[(name,)], f"{name!r} is not a part of a procedure; there are: {', '.join(_TOP)}"))
    if read.get("version", "1") != "1":
        faults.append(ProcedureFault(lines[("version",)], "this release reads version 1"))
    steps = [step for place, raw in enumerate(read["steps"]) if (step := _step(raw, ("steps", place), lines, faults)) is not None]
    if faults:
        return None
    try:
        vocabulary = Vocabulary.model_validate(read.get("vocabulary", {}))
    except ValidationError as error:
        faults += _faults(error, ("vocabulary",), lines)
        return None
    try:
        return Procedure(
            vocabulary=vocabulary, topic=read.get("topic", ""), about=read.get("about"), let=read.get("let", {}), steps=tuple(steps)
        )
    except ValidationError as error:
        faults += _faults(error, (), lines)
        return None


def _step(raw: Any, path: Path, lines: dict[Path, int], faults: list[ProcedureFault]) -> Step | None:
    line = lines[path]
    if not isinstance(raw, dict):
        faults.append(ProcedureFault(line, "a step is a mapping: `- id: ...`"))
        return None
    given: dict[str, Any] = raw  # pyright: ignore[reportUnknownVariableType] YAML from outside
    kinds = [kind for kind in KINDS if kind in given and not (kind == "chart" and "call" in given)]  # a call may yield a chart
    if len(kinds) != 1:
        have = f"this one has {', '.join(kinds)}" if kinds else "this one has none of them"
        faults.append(ProcedureFault(line, f"a step has exactly one of {', '.join(KINDS)}; {have}"))
        return None
    named = {_INTO_STEP.get(name, name): item for name, item in given.items()}
    try:
        return _STEP.validate_python({**named, "kind": _AS_STORED.get(kinds[0], kinds[0])})
    except ValidationError as error:
        faults += _faults(error, path, lines, skip=1)
        return None


def _faults(error: ValidationError, path: Path, lines: dict[Path, int], skip: int = 0) -> list[ProcedureFault]:
    """`skip`: parts at the beginning of a place that are not in the file: the kind of a step, by which its contract is chosen."""
    found: list[ProcedureFault] = []
    for item in error.errors(include_url=False, include_input=False, include_context=False)[:10]:
        parts: Path = tuple("with" if part == "arguments" else part for part in item["loc"][skip:] if part != "[key]")
        where = ".".join(map(str, parts)) or "the procedure"
        found.append(ProcedureFault(_line_of((*path, *parts), lines), f"{where}: {in_words(item)}"))
    return found


def _line_of(path: Path, lines: Mapping[Path, int]) -> int:
    while path not in lines and path:
        path = path[:-1]
    return lines.get(path, 1)


def _meaning(procedure: Procedure, lines: dict[Path, int]) -> Iterator[ProcedureFault]:
    """What the contract cannot see: names that do not exist, expressions that cannot be parsed."""
    known: set[str] = set()
    everything = [step.id for step in procedure.steps]
    for name, expression in procedure.let.items():
        yield from _expression(expression, lines.get(("let", name), 1), f"let.{name}", set(everything), set(procedure.let))
    if procedure.topic and procedure.topic not in {topic.name for topic in procedure.vocabulary.topics}:
        yield ProcedureFault(lines.get(("topic",), 1), f"there is no topic {procedure.topic!r} in the vocabulary")
    if procedure.about is not None:
        yield from _expression(procedure.about, lines.get(("about",), 1), "about", set(everything), set(procedure.let))
    for place, step in enumerate(procedure.steps):
        line = lines[("steps", place)]
        if step.id in known:
            yield ProcedureFault(line, f"two steps are called {step.id!r}")
        for path, expression in _expressions(step):
            at = _line_of(("steps", place, *path), lines)
            yield from _expression(expression, at, ".".join(map(str, path)), known, set(procedure.let), own=step.id)
        if isinstance(step, CallStep):
            for name in step.choose:
                if name not in step.arguments:
                    yield ProcedureFault(line, f"`choose` names {name!r}, which is not an argument in `with`")
            yield from _own(step, line)
        for condition in _conditions(step):
            if sum(part is not None for part in (condition.below, condition.above, condition.equals)) != 1:
                yield ProcedureFault(line, f"the condition on {condition.column!r} needs exactly one of below, above, equals")
        known.add(step.id)


def _own(step: CallStep, line: int) -> Iterator[ProcedureFault]:
    """Expressions over the step's own result."""
    table = step.table
    if table is not None and (table.rows is None) == (table.reference is None or table.pages is None):
        yield ProcedureFault(line, "a table needs `rows`, or `reference` with `pages`")
    for name, expression in {
        "chart": step.chart, "says": step.says, "table.rows": table and table.rows, "table.reference": table and table.reference
    }.items():  # fmt: skip
        if expression is not None:
            try:
                names_in(expression)
            except BadExpression as error:
                yield ProcedureFault(line, f"{name}: {expression!r} {error}")


def _conditions(step: Step) -> tuple[Condition, ...]:
    match step:
        case FindStep():
            return step.find.any
        case CompareStep():
            return step.compare.problems
        case _:
            return ()


def _expression(expression: str, line: int, where: str, steps: set[str], let: set[str], own: str | None = None) -> Iterator[ProcedureFault]:
    try:
        names = names_in(expression)
    except BadExpression as error:
        yield ProcedureFault(line, f"{where}: {expression!r} {error}")
        return
    for name in sorted(names):
        if name[0] not in SCOPE and name[0] not in let:
            yield ProcedureFault(line, f"{where}: {_unknown(name[0], expression, let)}")
        elif name[0] == "results" and len(name) > 1 and name[1] not in steps:
            when = "is this step itself" if name[1] == own else "is not a step before this one"
            yield ProcedureFault(line, f"{where}: {name[1]!r} {when}")


def _unknown(name: str, expression: str, let: set[str]) -> str:
    if name == expression.strip('"'):
        return f"there is no {name!r}. A text in an expression has quotation marks of its own: \"'{name}'\""
    return f"there is no {name!r}; there are: {', '.join((*SCOPE, *sorted(let)))}"


def _expressions(step: Step) -> Iterator[tuple[Path, str]]:
    """The expressions over the scope, with their places in the step."""
    if step.when is not None:
        yield ("when",), step.when
    match step:
        case CallStep():
            yield from ((("with", name), expression) for name, expression in step.arguments.items())
            for name, choice in step.choose.items():
                yield ("choose", name, "options"), choice.options
                if choice.least is not None:
                    yield ("choose", name, "least"), choice.least
        case AskStep():
            yield from ((("known", name), expression) for name, expression in step.known.items())
            yield from ((("missing", n, "options"), field.options) for n, field in enumerate(step.missing) if field.options is not None)
        case FindStep():
            yield ("find", "rows"), step.find.rows
        case CompareStep():
            spec = step.compare
            parts = {"before": spec.before, "after": spec.after, "column": spec.column, "among": spec.among}
            yield from ((("compare", name), value) for name, value in parts.items() if value is not None)
        case ChartStep():
            drawn = step.chart
            parts = {"type": drawn.type, "column": drawn.column, "before": drawn.before, "after": drawn.after, "among": drawn.among}
            yield from ((("chart", name), value) for name, value in parts.items() if value is not None)
        case SuggestStep():
            yield from ((("suggest", n, "when"), item.when) for n, item in enumerate(step.suggest) if item.when is not None)
        case GateStep():
            return
        case _:
            return
