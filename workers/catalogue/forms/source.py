"""A source as it describes itself: names, types, comments, keys, numbers of rows; and samples of its values.

Samples are taken by statements that pass the five locks as any owner's do, so limits and the policies of everyone hold, and each leaves
an audit row. What the policies of one owner hide is left out when that owner reads.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlglot import exp

from contracts.catalogue import CatalogueProblem
from contracts.sources import Source
from contracts.statements import say
from contracts.tables import MOST_VALUES, ColumnDetail, ForeignKey, TableDetail
from workers.catalogue.forms.table_nodes import table_nodes
from workers.catalogue.store import Item
from workers.engines.sql.facts import TypeKind, type_kind
from workers.errors import BullpenError
from workers.saying.reasons import reason_of
from workers.sources.addresses import source_engine
from workers.sources.querying import Sources
from workers.sources.schema import KnownKeys, KnownTable, SourceSchema

SAMPLER = "catalogue"
"""The owner as whom samples are taken, unless a source is open to named owners only."""

_COLUMNS_AT_ONCE = 20
_TEXT = re.compile(r"char|text|string|clob|^$", re.IGNORECASE)
_TIMES = {
    "date": re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"),
    "timestamp": re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[ T](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?"),
}
"""Texts that are times. One with an offset is not: engines read it differently."""
_PATTERNS = {"date": "____-__-__", "timestamp": "____-__-_%__:__%"}
_OFFSETS = ("%Z", "%+%", "%:%-%")
_LONGEST = 200
"""Characters of a minimum or maximum."""

_UNSAMPLED = ("json", "blob", "bytea", "binary", "[]", "array", "map", "struct", "xml", "geometry", "geography", "vector", "list", "union")
_FEW = ("char", "text", "string", "enum", "bool", "int", "bit", "date", "uuid")
"""Parts of the names of types whose few values make a domain. Measured quantities (decimals, floats, times) are none."""

_ORDERED_AS = {"bool": "int", "boolean": "int", "money": "decimal"}
"""Types that have no smallest value, or not as a number."""
_MOST_NUMBERS = 12
"""Most values of a number column that make a domain: of more, minimum and maximum say as much."""


@dataclass(frozen=True, slots=True)
class Introspection:
    """What a source says of itself."""

    schema: SourceSchema
    tables: tuple[tuple[KnownTable, KnownKeys], ...]


def introspect(source: Source, data_dir: Path) -> Introspection:
    """Ask the source. Raises `SourceUnavailable`."""
    engine = source_engine(source, data_dir)
    schema, keys = engine.introspect(), engine.keys()
    return Introspection(
        schema,
        tuple(
            (table, keys.get((table.schema, table.name), KnownKeys(nullable_known=False)))
            for table in schema.tables
            if not (table.of_extension or table.elsewhere)
        ),
    )


def source_items(
    source: Source,
    found: Introspection,
    sources: Sources | None,
    *,
    as_owner: str | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> Iterator[Item]:
    """All tables of the source. `sources`: samples are taken through it; None: without samples. `progress`: tables that are done."""
    owner = as_owner or (source.owners[0] if source.owners else SAMPLER)
    parents = {id(table): [f"{schema}.{name}" for schema, name in table.parents] for table, _ in found.tables}
    for number, (table, keys) in enumerate(found.tables, start=1):
        detail = table_detail(table, keys)
        if sources is not None:
            try:
                detail = _sampled(sources, source, found.schema, detail, owner)
            except BullpenError as error:
                yield CatalogueProblem(place=detail.full_name, reason=say("refused.import.part.no_samples", reason=reason_of(error)))
        yield from table_nodes(source.name, detail, parents=parents[id(table)], stored=table.stored)
        progress(number)


def table_detail(table: KnownTable, keys: KnownKeys) -> TableDetail:
    """A table without samples."""
    return TableDetail(
        name=table.name,
        schema_name=table.schema,
        columns=tuple(
            ColumnDetail(
                name=column.name,
                type=column.type,
                description=column.comment or "",
                nullable=column.name not in keys.not_null if keys.nullable_known and not table.is_view else None,
            )
            for column in table.columns
        ),
        description=table.comment or "",
        primary_key=keys.primary_key,
        unique=tuple(keys.unique),
        foreign_keys=tuple(
            ForeignKey(columns=key.columns, table=f"{key.schema}.{key.table}", references=key.references) for key in keys.references
        ),
        rows=keys.rows,
        is_view=table.is_view,
        definition=table.definition,
    )


def _sampled(sources: Sources, source: Source, schema: SourceSchema, table: TableDetail, owner: str) -> TableDetail:
    """The table with what its values are. Statements are built, never written."""
    place = exp.Table(this=exp.to_identifier(table.name, quoted=True), db=exp.to_identifier(table.schema_name, quoted=True))
    columns = {column.name: column for column in table.columns}
    wanted = [column for column in table.columns if not any(part in column.type.lower() for part in _UNSAMPLED)]
    rows: int | None = table.rows
    for start in range(0, len(wanted), _COLUMNS_AT_ONCE):
        part = wanted[start : start + _COLUMNS_AT_ONCE]
        answer = sources.query(source.name, _summary(place, part).sql(schema.dialect), owner=owner).rows[0]
        rows = int(answer[0])
        for number, column in enumerate(part):
            held, distinct, low, high = answer[1 + 4 * number : 5 + 4 * number]
            columns[column.name] = column.model_copy(
                update={"nulls": rows - int(held), "distinct": int(distinct), "minimum": _short(low), "maximum": _short(high)}
            )
    for column in wanted:
        if kind := text_times(columns[column.name]):
            columns[column.name] = _with_times(sources, source, schema, place, columns[column.name], kind, owner)
        elif schema.dialect == "sqlite" and declares_times(columns[column.name]):
            columns[column.name] = _without_times(sources, source, schema, place, columns[column.name], owner)
        if is_domain(columns[column.name]):
            columns[column.name] = _with_values(sources, source, schema, place, columns[column.name], owner)
    return table.model_copy(update={"rows": rows, "columns": tuple(columns[column.name] for column in table.columns)})


def _summary(place: exp.Table, columns: Sequence[ColumnDetail]) -> exp.Select:
    items: list[exp.Expr] = [exp.Count(this=exp.Star())]
    for column in columns:
        name = exp.column(exp.to_identifier(column.name, quoted=True))
        ordered = name if not (to := _ORDERED_AS.get(column.type.lower())) else exp.cast(name, to)
        items += [
            exp.Count(this=name.copy()), exp.Count(this=exp.Distinct(expressions=[name.copy()])), exp.Min(this=ordered.copy()),
            exp.Max(this=ordered.copy()),
        ]  # fmt: skip
    return exp.select(*(exp.alias_(item, f"v{number}") for number, item in enumerate(items))).from_(place.copy())


def is_domain(column: ColumnDetail) -> bool:
    """Whether a column with this number of distinct values is one whose values are listed."""
    kind = column.type.lower()
    if not column.distinct or column.distinct > MOST_VALUES or not any(part in kind for part in _FEW):
        return False
    return column.distinct <= _MOST_NUMBERS or any(part in kind for part in ("char", "text", "string", "enum"))


def text_times(column: ColumnDetail) -> str:
    """What a column of text may hold by its smallest and greatest value: `date`, `timestamp`, or nothing of these."""
    if not _TEXT.search(column.type) or not column.minimum or not column.maximum:
        return ""
    kinds = {next((kind for kind, form in _TIMES.items() if form.fullmatch(value)), "") for value in (column.minimum, column.maximum)}
    return kinds.pop() if len(kinds) == 1 else ""


def _with_times(
    sources: Sources, source: Source, schema: SourceSchema, place: exp.Table, column: ColumnDetail, kind: str, owner: str
) -> ColumnDetail:
    """The column with what it holds, if each of its values is one."""
    name = exp.column(exp.to_identifier(column.name, quoted=True))
    fits = exp.and_(
        name.copy().like(_PATTERNS[kind]), *(exp.not_(name.copy().like(form)) for form in (_OFFSETS if kind == "timestamp" else ()))
    )
    query = exp.select(exp.alias_(exp.Count(this=exp.Star()), "v")).from_(place.copy()).where(exp.not_(exp.paren(fits)))
    others = int(sources.query(source.name, query.sql(schema.dialect), owner=owner).rows[0][0])
    return column if others else column.model_copy(update={"holds": kind})


def declares_times(column: ColumnDetail) -> bool:
    """Whether a column with values is declared as one of dates or moments. SQLite keeps any text in it."""
    return bool(column.minimum) and type_kind(column.type) in (TypeKind.DATE, TypeKind.TIMESTAMP)


def _without_times(
    sources: Sources, source: Source, schema: SourceSchema, place: exp.Table, column: ColumnDetail, owner: str
) -> ColumnDetail:
    """The column, with the note that its values are other texts if one of them does not begin with a date in ISO 8601."""
    name = exp.column(exp.to_identifier(column.name, quoted=True))
    query = exp.select(exp.alias_(exp.Count(this=exp.Star()), "v")).from_(place.copy()).where(exp.not_(name.like(_PATTERNS["date"] + "%")))
    others = int(sources.query(source.name, query.sql(schema.dialect), owner=owner).rows[0][0])
    return column.model_copy(update={"holds": "text"}) if others else column


def _with_values(
    sources: Sources, source: Source, schema: SourceSchema, place: exp.Table, column: ColumnDetail, owner: str
) -> ColumnDetail:
    name = exp.column(exp.to_identifier(column.name, quoted=True))
    query = (
        exp.select(exp.alias_(name, "v")).distinct().from_(place.copy()).where(name.copy().is_(exp.null()).not_()).limit(MOST_VALUES + 1)
    )
    rows = sources.query(source.name, query.sql(schema.dialect), owner=owner).rows
    values = sorted(str(row[0]) if not isinstance(row[0], bool) else str(row[0]).lower() for row in rows)
    return column.model_copy(update={"values": tuple(values) if len(values) <= MOST_VALUES else ()})


def _short(value: Any) -> str | None:
    return None if value is None else str(value)[:_LONGEST]
