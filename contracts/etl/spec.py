"""The specification of a table: `spec.yaml`. A person writes it, or edits one that was filled in; it says the same as an analysis does."""

from datetime import date
from typing import Annotated, Any, cast

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, model_validator

from contracts.base import Contract, Text
from contracts.pipelines.analysis import AnalysisStep
from contracts.sources import SourceName
from contracts.sql_review import WriteMode

Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Query = Annotated[Text, Field(max_length=50_000)]


def _listed(value: Any) -> Any:
    """`city, month` as people write a list in one line."""
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


def _named(value: Any) -> Any:
    """Columns of which only the name is written."""
    if not isinstance(value, list | tuple):
        return value
    return [{"name": item} if isinstance(item, str) else item for item in cast("list[Any]", value)]


class SpecColumn(Contract):
    """A column of the target."""

    name: Name
    type: Text = ""
    """As the dialect names it. Empty: what the query gives."""
    meaning: Text = ""
    nullable: bool | None = None
    """False: every row has a value. Not given: unknown."""


Names = Annotated[tuple[Name, ...], BeforeValidator(_listed, json_schema_input_type=tuple[Name, ...] | str)]
"""Columns: a list, or a text with commas."""
Columns = Annotated[tuple[SpecColumn, ...], BeforeValidator(_named, json_schema_input_type=tuple[SpecColumn | Name, ...])]
"""Columns, or only their names."""


class SpecQuery(Contract):
    """A named query that `sql`, `script` and later queries may read."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=60)]
    sql: Query


def _day_or_null(value: Any) -> Any:
    """Null as YAML writes it; its reader gives texts."""
    return "" if value in (None, "null", "~") else value


def _a_day(value: str) -> str:
    if value and date.fromisoformat(value).isoformat() != value:
        raise ValueError("a day is written 2026-01-31")
    return value


OpenEnd = Annotated[str, BeforeValidator(_day_or_null), AfterValidator(_a_day)]


class SpecHistory(Contract):
    """Of mode history: the columns that say when a row holds."""

    valid_from: Name
    """From when. The query yields it: the time of the change where the data have one, with a row for each version; else the day of the run
    (CURRENT_DATE), with a row for each `grain`. It belongs to the grain, also where that does not name it."""
    valid_to: Name
    """Until before when; written by code."""
    is_current: Text = ""
    open_end: OpenEnd = "9999-12-31"
    """What `valid_to` has while a row holds. Empty: null."""
    closes_missing: bool = False
    """A key that the query no longer yields is closed on the day of the run; a query without rows closes none."""


class SpecRows(Contract):
    """The rows of a table that count."""

    table: Name
    """A table of the source."""
    condition: Annotated[Text, StringConstraints(min_length=1, max_length=2_000)]
    """Over its columns, in SQL. Rows for which it does not hold, or is unknown, change nothing in the target."""


class SpecTotal(Contract):
    """What a column of the target adds up to over all rows, or is for each key."""

    column: Name
    sql: Annotated[Query, StringConstraints(min_length=1)]
    """A query over tables of the source that gives one value; or the column together with columns of the grain, as for an average."""


class EtlSpec(Contract):
    """A table with its grain, its mode and its content: one query, several named ones, a script that is there already, or typed steps."""

    target: Name
    """The table that is made, with its schema where it has one."""
    description: Text = Field(default="", max_length=4_000)
    source: SourceName | None = None
    """The source whose tables are read. Not given: the only one that you may query."""
    dialect: Text = ""
    """Of the queries. Empty: the source's."""
    grain: Names = ()
    """The columns of which no two rows have the same values."""
    mode: WriteMode = WriteMode.OVERWRITE
    """overwrite: all rows again. append: rows that are there never change. upsert: a row whose grain comes again is replaced. history: a
    change closes the row that holds and opens another."""
    partition_by: Names = ()
    history: SpecHistory | None = None
    keeps_all: Text = ""
    """The source table of which every row has a row in the target."""
    only: tuple[SpecRows, ...] = Field(default=(), max_length=20)
    totals: tuple[SpecTotal, ...] = Field(default=(), max_length=50)
    late_days: int = Field(default=0, ge=0, le=366)
    """Rows of the sources may arrive up to this number of days after their own day, and count then. 0: not said."""
    schedule: Text = ""
    """As cron has it, on the clock of the deployment (`BULLPEN_TIMEZONE`)."""
    columns: Columns = Field(default=(), max_length=1_000)
    """In their order. Empty: those of the query."""
    queries: tuple[SpecQuery, ...] = Field(default=(), max_length=50)
    sql: Query = ""
    """One SELECT that yields the content of the table. Whether rows are added, replaced or merged is the mode's."""
    script: Query = ""
    """Statements that write the table themselves, as somebody has them already, in the place of `sql`. They are run as they are, and judged
    by `grain` and `mode`."""
    steps: tuple[AnalysisStep, ...] = Field(default=(), max_length=60)
    """Typed steps in the place of `sql`; the last one yields the table."""

    @model_validator(mode="after")
    def _has_one_content(self) -> "EtlSpec":
        if sum((bool(self.sql.strip()), bool(self.script.strip()), bool(self.steps))) != 1:
            raise ValueError("a specification has one of `sql`, `script` and `steps`")
        if self.mode is WriteMode.HISTORY and self.history is None:
            raise ValueError("mode history needs `history` with valid_from and valid_to")
        if self.mode is not WriteMode.HISTORY and self.history is not None:
            raise ValueError("`history` goes with `mode: history`")
        if self.mode is WriteMode.UPSERT and not self.grain:
            raise ValueError("mode upsert needs a `grain`: the columns by which a row comes again")
        return self
