"""Uneven time with even data: a straggler, or no more than executors that start up."""

from collections.abc import Iterator

from contracts import statements
from contracts.figures import FigureId
from contracts.spark import StageFacts, TaskDistribution
from contracts.statements import Statement, say
from contracts.verdicts import Figure, Severity, Unit, Verdict, VerdictKind
from workers.engines.counts import exactly
from workers.engines.spark.verdicts.measures import Run, TaskMeasure, of_measure, spread, usual, value_of, wall_ms
from workers.engines.spark.verdicts.sources import (
    of_stage,
)
from workers.engines.verdicts import figure
from workers.engines.verdicts.thresholds import EVEN_DATA, MIN_TASKS

TIME_RATIO = 3.0
"""Longest task to the usual one."""

MIN_EXCESS_MS = 1_000
NOTE_EXCESS_MS = 500
"""From here on a warm-up is worth the word: it is what a rule over durations would call skew."""

STAGE_SHARE = 0.25
"""Of the stage's wall clock that waiting for the task takes."""

PROBLEM_SHARE = 0.05
"""Of the run."""

WARM_UP_MS = 10_000
"""Loading classes, compiling, starting a Python worker and opening connections take up to seconds; longer is no start."""

ALIKE = 0.5
"""A warm-up hits all first tasks: the second longest takes at least this part of the longest."""

PAUSE_ALIKE = 0.97
"""A pause of a JVM ends at once for all its tasks: the longest have the same length."""


def uneven_time(run: Run) -> Iterator[Verdict]:
    """A verdict, or a note, for each stage whose longest task is no heavier than the others and stands out."""
    for stage in run.stages:
        times = spread(stage, "task_ms")
        if times is None or times.count < MIN_TASKS or not times.heaviest or times.max < TIME_RATIO * usual(times):
            continue
        excess = times.max - usual(times)
        stage_share, share = excess / wall_ms(stage), run.share_of_wall(excess)
        if excess < NOTE_EXCESS_MS or stage_share < STAGE_SHARE or not _data_is_even(stage, times.heaviest[0].task_id):
            continue
        is_start = _is_warm_up(times, run.slots)
        if not is_start and (excess < MIN_EXCESS_MS or share < PROBLEM_SHARE):
            continue
        source = of_stage(stage)
        longest = times.heaviest[0]
        pause = not is_start and sum(heavy.value >= PAUSE_ALIKE * longest.value for heavy in times.heaviest) == len(times.heaviest) > 1
        yield Verdict(
            kind=VerdictKind.WARM_UP if is_start else VerdictKind.STRAGGLER,
            severity=Severity.NOTE if is_start else Severity.PROBLEM,
            stage_ids=(stage.stage_id,),
            share=round(share, 4),
            summary=_summary(stage, times, is_start, pause),
            figures=(
                figure(FigureId.LONGEST_TASK, times.max, Unit.MS, source),
                figure(FigureId.USUAL_TASK, usual(times), Unit.MS, source),
                figure(FigureId.LONGEST_TO_USUAL, times.max / max(1.0, usual(times)), Unit.RATIO, source, TIME_RATIO),
                *_data_figures(stage, longest.task_id, source),
                figure(FigureId.SECOND_TO_LONGEST, _second(times) / times.max, Unit.RATIO, source),
                figure(FigureId.SHARE_OF_STAGE_WALL, stage_share, Unit.SHARE, source, STAGE_SHARE),
            ),
        )


def _summary(stage: StageFacts, times: TaskDistribution, is_start: bool, pause: bool) -> Statement:
    longest = times.heaviest[0]
    ran = say(
        "spark.task_ran",
        stage=statements.name(stage.stage_id),
        task=statements.name(longest.index),
        tasks=exactly(times.count),
        took=statements.milliseconds(times.max),
        usual=statements.milliseconds(usual(times)),
    )
    if is_start:
        return say("spark.verdict.warm_up", ran=ran)
    if pause:
        return say("spark.verdict.pause", ran=ran, executor=statements.name(longest.executor_id))
    return say("spark.verdict.straggler", ran=ran)


def _data_is_even(stage: StageFacts, task_id: int) -> bool:
    """As far as the log tells: the task is not among the heaviest, or those are not heavy."""
    for measure in TaskMeasure:
        data = spread(stage, measure)
        if data is not None and (value_of(data, task_id) or 0) > EVEN_DATA * usual(data):
            return False
    return True


def _data_figures(stage: StageFacts, task_id: int, source: Statement) -> Iterator[Figure]:
    for measure in TaskMeasure:
        data = spread(stage, measure)
        if data is not None:
            at_most = value_of(data, task_id) or (data.heaviest[-1].value if data.heaviest else data.max)
            shown = of_measure(FigureId.DATA_TO_USUAL, measure)
            yield figure(FigureId.DATA_TO_USUAL, at_most / usual(data), Unit.RATIO, source, EVEN_DATA, name=shown)


def _second(times: TaskDistribution) -> int:
    return times.heaviest[1].value if len(times.heaviest) > 1 else 0


def _is_warm_up(times: TaskDistribution, slots: int) -> bool:
    """The tasks that stand out were the first of their slots, and not one alone."""
    slow = [heavy for heavy in times.heaviest if heavy.value >= TIME_RATIO * usual(times)]
    alone = slots > 1 and _second(times) < ALIKE * times.max
    return times.max <= WARM_UP_MS and not alone and all(heavy.index < slots for heavy in slow)
