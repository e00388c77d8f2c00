"""Too many tasks, too few tasks, and executors that had none."""

from collections.abc import Iterator

from contracts import statements
from contracts.figures import FigureId
from contracts.spark import StageFacts
from contracts.statements import Join, listing, say
from contracts.verdicts import Severity, Unit, Verdict, VerdictKind
from workers.engines.counts import exactly
from workers.engines.spark.verdicts.measures import Run, spread, usual
from workers.engines.spark.verdicts.single_task import JDBC, is_of_database, single_tasks
from workers.engines.spark.verdicts.sources import (
    EXECUTORS,
    TASK_METRICS,
    of_stage,
)
from workers.engines.verdicts import figure, problem_if
from workers.engines.verdicts.thresholds import MIB

TINY_TASKS = 100
"""Number of tasks from which on the time to start them matters."""

TASKS_A_SLOT = 4
"""Waves of tasks up to which more tasks even out the load; Spark's tuning guide has 2 to 3."""

TINY_MS = 100
"""Tuning guide: tasks of 100 ms and more are worth their start."""

TINY_BYTES = 1 * MIB
"""Read by the usual task."""

PROBLEM_SHARE = 0.1
"""Share from which on it is a problem: of all task time, for starting and ending tiny tasks; of the wall clock, for empty slots."""

LONG_TASK_MS = 10_000
LARGE_TASK_BYTES = 256 * MIB
"""Twice what Spark cuts files into."""

SPLITTABLE_BYTES = 16 * MIB
"""A long task that reads less is slow for another reason, and more tasks would not help it."""

IDLE_MS = 60_000
"""An executor that lives shorter had no chance."""

BUSY_SHARE = 0.05
"""Share of an executor's core time, while stages ran, below which the executor counts as idle."""

IDLE_EXECUTORS = 0.25
"""Share of the executors that have to be idle."""

SHOWN_EXECUTORS = 8


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
        severity=problem_if(share >= PROBLEM_SHARE),
        stage_ids=tuple(stage.stage_id for stage in sorted(hit, key=_overhead, reverse=True)),
        share=round(share, 4),
        summary=say(
            "spark.verdict.tiny_tasks",
            stage=statements.name(worst.stage_id),
            tasks=say("verdicts.tasks", n=exactly(worst.succeeded_tasks)),
            usual=statements.milliseconds(shown),
            read=statements.size(_read(worst)),
            overhead=statements.milliseconds(overhead),
            all=statements.milliseconds(run.task_ms),
        ),
        figures=(
            figure(FigureId.TASKS, worst.succeeded_tasks, Unit.TASKS, source, least),
            figure(FigureId.USUAL_TASK_AT_MOST, shown, Unit.MS, source, TINY_MS),
            figure(FigureId.READ_BY_TASK_AT_MOST, _read(worst), Unit.BYTES, source, TINY_BYTES),
            figure(FigureId.SUCH_STAGES, len(hit), Unit.COUNT, TASK_METRICS),
            figure(FigureId.OVERHEAD, overhead, Unit.MS, TASK_METRICS),
            figure(FigureId.SHARE_OF_TASK_TIME, share, Unit.SHARE, TASK_METRICS, PROBLEM_SHARE),
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
    """One verdict a run, over the stages that leave slots empty though their tasks are long or large. Of which the script says that they
    have one task, there is a verdict that says more."""
    explained = {stage for verdict in single_tasks(run) for stage in verdict.stage_ids}
    explained |= _read_from_databases(run)
    hit = [stage for stage in run.whole if stage.stage_id not in explained and _has_too_few(stage, run.slots)]
    if not hit:
        return
    lost = _empty_ms(run, hit)
    share = run.share_of_wall(lost)
    worst = max(hit, key=lambda stage: stage.task_ms / max(1, stage.succeeded_tasks))
    times = spread(worst, "task_ms")
    shown, source = usual(times) if times else 0.0, of_stage(worst)
    yield Verdict(
        kind=VerdictKind.TOO_FEW_TASKS,
        severity=problem_if(share >= PROBLEM_SHARE),
        stage_ids=tuple(dict.fromkeys(stage.stage_id for stage in sorted(hit, key=lambda stage: -stage.task_ms))),
        share=round(share, 4),
        summary=say(
            "spark.verdict.too_few_tasks",
            stage=statements.name(worst.stage_id),
            tasks=say("verdicts.tasks", n=exactly(_planned(worst))),
            slots=exactly(run.slots),
            usual=statements.milliseconds(shown),
            read=statements.size(_read(worst)),
            stages=say("spark.such_stages", n=exactly(len(hit))),
            lost=statements.milliseconds(lost),
        ),
        figures=(
            figure(FigureId.TASKS, _planned(worst), Unit.TASKS, source),
            figure(FigureId.SLOTS, run.slots, Unit.TASKS, EXECUTORS),
            figure(FigureId.USUAL_TASK, shown, Unit.MS, source, LONG_TASK_MS),
            figure(FigureId.READ_BY_TASK, _read(worst), Unit.BYTES, source, LARGE_TASK_BYTES),
            figure(FigureId.SUCH_STAGES, len(hit), Unit.COUNT, TASK_METRICS),
            figure(FigureId.WALL_SAVED, lost, Unit.MS, TASK_METRICS),
            figure(FigureId.SHARE_OF_STAGES_TIME, share, Unit.SHARE, TASK_METRICS, PROBLEM_SHARE),
        ),
    )


def _planned(stage: StageFacts) -> int:
    return stage.planned_tasks or stage.succeeded_tasks


def _read_from_databases(run: Run) -> set[int]:
    """Stages whose number of tasks the options of a read decide, and no partitions of the job."""
    return {stage for plan in run.plans for node in plan.nodes.values() if is_of_database(node) for stage in node.stage_ids} | {
        stage.stage_id for stage in run.stages if any(JDBC in name for name in stage.operators)
    }


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
    """One verdict a run. An executor counts from when it was added, and works in attempts that fail, are killed or have not ended, too; a
    log with instants out of the run tells nothing."""
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
            open_ms = sum(max(0, end - task.launched_at) for task in run.facts.running if task.executor_id == executor.executor_id)
            worked = executor.task_ms + executor.lost_task_ms + open_ms
            lived.append((executor.executor_id, worked / max(1.0, life * executor.cores * working)))
    idle = [name for name, busy in lived if busy < BUSY_SHARE]
    if not idle or len(idle) < IDLE_EXECUTORS * len(lived):
        return
    part = len(idle) / len(lived)
    yield Verdict(
        kind=VerdictKind.IDLE_EXECUTORS,
        severity=Severity.HINT,  # it costs money and no time
        summary=say(
            "spark.verdict.idle_executors",
            idle=exactly(len(idle)),
            executors=say("spark.executors", n=exactly(len(lived))),
            share=statements.share(BUSY_SHARE),
            names=listing(*map(statements.name, idle[:SHOWN_EXECUTORS]), join=Join.PLAIN),
        ),
        figures=(
            figure(FigureId.IDLE_EXECUTORS, len(idle), Unit.COUNT, EXECUTORS),
            figure(FigureId.SHARE_OF_EXECUTORS, part, Unit.SHARE, EXECUTORS, IDLE_EXECUTORS),
            figure(FigureId.BUSY_PART, BUSY_SHARE, Unit.SHARE, EXECUTORS, BUSY_SHARE),
        ),
    )
