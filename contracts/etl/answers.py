"""`etl`: the answers of a model. Code checks each against the catalogue; a value that it does not know costs only its own item."""

from typing import Annotated

from pydantic import Field

from contracts.base import Contract, Text
from contracts.phrases import PhraseUse

Line = Annotated[Text, Field(max_length=2_000)]
Word = Annotated[Text, Field(max_length=200)]


class ProposedStep(Contract):
    """A business step in words."""

    name: Line
    tables: tuple[Word, ...] = Field(default=(), max_length=30)


class ProposedColumn(Contract):
    """A column of the target."""

    name: Word
    type: Word = ""
    """In the dialect of the source; empty: what the query gives."""
    description: Line = ""


class ProposedRows(Contract):
    """The rows of a table that count."""

    table: Word
    condition: Line


class ProposedTotal(Contract):
    """What a column of all rows adds up to."""

    column: Word
    sql: Line


class ProposedAmbiguity(Contract):
    """What is open."""

    question: Line
    choices: tuple[Line, ...] = Field(default=(), max_length=6)
    assumed: Line = ""
    """How it is taken unless somebody says otherwise. Empty: it has to be asked."""


class AnalysisAnswer(Contract):
    """A model's answer: a requirement as steps, or the reason why these tables cannot fulfil it."""

    steps: tuple[ProposedStep, ...] = Field(default=(), max_length=30)
    table: Word = ""
    columns: tuple[ProposedColumn, ...] = Field(default=(), max_length=100)
    key: tuple[Word, ...] = Field(default=(), max_length=20)
    mode: Word = "overwrite"
    partition_by: tuple[Word, ...] = Field(default=(), max_length=5)
    valid_from: Word = ""
    """Of mode history: the column that says from when a row holds."""
    valid_to: Word = ""
    is_current: Word = ""
    open_end: Word = "9999-12-31"
    """What `valid_to` has while a row holds. Empty: null."""
    closes_missing: bool = False
    """A key that the rows of the requirement no longer have is closed."""
    keeps_all: Word = ""
    """The source table of which every row has a row in the target, where the requirement says so."""
    schedule: Word = ""
    """As cron has it, where the requirement says when it runs."""
    todos: tuple[Line, ...] = Field(default=(), max_length=20)
    """The demands of the requirement, a sentence each, to be ticked off."""
    only: tuple[ProposedRows, ...] = Field(default=(), max_length=10)
    totals: tuple[ProposedTotal, ...] = Field(default=(), max_length=10)
    late_days: int = Field(default=0, ge=0, le=366)
    """Days after their own day on which rows may still arrive, where the requirement says so."""
    intermediate: tuple[Line, ...] = Field(default=(), max_length=10)
    """Tables that the requirement wants made on the way and kept, each by its name with what it holds."""
    running: Line = ""
    """What the requirement says of how it is run: what runs it, its settings, retries, time limits."""
    ambiguities: tuple[ProposedAmbiguity, ...] = Field(default=(), max_length=10)
    confidence: float = Field(default=1.0, ge=0, le=1)
    cannot: Line = ""
    """What the tables lack, where they cannot fulfil the requirement."""


class ProposedSetting(Contract):
    """A setting of the component that runs the jobs."""

    name: Word
    value: Word


class ProposedJob(Contract):
    """A job, which leaves one table."""

    table: Word
    steps: tuple[Annotated[int, Field(ge=1, le=1_000)], ...] = Field(default=(), max_length=30)
    """Numbers of the steps that it carries out."""
    reads: tuple[Word, ...] = Field(default=(), max_length=50)
    """Tables of the source, and tables that jobs before it leave."""
    columns: tuple[ProposedColumn, ...] = Field(default=(), max_length=100)
    """Of a table on the way; those of the target are known."""
    key: tuple[Word, ...] = Field(default=(), max_length=20)
    retries: int | None = Field(default=None, ge=0, le=100)
    retry_delay_s: int | None = Field(default=None, gt=0, le=86_400)
    timeout_s: int | None = Field(default=None, gt=0, le=604_800)


class DesignAnswer(Contract):
    """A model's answer: the jobs that fill a table."""

    jobs: tuple[ProposedJob, ...] = Field(min_length=1, max_length=20)
    """In an order in which they can run. The last one fills the target."""
    component: Word = ""
    settings: tuple[ProposedSetting, ...] = Field(default=(), max_length=20)
    risks: tuple[Line, ...] = Field(default=(), max_length=10)
    confidence: float = Field(default=1.0, ge=0, le=1)


class ProposedMeeting(Contract):
    """What meets a demand."""

    demand: int = Field(ge=1, le=1_000)
    """Its number in the list."""
    by: Annotated[Text, Field(max_length=2_000)]
    """A part of the query, to the letter, or the name of a column or of a setting of the target."""


class ScriptAnswer(Contract):
    """A model's answer: the query that fills the target."""

    sql: Annotated[Text, Field(max_length=50_000)]
    uses: tuple[PhraseUse, ...] = Field(default=(), max_length=40)
    """Each phrase of the requirement that matters, with its part of the query."""
    meets: tuple[ProposedMeeting, ...] = Field(default=(), max_length=40)
    """Each demand that is met."""
    confidence: float = Field(default=1.0, ge=0, le=1)
    issues: tuple[Line, ...] = Field(default=(), max_length=20)


class ProposedRemark(Contract):
    """What a reviewer has against a script."""

    text: Line
    phrase: Annotated[Text, Field(max_length=300)]
    """Words of the requirement, to the letter, which the script does not meet."""
    sql: Annotated[Text, Field(max_length=10_000)] = ""
    """A query that finds the rows which these words rule out. Empty: there is none."""


class ReviewAnswer(Contract):
    """A model's answer: what it has against scripts that passed the rules."""

    remarks: tuple[ProposedRemark, ...] = Field(default=(), max_length=5)
