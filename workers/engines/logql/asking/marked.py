"""A question of which parts are already understood."""

import re
from collections.abc import Iterator

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_'-]*|[\u4e00-\u9fff]+|\d+(?:\.\d+)?")


class Marked:
    """A text whose understood parts are covered. What is covered is not found again."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._covered = bytearray(len(text))

    @property
    def open(self) -> str:
        """The text with what is covered replaced by a character that no pattern takes for a word."""
        return "".join("\x00" if covered else character for character, covered in zip(self.text, self._covered, strict=True))

    def cover(self, start: int, end: int) -> None:
        """This part is understood."""
        for at in range(start, end):
            self._covered[at] = 1

    def is_covered(self, start: int, end: int) -> bool:
        """Whether any character of a part is covered."""
        return any(self._covered[start:end])

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The first match in what is not covered, which is covered then."""
        found = pattern.search(self.open)
        if found is not None:
            self.cover(*found.span())
        return found

    def take_all(self, pattern: re.Pattern[str]) -> list[re.Match[str]]:
        """All matches in what is not covered."""
        found = list(pattern.finditer(self.open))
        for match in found:
            self.cover(*match.span())
        return found

    def has(self, pattern: re.Pattern[str]) -> bool:
        """Whether the pattern is in what is not covered."""
        return pattern.search(self.open) is not None

    def words(self) -> Iterator[str]:
        """The words that are not covered."""
        for found in _WORD.finditer(self.open):
            yield found[0]
