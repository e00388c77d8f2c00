"""Stages from their single tasks: a table with a row for each task, as sparkMeasure and the History Server's `taskList` have it, and the
`tasks` within a stage of the History Server."""

from collections.abc import Callable, Iterable, Sequence
from statistics import median_high
from typing import Any, cast

from contracts.artefacts import StageRow

TASKS, METRICS, OF_ONE_STAGE = "tasks", "taskMetrics", "?"
READ = (
    ("shuffleReadMetrics", ("remoteBytesRead", "localBytesRead"), "shuffleTotalBytesRead"),
    ("shuffleReadMetrics", ("recordsRead",), "shuffleRecordsRead"),
    ("inputMetrics", ("bytesRead",), "bytesRead"),
    ("inputMetrics", ("recordsRead",), "recordsRead"),
    ("outputMetrics", ("bytesWritten",), "bytesWritten"),
    ("shuffleWriteMetrics", ("bytesWritten",), "shuffleBytesWritten"),
    ("shuffleWriteMetrics", ("recordsWritten",), "shuffleRecordsWritten"),
)
"""Group of a task's metrics, the counters in it that are added up, and the heading of the sum."""
READ_MOST = {"bytes": ("shuffleTotalBytesRead", "bytesRead"), "records": ("shuffleRecordsRead", "recordsRead")}
"""By unit the headings of what a stage reads, of a shuffle or of files."""
MEASURED = ("executorRunTime", "jvmGcTime", "memoryBytesSpilled", "diskBytesSpilled")
FAILED = "FAILED"

Amount = Callable[[StageRow], float | None]


def flat_task(body: dict[str, Any]) -> dict[str, Any]:
    """A task of the History Server with its metrics as columns; any other object as it is. Its stage is `?` where it names none."""
    metrics = body.get(METRICS)
    if not isinstance(metrics, dict):
        return body
    held = cast("dict[str, Any]", metrics)
    flat = {"stageId": OF_ONE_STAGE, **{name: value for name, value in body.items() if name != METRICS}}
    flat |= {name: held[name] for name in MEASURED if name in held}
    for group, names, heading in READ:
        inner = held.get(group)
        counters = [value for name in names if isinstance(inner, dict) and isinstance(value := cast("Any", inner).get(name), int | float)]
        if counters:
            flat[heading] = sum(counters)
    return flat


def tasks_within(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The single tasks that a stage of the History Server lists, flat; empty where it lists none."""
    tasks = body.get(TASKS)
    if not isinstance(tasks, dict) or "stageId" not in body:
        return []
    listed = [cast("dict[str, Any]", task) for task in cast("dict[str, Any]", tasks).values() if isinstance(task, dict)]
    return [flat_task(task) for task in listed if METRICS in task]


def spread_of(tasks: Sequence[dict[str, Any]]) -> dict[str, float]:
    """The median and the heaviest task as columns: their time, and of what the stage reads most how much."""
    found = _spread([_number(task.get("duration")) or _number(task.get("executorRunTime")) for task in tasks], "task time (ms)")
    for unit, names in READ_MOST.items():
        amounts = [[_number(task.get(name)) for task in tasks] for name in names]
        found |= _spread(max(amounts, key=lambda each: sum(filter(None, each))), unit)
    return found


def _spread(values: Sequence[float | None], what: str) -> dict[str, float]:
    known = [value for value in values if value is not None]
    return {f"median {what}": median_high(known), f"max {what}": max(known)} if known and max(known) > 0 else {}


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def stages_of_tasks(rows: Sequence[StageRow]) -> tuple[StageRow, ...]:
    """A row for each stage from a row for each task. How long the stage lasted is not known: its longest task is the least."""
    by_stage: dict[str, list[StageRow]] = {}
    for row in rows:
        by_stage.setdefault(row.stage, []).append(row)
    return tuple(_stage(tasks) for tasks in by_stage.values())


def _stage(tasks: Sequence[StageRow]) -> StageRow:
    first = tasks[0]
    failed = [task for task in tasks if FAILED in task.status.upper()]
    done = [task for task in tasks if task not in failed] or tasks
    times = _known(done, lambda task: task.duration_ms or task.task_ms)
    sums = {name: _sum(tasks, name) for name in SUMMED}
    is_shuffle = (sums["shuffle_read_bytes"] or 0) >= (sums["input_bytes"] or 0)
    sizes = _known(done, lambda task: task.shuffle_read_bytes if is_shuffle else task.input_bytes)
    records = _known(done, lambda task: task.shuffle_read_records if is_shuffle else task.input_records)
    return StageRow(
        line=first.line,
        stage=first.stage,
        stage_id=first.stage_id,
        name=first.name,
        tasks=len(tasks),
        failed_tasks=len(failed) or None,
        task_ms=sum(times) if times else None,
        task_max_ms=max(times, default=None),
        task_median_ms=median_high(times) if times else None,
        task_max_bytes=max(sizes, default=None),
        task_median_bytes=median_high(sizes) if sizes else None,
        task_max_records=max(records, default=None),
        task_median_records=median_high(records) if records else None,
        **sums,
    )


SUMMED = (
    "input_bytes", "input_records", "output_bytes", "shuffle_read_bytes", "shuffle_read_records", "shuffle_write_bytes",
    "shuffle_write_records", "memory_spill_bytes", "disk_spill_bytes", "gc_ms",
)  # fmt: skip


def _sum(tasks: Iterable[StageRow], name: str) -> Any:
    known = [value for task in tasks if (value := getattr(task, name)) is not None]
    return sum(known) if known else None


def _known(tasks: Iterable[StageRow], amount: Amount) -> list[float]:
    return [value for task in tasks if (value := amount(task)) is not None]
