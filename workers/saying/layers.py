"""The layout of a graph that is drawn left to right: each thing right of all that it follows from."""

from collections.abc import Collection, Iterable, Mapping


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


def rows_of(columns: Mapping[str, int], origins: Mapping[str, Collection[str]] | None = None) -> dict[str, int]:
    """The row of each name within its column: in the order of the names, or near what it follows from, so that fewer lines cross."""
    rows: dict[str, int] = {}
    for column in sorted(set(columns.values())):
        names = [name for name, at in columns.items() if at == column]
        if origins is not None and column:
            names.sort(key=lambda name: _mean([rows[origin] for origin in origins.get(name, ()) if origin in rows]))
        rows |= {name: place for place, name in enumerate(names)}
    return rows


def _mean(places: list[int]) -> float:
    return sum(places) / len(places) if places else 0.0
