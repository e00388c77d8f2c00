"""Table metadata: from the JSON a user hands over to facts."""

from collections.abc import Mapping
from typing import Any, cast

from contracts.base import clean_text
from contracts.code import ColumnKeys, HotKey, TableFacts

TABLES = 500
COLUMNS = 2_000
TOP_KEYS = 20
NAME_CHARS = 200
DISTINCT = "distinct_"
TOP = "top_"


def read_tables(document: object) -> tuple[TableFacts, ...]:
    """The tables of an object {name: {rows, size_bytes, columns: {name: type}, distinct_COLUMN, top_COLUMN: [{value, rows, share}]}},
    by name. What does not have that form is left out: metadata is optional, and part of it better than none."""
    if not isinstance(document, dict):
        return ()
    tables = cast("dict[Any, Any]", document)
    return tuple(
        _table(str(name), cast("dict[str, Any]", body)) for name, body in sorted(tables.items())[:TABLES] if isinstance(body, dict)
    )


def _table(name: str, body: Mapping[str, Any]) -> TableFacts:
    rows = _count(body.get("rows"))
    columns = body.get("columns")
    keys: dict[str, ColumnKeys] = {}
    for field in list(body)[:COLUMNS]:
        column = field.removeprefix(DISTINCT).removeprefix(TOP)
        if column != field and column and column not in keys:
            keys[column[:NAME_CHARS]] = ColumnKeys(distinct=_count(body.get(DISTINCT + column)), top=_top(body.get(TOP + column), rows))
    return TableFacts(
        name=name[:NAME_CHARS],
        rows=rows,
        size_bytes=_count(body.get("size_bytes")),
        columns={
            str(column)[:NAME_CHARS]: str(kind)[:NAME_CHARS] for column, kind in list(cast("dict[Any, Any]", columns).items())[:COLUMNS]
        }
        if isinstance(columns, dict)
        else {},
        keys=keys,
    )


def _top(entries: object, rows: int | None) -> tuple[HotKey, ...]:
    found: list[HotKey] = []
    for item in cast("list[Any]", entries)[:TOP_KEYS] if isinstance(entries, list) else []:
        if not isinstance(item, dict):
            continue
        key = cast("dict[str, Any]", item)
        count = _count(key.get("rows"))
        if count is None:
            continue
        value = key.get("value")
        share = count / rows if rows else _share(key.get("share"))
        found.append(
            HotKey(value=None if value is None else clean_text(str(value))[:NAME_CHARS], rows=count, share=min(1.0, round(share, 4)))
        )
    return tuple(sorted(found, key=lambda key: -key.rows))


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _share(value: object) -> float:
    return float(value) if isinstance(value, int | float) and 0 <= value <= 1 else 0.0
