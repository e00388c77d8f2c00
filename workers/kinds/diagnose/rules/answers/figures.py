"""Figures in a reply against the threshold in an item: "25 minutes" is above 600 s, "0.3 TB" above 10 GB, "99.2" not below 95 %.

Figures are compared within one dimension only: seconds, bytes, per cent, or plain counts. A figure without a unit is taken in the
unit of the threshold for counts and per cent; as a length of time only where the item names its unit, or it is zero.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from contracts.diagnose.deliverables import Finding


class Dimension(Enum):
    """What a figure measures."""

    TIME = "time"
    SIZE = "size"
    SHARE = "share"
    COUNT = "count"


_T, _S, _P, _C = Dimension.TIME, Dimension.SIZE, Dimension.SHARE, Dimension.COUNT
_UNITS: dict[str, tuple[Dimension, float]] = {
    "milliseconds?|millis|msecs?|ms|毫秒": (_T, 1e-3),
    "seconds?|secs?|s|秒钟?": (_T, 1.0),
    "minutes?|mins?|分钟|分": (_T, 60.0),
    "hours?|hrs?|h|个?小时|个?钟头": (_T, 3600.0),
    "days?|d|天": (_T, 86400.0),
    "weeks?|周|个?星期": (_T, 604800.0),
    "kb|kib": (_S, 1e3),
    "mb|mib|megs?": (_S, 1e6),
    "gb|gib|gigs?|g": (_S, 1e9),
    "tb|tib|t": (_S, 1e12),
    "%|percent|per cent|pct": (_P, 1.0),
    "k|thousand|千": (_C, 1e3),
    "million|mio|m|百万": (_C, 1e6),
    "万": (_C, 1e4),
    "亿": (_C, 1e8),
}
_WORDS = {
    "zero": 0.0,
    "one": 1.0,
    "two": 2.0,
    "three": 3.0,
    "five": 5.0,
    "ten": 10.0,
    "twenty": 20.0,
    "thirty": 30.0,
    "half an": 0.5,
    "half a": 0.5,
    "an": 1.0,
    "a ": 1.0,
    "a few": 3.0,
    "several": 5.0,
    "几": 5.0,
    "a couple of": 2.0,
    "几十": 30.0,
    "半个": 0.5,
    "半": 0.5,
    "零": 0.0,
    "一": 1.0,
    "两": 2.0,
    "二": 2.0,
    "三": 3.0,
    "四": 4.0,
    "五": 5.0,
    "六": 6.0,
    "八": 8.0,
    "十": 10.0,
    "二十": 20.0,
    "三十": 30.0,
}
_NEEDS_UNIT = frozenset(_WORDS) - {"zero", "零"}
_UNIT = "|".join(f"(?P<u{place}>{unit})" for place, unit in enumerate(_UNITS))
_SCALES = list(_UNITS.values())
_NUMBER = re.compile(
    r"(?P<about>(?P<more>more than|over|above|at least|beyond|>=?|≥|超过|多于|大于|高于|至少)|"
    r"(?P<less>less than|under|below|at most|no more than|not more than|up to|max\.?|<=?|≤|不到|少于|小于|低于|最多|不超过))?\s*"
    rf"(?P<number>(?<![\w.])\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|(?<![A-Za-z\d.])(?<!\d:)\d+(?:\.\d+)?(?!:\d)|"
    rf"(?<![A-Za-z])(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))}))"
    rf"\s*(?:个?[多余来])?(?:{_UNIT})?(?:(?![A-Za-z0-9_]|\.\d)|(?<=%))",
    re.IGNORECASE,
)
_FRACTIONS = {"half": 50.0, "third": 100 / 3, "quarter": 25.0, "fifth": 20.0, "tenth": 10.0, "thirds": 200 / 3, "quarters": 75.0}
_FRACTION = re.compile(
    r"\b(?:(?P<half>half) (?:of|the)\b|(?:a|one) (?P<part>third|quarter|fifth|tenth)\b(?! of a (?:second|minute|hour))|"
    r"(?:two|three) (?P<parts>thirds|quarters)\b)|(?P<tens>[一二两三四五六七八九])成|(?P<below>百|千|万)分之(?P<of>[一二两三四五六七八九])",
    re.IGNORECASE,
)
_TENS = {digit: value for value, digits in enumerate(("一", "二两", "三", "四", "五", "六", "七", "八", "九"), 1) for digit in digits}
_PARTS = {"百": 1.0, "千": 0.1, "万": 0.01}
_CLOCK = re.compile(r"(?<![\d:.T-])(?<!\d )(?P<h>\d{1,3}):(?P<m>[0-5]\d):(?P<s>[0-5]\d)(?![\d:])(?!\s*(?:\[|[A-Z]{4,5}\b|Z\b|UTC))")
"""A length of time as a table prints it. Behind a date, or before a log level, it is a time of the day."""
_ASKED_MORE = (
    r"more than|longer than|older than|greater than|larger than|higher than|exceed(?:s|ed|ing)?|above|over|"
    r"at least|beyond|>=?|≥|超过|多于|大于|高于|长于|至少"
)
_ASKED_LESS = (
    r"less than|shorter than|younger than|lower than|smaller than|fewer than|under|below|at most|<=?|≤|低于|小于|少于|不足|不到|短于"
)
_BEHIND = re.compile(r"\s*(?:或)?(?:(?P<up>以上|or more|and more)|(?P<down>以下|以内|or less))", re.IGNORECASE)
_NAMES_SECONDS = re.compile(r"seconds|秒", re.IGNORECASE)
_UNIT_NAMES = re.compile(r"(?P<ms>\w_ms\b|\w_millis(?:econds)?\b)|\bseconds_\w|\w_seconds\b|\w_secs?\b|\w_s\b", re.IGNORECASE)
_ONE_ONLY = re.compile(r"\bone\b[^,.;]{0,30}\bonly\b|\bonly one\b|\bsingle\b|只有一个|仅一个|单个|仅在一个", re.IGNORECASE)
_EVERY = re.compile(r"\b(?:every|each|all)\b|每个|每一个|所有|全部", re.IGNORECASE)


@dataclass(frozen=True)
class Figure:
    """A number in its dimension. `bound`: 1 where the text says that it is more, -1 that it is at most that."""

    dimension: Dimension | None
    """None: the text names no unit."""
    value: float
    bound: int = 0


@dataclass(frozen=True)
class Threshold:
    """What an item asks: whether a quantity is above (1) or below (-1) this."""

    direction: int
    dimension: Dimension
    value: float
    scale: float = 1.0
    """What a figure in the item's own unit is multiplied by."""
    bare: bool = False
    """Whether a figure without a unit is meant in this one: the item's metric names it (`Seconds_Behind_Source`)."""


