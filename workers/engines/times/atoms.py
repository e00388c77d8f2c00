"""A range of time as its words give it, before its neighbours are looked at: `March` alone leaves the year open."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from contracts.times import TimeRange
from workers.engines.times.calendar import Clock


@dataclass(frozen=True, slots=True)
class Atom:
    """Words that name a range."""

    begin: int
    stop: int
    make: Callable[[int | None], TimeRange | None]
    """The range in that year; None takes the year that the words give, or else the latest that has begun."""
    year: int | None = None
    """The year that the words give."""

    def range_in(self, year: int | None = None) -> TimeRange | None:
        """The range; None where it has to be asked about, or the calendar has no such time."""
        try:
            return self.make(year)
        except (ValueError, OverflowError):
            return None


Made = tuple[Callable[[int | None], TimeRange | None], int | None]
"""`make` and `year` of an atom."""

Reader = Callable[[re.Match[str], Clock], Made]
Rule = tuple[re.Pattern[str], Reader]


def find_atoms(text: str, clock: Clock, rules: Sequence[Rule]) -> list[Atom]:
    """The atoms from left to right: at each place the longest match wins, and of equals the first rule."""
    found: list[Atom] = []
    matches = [(match, reader) for pattern, reader in rules for match in pattern.finditer(text) if match.end() > match.start()]
    matches.sort(key=lambda item: (item[0].start(), -item[0].end()))
    behind = 0
    for match, reader in matches:
        if match.start() < behind:
            continue
        found.append(_read(match, reader, clock))
        behind = match.end()
    return found


def _read(match: re.Match[str], reader: Reader, clock: Clock) -> Atom:
    try:
        make, year = reader(match, clock)
    except (ValueError, OverflowError):  # a year that the calendar does not have
        make, year = fixed(None)
    return Atom(match.start(), match.end(), make, year)


def fixed(found: TimeRange | None) -> Made:
    """A range that has no open year."""
    return (lambda _: found), None
