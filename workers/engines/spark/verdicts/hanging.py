"""Tasks that had begun and not ended when the log ended: what a run that still runs waits for."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from contracts import statements
from contracts.figures import FigureId
from contracts.spark import RunningTask
from contracts.statements import Statement, Value, listing, moment, name, say
from contracts.verdicts import Severity, Unit, Verdict, VerdictKind
from workers.engines.counts import exactly
from workers.engines.spark.verdicts.measures import Run, spread, usual
from workers.engines.spark.verdicts.sources import TASK_STARTS
from workers.engines.verdicts import figure

TIMES_USUAL = 3.0
"""Times the median task of its stage, from which a task that still runs is a problem."""

LEAST_MS = 10_000
"""Beyond the median task. What the log has seen run for less nobody waits for."""

LEAST_ALONE_MS = 600_000
"""Of a task in whose stage none has ended, so that nothing says what is usual."""

MOST_NAMED = 3


def hanging_tasks(run: Run) -> Iterator[Verdict]:
    """One verdict a stage with running tasks. While others wait for their slots some task always runs: there only a long one counts."""
    ended_at = run.facts.ended_at
    if ended_at is None:
        return
    by_stage: dict[int, list[RunningTask]] = {}
    for task in run.facts.running:
        by_stage.setdefault(task.stage_id, []).append(task)
    for stage_id, tasks in by_stage.items():
        found = _verdict(run, stage_id, tasks, ended_at)
        if found.severity is Severity.PROBLEM or _all_began(run, stage_id, tasks):
            yield found


def _all_began(run: Run, stage_id: int, tasks: Sequence[RunningTask]) -> bool:
    stage = run.by_id.get(stage_id)
    return stage is None or stage.succeeded_tasks + len(tasks) >= (stage.planned_tasks or 0)


def _verdict(run: Run, stage_id: int, tasks: Sequence[RunningTask], ended_at: int) -> Verdict:
    stage = run.by_id.get(stage_id)
    times = spread(stage, "task_ms") if stage else None
    median = usual(times) if times else 0.0
    longest = ended_at - tasks[0].launched_at
    is_long = longest >= max(TIMES_USUAL * median, median + LEAST_MS) if times else longest >= LEAST_ALONE_MS
    beyond = max(0.0, longest - median)
    return Verdict(
        kind=VerdictKind.HANGING_TASK,
        severity=Severity.PROBLEM if is_long else Severity.HINT,
        stage_ids=(stage_id,),
        share=round(run.share_of_run(beyond), 4),
        summary=_summary(run, stage_id, tasks, ended_at, median),
        figures=(
            figure(FigureId.RUNNING_TASKS, len(tasks), Unit.TASKS, TASK_STARTS),
            figure(FigureId.LONGEST_TASK, longest, Unit.MS, TASK_STARTS),
            figure(FigureId.USUAL_TASK, median, Unit.MS, TASK_STARTS),
        ),
    )


def _summary(run: Run, stage_id: int, tasks: Sequence[RunningTask], ended_at: int, median: float) -> Statement:
    stage = run.by_id.get(stage_id)
    done = stage.succeeded_tasks if stage else 0
    planned = (stage.planned_tasks if stage else None) or done + len(tasks)
    named: list[Value] = [_named(task, ended_at) for task in tasks[:MOST_NAMED]]
    values: dict[str, Value] = {
        "stage": name(stage_id),
        "tasks": listing(*named),
        "running": say("verdicts.tasks", n=exactly(len(tasks))),
        "done": exactly(done),
        "planned": say("verdicts.tasks", n=exactly(planned)),
        "ended": moment(datetime.fromtimestamp(ended_at / 1000, UTC)),
    }
    if not median:
        return say("spark.verdict.hanging_task_alone", **values)
    return say("spark.verdict.hanging_task", **values, median=statements.milliseconds(median))


def _named(task: RunningTask, ended_at: int) -> Statement:
    return say(
        "spark.verdict.running_task",
        task=name(task.task_id),
        index=name(task.index),
        executor=name(task.executor_id),
        host=name(task.host or "?"),
        since=moment(datetime.fromtimestamp(task.launched_at / 1000, UTC)),
        took=statements.milliseconds(ended_at - task.launched_at),
    )
