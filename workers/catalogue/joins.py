"""How rows of tables belong together: by a declared key, by queries that were run, or by equal names whose values fit."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

import psycopg

from contracts.tables import ColumnDetail, JoinEvidence, JoinPath, TableDetail
from workers.blackboard.engine import Row
from workers.catalogue.access import Access
from workers.catalogue.reading import read_tables

Connection = psycopg.Connection[Row]

_ORDER = {JoinEvidence.DECLARED: 0, JoinEvidence.QUERIES: 1, JoinEvidence.NAMES: 2}

_COMMON = frozenset({"id", "name", "title", "description", "status", "type", "kind", "state", "note", "notes", "created_at", "updated_at"})
"""Names of columns that many tables have and that tie none together."""
_KEY_NAME = re.compile(r"(?i:[_ -](?:id|key|code|no))$|(?<=[a-z0-9])(?:Id|ID|Key|Code|No)$")
"""`customer_id` and `customerId`; `paid` and `is_valid` only end in the letters."""


def find_joins(connection: Connection, access: Access, ids: Sequence[str]) -> tuple[JoinPath, ...]:
    """All ways between each two of these tables, the strongest evidence first, each pair of columns once."""
    tables = read_tables(connection, access, ids)
    found = [*_declared(tables), *_by_queries(connection, tables), *_by_names(tables)]
    best: dict[frozenset[tuple[str, tuple[str, ...]]], JoinPath] = {}
    for path in sorted(found, key=lambda path: (_ORDER[path.evidence], -path.queries)):
        sides = frozenset({(path.left, _folded(path.left_columns)), (path.right, _folded(path.right_columns))})
        best.setdefault(sides, path)
    declared = {frozenset((path.left, path.right)) for path in best.values() if path.evidence is not JoinEvidence.NAMES}
    kept = [path for path in best.values() if path.evidence is not JoinEvidence.NAMES or frozenset((path.left, path.right)) not in declared]
    return tuple(sorted(kept, key=lambda path: (_ORDER[path.evidence], -path.queries, path.left, path.right)))


def _folded(columns: Iterable[str]) -> tuple[str, ...]:
    return tuple(column.lower() for column in columns)


def _declared(tables: Mapping[str, TableDetail]) -> Iterable[JoinPath]:
    by_name = {table.full_name.lower(): table for table in tables.values()}
    for table in tables.values():
        for key in table.foreign_keys:
            other = by_name.get(key.table.lower())
            if other is not None and len(key.columns) == len(key.references):
                yield JoinPath(
                    left=table.full_name,
                    left_columns=key.columns,
                    right=other.full_name,
                    right_columns=key.references,
                    evidence=JoinEvidence.DECLARED,
                )


def _by_queries(connection: Connection, tables: Mapping[str, TableDetail]) -> Iterable[JoinPath]:
    rows = connection.execute(
        "SELECT from_id, to_id, content FROM catalogue_edges WHERE kind = 'references' AND from_id = ANY(%(ids)s) AND to_id = ANY(%(ids)s) "
        "AND content ->> 'evidence' = 'queries'",
        {"ids": list(tables)},
    ).fetchall()
    runs: defaultdict[tuple[str, tuple[str, ...], str, tuple[str, ...]], int] = defaultdict(int)
    for row in rows:
        left, right = tables[row["from_id"]], tables[row["to_id"]]
        columns, others = tuple(row["content"]["columns"]), tuple(row["content"]["references"])
        if _has(left, columns) and _has(right, others):
            runs[left.full_name, columns, right.full_name, others] += int(row["content"].get("queries", 1))
    for (left, columns, right, others), count in runs.items():
        yield JoinPath(
            left=left, left_columns=columns, right=right, right_columns=others, evidence=JoinEvidence.QUERIES, queries=count
        )  # fmt: skip


def _has(table: TableDetail, columns: Iterable[str]) -> bool:
    names = {column.name.lower() for column in table.columns}
    return all(column.lower() in names for column in columns)


def _by_names(tables: Mapping[str, TableDetail]) -> Iterable[JoinPath]:
    listed = sorted(tables.values(), key=lambda table: table.full_name)
    for place, left in enumerate(listed):
        for right in listed[place + 1 :]:
            others = {column.name.lower(): column for column in right.columns}
            for column in left.columns:
                other = others.get(column.name.lower())
                if other is not None and column.name.lower() not in _COMMON and _is_key(left, column, right, other) and _fit(column, other):
                    yield JoinPath(
                        left=left.full_name, left_columns=(column.name,), right=right.full_name, right_columns=(other.name,),
                        evidence=JoinEvidence.NAMES,
                    )  # fmt: skip


def _is_key(left: TableDetail, column: ColumnDetail, right: TableDetail, other: ColumnDetail) -> bool:
    """Whether one side has each value once, or the name is that of a key."""
    if _is_unique(left, column) or _is_unique(right, other):
        return True
    return _KEY_NAME.search(column.name) is not None


def _is_unique(table: TableDetail, column: ColumnDetail) -> bool:
    """Whether each value is there once: by a key, or by counting, which says nothing of times and measures."""
    alone = (column.name.lower(),)
    keys = (table.primary_key, *table.unique)
    measured = _sort(column.type) == "time" or any(word in column.type.lower() for word in ("double", "float", "real"))
    counted = not measured and column.distinct is not None and table.rows is not None and 1 < table.rows <= column.distinct
    return any(_folded(key) == alone for key in keys) or counted


def _fit(left: ColumnDetail, right: ColumnDetail) -> bool:
    """Whether the values of one side may be those of the other, as far as they are known."""
    if left.values and right.values:
        return bool(set(left.values) & set(right.values))
    if _sort(left.type) != _sort(right.type):
        return False
    if _sort(left.type) == "text":
        return _overlap((left.minimum, left.maximum), (right.minimum, right.maximum))
    return _overlap((_number(left.minimum), _number(left.maximum)), (_number(right.minimum), _number(right.maximum)))


def _overlap(left: tuple[Any, Any], right: tuple[Any, Any]) -> bool:
    """Whether the ranges have something in common, or one is not known."""
    lows = [low for low in (left[0], right[0]) if low is not None]
    highs = [high for high in (left[1], right[1]) if high is not None]
    return len(lows) < 2 or len(highs) < 2 or max(lows) <= min(highs)


def _sort(kind: str) -> str:
    """Numbers, texts, times and others: what may be equal at all."""
    kind = kind.lower()
    for sort, words in (("number", ("int", "num", "dec", "serial", "double", "float", "real")), ("text", ("char", "text", "string")),
                        ("time", ("date", "time"))):  # fmt: skip
        if any(word in kind for word in words):
            return sort
    return kind


def _number(text: str | None) -> Decimal | None:
    try:
        return None if text is None else Decimal(text)
    except InvalidOperation:
        return None
