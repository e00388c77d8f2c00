"""The events of a log, and of each no more than is used: what a class does not name is skipped while parsing."""

from typing import Any

from msgspec import Raw, Struct, field


class BlockManager(Struct, gc=False):
    """Where a block manager runs."""

    executor_id: str = field(name="Executor ID", default="")
    host: str = field(name="Host", default="")


class ExecutorInfo(Struct, gc=False):
    """What an executor is made of."""

    host: str = field(name="Host", default="")
    cores: int | None = field(name="Total Cores", default=None)


class RddScope(Struct, gc=False):
    """The operator that made an RDD."""

    name: str = ""


class RddInfo(Struct, gc=False):
    """An RDD of a stage; its scope is JSON inside a string."""

    scope: str | None = field(name="Scope", default=None)
    name: str | None = field(name="Name", default=None)


class Accumulable(Struct, gc=False):
    """An accumulator's value as a stage leaves it. SQL metrics are numbers, mostly written as strings."""

    id: int | None = field(name="ID", default=None)
    value: Raw = field(name="Value", default_factory=Raw)
    metadata: str | None = field(name="Metadata", default=None)


class StageInfo(Struct, gc=False):
    """A stage attempt."""

    stage_id: int = field(name="Stage ID")
    attempt: int = field(name="Stage Attempt ID", default=0)
    name: str = field(name="Stage Name", default="")
    tasks: int | None = field(name="Number of Tasks", default=None)
    rdds: Raw = field(name="RDD Info", default_factory=Raw)
    """JSON of a list of `RddInfo`; each event of a stage repeats it."""
    parents: list[int] | None = field(name="Parent IDs", default=None)
    details: Raw = field(name="Details", default_factory=Raw)
    """JSON of a stack trace; repeated as well."""
    submitted_at: int | None = field(name="Submission Time", default=None)
    completed_at: int | None = field(name="Completion Time", default=None)
    failure: str | None = field(name="Failure Reason", default=None)
    accumulables: list[Accumulable] | None = field(name="Accumulables", default=None)


class JobStage(Struct, gc=False):
    """A stage as its job announces it."""

    stage_id: int = field(name="Stage ID")


class JobProperties(Struct, gc=False):
    """What a thread had set when it started a job or a stage."""

    execution_id: str | None = field(name="spark.sql.execution.id", default=None)
    description: str | None = field(name="spark.job.description", default=None)


class JobResult(Struct, gc=False):
    """How a job ended; `Exception` is an object with a message, in some versions a string."""

    result: str = field(name="Result", default="")
    exception: Any = field(name="Exception", default=None)


class TaskInfo(Struct, gc=False):
    """A task attempt."""

    task_id: int = field(name="Task ID", default=-1)
    index: int = field(name="Index", default=-1)
    executor_id: str = field(name="Executor ID", default="")
    host: str = field(name="Host", default="")
    launched_at: int = field(name="Launch Time", default=0)
    finished_at: int = field(name="Finish Time", default=0)
    failed: bool = field(name="Failed", default=False)
    killed: bool | None = field(name="Killed", default=None)
    speculative: bool | None = field(name="Speculative", default=None)


class TaskEndReason(Struct, gc=False):
    """Why a task attempt ended; each reason fills some of these."""

    reason: str | None = field(name="Reason", default=None)
    class_name: str | None = field(name="Class Name", default=None)
    description: str | None = field(name="Description", default=None)
    message: str | None = field(name="Message", default=None)
    kill_reason: str | None = field(name="Kill Reason", default=None)
    loss_reason: str | None = field(name="Loss Reason", default=None)


class ShuffleRead(Struct, gc=False):
    """Bytes, records, milliseconds."""

    remote_bytes: int = field(name="Remote Bytes Read", default=0)
    local_bytes: int = field(name="Local Bytes Read", default=0)
    records: int = field(name="Total Records Read", default=0)
    fetch_wait_ms: int = field(name="Fetch Wait Time", default=0)


class ShuffleWrite(Struct, gc=False):
    """Bytes, records, nanoseconds."""

    bytes: int = field(name="Shuffle Bytes Written", default=0)
    records: int = field(name="Shuffle Records Written", default=0)
    time_ns: int = field(name="Shuffle Write Time", default=0)


class InputMetrics(Struct, gc=False):
    """Bytes and records read from outside or from the cache."""

    bytes: int = field(name="Bytes Read", default=0)
    records: int = field(name="Records Read", default=0)


class OutputMetrics(Struct, gc=False):
    """Bytes and records written to the outside."""

    bytes: int = field(name="Bytes Written", default=0)
    records: int = field(name="Records Written", default=0)


NO_READ, NO_WRITE, NO_INPUT, NO_OUTPUT = ShuffleRead(), ShuffleWrite(), InputMetrics(), OutputMetrics()


class TaskMetrics(Struct, gc=False):
    """Milliseconds, bytes; CPU time in nanoseconds. Spark 1 leaves out what a task had nothing of."""

    deserialize_ms: int = field(name="Executor Deserialize Time", default=0)
    run_ms: int = field(name="Executor Run Time", default=0)
    cpu_ns: int = field(name="Executor CPU Time", default=0)
    gc_ms: int = field(name="JVM GC Time", default=0)
    result_bytes: int = field(name="Result Size", default=0)
    peak_memory_bytes: int = field(name="Peak Execution Memory", default=0)
    memory_spill_bytes: int = field(name="Memory Bytes Spilled", default=0)
    disk_spill_bytes: int = field(name="Disk Bytes Spilled", default=0)
    shuffle_read: ShuffleRead | None = field(name="Shuffle Read Metrics", default=None)
    shuffle_write: ShuffleWrite | None = field(name="Shuffle Write Metrics", default=None)
    input: InputMetrics | None = field(name="Input Metrics", default=None)
    output: OutputMetrics | None = field(name="Output Metrics", default=None)


