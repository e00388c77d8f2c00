"""What the contracts of a procedure cannot see: names that do not exist, expressions that cannot be parsed."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from contracts.procedures import AskStep, CallStep, ChartStep, CompareStep, Condition, FindStep, GateStep, Step, SuggestStep, Vocabulary
from contracts.refusals import near, place_of
from contracts.statements import Statement, code, listing, name, say
from workers.engines.procedures.expressions import SCOPE, BadExpression, names_in
from workers.engines.procedures.marked_yaml import Path

_IN_FILE = {"arguments": "with"}
"""Keys that are called otherwise in the contract than in the file."""
_CONSTANTS = ("true", "false", "null", "yes", "no")


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a procedure that could be read."""

    steps: Mapping[int, Step]
    """Place in the file → step."""
    ids: Mapping[int, str]
    """Place in the file → the id that the file gives, also of steps that could not be read."""
    let: Mapping[str, str]
    vocabulary: Vocabulary | None
    """None: it could not be read."""
    topic: str
    about: str


Found = Iterator[tuple[Path, Statement]]
"""Place in the file, and what is wrong there."""


def in_file(part: str | int) -> str | int:
    """A part of a place as the file calls it."""
    return _IN_FILE.get(part, part) if isinstance(part, str) else part


def meaning(parts: Parts) -> Found:
    """Each fault with its place."""
    let, every = set(parts.let), set(parts.ids.values())
    for given, expression in parts.let.items():
        yield from _expression(expression, ("let", given), every, let)
    if parts.topic and parts.vocabulary is not None and parts.topic not in {topic.name for topic in parts.vocabulary.topics}:
        yield ("topic",), say("procedures.no_topic", topic=name(parts.topic[:80]))
    if parts.about:
        yield from _expression(parts.about, ("about",), every, let)
    for place, step in parts.steps.items():
        at: Path = ("steps", place)
        before = {parts.ids[earlier] for earlier in parts.ids if earlier < place}
        if step.id in before:
            yield (*at, "id"), say("procedures.same_step", step=name(step.id))
        for path, expression in expressions_of(step):
            yield from _expression(expression, (*at, *path), before, let, own=step.id)
        if isinstance(step, CallStep):
            yield from _of_call(step, at)
        for condition in _conditions(step):
            if sum(part is not None for part in (condition.below, condition.above, condition.equals)) != 1:
                these = listing(*map(name, ("below", "above", "equals")))
                yield at, say("procedures.condition", column=name(condition.column[:80]), parts=these)


def _of_call(step: CallStep, at: Path) -> Found:
    """The arguments that a model may choose, and the expressions over the step's own result."""
    for argument in step.choose:
        if argument not in step.arguments:
            values = {"choose": code("choose"), "argument": name(argument[:80]), "arguments": code("with")}
            yield (*at, "choose", argument), say("procedures.choose", **values)
    table = step.table
    if table is not None and (table.rows is None) == (table.reference is None or table.pages is None):
        yield (*at, "table"), say("procedures.table", rows=code("rows"), reference=code("reference"), pages=code("pages"))
    own: dict[Path, str | None] = {("chart",): step.chart, ("says",): step.says}
    if table is not None:
        own |= {("table", "rows"): table.rows, ("table", "reference"): table.reference}
    for path, expression in own.items():
        if expression is not None:
            try:
                names_in(expression)
            except BadExpression as error:
                yield (*at, *path), _at(path, error.why)


def _conditions(step: Step) -> tuple[Condition, ...]:
    match step:
        case FindStep():
            return step.find.any
        case CompareStep():
            return step.compare.problems
        case _:
            return ()


def _expression(expression: str, path: Path, steps: set[str], let: set[str], own: str | None = None) -> Found:
    place = path[2:] if path[0] == "steps" else path
    try:
        heads = names_in(expression)
    except BadExpression as error:
        yield path, _at(place, error.why)
        return
    for head in sorted(heads):
        if head[0] not in SCOPE and head[0] not in let:
            yield path, _at(place, _unknown(head[0], expression, let, is_limit=place[-1] in ("below", "above")))
        elif head[0] == "results" and len(head) > 1 and head[1] not in steps:
            yield path, _at(place, _no_step(head[1], steps, own))


def _at(place: Path, fault: Statement) -> Statement:
    return say("procedures.at", place=name(place_of(place)), fault=fault)


def _no_step(given: str, steps: set[str], own: str | None) -> Statement:
    if given == own:
        return say("procedures.itself", step=name(given))
    meant = near(given, steps)
    return (
        say("procedures.not_before_near", step=name(given), near=name(meant)) if meant else say("procedures.not_before", step=name(given))
    )


def _unknown(given: str, expression: str, let: set[str], *, is_limit: bool = False) -> Statement:
    if given == expression.strip() and given in _CONSTANTS:
        literal = {"yes": "true", "no": "false"}.get(given, given)
        return say("procedures.value", value=name(given), literal=name(f"`{literal}`"))
    if meant := near(given, (*SCOPE, *sorted(let))):
        return say("procedures.no_name", name=name(given[:80]), near=name(meant))
    if given == expression.strip('"') and is_limit:
        return say("procedures.limit", name=name(given[:80]), example=code("params.limit"))
    if given == expression.strip('"'):
        return say("procedures.text_or_name", name=name(given[:80]), text=name(f"\"'{given[:80]}'\""))
    return say("procedures.no_name_of", name=name(given[:80]), there=listing(*map(name, (*SCOPE, *sorted(let)))))


def expressions_of(step: Step) -> Iterator[tuple[Path, str]]:
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
            yield from _thresholds("find", "any", step.find.any)
        case CompareStep():
            spec = step.compare
            parts = {"before": spec.before, "after": spec.after, "column": spec.column, "among": spec.among}
            yield from ((("compare", name), value) for name, value in parts.items() if value is not None)
            yield from _thresholds("compare", "problems", spec.problems)
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


def _thresholds(kind: str, part: str, conditions: Iterable[Condition]) -> Iterator[tuple[Path, str]]:
    for n, condition in enumerate(conditions):
        for side, limit in (("below", condition.below), ("above", condition.above)):
            if isinstance(limit, str):
                yield (kind, part, n, side), limit
