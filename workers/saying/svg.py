"""A chart as inline SVG: horizontal bars, a field of shades, lines or points, drawn by ourselves."""

from collections.abc import Sequence
from itertools import pairwise

from contracts.charts import Chart, Mark
from workers.saying.axes import places_of, scale_of, tick_texts, ticks_of
from workers.saying.html_text import escaped
from workers.saying.series_svg import draw_heat, draw_series_bars
from workers.saying.spans import Speaker
from workers.saying.svg_text import UNIT, cells, digits_of, every, label, round_ticks, shortened, value_shown

WIDTH = 700
BAR_HEIGHT = 24
PLOT_HEIGHT = 240
"""Units of the drawing, which is scaled to the page."""

MOST_LABEL = 40
"""Narrow characters of a bar's label."""

MOST_DOTS = 60
"""Points of a line that are marked; the dots of more hide the line."""


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
    right, names = 110, chart.series()
    labels = [" · ".join(speaker.text(chart.shown(row, channel)) for channel in chart.channels()[:-1]) for row in chart.data]
    left = max(60.0, max(cells(shortened(text, MOST_LABEL)) for text in labels) * UNIT + 16)
    amounts = [float(row[chart.y.field]) for row in chart.data]
    low, high = min(0.0, *amounts), max(0.0, *amounts)
    at = scale_of(low, high or float(not low), left, WIDTH - right)
    digits = digits_of(amounts)
    parts: list[str] = [f'<path class="axis" d="M{at(0.0):.1f} 0V{BAR_HEIGHT * len(chart.data)}"/>'] if low < 0 else []
    for place, (row, amount) in enumerate(zip(chart.data, amounts, strict=True)):
        top = place * BAR_HEIGHT
        series = names.index(str(row[chart.color.field])) if chart.color else 0
        begin, end = sorted((at(0.0), at(amount)))
        parts.append(label(left - 8, top + 16, labels[place], "end", most=MOST_LABEL))
        parts.append(f'<rect class="s{series}" x="{begin:.1f}" y="{top + 4}" width="{max(end - begin, 1):.1f}" height="{BAR_HEIGHT - 8}"/>')
        parts.append(label(end + 6, top + 16, speaker.text(value_shown(chart, row, digits)), "start"))
    return parts, BAR_HEIGHT * len(chart.data)


def _plot(chart: Chart, speaker: Speaker) -> tuple[list[str], int]:
    right, top, bottom = WIDTH - 20, 24, PLOT_HEIGHT
    places = places_of(chart)
    values = [float(row[chart.y.field]) for row in chart.data]
    ticks = ticks_of(chart.mark, values)
    written = [speaker.text(shown) for shown in tick_texts(ticks, chart.y.measure)]
    left = max(50.0, max(map(cells, written)) * UNIT + 20)
    x = scale_of(min(places), max(places), left + 20, right - 20)
    y = scale_of(min(ticks), max(ticks), bottom, top)
    parts = [f'<path class="axis" d="M{left:.1f} {top}V{bottom}H{right}"/>', label(left, top - 8, speaker.text(chart.y.title), "start")]
    if min(ticks) < 0 < max(ticks):
        parts.append(f'<path class="axis" d="M{left:.1f} {y(0.0):.1f}H{right}"/>')
    parts += [label(left - 8, y(tick) + 4, text, "end") for tick, text in zip(ticks, written, strict=True)]
    parts += [label(x(place), bottom + 18, text, "middle") for place, text in _x_labels(chart, places, speaker, right - left)]
    parts.append(label(right, bottom + 36, speaker.text(chart.x.title), "end"))
    points = [(x(place), y(value)) for place, value in zip(places, values, strict=True)]
    for place, name in enumerate(chart.series()):
        rows = [
            (point, row[chart.x.field] in chart.partial) for point, row in zip(points, chart.data, strict=True)
            if chart.color is None or str(row[chart.color.field]) == name
        ]  # fmt: skip
        parts += _series(chart.mark, sorted(rows, key=lambda each: each[0][0]), place)
        if name:
            parts.append(f'<rect class="s{place}" x="{left:.1f}" y="{bottom + 48 + 20 * place}" width="12" height="12"/>')
            parts.append(label(left + 20, bottom + 58 + 20 * place, name, "start"))
    return parts, bottom + 44 + (20 * len(chart.series()) if chart.color else 0)


def _series(mark: Mark, points: Sequence[tuple[tuple[float, float], bool]], number: int) -> list[str]:
    """`points`: from left to right, each with whether its period is incomplete: its line is dashed and its dot hollow."""
    dots = [
        f'<circle class="s{number}{" partial" if is_partial else ""}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for (x, y), is_partial in points
    ]
    if mark is Mark.POINT:
        return dots
    whole = [point for point, is_partial in points if not is_partial]
    lines = [f'<polyline class="s{number}" points="{_line(whole)}"/>']
    lines += [
        f'<polyline class="s{number} partial" points="{_line([before, after])}"/>'
        for (before, is_partial), (after, is_next_partial) in pairwise(points)
        if is_partial or is_next_partial
    ]
    return [*lines, *(dots if len(dots) <= MOST_DOTS else ())]


def _line(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _x_labels(chart: Chart, places: Sequence[float], speaker: Speaker, room: float) -> list[tuple[float, str]]:
    """Ticks of numbers; of names as many as have room."""
    if chart.x.type == "quantitative":
        low, high = min(places), max(places)
        ticks = [tick for tick in round_ticks(low, high) if low <= tick <= high] or [low]
        return [(tick, speaker.text(shown)) for tick, shown in zip(ticks, tick_texts(ticks, chart.x.measure), strict=True)]
    named = {place: speaker.text(chart.shown(row, chart.x)) for place, row in zip(places, chart.data, strict=True)}
    labels = sorted(named.items())
    return labels[:: every([text for _, text in labels], room)] if not chart.moments else _spread(labels, room)


def _spread(labels: Sequence[tuple[float, str]], room: float) -> list[tuple[float, str]]:
    """As many labels as do not touch, where their places may be unevenly spaced."""
    first, last = labels[0][0], labels[-1][0]
    width = max(cells(text) for _, text in labels) * UNIT + 16
    scale = room / ((last - first) or 1.0)
    kept: list[tuple[float, str]] = []
    for place, text in labels:
        if not kept or (place - kept[-1][0]) * scale >= width:
            kept.append((place, text))
    return kept
