"""What is read from the artefacts beside event log and script: tables of stages, reports of skew and shuffle, settings, logs.

Times are milliseconds, sizes bytes, whatever the file's own units are. `line` is where a row stands: the line of a text, the
place in a JSON list counted from 1."""

from enum import StrEnum

from pydantic import Field

from contracts.base import Contract, Text
from contracts.code import TableFacts
from contracts.statements import Sayable


class SourceText(Contract):
    """A script as it stands, for excerpts and diffs."""

    name: Text
    """Of the artefact."""
    language: str
    """`python`, `sql`, `scala`, `scope`."""
    text: Text
    """Line ends as `\\n`; its first 200,000 characters."""
    is_cut: bool = False
    note: Sayable = ""
    """How it was decoded, where that was a guess."""


class StageRow(Contract):
    """One stage as somebody else's table has it. What the table does not tell is None, which is not zero."""

    line: int = Field(ge=1)
    stage: Text
    """As the table calls it: `3`, `Stage 3`, `SV2_Aggregate`."""
    stage_id: int | None = None
    """The number in it, where it is one."""
    name: Text = ""
    status: Text = ""
    tasks: int | None = None
    failed_tasks: int | None = None
    duration_ms: float | None = None
    task_ms: float | None = None
    """Of all its tasks together."""
    task_max_ms: float | None = None
    task_median_ms: float | None = None
    task_mean_ms: float | None = None
    task_max_bytes: float | None = None
    """What the heaviest task reads."""
    task_median_bytes: float | None = None
    task_max_records: float | None = None
    task_median_records: float | None = None
    input_bytes: float | None = None
    input_records: float | None = None
    output_bytes: float | None = None
    shuffle_read_bytes: float | None = None
    shuffle_read_records: float | None = None
    shuffle_write_bytes: float | None = None
    shuffle_write_records: float | None = None
    memory_spill_bytes: float | None = None
    disk_spill_bytes: float | None = None
    gc_ms: float | None = None


class StageTable(Contract):
    """A table of stages, exported from a UI or written by a tool."""

    name: Text
    """Of the artefact."""
    rows: tuple[StageRow, ...] = ()
    columns_unread: tuple[Text, ...] = ()
    """Headers that mean nothing here."""
    notes: tuple[Sayable, ...] = ()
    """What had to be assumed, as of a unit that is not told; what was left out."""


class HotPartition(Contract):
    """One key, or one partition (task), and what it carries."""

    line: int = Field(ge=1)
    stage: Text = ""
    stage_id: int | None = None
    table: Text = ""
    column: Text = ""
    """The key's column."""
    key: Text | None = None
    """The key's value as the report writes it; None: the row is about a partition."""
    partition: Text | None = None
    records: float | None = None
    size_bytes: float | None = None
    share: float | None = Field(default=None, ge=0, le=1)
    """Of the rows, or else bytes, of its stage or column; as told, else of what the report lists."""
    duration_ms: float | None = None


class UnevenStage(Contract):
    """How far the heaviest task of a stage is from the usual one."""

    line: int = Field(ge=1)
    stage: Text
    stage_id: int | None = None
    tasks: int | None = None
    max_bytes: float | None = None
    median_bytes: float | None = None
    max_records: float | None = None
    median_records: float | None = None
    max_ms: float | None = None
    median_ms: float | None = None
    ratio: float | None = None
    """Of heaviest to usual, where the report tells nothing else; of what, it does not say."""


class SkewReport(Contract):
    """What a report says of how data is spread."""

    name: Text
    partitions: tuple[HotPartition, ...] = ()
    """As they stand in the report."""
    stages: tuple[UnevenStage, ...] = ()
    notes: tuple[Sayable, ...] = ()


class ShuffleRow(Contract):
    """What one stage, or one exchange, shuffles."""

    line: int = Field(ge=1)
    stage: Text = ""
    stage_id: int | None = None
    exchange: Text = ""
    """Its name or keys, as told."""
    write_bytes: float | None = None
    read_bytes: float | None = None
    write_records: float | None = None
    read_records: float | None = None
    input_bytes: float | None = None
    spill_bytes: float | None = None
    partitions: int | None = None


class ShuffleLog(Contract):
    """Volumes of shuffles, a row each."""

    name: Text
    rows: tuple[ShuffleRow, ...] = ()
    notes: tuple[Sayable, ...] = ()


class ConfigurationFacts(Contract):
    """Settings of Spark that a file makes. Those that matter for speed; secrets are never among them."""

    name: Text
    settings: dict[str, Text] = {}
    lines: dict[str, int] = {}
    """Setting → the line that makes it; of a JSON file none."""
    left_out: int = Field(default=0, ge=0)
    """Settings that say nothing of speed, or may hold a secret."""


class LogEventKind(StrEnum):
    """What a line of a driver's or executor's log reports."""

    OUT_OF_MEMORY = "out_of_memory"
    KILLED_FOR_MEMORY = "killed_for_memory"
    """By YARN or Kubernetes, for more than the container may have."""
    FETCH_FAILED = "fetch_failed"
    EXECUTOR_LOST = "executor_lost"
    HEARTBEAT = "heartbeat"
    """None came in time."""
    CONNECTION_RESET = "connection_reset"
    DISK_FULL = "disk_full"
    BROADCAST_TIMEOUT = "broadcast_timeout"
    RESULT_TOO_LARGE = "result_too_large"
    TASK_FAILED = "task_failed"
    STAGE_ABORTED = "stage_aborted"


class LogEvents(Contract):
    """Lines of a log that report the same."""

    kind: LogEventKind
    count: int = Field(ge=1)
    lines: tuple[int, ...]
    """The first of them."""
    text: Text
    """The first one, cut."""


class LoggedException(Contract):
    """An exception's class and how often it stands in a log."""

    name: Text
    count: int = Field(ge=1)
    line: int = Field(ge=1)
    """The first one."""
    message: Text = ""


class LogFacts(Contract):
    """A driver's or executor's log, counted."""

    name: Text
    lines: int = Field(ge=0)
    errors: int = Field(ge=0)
    """Lines of level ERROR or FATAL."""
    warnings: int = Field(ge=0)
    exceptions: tuple[LoggedException, ...] = ()
    """Most frequent first."""
    events: tuple[LogEvents, ...] = ()
    first_at: Text = ""
    """Time of the first line that has one, as it stands there: a log does not say its time zone."""
    last_at: Text = ""
    notes: tuple[Sayable, ...] = ()


class TableMetadata(Contract):
    """The tables a file describes."""

    name: Text
    tables: tuple[TableFacts, ...] = ()
    notes: tuple[Sayable, ...] = ()
