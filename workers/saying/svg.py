"""A chart as inline SVG: horizontal bars, a field of shades, lines or points, drawn by ourselves."""

from collections.abc import Callable, Sequence

from contracts.charts import Chart, Mark, as_value
from contracts.statements import Shown
from workers.saying.html_text import escaped
from workers.saying.series_svg import draw_heat, draw_series_bars
from workers.saying.spans import Speaker

WIDTH = 700
BAR_HEIGHT = 24
PLOT_HEIGHT = 240
"""Units of the drawing, which is scaled to the page."""

LABEL = 24
"""Characters of a label in the drawing; the table beside it has the whole."""

TICKS = 4


def chart_svg(chart: Chart, speaker: Speaker) -> str:
    """The drawing; its title is read aloud in its place."""
    parts, height = _drawn(chart, speaker)
    label = escaped(speaker.text(chart.title))
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}">\n' + "\n".join(parts) + "\n</svg>"


def _drawn(chart: Chart, speaker: Speaker) -> tuple[list[str], int]:
    if chart.mark is Mark.HEAT:
        return draw_heat(chart, speaker)
    if chart.mark is Mark.BAR:
        return draw_series_bars(chart, speaker) if len(chart.series()) > 1 else _bars(chart, speaker)
    return _plot(chart, speaker)


def _bars(chart: Chart, speaker: Speaker) -> tuple[list[str], int]:
    left, right = 190, 110
    names = chart.series()
    amounts = [float(row[chart.y.field]) for row in chart.data]
    low, high = min(0.0, *amounts), max(0.0, *amounts)
    at = _scale(low, high, left, WIDTH - right)
    parts: list[str] = []
    for place, (row, amount) in enumerate(zip(chart.data, amounts, strict=True)):
        top = place * BAR_HEIGHT
        series = names.index(str(row[chart.color.field])) if chart.color else 0
        label = " · ".join(speaker.text(chart.shown(row, channel)) for channel in chart.channels()[:-1])
        begin, end = sorted((at(0.0), at(amount)))
        parts.append(_text(left - 8, top + 16, label, "end"))
        parts.append(f'<rect class="s{series}" x="{begin:.1f}" y="{top + 4}" width="{max(end - begin, 1):.1f}" height="{BAR_HEIGHT - 8}"/>')
        parts.append(_text(end + 6, top + 16, speaker.text(chart.shown(row, chart.y)), "start"))
    return parts, BAR_HEIGHT * len(chart.data)


def _plot(chart: Chart, speaker: Speaker) -> tuple[list[str], int]:
    left, right, top, bottom = 90, WIDTH - 20, 24, PLOT_HEIGHT
    places = _places(chart)
    values = [float(row[chart.y.field]) for row in chart.data]
    x = _scale(min(places), max(places), left + 10, right - 10)
    y = _scale(min(0.0, *values), max(values), bottom, top)
    parts = [f'<path class="axis" d="M{left} {top}V{bottom}H{right}"/>', _text(left, top - 8, speaker.text(chart.y.title), "start")]
    parts += [
        _text(left - 8, y(tick) + 4, speaker.text(as_value(tick, chart.y.measure)), "end")
        for tick in _ticks(min(0.0, *values), max(values))
    ]
    parts += [_text(x(place), bottom + 18, speaker.text(shown), "middle") for place, shown in _x_labels(chart, places)]
    parts.append(_text(right, bottom + 36, speaker.text(chart.x.title), "end"))
    points = [(x(place), y(value)) for place, value in zip(places, values, strict=True)]
    for number, name in enumerate(chart.series()):
        own = [point for point, row in zip(points, chart.data, strict=True) if chart.color is None or str(row[chart.color.field]) == name]
        parts += _series(chart.mark, own, number)
        if name:
            parts.append(f'<rect class="s{number}" x="{left}" y="{bottom + 48 + 20 * number}" width="12" height="12"/>')
            parts.append(_text(left + 20, bottom + 58 + 20 * number, name, "start"))
    return parts, bottom + 44 + (20 * len(chart.series()) if chart.color else 0)


def _series(mark: Mark, points: Sequence[tuple[float, float]], number: int) -> list[str]:
    dots = [f'<circle class="s{number}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in points]
    if mark is Mark.POINT:
        return dots
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in sorted(points, key=lambda point: point[0]))
    return [f'<polyline class="s{number}" points="{line}"/>', *dots]


def _places(chart: Chart) -> list[float]:
    """Where each row is on the x axis: its number, or the place of its name."""
    if chart.x.type == "quantitative":
        return [float(row[chart.x.field]) for row in chart.data]
    names = list(dict.fromkeys(str(row[chart.x.field]) for row in chart.data))
    return [float(names.index(str(row[chart.x.field]))) for row in chart.data]


def _x_labels(chart: Chart, places: Sequence[float]) -> list[tuple[float, Shown]]:
    """Ticks of numbers; of names at most a dozen."""
    if chart.x.type == "quantitative":
        return [(tick, as_value(tick, chart.x.measure)) for tick in _ticks(min(places), max(places))]
    named = {place: chart.shown(row, chart.x) for place, row in zip(places, chart.data, strict=True)}
    step = -(-len(named) // 12)
    return list(named.items())[::step]


def _ticks(low: float, high: float) -> list[float]:
    return [low] if low == high else [low + (high - low) * step / TICKS for step in range(TICKS + 1)]


def _scale(low: float, high: float, begin: float, end: float) -> Callable[[float], float]:
    span = high - low
    return lambda value: begin + (end - begin) * ((value - low) / span if span else 0.5)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    line = " ".join(text.split())
    short = line if len(line) <= LABEL else line[: LABEL - 1] + "…"
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escaped(short)}</text>'
