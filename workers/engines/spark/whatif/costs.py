"""What the time of a stage's tasks goes into: the cost of a task as such, bytes moved in and out, and computing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from contracts.spark import StageFacts, TaskDistribution
from workers.engines.spark.whatif.assumptions import Assumptions
from workers.engines.spark.whatif.schedule import Milliseconds
from workers.engines.spark.whatif.units import Unit

SHORT_MS = 200.0
"""Spark's tuning guide: tasks as short as 200 ms are efficient. So the fixed cost of a task is below that, and of shorter tasks most
may be it."""

TELLING_BYTES = 1 << 20
TELLING_MS = 200.0
"""Stages that move and take less say nothing on what a byte costs."""

LITTLE_BYTES = 64 << 10
"""Read by a task: some hundred rows, which take a millisecond or two where a task that is started and ended takes ten and more."""

UNEVEN = 1.5
"""p95 to p25 of the tasks' bytes: from there on a line through times over bytes has a slope to speak of."""

SOURCES = ("shuffle_read_bytes", "input_bytes")


@dataclass(frozen=True)
class TaskCost:
    """The fixed cost of a task, independent of its data."""

    ms: float
    mean_ms: float
    """The mean time of its tasks, in ms."""
    is_even: bool
    """All tasks read about as much, so that no difference between their times comes from data."""


def task_cost(stage: StageFacts) -> TaskCost:
    """What passes outside a task's run (scheduling, deserialising, sending the result), or, if that is more, where the line through times
    over bytes begins. Without a line, all that a short task usually takes; and so where the whole stage reads less than tells what a byte
    costs (its data would be one task's work), or nearly all of its tasks read next to nothing."""
    times = stage.distributions.get("task_ms")
    if times is None or times.sum <= 0:
        return TaskCost(0.0, 0.0, is_even=True)
    mean = times.sum / times.count
    outside = max(0.0, (stage.task_ms - stage.run_ms) / times.count)
    sizes = _sizes(stage)
    is_little = sizes is not None and (sizes.sum < TELLING_BYTES or sizes.p95 < LITTLE_BYTES)
    if is_little and times.median < SHORT_MS and times.count > 1:
        return TaskCost(mean, mean, is_even=True)
    if sizes is not None and sizes.p95 >= UNEVEN * max(1, sizes.p25):
        return TaskCost(max(outside, min(_line_begin(times, sizes), SHORT_MS)), mean, is_even=False)
    is_even = sizes is not None and sizes.max < UNEVEN * max(1, sizes.p25)
    usual = mean if is_even else float(times.median)
    return TaskCost(max(outside, usual if usual < SHORT_MS else 0.0), mean, is_even=is_even)


def priced(units: Sequence[Unit], costs: Mapping[int, TaskCost], assumed: Assumptions) -> list[Unit]:
    """The units, those at the places of `costs` with their time in parts.

    A byte moved costs what it costs in the replayed stage that moves bytes most cheaply; what another stage takes beyond that is
    computing. Moved are the bytes read, those written times `written_to_read`, `record_bytes` for each record, and twice what was
    spilled: it is written and read again."""
    fixed = {place: _fixed(units[place], cost, assumed) for place, cost in costs.items()}
    variable = {place: float((units[place].times - cost).sum()) for place, cost in fixed.items()}
    rates = [
        took / moved
        for place, took in variable.items()
        if took >= TELLING_MS and (moved := sum(moved_bytes(units[place].facts, assumed))) >= TELLING_BYTES
    ]
    rate = min(rates, default=0.0)
    after = list(units)
    for place, cost in fixed.items():
        after[place] = _priced(units[place], cost, variable[place], rate, assumed)
    return after


def moved_bytes(stage: StageFacts, assumed: Assumptions) -> tuple[float, float, float]:
    """Read, written and spilled, in bytes as `priced` counts them."""
    read = stage.shuffle_read_bytes + stage.input_bytes + assumed.record_bytes * (stage.shuffle_read_records + stage.input_records)
    written = stage.shuffle_write_bytes + stage.output_bytes + assumed.record_bytes * (stage.shuffle_write_records + stage.output_records)
    return float(read), assumed.written_to_read * written, 2.0 * stage.disk_spill_bytes


def _priced(unit: Unit, fixed: Milliseconds, variable: float, rate: float, assumed: Assumptions) -> Unit:
    read, written, spilled = (rate * size for size in moved_bytes(unit.facts, assumed))
    fits = min(1.0, variable / moved) if (moved := read + written + spilled) > 0 else 0.0
    return replace(
        unit,
        fixed=fixed,
        read_ms=read * fits,
        write_ms=written * fits,
        spill_ms=spilled * fits,
        computing_ms=max(0.0, variable - moved * fits),
    )


def _fixed(unit: Unit, cost: TaskCost, assumed: Assumptions) -> Milliseconds:
    """The fixed cost in each of the unit's times. With even data no difference between two tasks comes from data, so each has its share."""
    if cost.mean_ms <= 0:
        return np.zeros(len(unit.times))
    if cost.is_even:
        return unit.times * min(1.0, assumed.fixed * cost.ms / cost.mean_ms)
    return np.minimum(unit.times, assumed.fixed * cost.ms * unit.stands_for)


def _sizes(stage: StageFacts) -> TaskDistribution | None:
    return next((stage.distributions[name] for name in SOURCES if name in stage.distributions), None)


def _line_begin(times: TaskDistribution, sizes: TaskDistribution) -> float:
    """Theil's estimate (1950): the median slope between quantiles of times and of bytes, and the median of what it leaves."""
    x = [sizes.p25, sizes.median, sizes.p75, sizes.p95, sizes.max]
    y = [times.p25, times.median, times.p75, times.p95, times.max]
    slopes = [(y[j] - y[i]) / (x[j] - x[i]) for i in range(5) for j in range(i) if x[j] != x[i]]
    slope = float(np.median(slopes)) if slopes else 0.0
    return max(0.0, float(np.median([took - slope * size for size, took in zip(x, y, strict=True)])))
