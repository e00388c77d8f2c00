"""A line into an event. A line whose event has no class is never parsed: that, the classes that name few fields, and leaving
parts unparsed that may not be wanted make reading faster than parsing every line as JSON."""

from typing import Any

import msgspec
from msgspec import Raw, Struct, field

from workers.engines.spark.eventlog import events
from workers.engines.spark.eventlog.events import JobStage, PlanNode, RddInfo, RddScope

LINE_START = b'{"Event":"'
"""How Spark begins every line; anything else takes the slower way to its name."""

PYTHON_RDD = "PythonRDD"
"""The one RDD that has no scope and tells something: its rows go to a Python process."""

SQL = b"org.apache.spark.sql.execution.ui.SparkListener"

EVENTS: dict[bytes, type[Any]] = {
    b"SparkListenerTaskStart": events.TaskStart,
    b"SparkListenerTaskEnd": events.TaskEnd,
    b"SparkListenerStageSubmitted": events.StageChange,
    b"SparkListenerStageCompleted": events.StageChange,
    b"SparkListenerJobStart": events.JobStart,
    b"SparkListenerJobEnd": events.JobEnd,
    b"SparkListenerExecutorAdded": events.ExecutorAdded,
    b"SparkListenerExecutorRemoved": events.ExecutorRemoved,
    b"SparkListenerBlockManagerAdded": events.BlockManagerAdded,
    b"SparkListenerApplicationStart": events.ApplicationStart,
    b"SparkListenerApplicationEnd": events.ApplicationEnd,
    b"SparkListenerLogStart": events.LogStart,
    b"DBCEventLoggingListenerMetadata": events.LogStart,
    b"SparkListenerEnvironmentUpdate": events.EnvironmentUpdate,
    SQL + b"SQLExecutionStart": events.SqlStart,
    SQL + b"SQLAdaptiveExecutionUpdate": events.SqlReplan,
    SQL + b"SQLExecutionEnd": events.SqlEnd,
    SQL + b"DriverAccumUpdates": events.DriverMetrics,
}

DECODERS: dict[bytes, Any] = {name: msgspec.json.Decoder(event).decode for name, event in EVENTS.items()}


class _Named(Struct, gc=False):
    """Any event."""

    event: str = field(name="Event")


_named = msgspec.json.Decoder(_Named)
_plan = msgspec.json.Decoder(PlanNode | None)
_scope = msgspec.json.Decoder(RddScope)
_rdds = msgspec.json.Decoder(list[RddInfo] | None)
_job_stages = msgspec.json.Decoder(list[JobStage] | None)
_text = msgspec.json.Decoder(str | None)


def event_name(line: bytes) -> bytes:
    """The event's name; `msgspec.DecodeError` when the line is none. Lines in Spark's own form are not parsed for it."""
    if line.startswith(LINE_START):
        end = line.find(b'"', len(LINE_START))
        if end > 0:
            return line[len(LINE_START) : end]
    return _named.decode(line).event.encode("utf-8", "surrogatepass")


def check_end(line: bytes) -> None:
    """All that is looked at of an event that nobody needs. `msgspec.DecodeError` when it breaks off."""
    if not line.rstrip().endswith(b"}"):
        raise msgspec.DecodeError("Input data was truncated")


def operators_of(rdds: Raw) -> list[str]:
    """The names in the scopes of a stage's RDDs. `msgspec.DecodeError` when they are no RDDs."""
    found = _rdds.decode(rdds) if rdds else None
    return [name for rdd in found or () if (name := _operator(rdd))]


def stages_of(stages: Raw) -> list[int]:
    """The ids in a job's list of stages."""
    found = _job_stages.decode(stages) if stages else None
    return [stage.stage_id for stage in found or ()]


def text_of(text: Raw) -> str:
    """A string's JSON; empty where there was none."""
    return (_text.decode(text) if text else None) or ""


def _operator(rdd: RddInfo) -> str | None:
    if not rdd.scope:
        return rdd.name if rdd.name == PYTHON_RDD else None
    try:
        return _scope.decode(rdd.scope.encode("utf-8", "surrogatepass")).name or None
    except msgspec.DecodeError:
        return None


def parse_plan(plan: bytes) -> PlanNode | None:
    """A plan's JSON; none where an event had no plan."""
    return _plan.decode(plan) if plan else None
