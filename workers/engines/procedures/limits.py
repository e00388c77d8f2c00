"""Limits in a message, "PRB utilisation above 50 %", "RSRP低于-105的小区": a column, a comparison and a number."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from contracts.base import Json
from contracts.procedures import Named
from workers.engines.denials import denies_or_asks
from workers.engines.procedures.computing import number_in
from workers.engines.procedures.words import folded, spans


class Side(StrEnum):
    """On which side of a limit a value is wanted."""

    ABOVE = "above"
    BELOW = "below"
    AT_LEAST = "at_least"
    AT_MOST = "at_most"


_HOLDS: dict[Side, Callable[[float, float], bool]] = {
    Side.ABOVE: lambda value, limit: value > limit,
    Side.BELOW: lambda value, limit: value < limit,
    Side.AT_LEAST: lambda value, limit: value >= limit,
    Side.AT_MOST: lambda value, limit: value <= limit,
}


@dataclass(frozen=True, slots=True)
class Limit:
    """A column, and where its values are wanted."""

    column: str
    side: Side
    value: float

    def holds(self, row: Json) -> bool:
        """Whether a row is on the wanted side; one without a value is not."""
        found = number_in(row, self.column)
        return found is not None and _HOLDS[self.side](found, self.value)


_BEFORE: tuple[tuple[Side, str], ...] = (
    (
        Side.AT_LEAST,
        r"no less than|not less than|not below|at least|≥|>=|不低于|不小于|不少于|至少|[大高]于或?等于|达到",
    ),
    (
        Side.AT_MOST,
        r"no more than|not more than|not above|at most|up to|≤|<=|不高于|不大于|不超过|不多于|至多|最多|[小低]于或?等于",
    ),
    (
        Side.ABOVE,
        r"above|over|more than|greater than|higher than|larger than|longer than|exceed(?:s|ed|ing)?|>|高于|大于|超过|超出|多于|长于|高过",
    ),
    (
        Side.BELOW,
        r"below|under|less than|lower than|smaller than|fewer than|shorter than|<|低于|小于|少于|短于|不足|不到|未达到?",
    ),
)
_BEHIND: tuple[tuple[Side, str], ...] = (
    (Side.AT_LEAST, r"(?:or|and) (?:more|higher|above|over)|及?以上"),
    (Side.AT_MOST, r"(?:or|and) (?:less|lower|fewer|below|under)|及?以下"),
)
_NUMBER = r"(?P<minus>[-−–负]|minus )?\s*(?P<number>\d{1,12}(?:,\d{3})*(?:\.\d+)?)(?![a-z0-9_-]{0,40}\d)"
_UNIT = r"(?:\s*(?:%|percent|dbm?|mhz|gb|mbit/s|mbps|分钟|小时|天|个|次|米|度|[a-z°]{1,6}(?=\s)))?"


def _word(words: str) -> str:
    return rf"(?:(?<![a-z])|(?=[^a-z]))(?:{words})(?![a-z])"


_PATTERNS: tuple[tuple[Side, re.Pattern[str]], ...] = (
    *((side, re.compile(rf"{_word(words)}\s*(?:的|了)?\s*{_NUMBER}")) for side, words in _BEFORE),
    *((side, re.compile(rf"(?<![a-z0-9.]){_NUMBER}{_UNIT}\s*(?:{words})(?![a-z])")) for side, words in _BEHIND),
)


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a message. All are meant together."""

    limits: tuple[Limit, ...] = ()
    names_column: bool = False
    is_open: bool = False
    """It has limits whose sense is not sure, behind a denial or with "or" between them: none is read."""


def read_limits(message: str, columns: Iterable[Named], default: str = "") -> Limits:
    """The limits of a message, each of the column that is named before it, else behind it, else `default`."""
    text = folded(message)
    named = spans(message, columns)
    found: list[tuple[int, int, Side, float]] = []
    taken = bytearray(len(text))
    for side, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if not any(taken[match.start() : match.end()]):
                taken[match.start() : match.end()] = b"\1" * (match.end() - match.start())
                value = float(match["number"].replace(",", ""))
                found.append((match.start(), match.end(), side, -value if match["minus"] else value))
    found.sort()
    limits = [Limit(_column(begin, end, named) or default, side, value) for begin, end, side, value in found]
    if _is_open(text, [(begin, end) for begin, end, _, _ in found], named):
        return Limits(names_column=bool(named), is_open=True)
    return Limits(tuple(limit for limit in limits if limit.column), bool(named))


_CLAUSE = re.compile(r"[,;:!?。、\n]")
_OR = re.compile(r"\bor\b|或")


def _is_open(text: str, found: Sequence[tuple[int, int]], named: Sequence[tuple[int, int, str]]) -> bool:
    """Whether what is before a limit, in its clause and behind the limit before it, denies, or says "or". A name says neither."""
    plain = list(text)
    for begin, end, _ in named:
        plain[begin:end] = " " * (end - begin)
    since = 0
    for begin, end in found:
        between = "".join(plain[since:begin])
        if denies_or_asks(_CLAUSE.split(between)[-1]) or (since and _OR.search(between)):
            return True
        since = end
    return False


def _column(begin: int, end: int, named: Sequence[tuple[int, int, str]]) -> str:
    """`named`: in order, and apart from each other."""
    before = bisect_right(named, begin, key=lambda span: span[1])
    behind = bisect_left(named, end, key=lambda span: span[0])
    return named[before - 1][2] if before else named[behind][2] if behind < len(named) else ""
