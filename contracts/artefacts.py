"""What is read from artefacts other than event logs and scripts: tables of stages, reports of skew and shuffle, settings, logs.

Times are in milliseconds and sizes in bytes; the readers convert other units. `line` is the position of a row: the line number of
a text, or the index in a JSON list, counted from 1."""

from enum import StrEnum

from pydantic import Field

from contracts.base import Contract, Text
from contracts.code import TableFacts
from contracts.spark import SqlExecution
from contracts.statements import Sayable


class SourceText(Contract):
    """The unchanged text of a script, for excerpts and diffs."""

    name: Text
    """Of the artefact."""
    language: str
    """`python`, `sql`, `scala`, `scope`."""
    text: Text
    """Line ends as `\\n`; its first 200,000 characters."""
    is_cut: bool = False
    note: Sayable = ""
    """Notes about the decoding, if the encoding had to be guessed."""


class StageRow(Contract):
    """One row of a table of stages that another tool wrote. A value that the table does not have is None, which is not zero."""

    line: int = Field(ge=1)
    stage: Text
    """The stage's name in the table: `3`, `Stage 3`, `SV2_Aggregate`."""
    stage_id: int | None = None
    """The number in the name, if it has one."""
    name: Text = ""
    status: Text = ""
    failure: Text = ""
    """Why it failed."""
    tasks: int | None = None
    failed_tasks: int | None = None
    duration_ms: float | None = None
    task_ms: float | None = None
    """Summed over all tasks of the stage."""
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
    """Headers of columns that are not used."""
    notes: tuple[Sayable, ...] = ()
    """Assumptions, such as the unit of a column whose header has none; rows and columns that were left out."""


class HotPartition(Contract):
    """One key or one partition (task), and how many rows and bytes it carries."""

    line: int = Field(ge=1)
    stage: Text = ""
    stage_id: int | None = None
    table: Text = ""
    column: Text = ""
    """The key's column."""
    key: Text | None = None
    """The key's value as the report writes it. None if the row describes a partition."""
    partition: Text | None = None
    records: float | None = None
    size_bytes: float | None = None
    share: float | None = Field(default=None, ge=0, le=1)
    """Share of the rows (or of the bytes, if there are no rows) of its stage or column. If the report does not give it, the share of
    what the report lists."""
    duration_ms: float | None = None


class UnevenStage(Contract):
    """How much heavier the heaviest task of a stage is than the usual task."""

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
    """Ratio of the heaviest to the usual task, if the report gives nothing else. It does not say what was measured."""


class PlanText(Contract):
    """The text of `EXPLAIN`: plans without the numbers of a run."""

    name: Text
    """Of the artefact."""
    executions: tuple[SqlExecution, ...] = ()
    """One for each plan of the text; their ids count from 0."""


class SkewReport(Contract):
    """What a report says of how data is spread."""

    name: Text
    partitions: tuple[HotPartition, ...] = ()
    """Copied from the report."""
    stages: tuple[UnevenStage, ...] = ()
    notes: tuple[Sayable, ...] = ()


class ShuffleRow(Contract):
    """The volume that one stage or one exchange shuffles."""

    line: int = Field(ge=1)
    stage: Text = ""
    stage_id: int | None = None
    exchange: Text = ""
    """Its name or keys, as the file gives them."""
    write_bytes: float | None = None
    read_bytes: float | None = None
    write_records: float | None = None
    read_records: float | None = None
    input_bytes: float | None = None
    spill_bytes: float | None = None
    partitions: int | None = None


class ShuffleLog(Contract):
    """Volumes of shuffles, one row for each."""

    name: Text
    rows: tuple[ShuffleRow, ...] = ()
    notes: tuple[Sayable, ...] = ()


class ConfigurationFacts(Contract):
    """Spark settings found in a file. Only settings that affect performance are kept, and never secrets."""

    name: Text
    settings: dict[str, Text] = {}
    lines: dict[str, int] = {}
    """Setting → the line that contains it. Empty for a JSON file."""
    left_out: int = Field(default=0, ge=0)
    """Number of settings left out because they do not affect performance or may hold a secret."""


class LogEventKind(StrEnum):
    """What a line of a driver's or executor's log reports."""

    OUT_OF_MEMORY = "out_of_memory"
    KILLED_FOR_MEMORY = "killed_for_memory"
    """Killed by YARN or Kubernetes because it used more memory than its container may have."""
    FETCH_FAILED = "fetch_failed"
    EXECUTOR_LOST = "executor_lost"
    HEARTBEAT = "heartbeat"
    """No heartbeat came in time."""
    CONNECTION_RESET = "connection_reset"
    DISK_FULL = "disk_full"
    BROADCAST_TIMEOUT = "broadcast_timeout"
    RESULT_TOO_LARGE = "result_too_large"
    TASK_FAILED = "task_failed"
    STAGE_ABORTED = "stage_aborted"


class LogEvents(Contract):
    """The lines of a log that report the same event."""

    kind: LogEventKind
    count: int = Field(ge=1)
    lines: tuple[int, ...]
    """The first of them."""
    text: Text
    """The first one, cut."""


class LoggedException(Contract):
    """The class of an exception, and how often it occurs in a log."""

    name: Text
    count: int = Field(ge=1)
    line: int = Field(ge=1)
    """The first one."""
    message: Text = ""


class LoggedFrame(Contract):
    """A place in the user's code at which a trace in a log ends."""

    file: Text
    """Without its folder."""
    line: int = Field(ge=1)
    function: Text = ""
    text: Text = ""
    """The code there, if the trace shows it."""


class LoggedBatches(Contract):
    """The micro-batches of a query whose progress a log has, summed."""

    line: int = Field(ge=1)
    """Of the first."""
    run: Text = ""
    """The id of the query's run, if the log has it."""
    batches: int = Field(ge=0)
    rows: int = Field(ge=0)
    took_ms: int = Field(ge=0)
    """From trigger to end."""
    work_ms: int = Field(ge=0)
    """Of that, computing and writing the rows (`addBatch`)."""
    behind: int = Field(default=0, ge=0)
    """How many took longer than the interval of their trigger."""
    behind_ms: int = Field(default=0, ge=0)
    """What these took beyond it."""

    @property
    def lost_ms(self) -> int:
        """What passed beside the work on rows, or beyond the trigger, whichever is more."""
        return max(self.took_ms - self.work_ms, self.behind_ms, 0)

    @property
    def lost_share(self) -> float:
        """Of their time."""
        return min(1.0, self.lost_ms / self.took_ms) if self.took_ms else 0.0


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
    application: Text = ""
    """The name that the driver submitted it by, if the log has that line."""
    engine: Text = ""
    """The engine of the job, if the log is that of one which is not judged."""
    batches: tuple[LoggedBatches, ...] = ()
    """Of each query, if the log is that of streams."""
    frames: tuple[LoggedFrame, ...] = ()
    """The innermost frame of the user's code in each trace, in the order of the log; the last ones."""
    first_at: Text = ""
    """Time of the first line that has one, copied unchanged: a log does not state its time zone."""
    last_at: Text = ""
    notes: tuple[Sayable, ...] = ()


class TableMetadata(Contract):
    """The tables a file describes."""

    name: Text
    tables: tuple[TableFacts, ...] = ()
    notes: tuple[Sayable, ...] = ()
