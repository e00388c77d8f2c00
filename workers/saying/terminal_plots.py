"""Lines and points of a chart on a terminal: braille dots between two axes, with a mark for each row."""

from collections.abc import Sequence
from itertools import pairwise

from rich.cells import cell_len
from rich.text import Text

from contracts.charts import Chart, Mark
from workers.saying.axes import places_of, round_ticks, scale_of, tick_texts, ticks_of
from workers.saying.braille import ACROSS, DOWN, Canvas, Dot
from workers.saying.harmless import flat
from workers.saying.labels import shortened
from workers.saying.spans import Speaker

ROWS = 12
"""Lines of a plot."""
NARROWEST = 24
"""Cells between the axes below which bars say more."""
MOST_LABEL = 16
"""Cells of a name below the axis."""
MARKS = "●○◆◇▲△■□"
"""A sign for each series, so that they differ without colours too."""
COLOURS = ("cyan", "yellow", "green", "magenta", "red", "blue", "white", "bright_black")
_CROWDED = 4
"""Cells for each row below which only the ends of a line have marks: more would hide it."""


def plot_lines(chart: Chart, speaker: Speaker, room: int) -> list[Text] | None:
    """The plot; None where it has no room or no data."""
    values = [float(row[chart.y.field]) for row in chart.data]
    if not values:
        return None
    ticks = ticks_of(Mark.LINE, values)
    if chart.mark is Mark.POINT or max(values) < 0:
        low, high = min(values), max(values)
        ticks = round_ticks(low, high if high > low else low + 1.0)
    written = [flat(speaker.text(text)) for text in tick_texts(ticks, chart.y.measure)]
    left = max(map(cell_len, written))
    columns = room - left - 2
    if columns < NARROWEST:
        return None
    canvas, places = Canvas(columns, ROWS), places_of(chart)
    x = scale_of(min(places), max(places), 1, columns * ACROSS - 2)
    y = scale_of(min(ticks), max(ticks), ROWS * DOWN - 2, 1)
    dots = [(round(x(place)), round(y(value))) for place, value in zip(places, values, strict=True)]
    _draw(canvas, chart, dots)
    named = {round(y(tick)) // DOWN: text for tick, text in zip(ticks, written, strict=True)}
    lines = [_line(canvas, row, named.get(row, ""), left) for row in range(ROWS)]
    lines.append(Text(" " * left + " └" + "─" * columns, style="dim"))
    lines.append(Text(" " * (left + 2) + _below(chart, speaker, places, columns), style="dim"))
    lines += [_legend(chart)] if chart.color is not None else []
    for line in lines:
        line.rstrip()
    return lines


def _draw(canvas: Canvas, chart: Chart, dots: Sequence[Dot]) -> None:
    """Lines first, so that no line hides a mark."""
    series = chart.series()
    rows = [
        sorted(
            (dot, row[chart.x.field] in chart.partial)
            for dot, row in zip(dots, chart.data, strict=True)
            if chart.color is None or str(row[chart.color.field]) == name
        )
        for name in series
    ]
    if chart.mark is Mark.LINE:
        for layer, points in enumerate(rows):
            for (begin, is_partial), (end, is_next_partial) in pairwise(points):
                canvas.line(begin, end, layer, is_dashed=is_partial or is_next_partial)
    for layer, points in enumerate(rows):
        is_crowded = chart.mark is Mark.LINE and len(points) * _CROWDED > canvas.columns
        for dot, _ in (points[0], points[-1]) if is_crowded else points:
            canvas.mark(dot, MARKS[layer % len(MARKS)], layer)


def _line(canvas: Canvas, row: int, tick: str, left: int) -> Text:
    line = Text.assemble((" " * (left - cell_len(tick)) + tick + (" ┤" if tick else " │"), "dim"))
    for sign, layer in canvas.cells(row):
        line.append(sign, COLOURS[layer % len(COLOURS)])
    return line


def _below(chart: Chart, speaker: Speaker, places: Sequence[float], columns: int) -> str:
    """The names or numbers of the x axis, as many as have room, each below its place."""
    low, high = min(places), max(places)
    if chart.x.type == "quantitative":
        ticks = [tick for tick in round_ticks(low, high) if low <= tick <= high] or [low]
        labels = [(tick, flat(speaker.text(text))) for tick, text in zip(ticks, tick_texts(ticks, chart.x.measure), strict=True)]
    else:
        rows = zip(places, chart.data, strict=True)
        labels = sorted({place: shortened(flat(speaker.text(chart.shown(row, chart.x))), MOST_LABEL) for place, row in rows}.items())
    at, line = scale_of(low, high, 0, columns - 1), ""
    for place, text in labels:
        begin = min(max(0, round(at(place)) - cell_len(text) // 2), columns - cell_len(text))
        if begin >= 0 and (not line or begin >= cell_len(line) + 2):
            line += " " * (begin - cell_len(line)) + text
    return line


def _legend(chart: Chart) -> Text:
    line = Text()
    for place, name in enumerate(chart.series()):
        line.append(f"{MARKS[place % len(MARKS)]} ", COLOURS[place % len(COLOURS)])
        line.append(f"{flat(name)}   ")
    return line
