"""What a run of a Spark application measured, as its event log tells it. Times are milliseconds, instants are Unix ms."""

from enum import StrEnum

from pydantic import Field

from contracts.base import Contract, Text
from contracts.statements import Sayable


class LogRefusal(StrEnum):
    """Why a log was not read at all."""

    NOT_FOUND = "not_found"
    NOT_A_FILE = "not_a_file"
    """A socket, a device, a pipe."""
    TOO_LARGE = "too_large"
    BOMB = "bomb"
    """It grows beyond measure when it is decompressed."""
    UNSAFE_PATH = "unsafe_path"
    """A member's name leads out of its archive."""
    LINK = "link"
    """A link leads out of the folder, or stands in an archive at all."""
    ENCRYPTED = "encrypted"
    BROKEN_ARCHIVE = "broken_archive"
    BINARY = "binary"
    UNSUPPORTED_COMPRESSION = "unsupported_compression"
    NOT_AN_EVENT_LOG = "not_an_event_log"
    SEVERAL_LOGS = "several_logs"
    """Logs of several applications: which one is meant?"""
    MISSING_FIRST_PART = "missing_first_part"
    MISSING_PART = "missing_part"
    DUPLICATE_PART = "duplicate_part"
    UNREADABLE = "unreadable"
    """It cannot be opened: its owner forbids it, or the disk is damaged."""
    UNKNOWN_PART = "unknown_part"
    """A file that does not say which part of the log it is."""


class BadLine(Contract):
    """A line that is no event."""

    part: Text
    line: int = Field(ge=1)
    reason: Sayable


class LogReading(Contract):
    """How a log was read, and what of it could not be."""

    files: tuple[Text, ...]
    """The parts, in the order they were read."""
    layout: str
    """`single`, `rolling` (Spark 3: events_1_*, events_2_*) or `databricks` (eventlog-2024-01-31--10-00.gz, ..., eventlog)."""
    compressions: tuple[str, ...]
    """Of the parts, each once: `none`, `gzip`, `zstd`, `lz4`, `lz4block`, `snappy`, `snappy-framed`, `lzf`, `bzip2`, `xz`."""
    expanded_bytes: int = Field(ge=0)
    lines: int = Field(ge=0)
    """Blank ones not counted."""
    malformed_lines: int = Field(ge=0)
    bad_lines: tuple[BadLine, ...] = ()
    """The first of them."""
    truncated: Sayable | None = None
    """What breaks off, and how: the writer was killed, or the file was copied while it grew."""
    attempts: tuple[str, ...] = ()
    """The application's attempts that the bundle holds; the last one was read."""
    notes: tuple[Sayable, ...] = ()
    """What else the reader should know: a compacted log, parts before this one, what was left out to bound the memory."""


class HeavyTask(Contract):
    """One of the tasks with the largest value."""

    value: int
    task_id: int
    index: int
    """The number of its partition within the stage."""
    executor_id: Text


class TaskDistribution(Contract):
    """One number of each successful task of a stage attempt; the unit is in the name of the field that holds it. Quantile q is
    the value at position floor(q * count) of the sorted values, as Spark's own UI has it."""

    count: int = Field(ge=1)
    sum: int
    """Always exact."""
    min: int
    p25: int
    median: int
    p75: int
    p95: int
    max: int
    exact: bool = True
    """False: the quantiles between min and max are within 1 %, because the log has more tasks than are kept."""
    heaviest: tuple[HeavyTask, ...] = ()
    """Largest first, ties by task id."""


class FailureKind(Contract):
    """Task attempts of a stage that ended alike without success."""

    reason: Text
    """Spark's word: ExceptionFailure, FetchFailed, TaskKilled, ExecutorLostFailure, ..."""
    error: Text = ""
    """The exception's class, or why the task was killed or the executor lost."""
    message: Text = ""
    """The beginning of the first one's message; of a Python traceback its end."""
    tail: Text = ""
    """The end of the whole message, where it is longer: the last `Caused by` names the cause. May overlap with `message`."""
    count: int = Field(ge=1)


class StageStatus(StrEnum):
    """How a stage attempt ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    UNFINISHED = "unfinished"
    """The log ends before the stage does."""


class BytesSource(StrEnum):
    """Where the bytes that a stage's tasks work on come from."""

    SHUFFLE = "shuffle"
    INPUT = "input"
    NONE = "none"


