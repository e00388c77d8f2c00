"""Facts of runs made by hand: a stage from the numbers of its tasks, a plan from its lines."""

from collections.abc import Sequence
from typing import Any

from contracts.spark import (
    BytesSource,
    HeavyTask,
    LogReading,
    RunFacts,
    SqlExecution,
    SqlMetric,
    SqlNode,
    StageFacts,
    StageStatus,
    TaskDistribution,
)

START = 1_700_000_000_000
"""When the run starts, Unix ms."""

HEAVIEST = 5


def spread_of(values: Sequence[int], executor: str = "1") -> TaskDistribution:
    """As the event log's reader makes it; a task's id and index are its place in `values`."""
    ordered = sorted(values)
    at = {
        name: ordered[min(int(q * len(ordered)), len(ordered) - 1)]
        for name, q in (("p25", 0.25), ("median", 0.5), ("p75", 0.75), ("p95", 0.95))
    }
    heaviest = sorted(range(len(values)), key=lambda place: (-values[place], place))[:HEAVIEST]
    return TaskDistribution(
        count=len(values),
        sum=sum(values),
        min=ordered[0],
        max=ordered[-1],
        heaviest=tuple(HeavyTask(value=values[place], task_id=place, index=place, executor_id=executor) for place in heaviest),
        **at,
    )


def stage_of(stage_id: int, times: Sequence[int], *, wall_ms: int | None = None, **given: Any) -> StageFacts:
    """A stage with these task times. A given list of numbers is spread over the tasks and summed: `shuffle_read_bytes=[...]`."""
    lists = {name: value for name, value in given.items() if isinstance(value, list)}
    plain = {name: value for name, value in given.items() if name not in lists}
    spreads = {"task_ms": spread_of(times)} if times else {}
    spreads |= {name: spread_of(values) for name, values in lists.items() if any(values)}
    defaults: dict[str, Any] = {
        "name": f"save at Job.scala:{stage_id}",
        "status": StageStatus.SUCCEEDED,
        "planned_tasks": len(times),
        "succeeded_tasks": len(times),
        "failed_tasks": 0,
        "killed_tasks": 0,
        "speculative_tasks": 0,
        "lost_task_ms": 0,
        "first_launch_at": START,
        "last_finish_at": START + (wall_ms if wall_ms is not None else sum(times)),
        "task_ms": sum(times),
        "run_ms": sum(times),
        "bytes_source": BytesSource.SHUFFLE if "shuffle_read_bytes" in lists else BytesSource.NONE,
        "distributions": spreads,
    }
    return StageFacts(stage_id=stage_id, attempt=0, **(defaults | {name: sum(values) for name, values in lists.items()} | plain))


def run_of(*stages: StageFacts, executions: Sequence[SqlExecution] = (), **given: Any) -> RunFacts:
    """A run of these stages on two slots, with its end; active for as long as the longest of them by default."""
    wall = max((stage.last_finish_at or START) - START for stage in stages) if stages else 1_000
    defaults: dict[str, Any] = {
        "platform": "local",
        "start_from": "application_start",
        "end_from": "application_end",
        "started_at": START,
        "ended_at": START + wall,
        "wall_ms": wall,
        "slots": 2,
        "reading": LogReading(files=("log",), layout="single", compressions=("none",), expanded_bytes=1, lines=1, malformed_lines=0),
    }
    return RunFacts(stages=stages, executions=tuple(executions), **(defaults | given))


def plan_of(*lines: tuple[int, str, dict[str, int], tuple[int, ...]], execution_id: int = 0) -> SqlExecution:
    """A plan from (depth, Spark's line, metrics, stages) of its nodes, parents first."""
    nodes: list[SqlNode] = []
    path: dict[int, int] = {}
    for number, (depth, line, metrics, stages) in enumerate(lines):
        path[depth] = number
        name = line.split(" ")[0].split("(")[0]
        nodes.append(
            SqlNode(
                node=number,
                parent=path.get(depth - 1),
                name={"FileScan": "Scan parquet "}.get(name, name),
                simple_string=line,
                metrics=tuple(SqlMetric(name=key, value=value) for key, value in metrics.items()),
                stage_ids=stages,
            )
        )
    stage_ids = tuple(sorted({stage for node in nodes for stage in node.stage_ids}))
    return SqlExecution(execution_id=execution_id, nodes=tuple(nodes), stage_ids=stage_ids)
