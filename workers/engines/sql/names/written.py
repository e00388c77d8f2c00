"""The ways in which a model may write the name of a table, where they mean one alone."""

from collections.abc import Sequence

Place = tuple[str, str]
"""A source, and the full name of a table in it."""


def written_tables(tables: Sequence[Place]) -> dict[str, tuple[Place, ...]]:
    """`source.schema.table`, `schema.table` and `table` → the table, each form in small letters. A form that several tables have means
    none, unless it is the full name of one; a table that several sources have by the same full name is given once for each."""
    found: dict[str, tuple[Place, ...]] = {}
    forms = [f"{source}.{full}" for source, full in tables], [full for _, full in tables], [full.rpartition(".")[2] for _, full in tables]
    for form in forms:
        places: dict[str, list[Place]] = {}
        for written, place in zip(form, tables, strict=True):
            places.setdefault(written.casefold(), []).append(place)
        for written, meant in places.items():
            if written not in found and len({full for _, full in meant}) == 1:
                found[written] = tuple(meant)
    return found


def meant_tables(names: Sequence[str], source: str, tables: Sequence[Place]) -> tuple[str | None, tuple[str, ...]]:
    """The source that is meant, and the full names of the tables: of those that the names mean alone. `source`: the one that is named, in
    any letters, else empty; then the tables decide, where there are several sources. One without tables is left as it is named."""
    sources = {place[0] for place in tables}
    inside = source if source in sources else next((item for item in sorted(sources) if item.casefold() == source.strip().casefold()), "")
    known = written_tables([place for place in tables if inside in ("", place[0])])
    named = [known[name] for written in names if (name := written.strip().casefold()) in known]
    common = sources.intersection(*({place[0] for place in places} for places in named))
    decided = next(iter(common)) if named and len(common) == 1 < len(sources) else None
    return inside or decided or source or None, tuple(dict.fromkeys(places[0][1] for places in named))
