"""Reads `procedure.yaml`: each fault with its line."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from contracts.procedures import MOST_EXPRESSION, Expression, Procedure, Step, StepId, Vocabulary
from contracts.refusals import at, in_words, names_at, near, of_the_file, place_of, unknown, without_echoes
from contracts.statements import Statement, code, listing, name, names, say
from workers.engines.procedures.marked_yaml import Fault, Path, read_marked
from workers.engines.procedures.meaning import Parts, in_file, meaning

KINDS = ("call", "ask", "gate", "say", "find", "compare", "chart", "suggest")
"""A step has exactly one of these keys: it says what the step does."""
VERSION = "1"

_TOP = ("topic", "about", "vocabulary", "let", "steps", "version")
_AS_STORED = {"ask": "form"}
"""Kinds that are called otherwise in the contract."""
_INTO_STEP = {"with": "arguments"}
"""Keys that are called otherwise in the file than in the contract."""
_COMMON = ("id", "title", "when", "asked")
"""Keys that every step may have."""
_STEP: TypeAdapter[Step] = TypeAdapter(Step)
_LET: TypeAdapter[dict[str, str]] = TypeAdapter(dict[StepId, Expression])
_MOST_FAULTS = 10
"""Faults of one part that are shown."""


@dataclass(frozen=True, slots=True)
class ProcedureFault:
    """Why a procedure cannot be used."""

    line: int
    message: Statement


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


@lru_cache(maxsize=64)
def read_procedure(text: str) -> ProcedureRead:
    """The procedure in the text of a file, or all its faults. A fault leaves no procedure. The same text is read once."""
    try:
        value, lines = read_marked(text.removeprefix("\ufeff"))
        reader = _Reader(lines)
        procedure = reader.read(value)
    except Fault as fault:
        return ProcedureRead(None, (ProcedureFault(fault.line, fault.message),))
    faults = tuple(sorted(reader.faults, key=lambda fault: fault.line))
    return ProcedureRead(None if faults else procedure, faults, lines)


class _Reader:
    """Collects the faults of all parts, so that an author sees them together."""

    def __init__(self, lines: dict[Path, int]) -> None:
        self.faults: list[ProcedureFault] = []
        self._lines = lines

    def read(self, value: Any) -> Procedure | None:
        """The procedure, as far as its parts can be read. Raises `Fault` for a file that is not a procedure."""
        given: dict[str, Any] = value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType] YAML from outside
        raw: Any = given.get("steps")
        strange = [(part, unknown(part, _TOP)) for part in given if part not in _TOP]
        if not isinstance(raw, list):
            meant = next((part for part, _ in strange if near(part, _TOP) == "steps"), None)
            fault = at(meant, unknown(meant, _TOP)) if meant else say("procedures.no_steps", steps=code("steps"))
            raise Fault(self._line((meant,)) if meant else 1, fault)
        for part, fault in strange:
            self._add((part,), at(part, fault))
        if given.get("version", VERSION) != VERSION:
            self._add(("version",), say("procedures.version", version=name(VERSION)))
        items: list[Any] = raw  # pyright: ignore[reportUnknownVariableType] as above
        steps = {place: step for place, item in enumerate(items) if (step := self._step(item, ("steps", place))) is not None}
        vocabulary = self._part(Vocabulary.model_validate, Vocabulary, given.get("vocabulary", {}), ("vocabulary",))
        let = self._part(_LET.validate_python, dict, given.get("let", {}), ("let",))
        topic, about = given.get("topic", ""), given.get("about")
        ids = {place: str(item.get("id", "")) if isinstance(item, dict) else "" for place, item in enumerate(items)}  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType] as above
        for path, fault in meaning(Parts(steps, ids, _readable(let, given.get("let")), vocabulary, _text(topic), _text(about))):
            self._add(path, fault)
        if self.faults:
            return None
        try:
            return Procedure(vocabulary=vocabulary or Vocabulary(), topic=topic, about=about, let=let or {}, steps=tuple(steps.values()))
        except ValidationError as error:
            self._refused(error, Procedure, ())
            return None

    def _part(self, read: Any, contract: Any, value: Any, path: Path) -> Any:
        try:
            return read(value)
        except ValidationError as error:
            self._refused(error, contract, path)
            return None

    def _step(self, raw: Any, path: Path) -> Step | None:
        if not isinstance(raw, dict):
            self._add(path, say("procedures.not_a_step", example=code("- id: ...")))
            return None
        given: dict[str, Any] = raw  # pyright: ignore[reportUnknownVariableType] YAML from outside
        kinds = [kind for kind in KINDS if kind in given and not (kind == "chart" and "call" in given)]  # a call may yield a chart
        kind = kinds[0] if len(kinds) == 1 else self._meant(given, kinds, path)
        if kind is None:
            return None
        inside = {_INTO_STEP.get(part, part): item for part, item in given.items()}
        try:
            return _STEP.validate_python({**inside, "kind": _AS_STORED.get(kind, kind)})
        except ValidationError as error:
            self._refused(error, Step, path, tag=True)
            return None

    def _meant(self, given: dict[str, Any], kinds: list[str], path: Path) -> str | None:
        """The kind of a step that has none or several: a fault. None: the rest of it cannot be judged either."""
        meant = next(((part, kind) for part in given if part not in _COMMON and (kind := near(part, KINDS))), None)
        if kinds:
            self._add(path, say("procedures.kinds", kinds=listing(*map(name, KINDS)), have=names(kinds)))
        elif meant is not None:
            part, kind = meant
            self._add((*path, part), at(part, unknown(part, KINDS)))
            given[kind] = given.pop(part)
            return kind
        else:
            self._add(path, say("procedures.no_kind", kinds=listing(*map(name, KINDS))))
        return None

    def _refused(self, error: ValidationError, contract: Any, path: Path, *, tag: bool = False) -> None:
        """`tag`: a place begins with the kind of a step, by which its contract is chosen, and which is not in the file."""
        items = error.errors(include_url=False)  # the input shows whether a text or a list is too long
        for item in without_echoes(items, contract)[:_MOST_FAULTS]:
            whole = item["loc"]
            there = tuple(str(in_file(part)) for part in names_at(contract, whole[:-1])) if whole else ()
            parts: Path = tuple(in_file(part) for part in of_the_file(whole[1:] if tag else whole))
            fault = in_words(item, there)
            self._add((*path, *parts), at(place_of(parts if tag and parts else (*path, *parts)) or "-", fault))

    def _add(self, path: Path, fault: Statement) -> None:
        self.faults.append(ProcedureFault(self._line(path), fault))

    def _line(self, path: Path) -> int:
        return _line_of(path, self._lines)


def _readable(let: dict[str, str] | None, given: Any) -> dict[str, str]:
    """The names of `let`. Where one of them has a fault, all of them are known nevertheless: a step that uses them has none."""
    if let is not None:
        return let
    names: dict[Any, Any] = given if isinstance(given, dict) else {}  # pyright: ignore[reportUnknownVariableType] YAML from outside
    return {
        str(name): value if isinstance(value, str) and 0 < len(value) <= MOST_EXPRESSION else "message" for name, value in names.items()
    }


def _text(value: Any) -> str:
    """A value that should be a text; anything else is refused by the contract."""
    return value if isinstance(value, str) else ""


def _line_of(path: Path, lines: Mapping[Path, int]) -> int:
    while path not in lines and path:
        path = path[:-1]
    return lines.get(path, 1)