class StageFacts(Contract):
    """The numbers of one stage attempt. Sums and distributions are over its successful tasks."""

    stage_id: int
    attempt: int
    name: Text = ""
    """Empty when the log holds tasks of the stage and nothing else of it."""
    status: StageStatus
    failure: Text | None = None
    call_site: tuple[Text, ...] = ()
    """Frames of the user's own code that made the stage, innermost first."""
    operators: tuple[Text, ...] = ()
    """What its RDDs were made by: `Exchange`, `Scan csv`, `WholeStageCodegen (2)`, `mapPartitions`."""
    parent_ids: tuple[int, ...] = ()
    job_ids: tuple[int, ...] = ()
    execution_id: int | None = None
    """The SQL execution it ran for."""
    submitted_at: int | None = None
    completed_at: int | None = None
    first_launch_at: int | None = None
    last_finish_at: int | None = None
    """Of its successful tasks."""

    planned_tasks: int | None = None
    succeeded_tasks: int = Field(ge=0)
    """Task attempts, so more than planned where a partition was computed twice."""
    failed_tasks: int = Field(ge=0)
    """Task attempts that ended without success, killed ones included."""
    killed_tasks: int = Field(ge=0)
    speculative_tasks: int = Field(ge=0)
    lost_task_ms: int = Field(ge=0)
    """What the failed attempts took."""
    failures: tuple[FailureKind, ...] = ()

    task_ms: int = 0
    """Wall clock of the tasks, launch to finish, scheduling and serialisation included."""
    run_ms: int = 0
    cpu_ms: int = 0
    gc_ms: int = 0
    deserialize_ms: int = 0
    fetch_wait_ms: int = 0
    shuffle_write_ms: int = 0
    memory_spill_bytes: int = 0
    disk_spill_bytes: int = 0
    peak_memory_bytes: int = 0
    """Of the task with the most execution memory."""
    shuffle_read_bytes: int = 0
    remote_read_bytes: int = 0
    """The part of it that came over the network."""
    shuffle_read_records: int = 0
    shuffle_write_bytes: int = 0
    shuffle_write_records: int = 0
    input_bytes: int = 0
    input_records: int = 0
    output_bytes: int = 0
    output_records: int = 0
    result_bytes: int = 0
    """What the tasks sent back to the driver."""

    distributions: dict[str, TaskDistribution] = {}
    """By the name of a number of this contract: `task_ms`, `gc_ms`, `shuffle_read_bytes`, ... Those that are zero for every
    task are left out."""
    run_share: float = Field(default=0, ge=0)
    """run_ms in that of all stages."""
    time_ratio: float | None = None
    """Longest task to the median one; none without a successful task."""
    bytes_source: BytesSource = BytesSource.NONE
    bytes_ratio: float | None = None
    """Largest task to the median one, in bytes of that source; none when the median task reads nothing."""


class ExecutorFacts(Contract):
    """One executor (or the driver, where it runs tasks itself), over the whole run."""

    executor_id: Text
    host: Text = ""
    cores: int | None = None
    added_at: int | None = None
    removed_at: int | None = None
    removed_reason: Text = ""
    memory_bytes: int | None = None
    """What its block manager may use for storage and execution."""
    tasks: int = Field(default=0, ge=0)
    """Successful ones; the sums below are over them."""
    failed_tasks: int = Field(default=0, ge=0)
    task_ms: int = 0
    run_ms: int = 0
    gc_ms: int = 0
    shuffle_read_bytes: int = 0
    input_bytes: int = 0
    disk_spill_bytes: int = 0


class JobFacts(Contract):
    """One Spark job: an action and the stages it needs."""

    job_id: int
    stage_ids: tuple[int, ...] = ()
    skipped_stage_ids: tuple[int, ...] = ()
    """Those that were never submitted: their shuffle files were still there."""
    submitted_at: int | None = None
    completed_at: int | None = None
    status: StageStatus
    failure: Text | None = None
    execution_id: int | None = None
    description: Text = ""


class SqlMetric(Contract):
    """One number of a plan node."""

    name: Text
    metric_type: str = ""
    """Spark's: `sum`, `size` (bytes), `timing` (ms), `nsTiming` (ns), `average` (times 10)."""
    value: int | None = None
    """Summed over the tasks; none when the log does not tell it."""


class SqlNode(Contract):
    """One operator of an executed plan."""

    node: int
    """Its number in the plan, counted from the root, parents first."""
    parent: int | None = None
    name: Text
    simple_string: Text
    """Spark's one line of it, cut to 1,000 characters."""
    metrics: tuple[SqlMetric, ...] = ()
    stage_ids: tuple[int, ...] = ()
    """Stages whose tasks have counted for it."""


class SqlExecution(Contract):
    """One SQL statement or DataFrame action, with the plan it last ran under."""

    execution_id: int
    description: Text = ""
    call_site: tuple[Text, ...] = ()
    started_at: int | None = None
    ended_at: int | None = None
    """None: it never ended, or the log breaks off."""
    error: Text | None = None
    replanned: int = Field(default=0, ge=0)
    """How often adaptive execution changed the plan."""
    configuration: dict[str, Text] = {}
    """Settings that the session had changed by then."""
    job_ids: tuple[int, ...] = ()
    stage_ids: tuple[int, ...] = ()
    nodes: tuple[SqlNode, ...] = ()
    nodes_left_out: int = Field(default=0, ge=0)


class PathStep(Contract):
    """One stage attempt on the critical path."""

    stage_id: int
    attempt: int
    submitted_at: int
    completed_at: int
    waited_for: int | None = None
    """The parent stage it had to wait for; none: the driver submitted it without waiting for a stage of the same job."""
    driver_gap_ms: int = Field(ge=0)
    """From the end of the step before (or the start of the run) to its submission: no stage of the path was running."""


class RunFacts(Contract):
    """One attempt of one application."""

    app_id: Text | None = None
    app_name: Text = ""
    attempt: str | None = None
    spark_version: Text | None = None
    platform: str
    """`databricks`, `emr`, `dataproc`, `yarn`, `kubernetes`, `mesos`, `standalone`, `local` or `unknown`."""
    platform_release: Text = ""
    """The platform's own word for its version."""
    java_version: Text = ""
    configuration: dict[str, Text] = {}
    """The settings that matter for speed, secrets never among them."""
    started_at: int | None = None
    ended_at: int | None = None
    start_from: str
    """`application_start`, or `first_event`: the log has no start event."""
    end_from: str
    """`application_end`, or `last_event`: the run was killed, goes on, or the platform (Databricks) writes no end."""
    wall_ms: int | None = None
    idle_ms: int = Field(default=0, ge=0)
    """The part of it in which no stage was running: the driver's own work."""
    slots: int | None = None
    """Tasks that could run at the same time, at the peak."""
    jobs: tuple[JobFacts, ...] = ()
    stages: tuple[StageFacts, ...] = ()
    """By stage id and attempt."""
    executors: tuple[ExecutorFacts, ...] = ()
    executions: tuple[SqlExecution, ...] = ()
    critical_path: tuple[PathStep, ...] = ()
    """In the order of time."""
    reading: LogReading
