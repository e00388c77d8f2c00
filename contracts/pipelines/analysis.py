"""What the analyst of `etl` yields: a requirement as typed business steps, its target, and what is open."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Discriminator, Field, model_validator

from contracts.base import Contract, Text
from contracts.pipelines.expressions import Expression, NamedExpression, Sorting
from contracts.pointers import AnyPointer
from contracts.sql_review import WriteMode
from contracts.statements import Sayable
from contracts.tables import JoinEvidence

CLARIFY_BELOW = 0.7
"""Confidence below which the analyst asks, if there are ambiguities (BEHAVIOURS 1.4)."""
MOST_QUESTIONS = 3
"""Of a model to the user about one requirement."""

StepId = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
"""Names a step; it is also the name of the step's relation in the script."""


class JoinSide(StrEnum):
    """Which rows a join keeps."""

    INNER = "inner"
    LEFT = "left"
    """All of the left input."""
    SEMI = "semi"
    """Rows of the left input that have a partner."""
    ANTI = "anti"
    """Rows of the left input that have none."""


class SourceWork(Contract):
    """A table of the source is read."""

    kind: Literal["source"] = "source"
    table: Text
    """Its full name in the catalogue."""


class FilterWork(Contract):
    """Rows are kept for which the condition holds."""

    kind: Literal["filter"] = "filter"
    input: StepId
    where: Expression


class JoinWork(Contract):
    """Rows of two inputs are put together."""

    kind: Literal["join"] = "join"
    left: StepId
    right: StepId
    side: JoinSide = JoinSide.INNER
    on: Expression
    columns: tuple[NamedExpression, ...] = ()
    """Of the output. Of a semi or anti join: only the left input's; empty means all of them."""
    evidence: JoinEvidence | None = None


class AggregateWork(Contract):
    """Rows are grouped."""

    kind: Literal["aggregate"] = "aggregate"
    input: StepId
    by: tuple[NamedExpression, ...] = ()
    """Empty: one row of all."""
    measures: tuple[NamedExpression, ...] = ()
    having: Expression | None = None
    """Over the step's own output: its columns name this step."""


class DeriveWork(Contract):
    """Columns are computed, renamed or left out."""

    kind: Literal["derive"] = "derive"
    input: StepId
    columns: tuple[NamedExpression, ...]
    is_distinct: bool = False


class FrameUnit(StrEnum):
    """What the length of a window counts."""

    ROWS = "rows"
    DAYS = "days"


class WindowColumn(Contract):
    """A value over the rows around each row."""

    name: Text
    value: Expression
    """A call of an aggregate or a ranking."""
    partition_by: tuple[Expression, ...] = ()
    order_by: tuple[Sorting, ...] = ()
    frame: FrameUnit | None = None
    """None: the default of SQL."""
    preceding: int | None = None
    """Rows or days before the current one. None: all."""


class WindowWork(Contract):
    """Columns over windows are added to those of the input."""

    kind: Literal["window"] = "window"
    input: StepId
    columns: tuple[WindowColumn, ...]


class DedupWork(Contract):
    """The first row of each key is kept."""

    kind: Literal["dedup"] = "dedup"
    input: StepId
    key: tuple[Expression, ...]
    order_by: tuple[Sorting, ...]


class UnionWork(Contract):
    """The rows of several inputs with the same columns."""

    kind: Literal["union"] = "union"
    inputs: tuple[StepId, ...] = Field(min_length=2)
    is_distinct: bool = False


class PivotWork(Contract):
    """A column for each of some values."""

    kind: Literal["pivot"] = "pivot"
    input: StepId
    by: tuple[NamedExpression, ...]
    column: Expression
    values: tuple["PivotValue", ...]
    measure: Expression
    """An aggregate."""
    empty_as_zero: bool = False


class PivotValue(Contract):
    """A value that becomes a column."""

    value: Text
    name: Text


