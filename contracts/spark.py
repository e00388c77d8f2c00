"""The measurements of a Spark application's run, read from its event log. Times are in milliseconds; points in time are Unix ms."""

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
    """It exceeds the size limit when it is decompressed."""
    UNSAFE_PATH = "unsafe_path"
    """The name of a member leads out of its archive."""
    LINK = "link"
    """A link leads out of the folder, or an archive contains a link."""
    ENCRYPTED = "encrypted"
    BROKEN_ARCHIVE = "broken_archive"
    BINARY = "binary"
    UNSUPPORTED_COMPRESSION = "unsupported_compression"
    NOT_AN_EVENT_LOG = "not_an_event_log"
    SEVERAL_LOGS = "several_logs"
    """The bundle holds logs of several applications, and it is not clear which one is meant."""
    MISSING_FIRST_PART = "missing_first_part"
    MISSING_PART = "missing_part"
    DUPLICATE_PART = "duplicate_part"
    UNREADABLE = "unreadable"
    """It cannot be opened: access is denied, or the disk is damaged."""
    UNKNOWN_PART = "unknown_part"
    """A file whose name does not show which part of the log it is."""


class BadLine(Contract):
    """A line that is not an event."""

    part: Text
    line: int = Field(ge=1)
    reason: Sayable


class LogReading(Contract):
    """How a log was read, and which parts could not be read."""

    files: tuple[Text, ...]
    """The parts, in the order they were read."""
    layout: str
    """`single`, `rolling` (Spark 3: events_1_*, events_2_*) or `databricks` (eventlog-2024-01-31--10-00.gz, ..., eventlog)."""
    compressions: tuple[str, ...]
    """The compressions of the parts, sorted: `none`, `gzip`, `zstd`, `lz4`, `lz4block`, `snappy`, `snappy-framed`, `lzf`, `bzip2`, `xz`."""
    expanded_bytes: int = Field(ge=0)
    lines: int = Field(ge=0)
    """Without blank lines."""
    malformed_lines: int = Field(ge=0)
    bad_lines: tuple[BadLine, ...] = ()
    """The first of them."""
    truncated: Sayable | None = None
    """Which parts are incomplete, and how: the writer was killed, or the file was copied while it grew."""
    attempts: tuple[str, ...] = ()
    """The application's attempts that the bundle holds; the last one was read."""
    compacted: bool = False
    """Spark took the jobs that had ended out of its earlier parts."""
    compacted_until: int | None = None
    """The last work that the compacted part has, Unix ms. A time without a stage that begins by then may have had jobs."""
    notes: tuple[Sayable, ...] = ()
    """Further notes for the reader: a compacted log, earlier parts, data that was left out to limit memory."""


class HeavyTask(Contract):
    """One of the tasks with the largest value."""

    value: int
    task_id: int
    index: int
    """The number of its partition within the stage."""
    executor_id: Text


class TaskDistribution(Contract):
    """The distribution of one measure over the successful tasks of a stage attempt. The unit is in the name of the field that holds it.
    Quantile q is the value at position floor(q * count) of the sorted values, as in Spark's own UI."""

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
    """If False, the quantiles between min and max are within 1 %, because the log has more tasks than are kept."""
    heaviest: tuple[HeavyTask, ...] = ()
    """Largest first, ties by task id."""


class FailureKind(Contract):
    """Task attempts of a stage that failed in the same way."""

    reason: Text
    """Spark's term: ExceptionFailure, FetchFailed, TaskKilled, ExecutorLostFailure, ..."""
    error: Text = ""
    """The exception's class, or why the task was killed or why the executor was lost."""
    message: Text = ""
    """The beginning of the first failure's message; the end, if it is a Python traceback."""
    tail: Text = ""
    """The end of the whole message, if it is longer: the last `Caused by` names the cause. May overlap with `message`."""
    count: int = Field(ge=1)


class StageStatus(StrEnum):
    """How a stage attempt ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    UNFINISHED = "unfinished"
    """The log ends before the stage does."""


class BytesSource(StrEnum):
    """The origin of the bytes that a stage's tasks process."""

    SHUFFLE = "shuffle"
    INPUT = "input"
    NONE = "none"


