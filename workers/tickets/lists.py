"""A list that was written in one line: "1. a; 2. b", "1) a 2) b", "①a②b", "- a; - b"."""

import re

_NUMBER = re.compile(
    r"(?:^\s*|(?=[（(])|(?<=[\s;；。,，、.!！]))[（(]?(?P<digits>\d{1,2})(?:[.．](?![\d.])|[)）、](?!\d))\s*"
    r"|(?<=[\u4e00-\u9fff])(?P<glued>\d{1,2})[.．、)）](?=[\u4e00-\u9fff])"
    r"|(?P<circled>[①-⑳])\s*"
)
_DASH = re.compile(r"(?:^|[;；]\s*)[-*•·▪●◦]\s+")
_WORD = re.compile(r"\w")
_CIRCLED_ONE = ord("①")


def parted(line: str) -> list[str]:
    """The items of a list in one line, each with its own mark, in their order; of any other line, the line. The numbers have to count
    from 1, or on from the number at the head of the line."""
    places = _numbered(line) or _dashed(line)
    if len(places) < 2:
        return [line]
    ends = [*places[1:], len(line)]
    items = [line[start:end].strip(" \t;；,，、") for start, end in zip(places, ends, strict=True)]
    return items if all(_WORD.search(_NUMBER.sub("", item, count=1)) for item in items) else [line]


def _numbered(line: str) -> list[int]:
    """Where the items begin; empty if the line does not begin with a number, or counts otherwise."""
    places: list[int] = []
    expected = None
    for mark in _NUMBER.finditer(line):
        number = ord(mark["circled"]) - _CIRCLED_ONE + 1 if mark["circled"] else int(mark["digits"] or mark["glued"])
        if expected is None and line[: mark.start()].strip():
            return []
        if expected is None or number == expected:
            places.append(mark.start())
            expected = number + 1
    return places


def _dashed(line: str) -> list[int]:
    found = [mark.start() for mark in _DASH.finditer(line.lstrip())]
    indent = len(line) - len(line.lstrip())
    return [place + indent for place in found] if found[:1] == [0] and len(found) > 1 else []
