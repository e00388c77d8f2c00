"""The tool that runs a query on a user's database, through the five locks of `workers/sources`, and the pointers that give its key."""

from collections.abc import Iterator
from typing import Any

from pydantic import Field
from sqlglot import exp

from contracts.base import Contract, Text
from contracts.pointers import SourcePointer
from contracts.sources import STATEMENT_MAX
from contracts.tools import Cost, Effect
from workers.errors import InvalidInput, StatementFailed, StatementRefused
from workers.sources.registry import list_sources
from workers.tools.tool import Tool, ToolContext, ToolServices

MOST_ROWS = 50
"""Rows of the sample. A user gets the whole result from a stage of its own; a model needs to see what the rows look like."""
ALL_ROWS = 2_000
"""Rows that a caller may ask for: a step of a procedure works on all of them."""
MOST_CELL_CHARACTERS = 200
"""Length to which a text in a cell is cut."""
SEARCH_KEY = "search_catalogue"
QUERY_KEY = "query_source"
VALUES_KEY = "get_column_valuedomain"
COMPONENTS_KEY = "list_component"


class SourceQuery(Contract):
    """A query on a source."""

    source: Text = Field(max_length=200, description="The source's name.")
    sql: Text = Field(min_length=1, max_length=STATEMENT_MAX, description="One SELECT in the source's dialect.")
    values: dict[str, str | int | float | bool | None] = Field(
        default={}, description="A value for each place `:name` in the statement, where it has any."
    )
    limit: int = Field(default=MOST_ROWS, ge=1, le=ALL_ROWS, description="How many rows to return.")


class QuerySample(Contract):
    """What a query gave, as a sample; or why it could not be run."""

    columns: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    """The first rows, long texts cut."""
    row_count: int = 0
    """Rows of the result, at most the source's limit."""
    cut: str | None = None
    """`rows` or `bytes` when the source's limit cut the result."""
    execution_id: int | None = None
    """The audit row."""
    error: Text | None = None
    """A lock or the engine refused the statement: a better statement may pass."""


def _query(ctx: ToolContext, arguments: SourceQuery) -> QuerySample:
    try:
        done = ctx.services.sources.query(
            arguments.source, arguments.sql, owner=ctx.owner, values=arguments.values, job_id=ctx.job_id, step_id=ctx.step_id
        )  # fmt: skip
    except (StatementRefused, StatementFailed, InvalidInput) as error:
        return QuerySample(error=str(error))
    rows = tuple(tuple(_cell(cell) for cell in row) for row in done.rows[: arguments.limit])
    return QuerySample(
        columns=done.columns, types=done.types, rows=rows, row_count=len(done.rows), cut=done.cut, execution_id=done.execution_id
    )


def _cell(value: Any) -> Any:
    return f"{value[:MOST_CELL_CHARACTERS]}…" if isinstance(value, str) and len(value) > MOST_CELL_CHARACTERS else value


QUERY_SOURCE = Tool(
    QUERY_KEY,
    "Runs one SELECT on a source and returns the number of rows and the first of them. The statement is in the source's dialect. If it "
    "cannot be run, `error` says why.",
    SourceQuery,
    QuerySample,
    _query,
    effect=Effect.READ,
    cost=Cost.MEDIUM,
    opens=frozenset({"source"}),
    card="source",
)


class ColumnValues(Contract):
    """Values of a column that are looked for."""

    source: Text = Field(max_length=200, description="The source's name.")
    table: Text = Field(max_length=400, description="The table by its full name: `schema.table`.")
    column: Text = Field(max_length=200, description="The column's name.")
    like: Text = Field(default="", max_length=200, description="Part of the value, in any case; empty: the most frequent values.")


class ValuesFound(Contract):
    """Values of a column as they are stored, with how many rows have each; or why they cannot be looked up."""

    values: tuple[tuple[Any, int], ...] = ()
    """The most frequent first."""
    more: bool = False
    """There are more."""
    error: Text | None = None


MOST_VALUES = 50


def _column_values(ctx: ToolContext, arguments: ColumnValues) -> ValuesFound:
    found = next((item for item in list_sources(ctx.services.database) if item.name == arguments.source), None)
    dialect = str(found.kind) if found is not None else ""
    column = exp.column(exp.to_identifier(arguments.column, quoted=True))
    place = arguments.table.split(".")
    table = place[1:] if len(place) > 2 and place[0] == arguments.source else place  # as the other tools name it: `source.schema.table`
    query = exp.select(column, exp.alias_(exp.Count(this=exp.Star()), "n")).from_(
        exp.to_table(".".join(exp.to_identifier(part, quoted=True).sql() for part in table))
    )
    values: dict[str, Any] = {}
    if arguments.like:
        text = exp.Lower(this=exp.cast(column.copy(), "varchar"))
        query = query.where(exp.Like(this=text, expression=exp.Placeholder(this="wanted")))
        values["wanted"] = f"%{arguments.like.lower().replace('%', '').replace('_', '')}%"
    statement = query.group_by(column.copy()).order_by(exp.Ordered(this=exp.column("n"), desc=True)).limit(MOST_VALUES + 1)
    try:
        done = ctx.services.sources.query(
            arguments.source, statement.sql(dialect=dialect or None), owner=ctx.owner, values=values, job_id=ctx.job_id, step_id=ctx.step_id
        )
    except (StatementRefused, StatementFailed, InvalidInput) as error:
        return ValuesFound(error=str(error))
    rows = tuple((_cell(row[0]), int(row[1])) for row in done.rows[:MOST_VALUES])
    return ValuesFound(values=rows, more=len(done.rows) > MOST_VALUES)


GET_COLUMN_VALUEDOMAIN = Tool(
    VALUES_KEY,
    "The values of a column as they are stored, the most frequent first, or those that contain a text: to learn how a name is spelled.",
    ColumnValues,
    ValuesFound,
    _column_values,
    effect=Effect.READ,
    cost=Cost.MEDIUM,
    opens=frozenset({"source"}),
    card="source",
)


def source_pointers(services: ToolServices, owner: str) -> Iterator[SourcePointer]:
    """The sources that this owner may query. Every step of the owner holds them; its role's allow-list decides what it does with them."""
    for source in list_sources(services.database):
        if not source.owners or owner in source.owners:
            yield SourcePointer(
                place=source.name, line=f"source {source.name} ({source.kind})", score=1.0,
                keys=(QUERY_KEY, SEARCH_KEY, VALUES_KEY, COMPONENTS_KEY), dialect=str(source.kind),
            )  # fmt: skip
