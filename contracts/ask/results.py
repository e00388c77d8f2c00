"""What the tools of `ask` yield."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt

from contracts.base import Contract, Text
from contracts.catalogue import KnownQuery, Passage
from contracts.charts import Chart, Mark
from contracts.findings import Finding
from contracts.log_questions import LogReading
from contracts.log_sources import LogLine, LogSeries
from contracts.phrases import UsedPhrase
from contracts.pointers import AnyPointer
from contracts.queries import QueryPlan
from contracts.questions import OpenWord, UsedDefinition
from contracts.sql_review import SqlReview
from contracts.statements import Sayable
from contracts.tables import ColumnDetail, JoinPath

MOST_ROWS = 2_000
"""Rows of a result that its deliverable holds."""

RESULT_BYTES = 300_000
"""Bytes of them, counted on the values: a deliverable has room for a megabyte of JSON."""

Cell = str | int | float | bool | None
"""A value of a result as JSON has it."""


class ChosenTable(Contract):
    """A table that a question is about."""

    source: str
    name: Text
    """Its full name."""
    description: Text = ""
    columns: tuple[ColumnDetail, ...] = ()
    """The columns that matter, without statistics."""
    more_columns: int = 0
    """How many others it has."""
    reason: Sayable


class ReadingStatus(StrEnum):
    """What became of reading the question as a query."""

    READ = "read"
    """Every word that matters has a place."""
    AMBIGUOUS = "ambiguous"
    UNPLACED = "unplaced"
    """Words have no place in what is known of the data."""
    NOTHING = "nothing"
    """The data that may be seen has nothing to do with it."""
    OPEN = "open"
    """A model reads it, when it writes the statement."""


class Understood(Contract):
    """A query plan, and how it understands the question."""

    source: str
    says: tuple[Sayable, ...]
    """Tables, columns, filters, time range and grouping, a statement each."""
    label: Sayable
    """In one line, to choose by."""
    plan: QueryPlan
    definitions: tuple[UsedDefinition, ...] = ()
    """Those of the words that it uses."""


class Reading(Contract):
    """The question as a query, as far as it can be one."""

    status: ReadingStatus
    text: Text = ""
    """The question that was read: of a follow-up, the whole one."""
    candidates: tuple[Understood, ...] = ()
    """One when it is read; the readings to choose from when it is ambiguous, or when words without a place are a part of values."""
    unplaced: tuple[Text, ...] = ()
    """Words of the question that have no place."""
    question: Sayable | None = None
    """What to ask the user; None: nothing."""
    open_word: OpenWord | None = None
    """The word of which it has to be asked what it means, before anything is chosen among the candidates."""
    answerable: float = 1.0
    """How likely these data can answer it at all, 0 to 1."""
    offers: tuple[Text, ...] = ()
    """Questions about these tables that are read as they are, where this one was not."""
    formula: Text = ""
    """An example of a formula over these tables, where words of the question have no place. Empty: there is none."""


class TablesFound(Contract):
    """Of `data_discovery`."""

    kind: Literal["tables"] = "tables"
    tables: tuple[ChosenTable, ...] = ()
    more_tables: NonNegativeInt = 0
    """Further tables that were found and are not listed."""
    joins: tuple[JoinPath, ...] = ()
    documents: tuple[Passage, ...] = ()
    queries: tuple[KnownQuery, ...] = ()
    pointers: tuple[AnyPointer, ...] = ()
    reading: Reading
    words_only: bool = False
    """Vectors were missing when it was searched, so that another search may find more."""


class SqlMade(Contract):
    """Of `generate_sql`."""

    kind: Literal["sql"] = "sql"
    call: str
    """Its own id: an execution names the call that its SQL comes from."""
    found_by: str = ""
    """The call of the discovery on which it rests."""
    source: str
    dialect: str
    sql: Text
    """Empty: none could be made; `problems` says why."""
    native: Text = ""
    """The same in the dialect of the source, which is what runs; empty: `sql` is in it."""
    plan: QueryPlan | None = None
    says: tuple[Sayable, ...] = ()
    tables: tuple[Text, ...] = ()
    checked: bool = False
    """The source's engine planned it without an error."""
    by: Text = ""
    """The model that wrote it; empty: it was built from a plan."""
    is_verified: bool = True
    """False: a check objects to it, or nobody compared it with the question; it never runs before the user has seen it."""
    other: Text = ""
    """Another draft, with another result."""
    uses: tuple[UsedPhrase, ...] = ()
    """What a model made of the question's phrases."""
    not_used: tuple[Text, ...] = ()
    """Phrases of the question that have no part in the statement."""
    assumed: tuple[Text, ...] = ()
    """What the model took for granted."""
    definitions: tuple[UsedDefinition, ...] = ()
    """The definitions on which it rests."""
    asks: Text = ""
    """What the model has to know first; then there is no statement."""
    choices: tuple[Text, ...] = ()
    declines: Text = ""
    """Why the model says that these data cannot answer the question."""
    findings: tuple[Sayable, ...] = ()
    review: SqlReview = SqlReview(findings=())
    """Defects that were shown on rows."""
    problems: tuple[Sayable, ...] = ()

    @property
    def runs(self) -> str:
        """The statement as its source runs it."""
        return self.native or self.sql


