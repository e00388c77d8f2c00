"""The layout of a graph that is drawn left to right: each thing right of all that it follows from."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar


@dataclass(frozen=True, slots=True)
class Lane:
    """Where the lines from one thing pass through a column that they do not end in, beside its boxes."""

    origin: str
    column: int


Place = str | Lane
"""What has a row in a column."""

P = TypeVar("P", str, Place)


def columns_of(names: Iterable[str], origins: Mapping[str, Collection[str]]) -> dict[str, int]:
    """The column of each name by the longest way to it. Names without origins are in column 0; a circle is cut where it closes."""
    known = list(names)
    columns: dict[str, int] = {}

    def column(name: str, path: frozenset[str]) -> int:
        if name not in columns:
            before = [origin for origin in origins.get(name, ()) if origin in origins and origin not in path]
            columns[name] = max((column(origin, path | {origin}) + 1 for origin in before), default=0)
        return columns[name]

    return {name: column(name, frozenset({name})) for name in known}


def ends_last(columns: Mapping[str, int], origins: Mapping[str, Collection[str]]) -> dict[str, int]:
    """The same with all that leads to nothing else in the last column, except what also follows from nothing."""
    leads = {origin for of in origins.values() for origin in of}
    last = max(columns.values(), default=0)
    return {name: last if name not in leads and column else column for name, column in columns.items()}


def way_of(origin: str, result: str, columns: Mapping[str, int]) -> tuple[Place, ...]:
    """What a line passes from one thing to another: both, and between them a lane in each column."""
    return (origin, *(Lane(origin, column) for column in range(columns[origin] + 1, columns[result])), result)


def with_lanes(
    columns: Mapping[str, int], origins: Mapping[str, Collection[str]]
) -> tuple[dict[Place, int], dict[Place, tuple[Place, ...]]]:
    """Columns and origins with the lanes of all lines that pass a column. Lines from one thing share their lane."""
    placed: dict[Place, int] = {**columns}
    follows: dict[Place, tuple[Place, ...]] = {}
    for name, before in origins.items():
        ways = [way_of(origin, name, columns) for origin in before if origin in columns]
        follows[name] = tuple(way[-2] for way in ways)
        for way in ways:
            for start, lane in pairwise(way):
                if isinstance(lane, Lane):
                    follows[lane] = (start,)
                    placed[lane] = lane.column
    return placed, follows


def rows_of(columns: Mapping[P, int], origins: Mapping[P, Collection[P]] | None = None) -> dict[P, int]:
    """The row of each name within its column: in the order of the names, or near what it follows from, so that fewer lines cross."""
    rows: dict[P, int] = {}
    for column in sorted(set(columns.values())):
        names = [name for name, at in columns.items() if at == column]
        if origins is not None and column:
            names.sort(key=lambda name: _mean([rows[origin] for origin in origins.get(name, ()) if origin in rows]))
        rows |= {name: place for place, name in enumerate(names)}
    return rows


def _mean(places: list[int]) -> float:
    return sum(places) / len(places) if places else 0.0