NO_METRICS = TaskMetrics()


class PlanMetric(Struct, gc=False):
    """A number of a plan node, found by its accumulator."""

    name: str = ""
    accumulator_id: int | None = field(name="accumulatorId", default=None)
    metric_type: str = field(name="metricType", default="")


class PlanNode(Struct):
    """An operator of a plan and those below it."""

    name: str = field(name="nodeName", default="")
    simple_string: str = field(name="simpleString", default="")
    children: list["PlanNode"] = []
    metrics: list[PlanMetric] = []


class TaskEnd(Struct, gc=False):
    """SparkListenerTaskEnd."""

    stage_id: int = field(name="Stage ID")
    info: TaskInfo = field(name="Task Info")
    attempt: int = field(name="Stage Attempt ID", default=0)
    end: TaskEndReason | None = field(name="Task End Reason", default=None)
    metrics: TaskMetrics | None = field(name="Task Metrics", default=None)


class TaskStart(Struct, gc=False):
    """SparkListenerTaskStart."""

    stage_id: int = field(name="Stage ID")
    info: TaskInfo = field(name="Task Info")
    attempt: int = field(name="Stage Attempt ID", default=0)


class StageChange(Struct, gc=False):
    """SparkListenerStageSubmitted and SparkListenerStageCompleted."""

    stage: StageInfo = field(name="Stage Info")
    properties: JobProperties | None = field(name="Properties", default=None)


class JobStart(Struct, gc=False):
    """SparkListenerJobStart."""

    job_id: int = field(name="Job ID")
    at: int | None = field(name="Submission Time", default=None)
    stage_ids: list[int] | None = field(name="Stage IDs", default=None)
    stages: Raw = field(name="Stage Infos", default_factory=Raw)
    """JSON of a list of `JobStage`."""
    properties: JobProperties | None = field(name="Properties", default=None)


class JobEnd(Struct, gc=False):
    """SparkListenerJobEnd."""

    job_id: int = field(name="Job ID")
    at: int | None = field(name="Completion Time", default=None)
    result: JobResult | None = field(name="Job Result", default=None)


class ExecutorAdded(Struct, gc=False):
    """SparkListenerExecutorAdded."""

    executor_id: str = field(name="Executor ID")
    at: int | None = field(name="Timestamp", default=None)
    info: ExecutorInfo = field(name="Executor Info", default_factory=ExecutorInfo)


class ExecutorRemoved(Struct, gc=False):
    """SparkListenerExecutorRemoved."""

    executor_id: str = field(name="Executor ID")
    at: int | None = field(name="Timestamp", default=None)
    reason: str | None = field(name="Removed Reason", default=None)


class BlockManagerAdded(Struct, gc=False):
    """SparkListenerBlockManagerAdded."""

    manager: BlockManager = field(name="Block Manager ID")
    memory_bytes: int | None = field(name="Maximum Memory", default=None)
    at: int | None = field(name="Timestamp", default=None)


class ApplicationStart(Struct, gc=False):
    """SparkListenerApplicationStart."""

    name: str = field(name="App Name", default="")
    app_id: str | None = field(name="App ID", default=None)
    attempt: str | None = field(name="App Attempt ID", default=None)
    at: int | None = field(name="Timestamp", default=None)


class ApplicationEnd(Struct, gc=False):
    """SparkListenerApplicationEnd."""

    at: int | None = field(name="Timestamp", default=None)


class LogStart(Struct, gc=False):
    """SparkListenerLogStart, and Databricks' event in its place, which has a time."""

    version: str | None = field(name="Spark Version", default=None)
    at: int | None = field(name="Timestamp", default=None)
    part: int | None = field(name="Rollover Number", default=None)


class EnvironmentUpdate(Struct, gc=False):
    """SparkListenerEnvironmentUpdate."""

    spark: dict[str, Any] | None = field(name="Spark Properties", default=None)
    jvm: dict[str, Any] | None = field(name="JVM Information", default=None)
    system: dict[str, Any] | None = field(name="System Properties", default=None)


class SqlStart(Struct, gc=False):
    """SparkListenerSQLExecutionStart."""

    execution_id: int = field(name="executionId")
    description: str | None = None
    details: str | None = None
    plan: Raw = field(name="sparkPlanInfo", default_factory=Raw)
    """JSON of a `PlanNode`."""
    at: int | None = field(name="time", default=None)
    configuration: dict[str, Any] | None = field(name="modifiedConfigs", default=None)


class SqlReplan(Struct, gc=False):
    """SparkListenerSQLAdaptiveExecutionUpdate."""

    execution_id: int = field(name="executionId")
    plan: Raw = field(name="sparkPlanInfo", default_factory=Raw)


class SqlEnd(Struct, gc=False):
    """SparkListenerSQLExecutionEnd."""

    execution_id: int = field(name="executionId")
    at: int | None = field(name="time", default=None)
    error: str | None = field(name="errorMessage", default=None)


class DriverMetrics(Struct, gc=False):
    """SparkListenerDriverAccumUpdates: pairs of accumulator and value."""

    execution_id: int = field(name="executionId")
    updates: list[list[int]] = field(name="accumUpdates", default=[])
