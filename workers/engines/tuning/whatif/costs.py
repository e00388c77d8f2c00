"""What the time of a stage's tasks goes into: the cost of a task as such, bytes moved in and out, and computing."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from contracts.tuning import StageFacts
from workers.engines.tuning.whatif.assumptions import Assumptions
from workers.engines.tuning.whatif.schedule import Milliseconds
from workers.engines.tuning.whatif.units import Unit

SHORT_MS = 200.0
"""Spark's tuning guide: tasks as short as 200 ms are efficient. So the fixed cost of a task is below that, and of shorter tasks most
may be it."""

TELLING_BYTES = 1 << 20
TELLING_MS = 200.0
"""Stages that move and take less say nothing on what a byte costs."""

UNEVEN = 1.5
"""p95 to p25 of the tasks' bytes: from there on a line through times over bytes has a slope to speak of."""

SOURCES = ("shuffle_read_bytes", "input_bytes")


def priced(units: Sequence[Unit], assumed: Assumptions) -> list[Unit]:
    """Each unit with its time in parts.

    A byte moved costs what it costs in the stage of the run that moves bytes most cheaply; what another stage takes beyond that is
    computing. Moved are the bytes read, those written times `written_to_read`, `record_bytes` for each record, and twice what was
    spilled: it is written and read again."""
    fixed = [_fixed(unit, assumed) for unit in units]
    variable = [float((unit.times - cost).sum()) for unit, cost in zip(units, fixed, strict=True)]
    rates = [
        took / moved
        for unit, took in zip(units, variable, strict=True)
        if (moved := sum(moved_bytes(unit.facts, assumed))) >= TELLING_BYTES and took >= TELLING_MS
    ]
    rate = min(rates, default=0.0)
    return [_priced(unit, cost, rate, assumed) for unit, cost in zip(units, fixed, strict=True)]


def moved_bytes(stage: StageFacts, assumed: Assumptions) -> tuple[float, float, float]:
    """Read, written and spilled, in bytes as `priced` counts them."""
    read = stage.shuffle_read_bytes + stage.input_bytes + assumed.record_bytes * (stage.shuffle_read_records + stage.input_records)
    written = stage.shuffle_write_bytes + stage.output_bytes + assumed.record_bytes * (stage.shuffle_write_records + stage.output_records)
    return float(read), assumed.written_to_read * written, 2.0 * stage.disk_spill_bytes


def _priced(unit: Unit, fixed: Milliseconds, rate: float, assumed: Assumptions) -> Unit:
    variable = float((unit.times - fixed).sum())
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


def _fixed(unit: Unit, assumed: Assumptions) -> Milliseconds:
    """The fixed cost in each of the unit's times. What passes outside a task's run (scheduling, deserialising, sending the result) is,
    and, if that is more, where the line through times over bytes begins. Without such a line the data are even: then of short tasks all
    is fixed cost, and no difference between two of them comes from data, so each has its share of it."""
    times = unit.facts.distributions.get("task_ms")
    if times is None or not len(unit.times) or times.sum <= 0:
        return np.zeros(len(unit.times))
    mean = times.sum / times.count
    outside = max(0.0, (unit.facts.task_ms - unit.facts.run_ms) / times.count)
    begin = _line_begin(unit.facts)
    if begin is None:
        cost = max(outside, mean if mean < SHORT_MS else 0.0) * assumed.fixed
        return unit.times * min(1.0, cost / mean)
    cost = max(outside, min(begin, SHORT_MS)) * assumed.fixed
    return np.minimum(unit.times, cost * unit.stands_for)


def _line_begin(stage: StageFacts) -> float | None:
    """Theil's estimate (1950): the median slope between quantiles of times and of bytes, and the median of what it leaves. None where the
    bytes of the tasks are too much alike for a slope."""
    times = stage.distributions["task_ms"]
    sizes = next((stage.distributions[name] for name in SOURCES if name in stage.distributions), None)
    if sizes is None or sizes.p95 < UNEVEN * max(1, sizes.p25):
        return None
    x = [sizes.p25, sizes.median, sizes.p75, sizes.p95, sizes.max]
    y = [times.p25, times.median, times.p75, times.p95, times.max]
    slopes = [(y[j] - y[i]) / (x[j] - x[i]) for i in range(5) for j in range(i) if x[j] != x[i]]
    slope = float(np.median(slopes)) if slopes else 0.0
    return max(0.0, float(np.median([high - slope * size for size, high in zip(x, y, strict=True)])))
