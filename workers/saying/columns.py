"""How wide the columns of a table are on a terminal."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from workers.saying.document import Align, Column

GAP = 2
"""Cells between two columns."""

NARROW = 12
"""The smallest number of cells for a column with longer texts."""

LONGEST_WORD = 24
"""A longer word, such as a path, may be cut to make a table fit."""


def widths_of(columns: Sequence[Column], rows: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """The cells of each column; None when the table does not fit into the room without squeezing a column to nothing."""
    room -= GAP * (len(columns) - 1)
    texts = [[row[place] for row in rows] for place in range(len(columns))]
    wanted = [max((cell_len(line) for text in column for line in text.split("\n")), default=0) for column in texts]
    least = [
        min(want, max(NARROW, min(LONGEST_WORD, _longest_word(column)))) if spec.wraps else want
        for spec, want, column in zip(columns, wanted, texts, strict=True)
    ]
    if sum(least) > room:
        return None
    spare, widths = room - sum(least), list(least)
    for place in sorted(range(len(columns)), key=lambda place: wanted[place] - least[place]):
        later = sum(1 for other in range(len(columns)) if wanted[other] - least[other] > wanted[place] - least[place])
        given = min(wanted[place] - least[place], spare // (later + 1))
        widths[place] += given
        spare -= given
    return [max(width, 1) for width in widths]


def padded(text: Text, width: int, align: Align = Align.LEFT) -> Text:
    """The text, padded to a cell of this width."""
    blank = " " * max(0, width - cell_len(text.plain))
    return Text.assemble(text, blank) if align is Align.LEFT else Text.assemble(blank, text)


def _longest_word(texts: Sequence[str]) -> int:
    """Between ideographs a line may be broken, so each of them is a word."""
    return max((cell_len(word) for text in texts for word in text.split() if word.isascii()), default=0)
