"""Too many tasks, too few tasks, and executors that had none."""

from collections.abc import Iterator

from contracts.spark import StageFacts
from contracts.verdicts import Severity, Unit, Verdict, VerdictKind
from workers.engines import human
from workers.engines.spark.verdicts.measures import MIB, Run, figure, of_stage, spread, usual

TINY_TASKS = 100
"""From so many on starting them is felt."""

TASKS_A_SLOT = 4
"""Up to so many waves of tasks even out; Spark's tuning guide has 2 to 3."""

TINY_MS = 100
"""Tuning guide: tasks of 100 ms and more are worth their start."""

TINY_BYTES = 1 * MIB
"""Read by the usual task."""

PROBLEM_SHARE = 0.1
"""Of all task time, in starting and ending tiny tasks; of the wall clock, in slots that too few tasks leave empty."""

LONG_TASK_MS = 10_000
LARGE_TASK_BYTES = 256 * MIB
"""Twice what Spark cuts files into."""

SPLITTABLE_BYTES = 16 * MIB
"""A long task that reads less is slow for another reason, and more tasks would not help it."""

IDLE_MS = 60_000
"""An executor that lives shorter had no chance."""

BUSY_SHARE = 0.05
"""Of its cores' time while stages were running. Below it an executor has as good as nothing to do."""

IDLE_EXECUTORS = 0.25
"""Of the executors."""


def tiny_tasks(run: Run) -> Iterator[Verdict]:
    """One verdict a run."""
    least = max(TINY_TASKS, TASKS_A_SLOT * run.slots)
    hit = [stage for stage in run.stages if stage.succeeded_tasks >= least and _is_tiny(stage)]
    if not hit:
        return
    overhead = sum(_overhead(stage) for stage in hit)
    share = min(1.0, overhead / run.task_ms)
    worst = max(hit, key=_overhead)
    times = spread(worst, "task_ms")
    shown, source = usual(times) if times else 0.0, of_stage(worst)
    yield Verdict(
        kind=VerdictKind.TINY_TASKS,
        severity=Severity.PROBLEM if share >= PROBLEM_SHARE else Severity.HINT,
        stage_ids=tuple(stage.stage_id for stage in sorted(hit, key=_overhead, reverse=True)),
        share=round(share, 4),
        summary=f"Stage {worst.stage_id} has {human.counted(worst.succeeded_tasks, 'task')} of {human.took(shown)} that read "
        f"{human.size(_read(worst))} each; {human.took(overhead)} of {human.took(run.task_ms)} task time went into starting and ending "
        "such tasks.",
        figures=(
            figure("tasks", worst.succeeded_tasks, Unit.TASKS, source, least),
            figure("usual task at most", shown, Unit.MS, source, TINY_MS),
            figure("read by a task at most", _read(worst), Unit.BYTES, source, TINY_BYTES),
            figure("stages with such tasks", len(hit), Unit.COUNT, "event log, task metrics"),
            figure("task time outside of the work", overhead, Unit.MS, "event log, task metrics"),
            figure("of all task time", share, Unit.SHARE, "event log, task metrics", PROBLEM_SHARE),
        ),
    )


def _is_tiny(stage: StageFacts) -> bool:
    times = spread(stage, "task_ms")
    return times is not None and usual(times) <= TINY_MS and _read(stage) <= TINY_BYTES


def _overhead(stage: StageFacts) -> int:
    """What its tasks took beside their own work: scheduling, deserialising, sending the result."""
    return max(0, stage.task_ms - stage.run_ms)


def _read(stage: StageFacts) -> float:
    return (stage.shuffle_read_bytes + stage.input_bytes) / max(1, stage.succeeded_tasks)