_RATIO = re.compile(r"\brate\D{0,12}?([0-9]+(?:\.[0-9]+)?) ?/ ?([0-9]+(?:\.[0-9]+)?)\b", re.IGNORECASE)


def figures_in(text: str) -> list[Figure]:
    """The figures of a text, in its order. Numbers inside words (`10.0.0.1`, `v2`) are none."""
    found: list[Figure] = []
    named_unit: tuple[Dimension | None, float] | None = None
    for match in _NUMBER.finditer(text):
        word = match["number"].lower()
        unit = next((place for place in range(len(_SCALES)) if match[f"u{place}"]), None)
        if word in _NEEDS_UNIT and unit is None:
            continue
        value = _WORDS[word] if word in _WORDS else float(word.replace(",", ""))
        if unit is None:
            named_unit = named_unit or _named_unit(text)
            dimension, scale = named_unit
        else:
            dimension, scale = _SCALES[unit]
        bound = 1 if match["more"] else -1 if match["less"] else 0
        found.append(Figure(dimension, value * scale, bound))
    return [*found, *_fractions_in(text), *_clocks_in(text)]


def ratio_in(text: str) -> Figure | None:
    """The first "1000 / 1000" of a text as percent: how pasted output gives a rate. None: it has none."""
    match = _RATIO.search(text)
    return Figure(_P, 100.0 * float(match[1]) / float(match[2])) if match and float(match[2]) > 0 else None


