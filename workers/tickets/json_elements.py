"""The elements of a JSON document that holds tickets, each as its text, so that a broken one costs itself only."""

import json
import re
from collections.abc import Iterator

from contracts.statements import say
from contracts.tickets import TicketProblem
from workers.tickets.records import AROUND, LISTS
from workers.tickets.ticket_rows import finite_float, refuse_constant

Element = tuple[int, str | TicketProblem]
"""A line of the file and the JSON of one value that begins there."""

_BLANK = re.compile(r"[\s,]*")
_BARE = re.compile(r'[^,\[\]{}"\n]+')
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


def elements_of(text: str) -> Iterator[Element]:
    """An array, an object with an array under one of `LISTS`, or objects one after another. Read element by element, so that one
    broken element costs itself only."""
    position = _start_of_list(text)
    in_list = position is not None
    at = _Lines(text)
    position = position or 0
    while True:
        position = _skip(text, position)
        if position >= len(text):
            if in_list:
                yield at.line(len(text)), TicketProblem(line=at.line(len(text)), reason=say("refused.row.open_list"))
            return
        if in_list and text[position] == "]":
            return
        line = at.line(position)
        end = _end_of_value(text, position)
        if end is None:
            yield line, TicketProblem(line=line, reason=say("refused.row.open_value"))
            return
        yield line, text[position:end]
        position = end


_OBJECTS = re.compile(r"\[\s*\{")
_OF_TICKET = frozenset(
    {"description", "title", "subject", "summary", "message", "body", "short_description", "fields", "root_cause", "anomalies"}
)
"""Keys of an object whose lists are parts of it, and not tickets."""
_DEEPEST = 5
"""Objects around a list of tickets."""


def _start_of_list(text: str, start: int = 0, depth: int = 0) -> int | None:
    """Where the elements begin: after the `[`, or after that of a key of `LISTS`, at the top or in objects `AROUND` it, or else after that
    of the first list of objects in an object that is no ticket itself. None: there is no list."""
    position = _skip(text, start)
    if text[position : position + 1] == "[":
        return position + 1
    key = re.compile(r'\s*,?\s*("(?:[^"\\]|\\.)*")\s*:\s*')
    inside, other = position + 1, None
    is_ticket = False
    while text[position : position + 1] == "{" and (match := key.match(text, inside)):
        if match[1][1:-1] in LISTS and text[match.end() : match.end() + 1] == "[":
            return match.end() + 1
        is_around = match[1][1:-1] in AROUND and depth < _DEEPEST and text[match.end() : match.end() + 1] == "{"
        if is_around and (inner := _start_of_list(text, match.end(), depth + 1)) is not None:
            return inner
        end = _end_of_value(text, match.end())
        if end is None:
            return None
        is_ticket |= match[1][1:-1].casefold() in _OF_TICKET
        if other is None and _OBJECTS.match(text, match.end()):
            other = match.end() + 1
        inside = end
    return None if is_ticket else other


def _skip(text: str, position: int) -> int:
    match = _BLANK.match(text, position)
    return match.end() if match else position


_DECODER = json.JSONDecoder(parse_constant=refuse_constant, parse_float=finite_float)


def _end_of_value(text: str, start: int) -> int | None:
    """Where the value ends. If it is broken inside: where its brackets close, strings left aside."""
    try:
        return _DECODER.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        pass
    if start >= len(text):
        return None
    if text[start] not in '[{"':
        match = _BARE.match(text, start)
        return match.end() if match else None
    depth = 0
    for match in _BRACKET.finditer(text, start):
        mark = match[0]
        depth += (mark in "[{") - (mark in "]}")
        if depth <= 0 and mark in "]}":
            return match.end() if depth == 0 else None
        if depth == 0 and match.start() == start:
            return match.end()
    return None


class _Lines:
    """Line numbers of growing positions, without counting from the start each time."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._line = 1

    def line(self, position: int) -> int:
        self._line += self._text.count("\n", self._position, position)
        self._position = position
        return self._line
