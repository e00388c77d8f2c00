"""Ranges of time in a text: what its words name, and what `since`, `between ... and`, 以来 and 到 make of it."""

import re
from collections.abc import Sequence
from datetime import datetime

from contracts.times import FoundTime, TimeRange, TimeSettings
from workers.engines.times import chinese, english
from workers.engines.times.atoms import Atom, find_atoms
from workers.engines.times.calendar import Clock, day_range

_TO = re.compile(
    r"\s*(?:,?\s*(?:to|through|thru|until|till|up to|-|–|—|~|～|到|至)\s*(?:and including\s*)?|(?:的?)(?:到|至|－|—|-|~|～))\s*",
    re.IGNORECASE,
)
_AND = re.compile(r"\s*(?:and|和|与)\s*", re.IGNORECASE)
_BETWEEN = re.compile(r"(?:\bbetween\s+|介于\s*|在\s*)$", re.IGNORECASE)
_FROM = re.compile(r"(?:\bfrom\s+|从\s*|自\s*)$", re.IGNORECASE)
_SINCE = re.compile(r"(?:\b(?:ever )?since\s+(?:the (?:beginning|start) of\s+)?|\bstarting (?:from|in|on)\s+)$", re.IGNORECASE)
_BEFORE = re.compile(r"\b(?:before|prior to|earlier than)\s+(?:the (?:beginning|start) of\s+)?$", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:after|later than)\s+(?:the end of\s+)?$", re.IGNORECASE)
_UNTIL = re.compile(r"(?:\b(?:until|till|up to|through|up until|as of|no later than|on or before)\s+|截至\s*|截止到?\s*)$", re.IGNORECASE)
_NOT_BEFORE = re.compile(r"\b(?:on or after|from)\s+$", re.IGNORECASE)
_AT = re.compile(r"(?:\b(?:in|on|during|within|for|over|at|throughout|of)\s+(?:the\s+)?|在\s*|于\s*)$", re.IGNORECASE)
_ONWARDS = re.compile(r"\s*(?:onwards?|on\b(?!\s+or)|and later|or later)", re.IGNORECASE)
_SINCE_BEHIND = re.compile(r"\s*(?:以来|至今|起至今|到现在|到今天|开始(?!的)|之?后至今|起)")
_BEFORE_BEHIND = re.compile(r"\s*(?:之前|以前|前)")
_AFTER_BEHIND = re.compile(r"\s*(?:之后|以后|后)")
_WITHIN_BEHIND = re.compile(r"\s*(?:之间|期间|间|内|里)")
_LONE_DAY = re.compile(r"\s*(?P<day>\d{1,2})\s*[日号]")


def find_times(text: str, now: datetime, settings: TimeSettings | None = None) -> tuple[FoundTime, ...]:
    """All words about time in an English or Chinese text, from left to right, with the half-open ranges that they mean on this day.

    Years outside the calendar, days that no month has and vague words (`recently`) have no range: they are to be asked about.
    """
    clock = Clock(now, settings or TimeSettings())
    atoms = find_atoms(text, clock, (*english.RULES, *chinese.RULES))
    found: list[FoundTime] = []
    index = 0
    while index < len(atoms):
        joined = _pair(text, atoms, index)
        if joined is not None:
            found.append(joined)
            index += 1 if joined.stop <= atoms[index].stop or index + 1 >= len(atoms) or joined.stop < atoms[index + 1].stop else 2
        else:
            found.append(_single(text, atoms[index]))
            index += 1
    return tuple(found)


def _pair(text: str, atoms: Sequence[Atom], index: int) -> FoundTime | None:
    """`from A to B`, `between A and B`, A 到 B."""
    first = atoms[index]
    if (lone := _days_of_a_month(text, first)) is not None:
        return lone
    if index + 1 == len(atoms):
        return None
    second = atoms[index + 1]
    gap, before = text[first.stop : second.begin], text[: first.begin]
    opener = _BETWEEN.search(before)
    by_and = bool(_AND.fullmatch(gap)) and opener is not None
    if not by_and and not _TO.fullmatch(gap):
        return None
    opener = opener or _FROM.search(before) or _AT.search(before)
    begin = opener.start() if opener else first.begin
    start, end = first.range_in(second.year if first.year is None else None), second.range_in(first.year if second.year is None else None)
    if start is not None and end is not None and second.year is None and first.year is None and not _in_order(start, end):
        start = first.range_in(end.start.year - 1 if end.start else None)
    behind = _WITHIN_BEHIND.match(text, second.stop)
    stop = behind.end() if behind else second.stop
    found = TimeRange(start=start.start, end=end.end) if start and end and _in_order(start, end) else None
    return FoundTime(begin=begin, stop=stop, text=text[begin:stop], range=found)


def _days_of_a_month(text: str, first: Atom) -> FoundTime | None:
    """`3月1日到5日`: the second day is of the same month."""
    gap = _TO.match(text, first.stop)
    day = _LONE_DAY.match(text, gap.end()) if gap else None
    start = first.range_in() if day else None
    if day is None or start is None or start.start is None:
        return None
    end = day_range(start.start.year, start.start.month, int(day["day"]))
    opener = _FROM.search(text[: first.begin]) or _AT.search(text[: first.begin])
    begin = opener.start() if opener else first.begin
    found = TimeRange(start=start.start, end=end.end) if end is not None and _in_order(start, end) else None
    return FoundTime(begin=begin, stop=day.end(), text=text[begin : day.end()], range=found)


def _in_order(start: TimeRange, end: TimeRange) -> bool:
    return start.start is not None and end.end is not None and _comparable(start.start) < _comparable(end.end)


def _comparable(value: object) -> tuple[int, ...]:
    return value.timetuple()[:6] if hasattr(value, "timetuple") else ()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType] dates and datetimes


def _single(text: str, atom: Atom) -> FoundTime:
    """An atom with the word before or behind it that opens a side of the range."""
    found, before = atom.range_in(), text[: atom.begin]
    begin, stop = atom.begin, atom.stop
    opened = found
    for pattern, side in (
        (_SINCE, "since"),
        (_BEFORE, "before"),
        (_AFTER, "after"),
        (_UNTIL, "until"),
        (_NOT_BEFORE, "since"),
        (_AT, "in"),
    ):
        if word := pattern.search(before):
            begin, opened = word.start(), _opened(found, side)
            break
    else:
        for pattern, side in ((_SINCE_BEHIND, "since"), (_BEFORE_BEHIND, "before"), (_AFTER_BEHIND, "after"), (_WITHIN_BEHIND, "in")):
            if word := pattern.match(text, atom.stop):
                stop, opened = word.end(), _opened(found, side)
                opener = _FROM.search(before) if side == "since" else None
                begin = opener.start() if opener else begin
                break
    if word := _ONWARDS.match(text, stop):
        stop, opened = word.end(), _opened(found, "since")
    return FoundTime(begin=begin, stop=stop, text=text[begin:stop], range=opened)


def _opened(found: TimeRange | None, side: str) -> TimeRange | None:
    if found is None:
        return None
    if side == "since":
        return TimeRange(start=found.start)
    if side == "before":
        return TimeRange(end=found.start)
    if side == "after":
        return TimeRange(start=found.end)
    return TimeRange(end=found.end) if side == "until" else found
