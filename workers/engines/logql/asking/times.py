"""The time that a question names: the last six hours, 10:00 to 11:00 on a day, 昨天, 最近 30 分钟."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from workers.engines.logql.asking.marked import Marked
from workers.engines.logql.tokens import DURATION_NS

_UNITS: dict[str, int] = {
    name: DURATION_NS[unit]
    for unit, names in {
        "s": "second seconds sec secs s 秒 秒钟",
        "m": "minute minutes min mins m 分钟 分",
        "h": "hour hours hr hrs h 小时 钟头",
        "d": "day days d 天 日",
        "w": "week weeks w 周 星期 礼拜",
    }.items()
    for name in names.split()
} | dict.fromkeys(("month", "months", "月", "个月"), 30 * DURATION_NS["d"])
"""Nanoseconds of a unit's name. A month is thirty days."""

_NUMBERS: dict[str, float] = {
    **{word: number for number, word in enumerate(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"])},
    **{word: number for number, word in enumerate("零一二三四五六七八九十")},
    "a": 1, "an": 1, "half an": 0.5, "half a": 0.5, "fifteen": 15, "thirty": 30, "sixty": 60, "couple of": 2, "两": 2, "半": 0.5, "几": 3,
    "十五": 15, "二十": 20, "三十": 30, "二十四": 24, "十二": 12,
}  # fmt: skip

_EN_NUMBER = r"\d+(?:\.\d+)?|half an?|couple of|" + "|".join(word for word in _NUMBERS if word.isascii() and " " not in word)
_EN_UNIT = r"seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|[smhdw]"
_ZH_NUMBER = r"\d+(?:\.\d+)?|[零一二三四五六七八九十两半几]+"
_ZH_UNIT = r"秒钟?|分钟|小时|钟头|天|日|周|星期|礼拜|月"
_EN_LAST = re.compile(
    rf"\b(?:(?:in|over|during|within|for|from|of|on)\s+)?(?:the\s+)?(?:last|past|previous|recent)\s+(?:(?P<n>{_EN_NUMBER})\s*)?(?P<unit>{_EN_UNIT})\b",
    re.IGNORECASE,
)
_ZH_LAST = re.compile(rf"(?:在)?(?:最近|过去|近|前|上)(?:的)?\s*(?:(?P<n>{_ZH_NUMBER})\s*)?个?(?P<unit>{_ZH_UNIT})(?:之?内|以来|里|中)?的?")
_AGO = re.compile(rf"\bsince\s+(?P<n>{_EN_NUMBER})\s*(?P<unit>{_EN_UNIT})\s+ago\b", re.IGNORECASE)
_STEP = re.compile(
    rf"\b(?:per|each|every)\s+(?:(?P<n>\d+)\s*)?(?P<unit>seconds?|minutes?|hours?|days?|weeks?)\b"
    rf"|\b(?P<daily>hourly|daily|weekly)\b|(?:每|按|逐)(?:(?P<zn>{_ZH_NUMBER})个?)?(?P<zunit>秒|分钟|小时|天|周)",
    re.IGNORECASE,
)
_MONTHS = {name[:3]: number for number, name in enumerate(["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"], 1)}  # fmt: skip
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATE = re.compile(
    rf"\b(?:on\s+)?(?:(?P<y>\d{{4}})-(?P<m>\d{{1,2}})-(?P<d>\d{{1,2}})|(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m2>{_MONTH})(?:,?\s+(?P<y2>\d{{4}}))?"
    rf"|(?P<m3>{_MONTH})\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(?P<y3>\d{{4}}))?)(?:\b|(?=T\d))"
    r"|(?:(?P<y4>\d{4})\s*年\s*)?(?P<m4>\d{1,2})\s*月\s*(?P<d4>\d{1,2})\s*[日号]",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"\b(?:on\s+|of\s+)?(?P<day>(?:the\s+)?day before yesterday|yesterday|today)\b|(?P<zday>前天|昨天|昨日|今天|今日|当天)(?:的)?",
    re.IGNORECASE,
)
_CLOCK = r"(?P<h{0}>\d{{1,2}})(?::(?P<i{0}>\d{{2}})|\s*[点时](?:(?P<j{0}>\d{{1,2}})\s*分?|(?P<k{0}>半))?|\s*(?P<p{0}>[ap]m))"
_BETWEEN = re.compile(
    r"(?:\b(?:from|between|at)\s+|从)?" + _CLOCK.format(1) + r"\s*(?:to|until|till|and|-|–|到|至|~)\s*" + _CLOCK.format(2)
    + r"(?:\s*(?:utc|gmt)\b)?(?:之?间|期间)?(?:的)?",
    re.IGNORECASE,
)  # fmt: skip
_SINCE = re.compile(r"\b(?:since|after|from)\s+" + _CLOCK.format(1) + r"(?:\s*utc\b)?", re.IGNORECASE)


_OPEN_END = re.compile(r"\b(?:since|from|after)\s+(?=\x00)|(?:自|从)\s*(?=\x00)|(?<=\x00)\s*(?:以来|起|开始)", re.IGNORECASE)


_AT = r"(?:T|[\s,]*(?:at\s+)?)" + _CLOCK.format(1) + r"(?:\s*utc\b)?"
_JOINED_DATES = re.compile(rf"(?:{_AT})?\s*(?:to|until|till|through|and|-|–|到|至|~)\s*", re.IGNORECASE)
_BEHIND_DATE = re.compile(_AT, re.IGNORECASE)
_SAYS_UTC = re.compile(r"(?<=[\d\spm])(?:utc|gmt)\b", re.IGNORECASE)
_FROM = re.compile(r"(?:\b(?:from|between)\s+|从\s*)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    """The time that is asked about."""

    start: datetime
    end: datetime

    @property
    def length_ns(self) -> int:
        """From the start to the end."""
        return round((self.end - self.start).total_seconds() * 1e9)


def _number(text: str | None) -> float:
    if not text:
        return 1
    return _NUMBERS[text.lower()] if text.lower() in _NUMBERS else float(text) if text[0].isdigit() else 1


def _unit(text: str) -> int:
    return _UNITS.get(text.lower().rstrip(".")) or _UNITS[text.lower().rstrip("s")]


def read_time(question: Marked, now: datetime) -> Asked | None:
    """The time; None: the question names none. It is covered in the question. Days and times of day are those of the zone of `now`, or
    of UTC where the question says so."""
    asked = _read(question, now.astimezone(UTC) if _SAYS_UTC.search(question.open) else now)
    return None if asked is None else Asked(_settled(asked.start), _settled(asked.end))


def back_from(now: datetime, length: timedelta) -> Asked:
    """The time of this length that ends now, in the zone of `now`; a change of the clock within it changes nothing."""
    return Asked(_settled((now.astimezone(UTC) - length).astimezone(now.tzinfo)), _settled(now))


def _settled(at: datetime) -> datetime:
    """The same moment with the offset that its zone has then: the difference of two such moments is the time between them."""
    return at.replace(tzinfo=timezone(at.utcoffset() or timedelta()))


def _read(question: Marked, now: datetime) -> Asked | None:
    for pattern in (_EN_LAST, _ZH_LAST, _AGO):
        if found := question.take(pattern):
            length = timedelta(microseconds=_number(found["n"]) * _unit(found["unit"]) / 1_000)
            return back_from(now, length)
    if asked := _between_dates(question, now):
        return asked
    day = _day(question, now)
    if found := question.take(_BETWEEN):
        base = day or now.replace(hour=0, minute=0, second=0, microsecond=0)
        start, end = base + _clock(found, 1), base + _clock(found, 2)
        return Asked(start, end if end > start else end + timedelta(days=1))
    if found := question.take(_SINCE):
        start = (day or now.replace(hour=0, minute=0, second=0, microsecond=0)) + _clock(found, 1)
        return Asked(start, max(now, start + timedelta(minutes=1)))
    if day is None:
        return None
    if question.take(_OPEN_END):
        return Asked(day, max(now, day + timedelta(minutes=1)))
    return Asked(day, min(day + timedelta(days=1), now) if day <= now < day + timedelta(days=1) else day + timedelta(days=1))


def _between_dates(question: Marked, now: datetime) -> Asked | None:
    """From a date, with or without a time of day, to another; a second date without a time of day is included."""
    text = question.open
    dates = list(_DATE.finditer(text))
    if len(dates) < 2:
        return None
    first, second = dates[:2]
    joined = _JOINED_DATES.fullmatch(text, first.end(), second.start())
    start, end = _date(first, now), _date(second, now)
    if joined is None or start is None or end is None:
        return None
    behind = _BEHIND_DATE.match(text, second.end())
    if joined["h1"]:
        start += _clock(joined, 1)
    end += _clock(behind, 1) if behind is not None else timedelta(days=1)
    if end <= start:
        return None
    before = _FROM.search(text, 0, first.start())
    question.cover(before.start() if before is not None else first.start(), behind.end() if behind is not None else second.end())
    return Asked(start, end)


def _day(question: Marked, now: datetime) -> datetime | None:
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if found := question.take(_DAY):
        word = (found["day"] or found["zday"]).lower()
        back = 2 if "before" in word or word == "前天" else 1 if word in ("yesterday", "昨天", "昨日") else 0
        return midnight - timedelta(days=back)
    found = question.take(_DATE)
    return None if found is None else _date(found, now)


def _date(found: re.Match[str], now: datetime) -> datetime | None:
    """Midnight of a date; None: there is no such day."""
    year = next((found[name] for name in ("y", "y2", "y3", "y4") if found[name]), None)
    month = next(found[name] for name in ("m", "m2", "m3", "m4") if found[name])
    day = next(found[name] for name in ("d", "d2", "d3", "d4") if found[name])
    number = int(month) if month.isdigit() else _MONTHS[month.lower()[:3]]
    try:
        return datetime(int(year or now.year), number, int(day), tzinfo=now.tzinfo)
    except ValueError:
        return None


def _clock(found: re.Match[str], side: int) -> timedelta:
    hour = int(found[f"h{side}"]) % 25
    half = (found[f"p{side}"] or "").lower()
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    minute = int(found[f"i{side}"] or found[f"j{side}"] or (30 if found[f"k{side}"] else 0))
    return timedelta(hours=hour, minutes=minute)


def read_step(question: Marked) -> int | None:
    """The step of "per minute", "每小时"; in nanoseconds."""
    found = _STEP.search(question.open)
    if found is None or (found["unit"] or found["zunit"] or "").lower() in ("second", "秒"):  # "per second" is a rate
        return None
    question.cover(*found.span())
    if found["daily"]:
        return {"hourly": DURATION_NS["h"], "daily": DURATION_NS["d"], "weekly": DURATION_NS["w"]}[found["daily"].lower()]
    unit = found["unit"] or found["zunit"]
    return round(_number(found["n"] or found["zn"]) * _unit(unit))
