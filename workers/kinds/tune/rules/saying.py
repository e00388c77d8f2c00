"""Statements that many texts of `tune` are made of: a kind of problem, stages, a place in the code, a key's value."""

from collections.abc import Iterable, Iterator, Sequence

from contracts.bundles import Information
from contracts.code import ScriptOperation
from contracts.statements import (
    Code,
    Join,
    Listing,
    Name,
    Quote,
    Sayable,
    Statement,
    Term,
    Value,
    code,
    count,
    listing,
    member_term,
    milliseconds,
    name,
    number,
    ratio,
    say,
    sentences,
    share,
    size,
    term,
)
from contracts.tune.steps import KeySpot
from contracts.verdicts import ColumnRef, Figure, KeyStatistics, ScriptSpot, TuningClass, Unit, Verdict, VerdictKind
from workers.kinds.tune.rules.clipping import clipped

MOST_SHOWN = 6
"""Stages and columns of a sentence."""


def kind_term(kind: VerdictKind) -> Term:
    """A kind of problem in a few words, within a sentence."""
    return member_term("tune.kind", kind)


def class_term(tuning_class: TuningClass) -> Term:
    """A class, within a sentence."""
    return member_term("tune.class", tuning_class)


def value_of(text: Sayable) -> Value:
    """A statement, or a finished sentence, as the value of another statement."""
    return text if isinstance(text, Statement) else name(text)


def joined(parts: Sequence[Sayable]) -> Statement:
    """Several sentences as one statement."""
    first = parts[0]
    return first if len(parts) == 1 and isinstance(first, Statement) else say("tune.joined", parts=sentences(*map(value_of, parts)))


def parts_of(text: Value | str) -> Iterator[Value | str]:
    """The values of a statement at any depth; a text of another form itself."""
    match text:
        case Statement(values=values):
            for value in values.values():
                yield from parts_of(value)
        case Listing(items=items):
            for item in items:
                yield from parts_of(item)
        case _:
            yield text


def quotes(text: Value | Sayable, passage: str) -> bool:
    """Whether a statement shows this passage of a log, a script or a user."""
    for part in parts_of(text):
        match part:
            case str(data) | Name(text=data) | Code(text=data) | Quote(text=data):
                if passage in data:
                    return True
            case _:
                pass
    return False


def names(texts: Iterable[object]) -> Value:
    """Identifiers in a row."""
    return listing(*map(shown_name, texts), join=Join.PLAIN)


def shown_name(text: object) -> Name:
    """An identifier that a user chose, which may be long."""
    return name(clipped(str(text)))


def stages_of(verdict: Verdict) -> Value:
    """The stages that a verdict is about; the run where it names no stage."""
    ids = verdict.stage_ids[:MOST_SHOWN]
    return say("tune.stages", n=count(len(ids)), ids=names(ids)) if ids else term("tune.the_run")


def call_at(text: str, line: int) -> Value:
    """A call of the script and its line."""
    return say("tune.call", text=code(clipped(text)), line=name(line))


def line_name(spot: ScriptSpot | KeySpot | ScriptOperation) -> Name:
    """Its line; of a notebook the cell's number in brackets and the line within it: `[4]:2`."""
    return name(spot.line if spot.cell is None else f"[{spot.cell}]:{spot.cell_line}")


def place_name(artefact: str, spot: ScriptSpot | KeySpot) -> Name:
    """The file with the line: `job.py:9`, `report.ipynb[4]:2`."""
    between = ":" if spot.cell is None else ""
    return name(f"{artefact}{between}{line_name(spot).text}")


def text_of_spot(spot: ScriptSpot) -> Value:
    """Its code, and the line that uses it where that is another one."""
    text = code(clipped(spot.text))
    return text if spot.used_line is None else say("tune.spot.used", text=text, line=name(spot.used_line))


def column_name(column: ColumnRef) -> str:
    """With its table, where that is known."""
    return f"{column.table}.{column.column}" if column.table else column.column


def kinds_named(kinds: Iterable[VerdictKind]) -> Value:
    """Kinds of problems in a row."""
    return listing(*map(kind_term, kinds), join=Join.OR)


def informed(wanted: Iterable[Information]) -> Value:
    """Kinds of information in a row."""
    return listing(*(member_term("tune.information", information) for information in wanted))


def amount(value: float, unit: Unit) -> Value:
    """A figure's value in its unit."""
    match unit:
        case Unit.MS:
            return milliseconds(value)
        case Unit.BYTES:
            return size(value)
        case Unit.SHARE:
            return share(value)
        case Unit.RATIO:
            return ratio(value)
        case Unit.RECORDS:
            return say("tune.rows", n=count(round(value)))
        case Unit.TASKS | Unit.COUNT:
            return count(round(value)) if value == round(value) else number(value)


def figure_text(figure: Figure) -> Statement:
    """A figure's name and value."""
    return say("tune.labelled", label=value_of(figure.name), value=amount(figure.value, figure.unit))


def key_value(key: KeyStatistics) -> str:
    """A key's value; an empty or blank one in quotation marks."""
    return key.value if key.value.strip() else f"'{key.value}'"
