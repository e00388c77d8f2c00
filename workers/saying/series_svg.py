"""Parts of a chart's drawing for names and series: a field of shades, stacked bars, a legend."""

from collections.abc import Sequence

from contracts.charts import Chart
from workers.saying.spans import Speaker
from workers.saying.svg_text import cells, digits_of, label, shortened, value_shown

WIDTH = 700
ROW = 24
LEFT, RIGHT = 190, 110
THIN = 16
"""Height of a bar beside others, so that its number does not touch the next."""
LEGEND = 26
"""Height of the line above the drawing."""
FAINTEST, STRONGEST = 0.08, 0.6
"""Opacity of the smallest and of the largest value."""


def names_of(chart: Chart) -> list[str]:
    """The names on the x axis, in the order of the data."""
    return list(dict.fromkeys(str(row[chart.x.field]) for row in chart.data))


def by_name(chart: Chart, name: str) -> dict[str, dict[str, float | str]]:
    """The rows of a name, by series."""
    rows = [row for row in chart.data if str(row[chart.x.field]) == name]
    return {str(row[chart.color.field]) if chart.color else "": row for row in rows}


def legend(series: Sequence[str]) -> list[str]:
    """The series and their colours, above the drawing."""
    parts: list[str] = []
    place, line = 0, 0
    for number, name in enumerate(series):
        width = 34 + 8 * cells(shortened(name))
        if place and LEFT + place + width > WIDTH:
            place, line = 0, line + 1
        x, y = LEFT + place, 4 + 18 * line
        parts.append(f'<rect class="s{number}" x="{x}" y="{y}" width="12" height="12"/>')
        parts.append(label(x + 18, y + 10, name, "start"))
        place += width
    return parts


def legend_height(series: Sequence[str]) -> int:
    """Height of the legend: a line holds as many series as have room."""
    lines, place = 1, 0
    for name in series:
        width = 34 + 8 * cells(shortened(name))
        if place and LEFT + place + width > WIDTH:
            lines, place = lines + 1, 0
        place += width
    return LEGEND + 18 * (lines - 1)


def draw_heat(chart: Chart, speaker: Speaker) -> tuple[list[str], int]:
    """A field for each name and series: the larger the value, the darker."""
    series, names = chart.series(), names_of(chart)
    amounts = [float(row[chart.y.field]) for row in chart.data]
    low, high = min(amounts), max(amounts)
    width = (WIDTH - LEFT - 10) / max(1, len(series))
    parts = [label(LEFT + width * (place + 0.5), 14, name, "middle") for place, name in enumerate(series)]
    for line, name in enumerate(names):
        top = LEGEND + line * ROW
        parts.append(label(LEFT - 8, top + 16, name, "end"))
        rows = by_name(chart, name)
        for place, of in enumerate(series):
            row = rows.get(of)
            if row is None:
                continue
            amount = float(row[chart.y.field])
            share = (amount - low) / (high - low) if high > low else 0.5
            shade = FAINTEST + (STRONGEST - FAINTEST) * share
            x = LEFT + width * place
            parts.append(
                f'<rect class="s0" fill-opacity="{shade:.2f}" x="{x:.1f}" y="{top + 1}" width="{width - 2:.1f}" height="{ROW - 2}"/>'
            )
            parts.append(label(x + width / 2, top + 16, speaker.text(chart.shown(row, chart.y)), "middle"))
    return parts, LEGEND + ROW * len(names)


def draw_series_bars(chart: Chart, speaker: Speaker) -> tuple[list[str], int]:
    """Bars by name with a colour for each series: one below the other, or behind one another."""
    series, names = chart.series(), names_of(chart)
    totals = [_ends(chart, name) for name in names]
    low, high = min(0.0, *(end for ends in totals for end in ends)), max(0.0, *(end for ends in totals for end in ends))
    span = (high - low) or 1.0
    scale = (WIDTH - LEFT - RIGHT) / span
    thin = ROW - 8 if chart.is_stacked else THIN
    height = ROW if chart.is_stacked else THIN * len(series) + 10
    digits = digits_of([float(row[chart.y.field]) for row in chart.data])
    parts, begins = legend(series), legend_height(series)
    for line, name in enumerate(names):
        top = begins + line * height
        parts.append(label(LEFT - 8, top + height / 2 + 4, name, "end"))
        ends = {True: 0.0, False: 0.0}
        for place, (of, row) in enumerate(by_name(chart, name).items()):
            amount = float(row[chart.y.field])
            begin = ends[amount >= 0] if chart.is_stacked else 0.0
            ends[amount >= 0] = begin + amount
            left, right = sorted((LEFT + (begin - low) * scale, LEFT + (begin + amount - low) * scale))
            y = top + 4 + (0 if chart.is_stacked else thin * place)
            number = series.index(of)
            parts.append(f'<rect class="s{number}" x="{left:.1f}" y="{y:.1f}" width="{max(right - left, 1):.1f}" height="{thin - 1}"/>')
            if not chart.is_stacked:
                parts.append(label(right + 6, y + thin - 3, speaker.text(value_shown(chart, row, digits)), "start"))
        if chart.is_stacked:
            values = " + ".join(speaker.text(value_shown(chart, row, digits)) for row in by_name(chart, name).values())
            parts.append(label(WIDTH - RIGHT + 4, top + 16, values, "start"))
    return parts, begins + height * len(names)


def _ends(chart: Chart, name: str) -> list[float]:
    """The ends of a name's bars."""
    amounts = [float(row[chart.y.field]) for row in by_name(chart, name).values()]
    if not chart.is_stacked:
        return amounts
    return [sum(amount for amount in amounts if amount >= 0), sum(amount for amount in amounts if amount < 0)]
