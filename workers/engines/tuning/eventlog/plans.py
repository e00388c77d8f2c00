"""The SQL executions of a run: the plan each last ran under, with its metrics found by their accumulators."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from contracts.tuning import SqlExecution, SqlMetric, SqlNode
from workers.engines.tuning.eventlog.configuration import what_matters
from workers.engines.tuning.eventlog.events import Accumulable, DriverMetrics, PlanNode, SqlEnd, SqlReplan, SqlStart
from workers.engines.tuning.eventlog.limits import KeepLimits
from workers.engines.tuning.eventlog.stages import MESSAGE_CHARS, NAME_CHARS, user_frames

SIMPLE_STRING_CHARS = 1_000
SQL_METADATA = "sql"


@dataclass(frozen=True)
class Node:
    """An operator as it is kept."""

    parent: int | None
    name: str
    simple_string: str
    metrics: tuple[tuple[str, str, int], ...]
    """Name, type, accumulator."""


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
    nodes: list[Node] = field(default_factory=list[Node])
    nodes_left_out: int = 0


class Plans:
    """All executions, and the values of the accumulators that their plans name."""

    def __init__(self, limits: KeepLimits) -> None:
        self._limits = limits
        self._executions: dict[int, Execution] = {}
        self._node_count = 0
        self.left_out = 0
        self._values: dict[int, int] = {}
        self._from_driver: dict[int, int] = {}
        self._stages: dict[int, set[int]] = {}
        """Accumulator → stages that counted in it; its keys are the accumulators of the plans as they are now."""

    def start(self, event: SqlStart) -> None:
        """An execution begins."""
        if len(self._executions) >= self._limits.executions and event.execution_id not in self._executions:
            self.left_out += 1
            return
        execution = self._executions.setdefault(event.execution_id, Execution(event.execution_id))
        execution.description = (event.description or "")[:MESSAGE_CHARS]
        execution.call_site = user_frames(event.details or "")
        execution.started_at = event.at
        execution.configuration = what_matters(event.configuration or {})
        self._plan(execution, event.plan)

    def replan(self, event: SqlReplan) -> None:
        """Adaptive execution has another plan."""
        execution = self._executions.get(event.execution_id)
        if execution is not None and event.plan is not None:
            execution.replanned += 1
            self._plan(execution, event.plan)

    def end(self, event: SqlEnd) -> None:
        """An execution is over."""
        execution = self._executions.get(event.execution_id)
        if execution is not None:
            execution.ended_at = event.at
            execution.error = event.error[:MESSAGE_CHARS] if event.error else None

    def driver_metrics(self, event: DriverMetrics) -> None:
        """What the driver itself has measured."""
        for update in event.updates:
            if len(update) == 2 and update[0] in self._stages:
                self._from_driver[update[0]] = update[1]

    def stage_metrics(self, stage_id: int, accumulables: list[Accumulable]) -> None:
        """What the tasks of a stage have counted. Spark writes the accumulator's total so far, so the last one stands."""
        for item in accumulables:
            if item.metadata == SQL_METADATA and item.id in self._stages:
                self._stages[item.id].add(stage_id)
                try:
                    self._values[item.id] = int(bytes(item.value).strip(b'" '))
                except ValueError:
                    continue

    def facts(self, jobs: dict[int, list[int]], stages: dict[int, list[int]]) -> Iterator[SqlExecution]:
        """The contracts, by id. `jobs` and `stages` are those of each execution."""
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
                nodes=tuple(self._node_facts(number, node) for number, node in enumerate(execution.nodes)),
                nodes_left_out=execution.nodes_left_out,
            )

    def _plan(self, execution: Execution, root: PlanNode | None) -> None:
        """Put a plan in the place of the one before; what has been counted for accumulators of both stays."""
        before = {accumulator for node in execution.nodes for *_, accumulator in node.metrics}
        self._node_count -= len(execution.nodes)
        room = min(self._limits.nodes_per_plan, self._limits.plan_nodes - self._node_count)
        execution.nodes, execution.nodes_left_out = _flat(root, room)
        self._node_count += len(execution.nodes)
        after = {accumulator for node in execution.nodes for *_, accumulator in node.metrics}
        for accumulator in before - after:
            for known in (self._stages, self._values, self._from_driver):
                known.pop(accumulator, None)
        for accumulator in after:
            self._stages.setdefault(accumulator, set())

    def _node_facts(self, number: int, node: Node) -> SqlNode:
        metrics: list[SqlMetric] = []
        stages: set[int] = set()
        for name, metric_type, accumulator in node.metrics:
            told = [known[accumulator] for known in (self._values, self._from_driver) if accumulator in known]
            metrics.append(SqlMetric(name=name, metric_type=metric_type, value=sum(told) if told else None))
            stages |= self._stages.get(accumulator, set())
        return SqlNode(
            node=number,
            parent=node.parent,
            name=node.name,
            simple_string=node.simple_string,
            metrics=tuple(metrics),
            stage_ids=tuple(sorted(stages)),
        )


def _flat(root: PlanNode | None, room: int) -> tuple[list[Node], int]:
    """A plan as a list, parents before children, and how many nodes had no room."""
    nodes: list[Node] = []
    left_out = 0
    waiting: list[tuple[PlanNode, int | None]] = [(root, None)] if root else []
    while waiting:
        node, parent = waiting.pop()
        if len(nodes) >= room:
            left_out += 1
            waiting += [(child, None) for child in node.children]
            continue
        number = len(nodes)
        metrics = tuple(
            (m.name[:NAME_CHARS], m.metric_type[:NAME_CHARS], m.accumulator_id) for m in node.metrics if m.accumulator_id is not None
        )
        nodes.append(Node(parent, node.name[:NAME_CHARS], node.simple_string[:SIMPLE_STRING_CHARS], metrics))
        waiting += [(child, number) for child in reversed(node.children)]
    return nodes, left_out
