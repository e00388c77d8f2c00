"""The SQL executions of a run, each with the last plan it ran under. A plan stays JSON until the whole log has been read. Only then
are the plans that are kept parsed, and their metrics looked up among the accumulators of the stages."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from contracts.spark import SqlExecution, SqlMetric, SqlNode
from workers.engines.spark.eventlog.configuration import what_matters
from workers.engines.spark.eventlog.events import DriverMetrics, PlanNode, SqlEnd, SqlReplan, SqlStart
from workers.engines.spark.eventlog.limits import KeepLimits, shortest
from workers.engines.spark.eventlog.parsing import parse_plan
from workers.engines.spark.eventlog.stages import MESSAGE_CHARS, NAME_CHARS, Stage, user_frames

SIMPLE_STRING_CHARS = 1_000
NODE_MARK = b'"nodeName"'
"""Once in each node of a plan's JSON."""


@dataclass
class Execution:
    """An execution as it is kept."""

    execution_id: int
    description: str = ""
    call_site: tuple[str, ...] = ()
    started_at: int | None = None
    ended_at: int | None = None
    error: str | None = None
    replanned: int = 0
    configuration: dict[str, str] = field(default_factory=dict[str, str])
    plan: bytes = b""
    nodes_left_out: int = 0
    from_driver: dict[int, int] = field(default_factory=dict[int, int])
    """Accumulator → what the driver itself has measured."""

    @property
    def took_ms(self) -> int | None:
        """None while it runs."""
        return None if self.ended_at is None else self.ended_at - (self.started_at or 0)


class Counted:
    """What the tasks of all stages have counted, by accumulator."""

    def __init__(self, stages: Iterable[Stage]) -> None:
        self.values: dict[int, int] = {}
        self.stages: dict[int, list[int]] = {}
        for stage in sorted(stages, key=lambda stage: (stage.completed_at or 0, stage.key)):
            for accumulator, value in zip(stage.accumulators, stage.accumulated, strict=True):
                self.values[accumulator] = value  # Spark writes the total so far, so the last one counts
                self.stages.setdefault(accumulator, []).append(stage.stage_id)


