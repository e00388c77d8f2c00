"""Which two columns of a result say where its rows are: degrees, or metres to the east and to the north."""

from collections.abc import Sequence
from dataclasses import dataclass

Cell = str | int | float | bool | None

_EAST = frozenset({"longitude", "lon", "lng", "经度"})
_NORTH = frozenset({"latitude", "lat", "纬度"})
"""What the columns of degrees are called, at the end of their names."""
_METRES = ("x_m", "y_m")
_MOST_EAST, _MOST_NORTH = 180.0, 90.0


@dataclass(frozen=True, slots=True)
class Coordinates:
    """The columns, by their numbers."""

    east: int
    north: int
    is_geographic: bool
    """Degrees of longitude and latitude; otherwise metres."""


def coordinates_of(names: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Coordinates | None:
    """The first pair of columns that are called so and hold such numbers in every row that has one. None: the rows are nowhere."""
    folded = [name.casefold() for name in names]
    for east, name in enumerate(folded):
        before, _, last = name.rpartition("_")
        if name == _METRES[0] and _METRES[1] in folded:
            found = Coordinates(east, folded.index(_METRES[1]), is_geographic=False)
        elif last in _EAST:
            north = next((place for place, other in enumerate(folded) if _is_north(other, before)), None)
            if north is None:
                continue
            found = Coordinates(east, north, is_geographic=True)
        else:
            continue
        if _are_numbers(rows, found):
            return found
    return None


def _is_north(name: str, before: str) -> bool:
    start, _, last = name.rpartition("_")
    return last in _NORTH and start == before


def _are_numbers(rows: Sequence[Sequence[Cell]], found: Coordinates) -> bool:
    pairs = [pair for row in rows if (pair := pair_of(row, found)) is not None]
    if not pairs or any((row[found.east] is None) is not (row[found.north] is None) for row in rows):
        return False
    known = sum(row[found.east] is not None for row in rows)
    within = all(abs(east) <= _MOST_EAST and abs(north) <= _MOST_NORTH for east, north in pairs)
    return known == len(pairs) and (within or not found.is_geographic)


def pair_of(row: Sequence[Cell], where: Coordinates) -> tuple[float, float] | None:
    """Where a row is; None where it says nothing."""
    try:
        east, north = (float(cell) for cell in (row[where.east], row[where.north]) if cell is not None and not isinstance(cell, bool))
    except ValueError:  # one or none of them, or no numbers
        return None
    return (east, north) if abs(east) < float("inf") and abs(north) < float("inf") else None
