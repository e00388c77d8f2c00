"""Days of the week by name: a result holds their numbers."""

from contracts.ask.results import Cell
from contracts.statements import Term, term

_DAYS: tuple[Term, ...] = (
    term("ask.day.monday"), term("ask.day.tuesday"), term("ask.day.wednesday"), term("ask.day.thursday"),
    term("ask.day.friday"), term("ask.day.saturday"), term("ask.day.sunday"),
)  # fmt: skip


def weekday_word(cell: Cell) -> Term | None:
    """The name of a day of the week by its number, 1 for Monday; None for anything else."""
    return _DAYS[cell - 1] if isinstance(cell, int) and 1 <= cell <= len(_DAYS) else None