def _fractions_in(text: str) -> list[Figure]:
    """Shares in words: "a third of all requests", 两成, 千分之一."""
    found: list[Figure] = []
    for match in _FRACTION.finditer(text):
        word = match["half"] or match["part"] or match["parts"]
        tens = match["tens"]
        value = _FRACTIONS[word.lower()] if word else _TENS[tens] * 10.0 if tens else _TENS[match["of"]] * _PARTS[match["below"]]
        found.append(Figure(_P, value))
    return found


def _clocks_in(text: str) -> list[Figure]:
    """Lengths of time as hours, minutes and seconds: the age of a session in pasted output. Not at the beginning of a line."""
    return [
        Figure(_T, float(int(clock["h"]) * 3600 + int(clock["m"]) * 60 + int(clock["s"])))
        for clock in _CLOCK.finditer(text)
        if text[: clock.start()].strip()
    ]


def _named_unit(text: str) -> tuple[Dimension | None, float]:
    """The unit that the name of a metric tells: `Seconds_Behind_Source`, `wait_ms`."""
    name = _UNIT_NAMES.search(text)
    return (None, 1.0) if name is None else (_T, 1e-3 if name["ms"] else 1.0)


@lru_cache(512)
def threshold_of(item: str) -> Threshold | None:
    """The threshold that an item names; None where it names no figure, or several."""
    found: list[Threshold] = []
    for match in _NUMBER.finditer(item):
        behind = _BEHIND.match(item, match.end())
        before = _side_before(item[: match.start("number")])
        direction = before or (0 if behind is None else 1 if behind["up"] else -1)
        figures = figures_in(item[match.start("number") : match.end()])
        if not direction or not figures:
            continue
        seconds = figures[0].dimension is None and _NAMES_SECONDS.search(item) is not None
        dimension = _T if seconds else figures[0].dimension or _C
        found.append(Threshold(direction, dimension, figures[0].value, scale=_scale_of(match), bare=seconds or dimension in (_C, _P)))
    return found[0] if len(found) == 1 else None


def _scale_of(match: re.Match[str]) -> float:
    unit = next((place for place in range(len(_SCALES)) if match[f"u{place}"]), None)
    return 1.0 if unit is None else _SCALES[unit][1]


def in_unit_of(figures: Sequence[Figure], threshold: Threshold | None) -> list[Figure]:
    """Figures without a unit, taken in the unit of the threshold: "45" to "lag greater than 30 seconds"."""
    if threshold is None:
        return list(figures)
    return [figure if figure.dimension else Figure(threshold.dimension, figure.value * threshold.scale, figure.bound) for figure in figures]


def _side_before(text: str) -> int:
    """Which side the words just before a number name."""
    if re.search(rf"(?:{_ASKED_MORE})\s*$", text, re.IGNORECASE):
        return 1
    return -1 if re.search(rf"(?:{_ASKED_LESS})\s*$", text, re.IGNORECASE) else 0


def against(figures: Sequence[Figure], threshold: Threshold | None) -> Finding | None:
    """What the figures say of the item: all on one side of its threshold, else None."""
    if threshold is None:
        return None
    sides = {_side(figure, threshold) for figure in figures if _comparable(figure, threshold)}
    if len(sides) != 1 or (side := sides.pop()) is None:
        return None
    return Finding.CONFIRMED if side == threshold.direction else Finding.DENIED


def _comparable(figure: Figure, threshold: Threshold) -> bool:
    if figure.dimension is None:
        return threshold.bare or figure.value == 0
    return figure.dimension is threshold.dimension


def _side(figure: Figure, threshold: Threshold) -> int | None:
    """1 above, -1 not above (or below), None where a bound leaves it open."""
    beyond = figure.value > threshold.value if threshold.direction > 0 else figure.value < threshold.value
    if figure.bound and figure.bound != (1 if figure.value > threshold.value else -1):
        if not (figure.bound > 0 and figure.value == threshold.value and threshold.direction > 0):
            return None
        beyond = True
    return threshold.direction if beyond else -threshold.direction


def quantified_otherwise(text: str, item: str) -> bool:
    """Whether the item speaks of a single thing, and the text says it of all: "on every partition" is not "on one partition only"."""
    return bool(_ONE_ONLY.search(item) and _EVERY.search(text))
