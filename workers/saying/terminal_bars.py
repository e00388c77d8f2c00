"""Bars of a chart on a terminal: a line for each row, with its value."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from contracts.charts import Chart, Measure, as_value, more_rows
from contracts.statements import Shown, number, say
from workers.saying.axes import round_ticks
from workers.saying.columns import GAP, padded
from workers.saying.document import Align
from workers.saying.harmless import flat
from workers.saying.spans import Speaker
from workers.saying.wrapping import wrapped

NEAR = 1 / 3
"""Where no amount is above zero and the one nearest to it is at least this share of the farthest, as levels in dBm are, bars from zero
would all look the same: they begin below the smallest."""

CLOSE = 100.0
"""Numbers from this size on are written without digits behind the point. Where all of them differ by less, that would hide differences."""

_EIGHTHS = " ▏▎▍▌▋▊▉"
_FULL = "█"


def bar_lines(chart: Chart, speaker: Speaker, room: int, most: int) -> list[Text]:
    """The first bars, how many more there are, and where the axis begins if that is not zero."""
    labels = [" · ".join(flat(speaker.text(chart.shown(row, channel))) for channel in chart.channels()[:-1]) for row in chart.data]
    values = values_of(chart, speaker)
    shown = min(len(labels), most)
    label_cells = min(max(map(cell_len, labels[:shown]), default=0), room // 3)
    value_cells = min(max(map(cell_len, values[:shown]), default=0), room // 3)
    amounts = [float(row[chart.y.field]) for row in chart.data]
    scale = Scale(amounts, room - label_cells - value_cells - 2 * GAP)
    found: list[Text] = []
    for label, value, amount in zip(labels[:shown], values, amounts, strict=False):
        lines = wrapped(Text(label), label_cells)
        number = padded(Text(value, style="bold"), value_cells, Align.RIGHT)
        line = Text.assemble(padded(lines[0], label_cells), " " * GAP, number, " " * GAP, (scale.bar(amount), "cyan"))
        line.rstrip()
        found += [line, *lines[1:]]
    if len(labels) > shown:
        found.append(Text(speaker.text(more_rows(len(labels) - shown)), style="dim"))
    if scale.begins:
        begins: Shown = say("saying.chart.begins", value=as_value(scale.begins, chart.y.measure))
        found.append(Text(flat(speaker.text(begins)), style="dim"))
    return found


def values_of(chart: Chart, speaker: Speaker) -> list[str]:
    """The quantities of the rows. Plain numbers that are close to each other keep a digit behind the point, however large they are."""
    amounts = [float(row[chart.y.field]) for row in chart.data]
    is_close = chart.y.measure is Measure.NUMBER and any(not amount.is_integer() for amount in amounts)
    if is_close and max(map(abs, amounts)) >= CLOSE > max(amounts) - min(amounts):
        return [flat(speaker.text(number(amount, 1))) for amount in amounts]
    return [flat(speaker.text(chart.shown(row, chart.y))) for row in chart.data]


class Scale:
    """Bars from a common zero: those of amounts below it go to the left. Amounts that are all far below zero begin below the smallest."""

    def __init__(self, amounts: Sequence[float], cells: int) -> None:
        self.begins = _beginning(amounts)
        """Where the axis begins; zero unless all amounts are far below it."""
        low, high = min(self.begins, *amounts, self.begins), max(self.begins, *amounts, self.begins)
        self._cells = max(cells, 0)
        self._span = (high - low) or 1.0
        self._zero = round(self._cells_of(self.begins - low))

    def _cells_of(self, length: float) -> float:
        return length / self._span * self._cells

    def bar(self, amount: float) -> str:
        """The bar of an amount, with the room before it."""
        length = amount - self.begins
        if length < 0:
            cells = min(round(self._cells_of(-length)), self._zero)
            return " " * (self._zero - cells) + _FULL * cells
        eighths = min(round(self._cells_of(length) * 8), (self._cells - self._zero) * 8)
        return " " * self._zero + _FULL * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")


def _beginning(amounts: Sequence[float]) -> float:
    """A round number below the smallest amount, if zero is far above all of them."""
    low, high = min(amounts, default=0.0), max(amounts, default=0.0)
    if high >= 0 or high > low * NEAR:
        return 0.0
    if low == high:
        return low * 1.1
    ticks = round_ticks(low, high)
    return ticks[0] if ticks[0] < low else ticks[0] - (ticks[1] - ticks[0])
