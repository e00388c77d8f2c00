"""Labels of drawings and tables: as wide as there is room."""

import unicodedata

LABEL = 24
"""Narrow characters of a label; the table beside the drawing has the whole."""


def cells(text: str) -> int:
    """Width in narrow characters; a Chinese one is twice as wide."""
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
