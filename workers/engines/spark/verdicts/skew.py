"""Data skew: few tasks got much more data than the others, and the stage waited for them."""

from collections.abc import Iterator

from contracts.spark import StageFacts, TaskDistribution
from contracts.verdicts import Severity, Unit, Verdict, VerdictKind
from workers.engines import human
from workers.engines.spark.verdicts.measures import MIB, Run, figure, of_stage, spread, usual, value_of, wall_ms

MIN_TASKS = 4
"""Below it the median is one of the extremes."""

DATA_RATIO = 4.0
"""Heaviest task to the usual one, in bytes or records. Dr. Elephant calls 4 moderate; Spark's adaptive execution splits from 5 on."""

TIME_RATIO = 2.0
"""The same task has to take longer too, or nobody waits for it."""

STAGE_SHARE = 0.15
"""Of the stage's wall clock that the heavy task runs longer than a usual one: what spreading its data can save at most."""

MIN_EXCESS_MS = 250
"""Below it nobody notices, and a busy machine does as much."""

HINT_SHARE = 0.03
"""Of the run: below it the skew is real and does not matter. Unlike other shares it is no upper bound of a stage's time but what the
stage demonstrably waited, so less of it is enough."""

MIN_BYTES, MIN_RECORDS = 1 * MIB, 10_000
"""Of the heaviest task: tiny stages have any ratio."""

SIDE_SHARE = 0.1
"""Of the bytes a stage reads: a source below it does not decide what its tasks weigh."""

MEASURES: tuple[tuple[str, str, Unit, int], ...] = (
    ("shuffle_read_bytes", "shuffle_read_bytes", Unit.BYTES, MIN_BYTES),
    ("shuffle_read_records", "shuffle_read_bytes", Unit.RECORDS, MIN_RECORDS),
    ("input_bytes", "input_bytes", Unit.BYTES, MIN_BYTES),
    ("input_records", "input_bytes", Unit.RECORDS, MIN_RECORDS),
)
"""A number of the tasks, the bytes that tell whether its source counts, its unit, and what is tiny."""


def data_skew(run: Run) -> Iterator[Verdict]:
    """One verdict a skewed stage."""
    for stage in run.stages:
        times = spread(stage, "task_ms")
        heaviest = _heaviest(stage)
        if times is None or times.count < MIN_TASKS or heaviest is None:
            continue
        name, data, unit = heaviest
        took = _time_of_heavy(data, times)
        excess = took - usual(times)
        stage_share = excess / wall_ms(stage)
        if took < TIME_RATIO * usual(times) or excess < MIN_EXCESS_MS or stage_share < STAGE_SHARE:
            continue
        share = run.share_of_wall(excess)
        source = of_stage(stage)
        weight = data.max / data.sum if data.sum else 0.0
        shown = human.size(data.max) if unit is Unit.BYTES else f"{human.count(data.max, 'en')} records"
        yield Verdict(
            kind=VerdictKind.DATA_SKEW,
            severity=Severity.PROBLEM if share >= HINT_SHARE else Severity.HINT,
            stage_ids=(stage.stage_id,),
            share=round(share, 4),
            summary=f"Stage {stage.stage_id}: one of {human.counted(data.count, 'task')} got {shown}, {human.share(weight)} of all "
            f"and {human.times(data.max / usual(data))} times the usual, and ran {human.took(took)} against {human.took(usual(times))}.",
            figures=(
                figure(f"heaviest task, {name}", data.max, unit, source, MIN_BYTES if unit is Unit.BYTES else MIN_RECORDS),
                figure(f"usual task, {name}", usual(data), unit, source),
                figure(f"heaviest to usual, {name}", data.max / usual(data), Unit.RATIO, source, DATA_RATIO),
                figure("share of the stage's data in one task", weight, Unit.SHARE, source),
                figure("its time to the usual", took / max(1.0, usual(times)), Unit.RATIO, source, TIME_RATIO),
                figure("time beyond the usual", excess, Unit.MS, source, MIN_EXCESS_MS),
                figure("of the stage's wall clock", stage_share, Unit.SHARE, source, STAGE_SHARE),
            ),
        )


def _heaviest(stage: StageFacts) -> tuple[str, TaskDistribution, Unit] | None:
    """The measure by which the stage is most uneven, if it is."""
    all_bytes = stage.shuffle_read_bytes + stage.input_bytes
    found: list[tuple[float, str, TaskDistribution, Unit]] = []
    for name, weighed_by, unit, tiny in MEASURES:
        data = spread(stage, name)
        if data is None or data.max < tiny or getattr(stage, weighed_by) < SIDE_SHARE * all_bytes:
            continue
        ratio = data.max / usual(data)
        if ratio >= DATA_RATIO:
            found.append((ratio, name, data, unit))
    return max(found, key=lambda one: one[0])[1:] if found else None


def _time_of_heavy(data: TaskDistribution, times: TaskDistribution) -> float:
    """What the heaviest tasks by data took: the longest of them that is also among the longest. Where there are more heavy tasks
    than are named, the 95th percentile, if data and time both have it high."""
    both = [value for heavy in data.heaviest if heavy.value >= DATA_RATIO / 2 * usual(data) and (value := value_of(times, heavy.task_id))]
    if both:
        return max(both)
    return times.p95 if data.p95 >= DATA_RATIO * usual(data) else 0.0
