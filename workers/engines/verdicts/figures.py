"""Figures: made with an id and the label that the catalogue has for it, and found by the id."""

from contracts.figures import FigureId
from contracts.statements import Count, Sayable, Seconds, Share, Statement, count, milliseconds, number, ratio, say, say_member, share, size
from contracts.statements import Bytes, Number, Ratio
from contracts.verdicts import Figure, Unit, Verdict

MIB = 1 << 20

SHOWN_DIGITS = 4


def figure(
    id: FigureId, value: float, unit: Unit, source: Sayable, threshold: float | None = None, *, name: Statement | None = None
) -> Figure:
    """A figure; ratios and shares are rounded. Its name is the catalogue's word for the id, where no other is given."""
    shown = round(value, SHOWN_DIGITS) if unit in (Unit.RATIO, Unit.SHARE) else value
    return Figure(id=id.value, name=name or label(id), value=shown, unit=unit, source=source, threshold=threshold)


def label(id: FigureId) -> Statement:
    """The name of a figure."""
    return say_member("verdicts.figure", id)


def figure_of(verdict: Verdict, id: str) -> Figure | None:
    """The first figure with this id."""
    return next((one for one in verdict.figures if one.id == id), None)
