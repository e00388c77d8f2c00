"""A canvas of braille characters: each cell of a terminal has two by four dots, and a sign may cover them."""

_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Unicode's bit of each dot: row, then column."""
_BLANK = 0x2800

ACROSS, DOWN = 2, 4
"""Dots of a cell."""

Dot = tuple[int, int]
"""A place on the canvas: from the left, from the top."""


class Canvas:
    """Dots and marks; of several layers in a cell the last drawn gives the colour."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self._dots: dict[Dot, int] = {}
        self._marks: dict[Dot, str] = {}
        self._layers: dict[Dot, int] = {}

    def dot(self, dot: Dot, layer: int = 0) -> None:
        """Set a dot; one outside of the canvas is left out."""
        x, y = dot
        cell = x // ACROSS, y // DOWN
        if 0 <= cell[0] < self.columns and 0 <= cell[1] < self.rows:
            self._dots[cell] = self._dots.get(cell, 0) | _BITS[y % DOWN][x % ACROSS]
            self._layers[cell] = layer

    def line(self, begin: Dot, end: Dot, layer: int = 0, *, is_dashed: bool = False) -> None:
        """The dots from one place to another; of a dashed line every other pair."""
        steps = max(abs(end[0] - begin[0]), abs(end[1] - begin[1]), 1)
        for step in range(steps + 1):
            if not is_dashed or step % 4 < 2:
                x = round(begin[0] + (end[0] - begin[0]) * step / steps)
                y = round(begin[1] + (end[1] - begin[1]) * step / steps)
                self.dot((x, y), layer)

    def mark(self, dot: Dot, sign: str, layer: int = 0) -> None:
        """A sign in the cell of this place."""
        cell = dot[0] // ACROSS, dot[1] // DOWN
        self._marks[cell] = sign
        self._layers[cell] = layer

    def cells(self, row: int) -> list[tuple[str, int]]:
        """The characters of a row, each with its layer."""
        found: list[tuple[str, int]] = []
        for column in range(self.columns):
            cell = column, row
            sign = self._marks.get(cell) or (chr(_BLANK + self._dots[cell]) if cell in self._dots else " ")
            found.append((sign, self._layers.get(cell, 0)))
        return found
