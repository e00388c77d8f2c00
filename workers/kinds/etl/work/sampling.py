"""Rows of the source for a trial: a few of each table, and those that they refer to, read as the job's owner through the five locks."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlglot import exp

from contracts.sources import QueryResult
from contracts.sql_review import SampleTable
from contracts.tables import TableDetail
from workers.errors import StatementFailed, StatementRefused
from workers.sources import Sources

MOST_ROWS = 60
"""Rows of a table that nothing refers to: enough for several groups, and the trial runs on them several times."""
MOST_REFERRED = 300
"""Rows of a table that others refer to."""


class Sampler:
    """Takes samples for one step."""

    def __init__(
        self, sources: Sources, source: str, owner: str, dialect: str, *, job_id: UUID | None = None, step_id: UUID | None = None
    ) -> None:
        """`job_id` and `step_id` go into the audit."""
        self._sources, self._source, self._owner, self._dialect = sources, source, owner, dialect
        self._job_id, self._step_id = job_id, step_id

    def take(self, tables: Sequence[TableDetail]) -> list[SampleTable]:
        """Rows of the tables, so that references among them lead to rows. A table that the owner may not read, or whose query fails, is
        left out, and so are those that refer to it: rows are generated for them. Raises `SourceUnavailable`."""
        wanted: dict[str, dict[tuple[str, ...], set[tuple[Any, ...]]]] = {}
        found: dict[str, SampleTable] = {}
        failed: set[str] = set()
        for table in _children_first(tables):
            keys = wanted.get(table.full_name, {})
            rows = self._rows(table, keys)
            if rows is None:
                failed.add(table.full_name)
                continue
            found[table.full_name] = SampleTable(
                name=table.full_name, columns=rows.columns, rows=tuple(tuple(_text(cell) for cell in row) for row in rows.rows)
            )
            for key in table.foreign_keys:
                places = [rows.columns.index(column) for column in key.columns if column in rows.columns]
                values = {tuple(row[place] for place in places) for row in rows.rows}
                whole = {value for value in values if len(places) == len(key.columns) and None not in value}
                wanted.setdefault(key.table, {}).setdefault(key.references, set()).update(whole)
        return [found[table.full_name] for table in tables if table.full_name in found and not _refers_to(table, failed)]

    def _rows(self, table: TableDetail, keys: Mapping[tuple[str, ...], set[tuple[Any, ...]]]) -> QueryResult | None:
        try:
            return self._sources.query(
                self._source, _query(table, keys).sql(self._dialect), owner=self._owner, job_id=self._job_id, step_id=self._step_id
            )
        except (StatementRefused, StatementFailed):
            return None


def _text(cell: Any) -> str | None:
    return None if cell is None else str(cell).lower() if isinstance(cell, bool) else str(cell)


def _query(table: TableDetail, keys: Mapping[tuple[str, ...], set[tuple[Any, ...]]]) -> exp.Select:
    """A statement is built, never written: values of the source are literals of the tree."""
    place = exp.Table(
        this=exp.to_identifier(table.name, quoted=True), db=exp.to_identifier(table.schema_name, quoted=True) if table.schema_name else None
    )
    made = exp.select(*(exp.column(exp.to_identifier(column.name, quoted=True)) for column in table.columns)).from_(place)
    tests = [_is_one_of(columns, values) for columns, values in keys.items() if values]
    if tests:
        made = made.where(exp.or_(*tests))
    return made.limit(MOST_REFERRED if tests else MOST_ROWS)


def _is_one_of(columns: Sequence[str], values: set[tuple[Any, ...]]) -> exp.Condition:
    """`a IN (...)`, or pairs of values one by one."""
    ordered = sorted(values, key=str)
    if len(columns) == 1:
        return exp.column(exp.to_identifier(columns[0], quoted=True)).isin(*(exp.convert(value[0]) for value in ordered))
    names = [exp.column(exp.to_identifier(column, quoted=True)) for column in columns]
    rows = [exp.and_(*(name.copy().eq(exp.convert(cell)) for name, cell in zip(names, value, strict=True))) for value in ordered]
    return exp.or_(*rows)


def _children_first(tables: Sequence[TableDetail]) -> list[TableDetail]:
    """Each table behind those that refer to it; tables in a circle keep their order."""
    waiting, made = list(tables), list[TableDetail]()
    while waiting:
        referred = {key.table for table in waiting for key in table.foreign_keys if key.table != table.full_name}
        free = [table for table in waiting if table.full_name not in referred] or waiting[:1]
        made += free
        waiting = [table for table in waiting if table not in free]
    return made


def _refers_to(table: TableDetail, failed: set[str]) -> bool:
    return any(key.table in failed for key in table.foreign_keys)
