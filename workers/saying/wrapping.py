"""Breaks text into lines at words, and between ideographs, by the cells that a terminal gives each character."""

import re

from rich.cells import cell_len, split_graphemes
from rich.text import Text

_NOT_FIRST = frozenset("，。、；：？！）」』”’》】〉％…·,.;:!?)]}%")
"""Characters that no line begins with."""

_NOT_LAST = frozenset("（「『“‘《【〈([{")
"""Characters that no line ends with."""


_IDEOGRAPH = r"[\u2e80-\ua4cf\uf900-\ufaff\uff00-\uffef]"


def wrapped(text: Text, width: int) -> list[Text]:
    """The text in lines of at most `width` cells; a word that is longer than a line is cut."""
    lines: list[Text] = []
    for line in text.split("\n", allow_blank=True):
        if cell_len(line.plain) <= width:
            lines.append(line)
        else:
            lines.extend(_stripped(piece) for piece in line.divide(_breaks(line.plain, width)))
    return lines or [Text()]


def _stripped(piece: Text) -> Text:
    piece.rstrip()
    return piece


def _breaks(text: str, width: int) -> list[int]:
    """The offsets at which new lines begin."""
    breaks: list[int] = []
    begin, cells = 0, 0  # of the current line
    at, cells_since = 0, 0  # the last place where it may break, and the cells after that place
    before = ""
    for start, end, counted in split_graphemes(text)[0]:
        character = text[start:end]
        size = counted if character.isascii() else max(counted, cell_len(character))  # rich differs after a leading joiner
        if start > begin and _may_break(before, character):
            at, cells_since = start, 0
        while character != " " and cells + size > width and start > begin:
            if at <= begin:  # a word that is longer than a line, or than what is left of it after the break
                at, cells_since = start, 0
            breaks.append(at)
            begin, cells = at, cells_since
        cells += size
        cells_since += size
        before = character
    return breaks


def _may_break(before: str, after: str) -> bool:
    if after == " ":
        return False
    if before == " ":
        return True
    is_wide = _is_ideograph(before) or _is_ideograph(after)
    return is_wide and after[0] not in _NOT_FIRST and before[-1] not in _NOT_LAST


def _is_ideograph(character: str) -> bool:
    return bool(re.match(_IDEOGRAPH, character))
