"""Time that is lost in a way that no other verdict speaks of: the class by what the log measures, its place, its share, and what to look
at. No fix follows from these, since nothing here proves that one would help."""

from collections.abc import Iterator, Mapping, Sequence

from contracts import statements
from contracts.figures import FigureId
from contracts.statements import Statement, count, milliseconds, say
from contracts.verdicts import Severity, Unit, Verdict, VerdictKind
from workers.engines.counts import exactly
from workers.engines.spark.lost_time import Loss, Seconds
from workers.engines.spark.verdicts.measures import Run
from workers.engines.spark.verdicts.sources import STAGE_EVENTS, TASK_METRICS, of_stages
from workers.engines.verdicts import figure

PROBLEM_SHARE = 0.15
HINT_SHARE = 0.05
LEAST_MS = 2_000
"""Of the run's wall clock. What takes less than two seconds nobody looks for."""

SHUFFLE_SHARE = 0.3
"""Shuffles are most often needed: only a large part of the run is worth a look, and even that is a hint."""

FEWEST_TOGETHER = 2
"""Classes of loss that are summed where no problem is found."""

COVERED = 0.5
"""Of what was lost: a problem of a family that speaks of as much says it better."""

MOST_STAGES = 200
FAMILIES: Mapping[VerdictKind, tuple[VerdictKind, ...]] = {
    VerdictKind.REPEATED_PLANS: (VerdictKind.RECOMPUTATION,),
    VerdictKind.TASK_OVERHEAD: (VerdictKind.TINY_TASKS, VerdictKind.SMALL_FILES, VerdictKind.LATE_EXECUTORS),
    VerdictKind.PYTHON_TIME: (VerdictKind.PYTHON_UDF, VerdictKind.STRAGGLER),
    VerdictKind.SERIAL_SCAN: (VerdictKind.SINGLE_TASK, VerdictKind.TOO_FEW_TASKS),
    VerdictKind.EVICTED_CACHE: (),
    VerdictKind.SHUFFLE_TIME: (
        VerdictKind.DATA_SKEW,
        VerdictKind.BROADCASTABLE_JOIN,
        VerdictKind.REDUNDANT_EXCHANGE,
        VerdictKind.LATE_PROJECTION,
        VerdictKind.LATE_FILTER,
        VerdictKind.SHUFFLE_VOLUME,
        VerdictKind.TINY_TASKS,
    ),
    VerdictKind.UNEVEN_TASKS: (
        VerdictKind.DATA_SKEW,
        VerdictKind.STRAGGLER,
        VerdictKind.HANGING_TASK,
        VerdictKind.SINGLE_TASK,
        VerdictKind.TOO_FEW_TASKS,
        VerdictKind.IDLE_EXECUTORS,
        VerdictKind.LATE_EXECUTORS,
        VerdictKind.LOST_EXECUTORS,
        VerdictKind.FAILURES,
    ),
    VerdictKind.DRIVER_WORK: (VerdictKind.DRIVER_COLLECT, VerdictKind.SMALL_FILES, VerdictKind.TINY_TASKS),
    VerdictKind.STREAMING_TRIGGERS: (VerdictKind.TINY_TASKS,),
    VerdictKind.MEMORY_TIME: (VerdictKind.SPILL, VerdictKind.GC_PRESSURE, VerdictKind.DATA_SKEW),
}
"""Class of loss → the families that speak of the same time."""


def lost_time(run: Run, seconds: Seconds | None, found: Sequence[Verdict]) -> Iterator[Verdict]:
    """One verdict a class that took much; where nothing is a problem, the largest of several that together are. `found`: what the
    families say, with their shares of the run."""
    if seconds is None or seconds.wall_ms <= 0:
        return
    single = list(_each(run, seconds, found))
    most = None if any(_is_enough(verdict) for verdict in (*found, *single)) else _together(run, seconds)
    yield from (verdict for verdict in single if most is None or verdict.kind is not most.kind)
    if most is not None:
        yield most


def _is_enough(verdict: Verdict) -> bool:
    return verdict.severity is Severity.PROBLEM and (verdict.run_share or verdict.share) >= HINT_SHARE


def _together(run: Run, seconds: Seconds) -> Verdict | None:
    """The largest of several classes of which none is a problem by itself, while together they are; share and figures are of all."""
    shuffles = VerdictKind.SHUFFLE_TIME
    losses = [loss for kind, loss in seconds.losses.items() if kind in FAMILIES and kind is not shuffles and loss.ms >= LEAST_MS]
    total = sum(loss.ms for loss in losses)
    if len(losses) < FEWEST_TOGETHER or total < PROBLEM_SHARE * seconds.wall_ms:
        return None
    largest = max(losses, key=lambda loss: loss.ms)
    share = round(min(1.0, total / seconds.wall_ms), 4)
    made = _verdict(run, seconds, largest, share, Severity.PROBLEM)
    values = {"total": milliseconds(total), "share": statements.share(share), "classes": count(len(losses))}
    summary = say("spark.lost.together", **values, largest=_summary(run, seconds, largest))
    figures = (figure(FigureId.TIME_LOST, total, Unit.MS, TASK_METRICS, LEAST_MS), *made.figures[1:])
    return made.model_copy(update={"summary": summary, "figures": figures})