class SqlFixed(Contract):
    """Of `fix_sql`."""

    kind: Literal["fixed"] = "fixed"
    call: str
    source: str = ""
    dialect: str
    original: Text
    sql: Text
    """Empty: no repair ran."""
    changes: tuple[Sayable, ...] = ()
    diff: Text = ""
    checked: bool = False
    by: Text = ""
    """The model that mended it; empty: rules did."""
    asks: Text = ""
    choices: tuple[Text, ...] = ()
    error_class: str = ""
    problems: tuple[Sayable, ...] = ()
    tables: tuple[Text, ...] = ()


class SqlExplained(Contract):
    """Of `explain_sql`."""

    kind: Literal["explained"] = "explained"
    dialect: str
    sql: Text
    words: tuple[Text, ...] = ()
    """What it computes, in a model's words."""
    says: tuple[Sayable, ...] = ()
    findings: tuple[Sayable, ...] = ()
    review: SqlReview = SqlReview(findings=())
    problems: tuple[Sayable, ...] = ()
    tables: tuple[Text, ...] = ()


class ChartWish(Contract):
    """How a user wants a result drawn."""

    mark: Mark | None = None
    order: Literal["best_first", "worst_first"] | None = None


class Queried(Contract):
    """Of `execute_sql_and_analyze_result`."""

    kind: Literal["queried"] = "queried"
    source: str
    sql: Text
    sql_call: str = ""
    """The call that made the SQL; empty: the user brought it."""
    weekdays: tuple[str, ...] = ()
    """Columns that hold days of the week as numbers: 1 is Monday."""
    columns: tuple[Text, ...] = ()
    types: tuple[Text, ...] = ()
    codes: tuple[Text, ...] = ()
    """Columns whose numbers name a row and measure nothing."""
    rows: tuple[tuple[Cell, ...], ...] = ()
    row_count: int = 0
    """Rows of the whole result."""
    is_cut: bool = False
    """The source's limits cut the result."""
    says: tuple[Sayable, ...] = ()
    """How the question was understood."""
    words: tuple[Text, ...] = ()
    """The result in a model's words; each figure in them is in the result."""
    definitions: tuple[UsedDefinition, ...] = ()
    """The definitions on which it rests."""
    made: SqlMade | None = None
    """How a model wrote the statement, where one did: who reads the figures reads what they rest on."""
    notes: tuple[Sayable, ...] = ()
    """What the rows do not show of themselves: rows behind a limit that are as good as the last."""
    findings: tuple[Finding, ...] = ()
    chart: Chart | None = None
    """How it is drawn; None where there is nothing to draw."""
    further_charts: tuple[Chart, ...] = ()
    """Of its other quantities, over the same times or names."""
    problems: tuple[Sayable, ...] = ()
    tables: tuple[Text, ...] = ()


class LogsFound(Contract):
    """Of `search_log`."""

    kind: Literal["logs"] = "logs"
    logs: str = ""
    logql: Text
    query: LogReading | None = None
    """What was read from the words; a follow-up changes it."""
    says: tuple[Sayable, ...] = ()
    lines: tuple[LogLine, ...] = ()
    series: tuple[LogSeries, ...] = ()
    has_run: bool = False
    is_cut: bool = False
    """There are more lines."""
    by: Text = ""
    """The model that wrote the query; empty: it was built from what was read."""
    assumed: tuple[Text, ...] = ()
    """What the model took for granted."""
    asks: Text = ""
    choices: tuple[Text, ...] = ()
    missing: tuple[Sayable, ...] = ()
    """What was not read of the search, and what to write instead; the user is asked."""
    problems: tuple[Sayable, ...] = ()


class PassagesFound(Contract):
    """Of `datasuite_faq` and `data_suite_expert`."""

    kind: Literal["passages"] = "passages"
    passages: tuple[Passage, ...] = ()
    """Those that answer, the best first. Empty: it is not in the documents."""
    answer: Text = ""
    """The words of the documents, or a model's words; each of its sentences rests on words of a cited passage."""
    by: Text = ""
    """The model that worded the answer; empty: it is the documents' own words."""
    cites: tuple[str, ...] = ()
    words_only: bool = False
    """Vectors were missing when it was searched, so that another search may find more."""


class Refused(Contract):
    """Of `reject_out_of_scope`."""

    kind: Literal["refused"] = "refused"
    reason: Sayable


class Said(Contract):
    """A reply to a message that asks for nothing, such as thanks."""

    kind: Literal["said"] = "said"
    text: Sayable


ToolResult = Annotated[
    TablesFound | SqlMade | SqlFixed | SqlExplained | Queried | LogsFound | PassagesFound | Refused | Said, Field(discriminator="kind")
]
"""What a tool yields."""