class CalendarWork(Contract):
    """One row a unit of time, from the earliest to the latest moment of an input, or between two constants."""

    kind: Literal["calendar"] = "calendar"
    input: StepId
    start: Expression
    """An aggregate of the input, or a constant."""
    end: Expression
    """The last day; it belongs to the calendar."""
    name: Text = "day"


class HistoryWork(Contract):
    """The target keeps versions of its rows (a slowly changing dimension of type 2). Only as the last step."""

    kind: Literal["history"] = "history"
    input: StepId
    key: tuple[Text, ...]
    tracked: tuple[Text, ...]
    """A change of one of these, also to or from null, opens a version."""
    day: Text
    """The column of the input that says from when a row holds."""
    valid_from: Text
    valid_to: Text
    is_current: Text = ""
    open_end: Text = "9999-12-31"
    closes_missing: bool = False
    """Keys that are missing in the input are closed on the day of the run; of an input without rows none."""


class IncrementWork(Contract):
    """Only rows that are new or may have changed are worked on again. Only as the last step."""

    kind: Literal["increment"] = "increment"
    input: StepId
    watermark: Text
    """The column of the target by which it is known how far it has come."""
    look_back_days: int = 0
    """How late a row may be."""


Work = Annotated[
    SourceWork
    | FilterWork
    | JoinWork
    | AggregateWork
    | DeriveWork
    | WindowWork
    | DedupWork
    | UnionWork
    | PivotWork
    | CalendarWork
    | HistoryWork
    | IncrementWork,
    Discriminator("kind"),
]
"""What a step does, so that code can print it."""


class AnalysisStep(Contract):
    """A business step."""

    id: StepId
    name: Sayable
    description: Sayable = ""
    inputs: tuple[Text, ...] = ()
    """Tables by their full names, or ids of steps."""
    output: tuple[Text, ...] = ()
    """Columns. Empty: those of the input."""
    depends_on: tuple[StepId, ...] = ()
    work: Work | None = None
    """None: it is known in words only, so a model writes the SQL."""


class TargetColumn(Contract):
    """A column of the target."""

    name: Text
    type: Text = ""
    """As the source's dialect names it. Empty: what the expression gives."""
    description: Sayable = ""
    nullable: bool | None = None
    """False: every row has a value. None: unknown."""


class HistoryColumns(Contract):
    """The columns by which a target keeps versions of its rows, where its content is one query."""

    valid_from: Text
    """From when a row holds. The query yields it, together with the key and what is tracked: a row for each version, where it is the time
    of the change in the data; else one a key, with the day of the run."""
    valid_to: Text
    """Until when; written by code."""
    is_current: Text = ""
    """Empty: the target has no such column."""
    open_end: Text = "9999-12-31"
    """What `valid_to` has while a row holds. Empty: null."""
    closes_missing: bool = False
    """A key that the query no longer yields is closed on the day of the run."""


class EtlTarget(Contract):
    """The table that is made."""

    table: Text
    """With its schema, where one is given."""
    mode: WriteMode = WriteMode.OVERWRITE
    columns: tuple[TargetColumn, ...]
    key: tuple[Text, ...] = ()
    """The grain: columns of which no two rows have the same values. Empty: one row, or unknown."""
    partition_by: tuple[Text, ...] = ()
    description: Sayable = ""
    exists: bool = False
    """The catalogue has it already."""
    history: HistoryColumns | None = None
    """Of a target that keeps versions, unless a `HistoryWork` says so."""
    keeps_all: Text = ""
    """The source table of which every row has a row in the target. Empty: not said."""
    only: tuple[tuple[Text, Text], ...] = ()
    """(table, condition in SQL): the rows of a table that count. The review tries that no other row changes the target."""
    totals: tuple[tuple[Text, Text], ...] = ()
    """(column, query in SQL): what a column of all rows adds up to, or, with columns of the key, is for each, as its definition says."""
    late_days: int = 0
    """Rows of the sources may arrive up to this number of days after their own day, and count then. 0: not said."""

    @model_validator(mode="after")
    def _key_with_its_beginning(self) -> Self:
        """See `key_in`. Earlier versions stored the key alone."""
        if self.history is not None:
            begins = self.history.valid_from
            named = next((column.name for column in self.columns if column.name.lower() == begins.lower()), begins)
            object.__setattr__(self, "key", key_in(self.mode, self.key, named))  # the value is frozen from here on
        return self