def too_few_tasks(run: Run) -> Iterator[Verdict]:
    """One verdict a run, over the stages that leave slots empty though their tasks are long or large."""
    hit = [stage for stage in run.stages if _has_too_few(stage, run.slots)]
    if not hit:
        return
    lost = _empty_ms(run, hit)
    share = run.share_of_wall(lost)
    worst = max(hit, key=lambda stage: stage.task_ms / max(1, stage.succeeded_tasks))
    times = spread(worst, "task_ms")
    shown, source = usual(times) if times else 0.0, of_stage(worst)
    yield Verdict(
        kind=VerdictKind.TOO_FEW_TASKS,
        severity=Severity.PROBLEM if share >= PROBLEM_SHARE else Severity.HINT,
        stage_ids=tuple(dict.fromkeys(stage.stage_id for stage in sorted(hit, key=lambda stage: -stage.task_ms))),
        share=round(share, 4),
        summary=f"Stage {worst.stage_id} runs {human.counted(_planned(worst), 'task')} where {run.slots} could run, "
        f"each {human.took(shown)} over {human.size(_read(worst))}; {human.counted(len(hit), 'such stage')} left slots empty for "
        f"{human.took(lost)}.",
        figures=(
            figure("tasks", _planned(worst), Unit.TASKS, source),
            figure("tasks that could run at once", run.slots, Unit.TASKS, "event log, executors"),
            figure("usual task", shown, Unit.MS, source, LONG_TASK_MS),
            figure("read by a task", _read(worst), Unit.BYTES, source, LARGE_TASK_BYTES),
            figure("such stages", len(hit), Unit.COUNT, "event log, task metrics"),
            figure("wall clock that full use would save", lost, Unit.MS, "event log, task metrics"),
            figure("of the time in which stages ran", share, Unit.SHARE, "event log, task metrics", PROBLEM_SHARE),
        ),
    )


def _planned(stage: StageFacts) -> int:
    return stage.planned_tasks or stage.succeeded_tasks


def _has_too_few(stage: StageFacts, slots: int) -> bool:
    times = spread(stage, "task_ms")
    if times is None or not stage.succeeded_tasks or _planned(stage) >= slots:
        return False
    read = _read(stage)
    return read >= LARGE_TASK_BYTES or (usual(times) >= LONG_TASK_MS and (read == 0 or read >= SPLITTABLE_BYTES))


def _empty_ms(run: Run, hit: list[StageFacts]) -> float:
    """Wall clock in which nothing but these stages ran, in proportion to the slots they left empty."""
    steps: list[tuple[int, int, int]] = []
    small = {(stage.stage_id, stage.attempt) for stage in hit}
    for stage in run.stages:
        if stage.first_launch_at is None or stage.last_finish_at is None:
            continue
        tasks = _planned(stage) if (stage.stage_id, stage.attempt) in small else run.slots
        steps += [(stage.first_launch_at, 1, tasks), (stage.last_finish_at, -1, -tasks)]
    empty, running, before = 0.0, 0, 0
    stages = 0
    for at, change, tasks in sorted(steps):
        if stages:
            empty += (at - before) * max(0.0, 1 - running / run.slots)
        before, running, stages = at, running + tasks, stages + change
    return empty


def idle_executors(run: Run) -> Iterator[Verdict]:
    """One verdict a run. An executor counts from when it was added; a log with instants out of the run tells nothing."""
    start, end = run.facts.started_at, run.facts.ended_at
    if start is None or end is None or end <= start:
        return
    working = run.active_ms / (end - start)
    lived: list[tuple[str, float]] = []
    for executor in run.facts.executors:
        if executor.executor_id == "driver" or executor.added_at is None or not executor.cores:
            continue
        life = (executor.removed_at or end) - executor.added_at
        if start - IDLE_MS <= executor.added_at <= end and life >= IDLE_MS:
            lived.append((executor.executor_id, executor.task_ms / max(1.0, life * executor.cores * working)))
    idle = [name for name, busy in lived if busy < BUSY_SHARE]
    if not idle or len(idle) < IDLE_EXECUTORS * len(lived):
        return
    part = len(idle) / len(lived)
    yield Verdict(
        kind=VerdictKind.IDLE_EXECUTORS,
        severity=Severity.HINT,  # it costs money and no time
        summary=f"{len(idle)} of {human.counted(len(lived), 'executor')} had work for less than {human.share(BUSY_SHARE)} of the time: "
        f"{', '.join(idle[:8])}.",
        figures=(
            figure("idle executors", len(idle), Unit.COUNT, "event log, executors"),
            figure("of those that lived for a minute", part, Unit.SHARE, "event log, executors", IDLE_EXECUTORS),
            figure("busy part of an idle one at most", BUSY_SHARE, Unit.SHARE, "event log, executors", BUSY_SHARE),
        ),
    )
