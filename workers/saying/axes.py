"""Axes of a drawing: where each row of a chart is, and the round numbers beside it."""

from collections.abc import Callable, Sequence

from contracts.charts import Chart, Mark, Measure, as_value
from contracts.statements import Shown, number
from workers.saying.svg_text import round_ticks

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
    if mark is not Mark.LINE or low <= 0 or high - low >= FLAT * high or low == high:
        low, high = min(0.0, low), max(0.0, high)
    return round_ticks(low, high if high > low else low + 1.0)


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