class StageFacts(Contract):
    """The numbers of one stage attempt. Sums and distributions are over its successful tasks."""

    stage_id: int
    attempt: int
    name: Text = ""
    """Empty if the log has only tasks of the stage, without the events of the stage itself."""
    status: StageStatus
    failure: Text | None = None
    call_site: tuple[Text, ...] = ()
    """Frames of the user's own code that made the stage, innermost first."""
    operators: tuple[Text, ...] = ()
    """The operations that made its RDDs: `Exchange`, `Scan csv`, `WholeStageCodegen (2)`, `mapPartitions`."""
    parent_ids: tuple[int, ...] = ()
    job_ids: tuple[int, ...] = ()
    execution_id: int | None = None
    """The SQL execution that it belongs to."""
    submitted_at: int | None = None
    completed_at: int | None = None
    first_launch_at: int | None = None
    last_finish_at: int | None = None
    """Distributions over its successful tasks."""

    planned_tasks: int | None = None
    succeeded_tasks: int = Field(ge=0)
    """Counts task attempts, so it is larger than planned if a partition was computed twice."""
    failed_tasks: int = Field(ge=0)
    """Task attempts that did not succeed, including killed ones."""
    killed_tasks: int = Field(ge=0)
    speculative_tasks: int = Field(ge=0)
    copies_in_vain: int = Field(default=0, ge=0)
    """Of these, those that were killed since the task itself was done first."""
    copies_in_vain_ms: int = Field(default=0, ge=0)
    lost_task_ms: int = Field(ge=0)
    """Time spent in failed attempts."""
    failures: tuple[FailureKind, ...] = ()

    task_ms: int = 0
    """Wall-clock time of the tasks from launch to finish, including scheduling and serialisation."""
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
    """The share of it that was read over the network."""
    shuffle_read_records: int = 0
    shuffle_write_bytes: int = 0
    shuffle_write_records: int = 0
    input_bytes: int = 0
    input_records: int = 0
    output_bytes: int = 0
    output_records: int = 0
    result_bytes: int = 0
    """Bytes that the tasks returned to the driver."""

    distributions: dict[str, TaskDistribution] = {}
    """Keyed by the names of fields of this contract: `task_ms`, `gc_ms`, `shuffle_read_bytes`, ... Measures that are zero for every
    task are left out."""
    run_share: float = Field(default=0, ge=0)
    """Its run_ms as a share of the run_ms of all stages."""
    time_ratio: float | None = None
    """Ratio of the longest to the median task; None without a successful task."""
    bytes_source: BytesSource = BytesSource.NONE
    bytes_ratio: float | None = None
    """Ratio of the largest to the median task, in bytes of that source; None if the median task reads nothing."""


class RunningTask(Contract):
    """A task attempt that had begun and not ended when the log ended."""

    stage_id: int
    attempt: int
    """Of the stage."""
    task_id: int
    index: int
    """The number of its partition within the stage."""
    executor_id: Text
    host: Text = ""
    launched_at: int


class ExecutorFacts(Contract):
    """One executor over the whole run, or the driver if it runs tasks itself."""

    executor_id: Text
    host: Text = ""
    cores: int | None = None
    added_at: int | None = None
    removed_at: int | None = None
    removed_reason: Text = ""
    memory_bytes: int | None = None
    """Memory that its block manager may use for storage and execution."""
    tasks: int = Field(default=0, ge=0)
    """Successful tasks only. The sums below cover the same tasks."""
    failed_tasks: int = Field(default=0, ge=0)
    lost_task_ms: int = Field(default=0, ge=0)
    """Time spent in failed and killed attempts."""
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
    """Stages that were not submitted, because their shuffle files still existed."""
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
    """Spark's metric type: `sum`, `size` (bytes), `timing` (ms), `nsTiming` (ns), `average` (times 10)."""
    value: int | None = None
    """Summed over the tasks; None if the log does not have it."""


class SqlNode(Contract):
    """One operator of an executed plan."""

    node: int
    """Its number in the plan, counted from the root, parents first."""
    parent: int | None = None
    name: Text
    simple_string: Text
    """Spark's one-line description, cut to 1,000 characters."""
    metrics: tuple[SqlMetric, ...] = ()
    stage_ids: tuple[int, ...] = ()
    """Stages whose tasks contribute to its metrics."""


class SqlExecution(Contract):
    """One SQL statement or DataFrame action, with its last plan."""

    execution_id: int
    description: Text = ""
    call_site: tuple[Text, ...] = ()
    started_at: int | None = None
    ended_at: int | None = None
    """None if it did not end, or the log is incomplete."""
    error: Text | None = None
    replanned: int = Field(default=0, ge=0)
    """How often adaptive execution changed the plan."""
    configuration: dict[str, Text] = {}
    """Settings that the session had changed before it."""
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
    """The parent stage that it waited for; None if the driver submitted it without waiting for a stage of the same job."""
    driver_gap_ms: int = Field(ge=0)
    """Time from the end of the previous stage of the path (or the start of the run) to its submission."""


class RunFacts(Contract):
    """One attempt of one application."""

    app_id: Text | None = None
    app_name: Text = ""
    main_file: Text = ""
    """The Python file that was submitted, without its folder; empty if the log does not say."""
    attempt: str | None = None
    spark_version: Text | None = None
    platform: str
    """`databricks`, `emr`, `dataproc`, `yarn`, `kubernetes`, `mesos`, `standalone`, `local` or `unknown`."""
    platform_release: Text = ""
    """The version, as the platform writes it."""
    java_version: Text = ""
    configuration: dict[str, Text] = {}
    """The settings that affect performance, without secrets."""
    started_at: int | None = None
    ended_at: int | None = None
    start_from: str
    """`application_start`, or `first_event` if the log has no start event."""
    end_from: str
    """`application_end`, or `last_event` if the run was killed, still runs, or its platform (Databricks) writes no end event."""
    wall_ms: int | None = None
    idle_ms: int = Field(default=0, ge=0)
    """Time in which no stage was running: the driver's own work."""
    slots: int | None = None
    """Tasks that could run at the same time, at the peak."""
    jobs: tuple[JobFacts, ...] = ()
    stages: tuple[StageFacts, ...] = ()
    """By stage id and attempt."""
    running: tuple[RunningTask, ...] = ()
    """Of a log that ends before the application: the tasks of open stages that it has the start of and no end, the longest ones first."""
    executors: tuple[ExecutorFacts, ...] = ()
    executions: tuple[SqlExecution, ...] = ()
    critical_path: tuple[PathStep, ...] = ()
    """In the order of time."""
    reading: LogReading
