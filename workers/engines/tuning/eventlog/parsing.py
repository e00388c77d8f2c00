"""A line into an event. A line whose event has no class is never parsed: that, and the classes that name few fields, make
reading faster than parsing every line as JSON."""

from typing import Any

import msgspec
from msgspec import Struct, field

from workers.engines.tuning.eventlog import events
from workers.engines.tuning.eventlog.events import Event, PlanNode, RddInfo, RddScope

LINE_START = b'{"Event":"'
"""How Spark begins every line; anything else takes the slower way to its name."""

SQL = b"org.apache.spark.sql.execution.ui.SparkListener"

EVENTS: dict[bytes, type[Any]] = {
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


def event_name(line: bytes) -> bytes:
    """The event's name; `msgspec.DecodeError` when the line is none. Lines in Spark's own form are not parsed for it."""
    if line.startswith(LINE_START):
        end = line.find(b'"', len(LINE_START))
        if end > 0:
            return line[len(LINE_START) : end]
    return _named.decode(line).event.encode("utf-8", "surrogatepass")


def parse_event(name: bytes, line: bytes) -> Event | None:
    """The event, or nothing for one that nobody needs. `msgspec.DecodeError` when it is damaged; an event that nobody needs
    is only looked at for its end."""
    decode = DECODERS.get(name)
    if decode is not None:
        return decode(line)
    if not line.rstrip().endswith(b"}"):
        raise msgspec.DecodeError("Input data was truncated")
    return None


def operator_of(rdd: RddInfo) -> str | None:
    """The name in an RDD's scope."""
    if not rdd.scope:
        return None
    try:
        return _scope.decode(rdd.scope.encode("utf-8", "surrogatepass")).name or None
    except msgspec.DecodeError:
        return None


def parse_plan(plan: bytes) -> PlanNode | None:
    """A plan's JSON; none where an event had no plan."""
    return _plan.decode(plan) if plan else None
