"""A heat map on a terminal: for each name and series a field whose shade shows the quantity, with its value."""

from rich.cells import cell_len
from rich.text import Text

from contracts.charts import Chart, more_rows
from workers.saying.columns import GAP, padded
from workers.saying.document import Align
from workers.saying.harmless import flat
from workers.saying.labels import shortened
from workers.saying.spans import Speaker
from workers.saying.terminal_bars import values_of

SHADES = "░▒▓█"
"""From the smallest quantity to the largest."""
WIDE = 4
"""Cells of a field beside its value."""
MOST_LABEL = 24


def heat_lines(chart: Chart, speaker: Speaker, room: int, most: int) -> list[Text] | None:
    """The map with at most this number of names; None where it has no room or no data."""
    series = chart.series()
    fields: dict[str, dict[str, tuple[str, str]]] = {}
    amounts = [float(row[chart.y.field]) for row in chart.data]
    for row, amount, value in zip(chart.data, amounts, values_of(chart, speaker), strict=True):
        of = str(row[chart.color.field]) if chart.color else ""
        shade = SHADES[step_of(amount, min(amounts), max(amounts))] * WIDE
        fields.setdefault(str(row[chart.x.field]), {})[of] = (shade, value)
    if not fields:
        return None
    shown = list(fields.items())[:most]
    value_cells = max(cell_len(value) for _, cells in shown for _, value in cells.values())
    titles = [shortened(flat(name), WIDE + 1 + value_cells) for name in series]
    label_cells = max(cell_len(shortened(flat(name), MOST_LABEL)) for name, _ in shown)
    width = WIDE + 1 + value_cells
    if label_cells + (GAP + width) * len(series) > room:
        return None
    head = Text(" " * label_cells, style="dim")
    for title in titles:
        head.append(" " * GAP)
        head.append_text(padded(Text(title), width))
    lines = [head] if chart.color is not None else []
    for name, cells in shown:
        line = padded(Text(shortened(flat(name), MOST_LABEL)), label_cells)
        for of in series:
            shade, value = cells.get(of, (" " * WIDE, ""))
            line.append(" " * GAP)
            line.append(shade, "cyan")
            line.append(" ")
            line.append_text(padded(Text(value, style="bold"), value_cells, Align.RIGHT))
        lines.append(line)
    for line in lines:
        line.rstrip()
    if len(fields) > len(shown):
        lines.append(Text(speaker.text(more_rows(len(fields) - len(shown))), style="dim"))
    return lines


def step_of(amount: float, low: float, high: float) -> int:
    """Which of the shades an amount has."""
    share = (amount - low) / (high - low) if high > low else 0.5
    return min(int(share * len(SHADES)), len(SHADES) - 1)
