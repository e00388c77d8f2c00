"""Turns offsets into line and column, also for a text that was put together from parts of a file."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

LINE_END = re.compile(r"\r\n|\r|\n")


class Lines:
    """The lines of one file."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *(found.end() for found in LINE_END.finditer(text))]

    def place(self, offset: int) -> tuple[int, int]:
        """(line counted from 1, column in characters counted from 0) of an offset into the text."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1]

    def offset(self, line: int, column_bytes: int) -> int:
        """The offset of a line, counted from 1, and a column that is counted in bytes of UTF-8, as parsers count."""
        start = self._starts[min(line, len(self._starts)) - 1]
        end = self._starts[line] if line < len(self._starts) else len(self.text)
        ahead = self.text[start : min(end, start + column_bytes)]
        if ahead.isascii():
            return start + len(ahead)
        return start + len(ahead.encode("utf-8", "surrogatepass")[:column_bytes].decode("utf-8", "ignore"))


class Assembled:
    """A text put together from parts of a file, such as the value of a string; it knows where each part comes from."""

    def __init__(self, lines: Lines, parts: Iterable[tuple[str, int, bool]]) -> None:
        """Pieces as (text, offset in the file, is a copy). A piece that is not a copy replaces the text at its offset as a whole."""
        self.lines = lines
        self._parts = [part for part in parts if part[0]]
        self._starts = [0, *accumulate(len(text) for text, _, _ in self._parts)]
        self.text = "".join(text for text, _, _ in self._parts)

    @classmethod
    def whole(cls, text: str) -> "Assembled":
        """A file as it is."""
        return cls(Lines(text), [(text, 0, True)])

    def place(self, offset: int) -> tuple[int, int]:
        """(line, column) in the file of an offset into this text."""
        if not self._parts:
            return 1, 0
        number = min(bisect_right(self._starts, offset), len(self._parts)) - 1
        _, start, is_copy = self._parts[number]
        return self.lines.place(start + (offset - self._starts[number] if is_copy else 0))
