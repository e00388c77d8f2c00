"""Data skew: few tasks got much more data than the others, and the stage waited for them."""

from collections.abc import Iterator

from contracts import statements
from contracts.figures import FigureId
from contracts.spark import StageFacts, TaskDistribution
from contracts.statements import say
from contracts.verdicts import Unit, Verdict, VerdictKind
from workers.engines.counts import exactly
from workers.engines.spark.verdicts.measures import Run, TaskMeasure, of_measure, spread, usual, value_of, wall_ms
from workers.engines.spark.verdicts.sources import (
    of_stage,
)
from workers.engines.verdicts import figure, measured, problem_if
from workers.engines.verdicts.thresholds import DATA_RATIO, HINT_SHARE, MIN_TASKS, TIME_RATIO
from workers.engines.verdicts.thresholds import MIN_TASK_BYTES as MIN_BYTES
from workers.engines.verdicts.thresholds import MIN_TASK_RECORDS as MIN_RECORDS

STAGE_SHARE = 0.15
"""Of the stage's wall clock that the heavy task runs longer than a usual one: what spreading its data can save at most."""

MIN_EXCESS_MS = 250
"""Below it nobody notices, and a busy machine does as much."""

SLOW_MS = 2_000
SMALL = 0.01
"""A task that runs so much longer than a usual one, and has far more data than the others, is slow by its data, however few rows these
are: a frame of a window or a nested loop works through them again and again. So much of what is tiny otherwise is enough then."""

SIDE_SHARE = 0.1
"""Share of the bytes a stage reads below which a source does not decide the weight of its tasks."""

MEASURES: tuple[tuple[TaskMeasure, str, Unit, int], ...] = (
    (TaskMeasure.SHUFFLE_READ_BYTES, "shuffle_read_bytes", Unit.BYTES, MIN_BYTES),
    (TaskMeasure.SHUFFLE_READ_RECORDS, "shuffle_read_bytes", Unit.RECORDS, MIN_RECORDS),
    (TaskMeasure.INPUT_BYTES, "input_bytes", Unit.BYTES, MIN_BYTES),
    (TaskMeasure.INPUT_RECORDS, "input_bytes", Unit.RECORDS, MIN_RECORDS),
)
"""A number of the tasks, the bytes that tell whether its source counts, its unit, and what is tiny."""


def data_skew(run: Run) -> Iterator[Verdict]:
    """One verdict a skewed stage."""
    for stage in run.stages:
        times = spread(stage, "task_ms")
        heaviest = _heaviest(stage)
        if heaviest is None and times is not None and times.max - usual(times) >= SLOW_MS:
            heaviest = _heaviest(stage, SMALL)
        if times is None or times.count < MIN_TASKS or heaviest is None:
            continue
        measure, data, unit = heaviest
        took = _time_of_heavy(data, times)
        excess = took - usual(times)
        stage_share = excess / wall_ms(stage)
        if took < TIME_RATIO * usual(times) or excess < MIN_EXCESS_MS or stage_share < STAGE_SHARE:
            continue
        share = run.share_of_wall(excess)
        source = of_stage(stage)
        weight = data.max / data.sum if data.sum else 0.0
        tiny = MIN_BYTES if unit is Unit.BYTES else MIN_RECORDS
        yield Verdict(
            kind=VerdictKind.DATA_SKEW,
            severity=problem_if(share >= HINT_SHARE),
            stage_ids=(stage.stage_id,),
            share=round(share, 4),
            summary=say(
                "spark.verdict.skew",
                stage=statements.name(stage.stage_id),
                tasks=say("verdicts.tasks", n=exactly(data.count)),
                got=measured(data.max, unit),
                share=statements.share(weight),
                times=statements.ratio(data.max / usual(data)),
                took=statements.milliseconds(took),
                usual=statements.milliseconds(usual(times)),
            ),
            figures=(
                figure(
                    FigureId.HEAVIEST_TASK, data.max, unit, source, min(tiny, data.max), name=of_measure(FigureId.HEAVIEST_TASK, measure)
                ),
                figure(FigureId.USUAL_TASK, usual(data), unit, source, name=of_measure(FigureId.USUAL_TASK, measure)),
                figure(
                    FigureId.HEAVIEST_TO_USUAL,
                    data.max / usual(data),
                    Unit.RATIO,
                    source,
                    DATA_RATIO,
                    name=of_measure(FigureId.HEAVIEST_TO_USUAL, measure),
                ),
                figure(FigureId.SHARE_IN_ONE_TASK, weight, Unit.SHARE, source),
                figure(FigureId.TIME_TO_USUAL, took / max(1.0, usual(times)), Unit.RATIO, source, TIME_RATIO),
                figure(FigureId.TIME_BEYOND_USUAL, excess, Unit.MS, source, MIN_EXCESS_MS),
                figure(FigureId.SHARE_OF_STAGE_WALL, stage_share, Unit.SHARE, source, STAGE_SHARE),
            ),
        )


def _heaviest(stage: StageFacts, part: float = 1.0) -> tuple[TaskMeasure, TaskDistribution, Unit] | None:
    """The measure by which the stage is most uneven, if it is. `part`: of what is tiny otherwise."""
    all_bytes = stage.shuffle_read_bytes + stage.input_bytes
    found: list[tuple[float, TaskMeasure, TaskDistribution, Unit]] = []
    for measure, weighed_by, unit, tiny in MEASURES:
        data = spread(stage, measure)
        if data is None or data.max < part * tiny or getattr(stage, weighed_by) < SIDE_SHARE * all_bytes:
            continue
        ratio = data.max / usual(data)
        if ratio >= DATA_RATIO:
            found.append((ratio, measure, data, unit))
    return max(found, key=lambda pair: pair[0])[1:] if found else None


def _time_of_heavy(data: TaskDistribution, times: TaskDistribution) -> float:
    """What the heaviest tasks by data took: the longest of them that is also among the longest. Where there are more heavy tasks
    than are named, the 95th percentile, if data and time both have it high."""
    both = [value for heavy in data.heaviest if heavy.value >= DATA_RATIO / 2 * usual(data) and (value := value_of(times, heavy.task_id))]
    if both:
        return max(both)
    return times.p95 if data.p95 >= DATA_RATIO * usual(data) else 0.0
