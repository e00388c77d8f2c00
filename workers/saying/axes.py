"""Axes of a drawing: where each row of a chart is, the round numbers beside it, and how the quantities are written."""

import math
from collections.abc import Callable, Sequence

from contracts.charts import Chart, Mark, Measure, as_value
from contracts.statements import Shown, number, share

FLAT = 0.2
"""A line whose values differ by less than this share of the greatest is drawn without zero, which would press it flat."""


def places_of(chart: Chart) -> list[float]:
    """Where each row is on the x axis: its number, its time in seconds, or the place of its name."""
    if chart.x.type == "quantitative":
        return [float(row[chart.x.field]) for row in chart.data]
    if chart.moments:
        return [(moment - chart.moments[0]).total_seconds() for moment in chart.moments]
    names = list(dict.fromkeys(str(row[chart.x.field]) for row in chart.data))
    return [float(names.index(str(row[chart.x.field]))) for row in chart.data]


def ticks_of(mark: Mark, values: Sequence[float]) -> list[float]:
    """Round numbers around the values, with zero unless that hides what a line shows."""
    low, high = min(values), max(values)
    if mark is not Mark.LINE or wants_zero(values):
        low, high = min(0.0, low), max(0.0, high)
    return round_ticks(low, high if high > low else low + 1.0)


def wants_zero(values: Sequence[float]) -> bool:
    """Whether a line is drawn with zero: unless that presses it flat, as it does with levels in dBm."""
    low, high = min(values, default=0.0), max(values, default=0.0)
    return low <= 0 <= high or low == high or high - low >= FLAT * max(abs(low), abs(high))


SMALLEST = 1e-300
"""Distance of ticks below which a power of ten is no float any more."""


def round_ticks(low: float, high: float, wanted: int = 5) -> list[float]:
    """Ticks at 1, 2, 2.5 or 5 times a power of ten, from at most `low` to at least `high`."""
    if low == high:
        return [low]
    rough = (high - low) / wanted
    if rough < SMALLEST:
        return [low, high]
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{count * step:.12g}") for count in range(first, last + 1)]


def digits_of(values: Sequence[float]) -> int | None:
    """Digits behind the point with which these numbers can be compared; None: the reader's usual ones."""
    if all(value == int(value) for value in values):
        return None
    greatest = max(map(abs, values))
    return 3 if greatest < 1 else 2 if greatest < 10 else None


def value_shown(chart: Chart, row: dict[str, float | str], digits: int | None) -> Shown:
    """The quantity of a row; plain numbers with these digits, and shares with as many as tell them apart."""
    amount = float(row[chart.y.field])
    match chart.y.measure:
        case Measure.NUMBER if digits is not None:
            return number(amount, digits)
        case Measure.SHARE if digits is not None:
            return share(amount, max(digits - 2, 0))
        case _:
            return chart.shown(row, chart.y)


def tick_texts(ticks: Sequence[float], measure: Measure) -> list[Shown]:
    """As many digits as the steps between them have."""
    if measure is not Measure.NUMBER:
        return [as_value(tick, measure) for tick in ticks]
    digits = max(len(f"{tick:.10f}".rstrip("0").partition(".")[2]) for tick in ticks)
    return [number(tick, digits) for tick in ticks]


def scale_of(low: float, high: float, begin: float, end: float) -> Callable[[float], float]:
    """From a value between `low` and `high` to a place between `begin` and `end`."""
    span = high - low
    return lambda value: begin + (end - begin) * ((value - low) / span if span else 0.5)