def key_in(mode: WriteMode, key: Sequence[str], begins: str) -> tuple[str, ...]:
    """A key with what makes it unique in a target of this mode: in a history the column at which a version begins. No key stays none."""
    adds = mode is WriteMode.HISTORY and key and begins.lower() not in {column.lower() for column in key}
    return (*key, begins) if adds else tuple(key)


class OpenPart(StrEnum):
    """What a question of the analyst is about, where the answer is not for a model."""

    READING = "reading"
    """Which of several readings of the closed form is meant."""
    PARTITION = "partition"
    """Which column takes the place of `words` in `partition_by`."""
    SPECIFICATION = "specification"
    """Nothing reads the requirement: the answer is a specification."""
    COLUMN = "column"
    """This and the rest: asked by earlier versions, about parts of a requirement in words."""
    GRAIN = "grain"
    SENTENCE = "sentence"
    WORDS = "words"


class Ambiguity(Contract):
    """What the requirement leaves open."""

    question: Sayable
    choices: tuple[Sayable, ...] = ()
    words: Text = ""
    """The words of the requirement that it is about."""
    assumed: Sayable | None = None
    """How it is understood unless somebody says otherwise."""
    part: OpenPart | None = None
    """None: a model asks."""


class Origin(StrEnum):
    """Who read the requirement."""

    RULES = "rules"
    MODEL = "model"
    HUMAN = "human"
    """A person wrote it as a specification."""


class Demand(Contract):
    """A demand of the requirement."""

    text: Text
    by: Text = ""
    """What meets it: a part of a script, a column or a setting of the target. Empty: it is open."""


class AnalysisResult(Contract):
    """The requirement, understood."""

    source: Text
    summary: Sayable
    steps: tuple[AnalysisStep, ...]
    target: EtlTarget
    tables: tuple[Text, ...] = ()
    """Full names of the catalogue's tables that are read."""
    pointers: tuple[AnyPointer, ...] = ()
    """What was found, the best first."""
    ambiguities: tuple[Ambiguity, ...] = ()
    assumptions: tuple[Sayable, ...] = ()
    confidence: float = Field(ge=0, le=1)
    read_by: Origin = Origin.RULES
    schedule: Text = ""
    """As cron has it, where the requirement says when it runs."""
    requirement: Text = ""
    """The requirement with the answers to questions, as it was read."""
    left_out: tuple[Text, ...] = ()
    """Words of the requirement that somebody chose to leave out, and that may restrict rows or name columns: no step accounts for them."""
    samples: bool = False
    """The trial also takes rows of the source."""
    todos: tuple[Text, ...] = ()
    """The demands of the requirement, as a model lists them."""
    intermediate: tuple[Text, ...] = ()
    """Tables that are wanted on the way and kept, each by its name with what it holds, as a model read them. The architect designs them."""
    running: Text = ""
    """What the requirement says of how it is run, as a model read it."""
    sql: Text = ""
    """What a specification gives for the content of the target: one query, or the statements that write it."""
    dialect: Text = ""
    """Of `sql`."""
    spec: Text = ""
    """The specification that it is, as it was written. Empty: it was made from a requirement."""
    about: Text = ""
    """With `spec`: what a question about it repeats of the request, so that an answer is not taken for one about a later request."""


class EtlClarification(Contract):
    """A question of the analyst, with what it is about."""

    kind: Literal["etl_clarification"] = "etl_clarification"
    ambiguities: tuple[Ambiguity, ...]
    confidence: float
    understood: tuple[Sayable, ...] = ()
    """What is clear already."""
    requirement: Text = ""
    """The beginning of the requirement that it is about. Empty: asked by an earlier version."""
    spec: Text = ""
    """Where a specification is asked for: one that search has filled in, or the last answer, to edit."""