def _each(run: Run, seconds: Seconds, found: Sequence[Verdict]) -> Iterator[Verdict]:
    for kind, families in FAMILIES.items():
        loss = seconds.losses.get(kind)
        share = loss.ms / seconds.wall_ms if loss else 0.0
        if loss is None or loss.ms < LEAST_MS or share < (SHUFFLE_SHARE if kind is VerdictKind.SHUFFLE_TIME else HINT_SHARE):
            continue
        covered = sum(
            verdict.run_share or verdict.share for verdict in found if verdict.kind in families and verdict.severity is Severity.PROBLEM
        )
        if covered >= COVERED * share:
            continue
        is_problem = share >= PROBLEM_SHARE and kind is not VerdictKind.SHUFFLE_TIME
        yield _verdict(run, seconds, loss, round(min(1.0, share), 4), Severity.PROBLEM if is_problem else Severity.HINT)


def _verdict(run: Run, seconds: Seconds, loss: Loss, share: float, severity: Severity) -> Verdict:
    stages = loss.heaviest()[:MOST_STAGES]
    known = [run.by_id[stage] for stage in stages if stage in run.by_id]
    source = of_stages(known) if known else TASK_METRICS
    if loss.kind is VerdictKind.DRIVER_WORK:  # what no stage's tasks did
        source = STAGE_EVENTS
    return Verdict(
        kind=loss.kind,
        severity=severity,
        stage_ids=stages,
        share=share,
        summary=_summary(run, seconds, loss),
        figures=(
            figure(FigureId.TIME_LOST, loss.ms, Unit.MS, source, LEAST_MS),
            figure(FigureId.SHARE_OF_RUN, share, Unit.SHARE, TASK_METRICS, PROBLEM_SHARE),
            *([figure(FigureId.TURNS, seconds.turns, Unit.COUNT, TASK_METRICS)] if _is_of_loop(seconds, loss) else []),
        ),
    )


def _is_of_loop(seconds: Seconds, loss: Loss) -> bool:
    """Whether most of it passed in a loop."""
    in_loop = loss.ms if loss.kind is VerdictKind.REPEATED_PLANS else loss.between_turns_ms
    return bool(seconds.turns) and in_loop > loss.ms / 2


def _summary(run: Run, seconds: Seconds, loss: Loss) -> Statement:
    """What was lost, where, and what to look at."""
    stages = loss.heaviest()
    lost, many = milliseconds(loss.ms), say("artefacts.stages", n=exactly(len(stages)))
    counted = sum((run.by_id[stage].planned_tasks or run.by_id[stage].succeeded_tasks) for stage in stages if stage in run.by_id)
    tasks = say("verdicts.tasks", n=exactly(counted))
    match loss.kind:
        case VerdictKind.REPEATED_PLANS if seconds.turns:
            waited = milliseconds(loss.without_task_ms)
            return say("spark.lost.looped", lost=lost, times=count(seconds.turns), waited=waited, stages=many)
        case VerdictKind.DRIVER_WORK if _is_of_loop(seconds, loss):
            longest = milliseconds(seconds.longest_gap_ms)
            return say("spark.lost.driver_in_loop", lost=lost, turns=count(seconds.turns), gaps=count(loss.times), longest=longest)
        case VerdictKind.REPEATED_PLANS:
            return say("spark.lost.repeated_plans", lost=lost, stages=many, times=count(loss.times))
        case VerdictKind.TASK_OVERHEAD:
            return say("spark.lost.task_overhead", lost=lost, stages=many, tasks=tasks)
        case VerdictKind.PYTHON_TIME:
            return say("spark.lost.python_time", lost=lost, stages=many)
        case VerdictKind.SERIAL_SCAN:
            first = statements.name(stages[0] if stages else "?")
            return say("spark.lost.serial_scan", lost=lost, stage=first, slots=exactly(run.slots))
        case VerdictKind.EVICTED_CACHE:
            return say("spark.lost.evicted_cache", lost=lost, stages=many)
        case VerdictKind.SHUFFLE_TIME:
            return say("spark.lost.shuffle_time", lost=lost, stages=many)
        case VerdictKind.DRIVER_WORK if seconds.opening_ms:
            return say("spark.lost.late_start", lost=lost, opening=milliseconds(seconds.opening_ms))
        case VerdictKind.DRIVER_WORK:
            return say("spark.lost.driver_work", lost=lost, gaps=count(loss.times), longest=milliseconds(seconds.longest_gap_ms))
        case VerdictKind.STREAMING_TRIGGERS:
            return say("spark.lost.streaming_triggers", lost=lost, batches=count(loss.times), tasks=tasks)
        case VerdictKind.MEMORY_TIME:
            return say("spark.lost.memory_time", lost=lost, stages=many)
        case _:
            return say("spark.lost.uneven_tasks", lost=lost, stages=many)
