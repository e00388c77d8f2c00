"""Stacked bars on a terminal: for each name one bar, whose parts differ without colours too."""

from itertools import accumulate, pairwise

from rich.cells import cell_len
from rich.text import Text

from contracts.charts import Chart, more_rows
from workers.saying.axes import digits_of, value_shown
from workers.saying.columns import GAP, padded
from workers.saying.harmless import flat
from workers.saying.labels import shortened
from workers.saying.spans import Speaker
from workers.saying.terminal_plots import COLOURS

FILLS = "█▒▓░"
"""Of the series in turn; colours tell apart more than these."""
MOST_LABEL = 24
NARROWEST = 16
"""Cells of the longest bar below which separate bars say more."""


def stack_lines(chart: Chart, speaker: Speaker, room: int, most: int) -> list[Text] | None:
    """The bars of at most this number of names, each with its parts as "a + b", and the legend. None where there is no room, or where an
    amount is below zero: parts that point in two directions cannot be read off one line."""
    amounts = [float(row[chart.y.field]) for row in chart.data]
    if not amounts or min(amounts) < 0:
        return None
    series, names, digits = chart.series(), _names_of(chart), digits_of(amounts)
    parts = {name: _by_name(chart, name) for name in names}
    written = {
        name: " + ".join(flat(speaker.text(value_shown(chart, row, digits))) for row in rows.values()) for name, rows in parts.items()
    }
    label_cells = max(cell_len(shortened(flat(name), MOST_LABEL)) for name in names[:most])
    value_cells = max(cell_len(written[name]) for name in names[:most])
    columns = room - label_cells - value_cells - 2 * GAP
    if columns < NARROWEST:
        return None
    highest = max(sum(float(row[chart.y.field]) for row in rows.values()) for rows in parts.values()) or 1.0
    lines: list[Text] = []
    for name in names[:most]:
        line = padded(Text(shortened(flat(name), MOST_LABEL)), label_cells)
        line.append(" " * GAP)
        line.append_text(padded(Text(written[name], style="bold"), value_cells))
        line.append(" " * GAP)
        ends = accumulate((float(row[chart.y.field]) for row in parts[name].values()), initial=0.0)
        for of, (begin, end) in zip(parts[name], pairwise(round(end / highest * columns) for end in ends), strict=True):
            line.append(_fill(series.index(of)) * (end - begin), _colour(series.index(of)))
        line.rstrip()
        lines.append(line)
    if len(names) > most:
        lines.append(Text(flat(speaker.text(more_rows(len(names) - most))), style="dim"))
    legend = Text()
    for place, name in enumerate(series):
        legend.append(f"{_fill(place)} ", _colour(place))
        legend.append(f"{flat(name)}   ")
    legend.rstrip()
    return [*lines, legend]


def _fill(place: int) -> str:
    return FILLS[place % len(FILLS)]


def _colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def _names_of(chart: Chart) -> list[str]:
    """The names on the x axis, in the order of the data."""
    return list(dict.fromkeys(str(row[chart.x.field]) for row in chart.data))


def _by_name(chart: Chart, name: str) -> dict[str, dict[str, float | str]]:
    """The rows of a name, by series."""
    rows = [row for row in chart.data if str(row[chart.x.field]) == name]
    return {str(row[chart.color.field]) if chart.color else "": row for row in rows}
