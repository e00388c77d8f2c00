"""Figures by id and the label that the catalogue has for it; quantities and sources as sentences have them."""

from contracts.figures import FigureId
from contracts.statements import Bytes, Sayable, Statement, count, say, say_member, size
from contracts.statements import name as named
from contracts.verdicts import Figure, Unit, Verdict

SHOWN_DIGITS = 4


def figure(
    id: FigureId, value: float, unit: Unit, source: Sayable, threshold: float | None = None, *, name: Statement | None = None
) -> Figure:
    """A figure; ratios and shares are rounded. Its name is the catalogue's for the id where no other is given."""
    shown = round(value, SHOWN_DIGITS) if unit in (Unit.RATIO, Unit.SHARE) else value
    return Figure(id=id.value, name=name or label(id), value=shown, unit=unit, source=source, threshold=threshold)


def label(id: FigureId) -> Statement:
    """The name of a figure."""
    return say_member("verdicts.figure", id)


def figure_of(verdict: Verdict, id: str) -> Figure | None:
    """The first figure with this id."""
    return next((figure for figure in verdict.figures if figure.id == id), None)


def measured(value: float, unit: Unit) -> Bytes | Statement:
    """What a task or a partition got: bytes, else rows."""
    return size(value) if unit is Unit.BYTES else say("verdicts.rows", n=count(round(value)))


def in_artefact(artefact: str) -> Statement:
    """An artefact as a whole, as a source."""
    return say("verdicts.source.artefact", artefact=named(artefact))


def at_line(artefact: str, line: int) -> Statement:
    """A line of an artefact, as a source."""
    return say("verdicts.source.line", artefact=named(artefact), line=named(line))
