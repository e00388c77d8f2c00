"""Labels of a drawing: as wide as there is room, and ticks at round numbers."""

import math
import unicodedata
from collections.abc import Sequence

from contracts.charts import Chart, Measure
from contracts.statements import Shown, number, share
from workers.saying.html_text import escaped

UNIT = 7.0
"""Width of a narrow character of the page's font at the drawing's size; a Chinese one is twice as wide."""

LABEL = 24
"""Narrow characters of a label; the table beside the drawing has the whole."""


def cells(text: str) -> int:
    """Width in narrow characters."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def shortened(text: str, most: int = LABEL) -> str:
    """A line of at most `most` narrow characters: beginning and end, since long names often differ at the end only."""
    line = " ".join(text.split())
    if cells(line) <= most:
        return line
    head, tail = "", ""
    room = most - 1
    for letter in line:
        if cells(head + letter) > room - room // 2:
            break
        head += letter
    for letter in reversed(line):
        if cells(letter + tail) > room // 2:
            break
        tail = letter + tail
    return f"{head.rstrip()}…{tail.lstrip()}"


def label(x: float, y: float, text: str, anchor: str, *, most: int = LABEL) -> str:
    """A text element of at most `most` narrow characters."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escaped(shortened(text, most))}</text>'


def every(texts: Sequence[str], room: float) -> int:
    """Write each n-th of these labels, so that they do not touch in a line of this width."""
    widest = max((cells(shortened(text)) for text in texts), default=0) * UNIT + 2 * UNIT
    fit = max(1, int(room // widest))
    return max(1, -(-len(texts) // fit))


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