class Plans:
    """All executions."""

    def __init__(self, limits: KeepLimits) -> None:
        self._limits = limits
        self._executions: dict[int, Execution] = {}
        self._plan_bytes = 0
        self.left_out = 0

    def start(self, event: SqlStart) -> None:
        """An execution begins."""
        if len(self._executions) >= self._limits.executions and event.execution_id not in self._executions:
            for number in _shortest(self._executions.values()):
                self._plan_bytes -= len(self._executions.pop(number).plan)
                self.left_out += 1
        execution = self._executions.setdefault(event.execution_id, Execution(event.execution_id))
        execution.description = (event.description or "")[:MESSAGE_CHARS]
        execution.call_site = user_frames(event.details or "")
        execution.started_at = event.at
        execution.configuration = what_matters(event.configuration or {})
        self._plan(execution, bytes(event.plan))

    def replan(self, event: SqlReplan) -> None:
        """Adaptive execution has another plan."""
        execution = self._executions.get(event.execution_id)
        if execution is not None:
            execution.replanned += 1
            self._plan(execution, bytes(event.plan))

    def end(self, event: SqlEnd) -> None:
        """An execution is over."""
        execution = self._executions.get(event.execution_id)
        if execution is not None:
            execution.ended_at = event.at
            execution.error = event.error[:MESSAGE_CHARS] if event.error else None

    def driver_metrics(self, event: DriverMetrics) -> None:
        """What the driver itself has measured."""
        execution = self._executions.get(event.execution_id)
        if execution is not None and len(execution.from_driver) < self._limits.nodes_per_plan:
            execution.from_driver.update((update[0], update[1]) for update in event.updates if len(update) == 2)

    def facts(self, counted: Counted, jobs: Mapping[int, list[int]], stages: Mapping[int, list[int]]) -> Iterator[SqlExecution]:
        """The contracts, by id. `jobs` and `stages` are those of each execution. Where there are too many nodes, the plans of
        the longest executions are shown."""
        room = self._limits.plan_nodes
        shown: dict[int, tuple[SqlNode, ...]] = {}
        for execution in sorted(
            self._executions.values(),
            key=lambda execution: (execution.took_ms is not None, -(execution.took_ms or 0), execution.execution_id),
        ):
            nodes, left_out = _nodes(execution, counted, min(room, self._limits.nodes_per_plan), self._limits.metrics_per_node)
            shown[execution.execution_id] = nodes
            execution.nodes_left_out += left_out
            room -= len(nodes)
        for execution_id, execution in sorted(self._executions.items()):
            yield SqlExecution(
                execution_id=execution_id,
                description=execution.description,
                call_site=execution.call_site,
                started_at=execution.started_at,
                ended_at=execution.ended_at,
                error=execution.error,
                replanned=execution.replanned,
                configuration=execution.configuration,
                job_ids=tuple(jobs.get(execution_id, ())),
                stage_ids=tuple(stages.get(execution_id, ())),
                nodes=shown[execution_id],
                nodes_left_out=execution.nodes_left_out,
            )

    def _plan(self, execution: Execution, plan: bytes) -> None:
        """Put a plan in the place of the one before. When all are too large together, the shortest executions lose theirs."""
        self._plan_bytes += len(plan) - len(execution.plan)
        execution.plan, execution.nodes_left_out = plan, 0
        while self._plan_bytes > self._limits.plan_bytes:
            for number in _shortest([execution for execution in self._executions.values() if execution.plan]):
                loser = self._executions[number]
                self._plan_bytes -= len(loser.plan)
                loser.nodes_left_out = loser.plan.count(NODE_MARK)
                loser.plan = b""


def _shortest(executions: Collection[Execution]) -> list[int]:
    return shortest(((execution.execution_id, execution.started_at, execution.ended_at) for execution in executions), len(executions))


def _nodes(execution: Execution, counted: Counted, room: int, metrics_per_node: int) -> tuple[tuple[SqlNode, ...], int]:
    """A plan as a list, parents before children, and how many nodes had no room or cannot be read."""
    try:
        root = parse_plan(execution.plan)
    except (msgspec.DecodeError, RecursionError):
        return (), execution.plan.count(NODE_MARK)
    nodes: list[SqlNode] = []
    left_out = 0
    waiting: list[tuple[PlanNode, int | None]] = [(root, None)] if root else []
    while waiting:
        node, parent = waiting.pop()
        number = len(nodes) if len(nodes) < room else None
        if number is None:
            left_out += 1
        else:
            nodes.append(_node(number, parent, node, execution.from_driver, counted, metrics_per_node))
        waiting += [(child, number) for child in reversed(node.children)]
    return tuple(nodes), left_out


def _node(
    number: int, parent: int | None, node: PlanNode, from_driver: Mapping[int, int], counted: Counted, metrics_per_node: int
) -> SqlNode:
    metrics: list[SqlMetric] = []
    stages: set[int] = set()
    for metric in node.metrics[:metrics_per_node]:
        accumulator = metric.accumulator_id if metric.accumulator_id is not None else -1
        values = [known[accumulator] for known in (counted.values, from_driver) if accumulator in known]
        metrics.append(
            SqlMetric(name=metric.name[:NAME_CHARS], metric_type=metric.metric_type[:NAME_CHARS], value=sum(values) if values else None)
        )
        stages.update(counted.stages.get(accumulator, ()))
    return SqlNode(
        node=number,
        parent=parent,
        name=node.name[:NAME_CHARS],
        simple_string=node.simple_string[:SIMPLE_STRING_CHARS],
        metrics=tuple(metrics),
        stage_ids=tuple(sorted(stages)),
    )
