"""What a requirement in words says that a statement can be held against: a few facts, in English and Chinese.

Only explicit statements are read. What is not found is not assumed either way.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from zoneinfo import available_timezones


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


CALENDAR = _words(
    r"calendar days?\b|\b(?:for|row per|row for|and) (?:each|every) day\b|every day (?:from|between|in)\b|days? without",
    r"自然日|每一天|每天都|每个日期|没有\S{0,6}的日子|连续日期",
)
ZERO = _words(
    r"\b0 (?:if|when|on|for|where)\b|zero(?:s|es)? (?:if|when|for|on)|have zeros?|\bor 0\b",
    r"没有\S{0,8}(?:为|记|填|算|计)\s*(?:0|零)|则?为 ?0|记 ?0|补 ?0|填 ?0",
)
EVERY = _words(
    r"(?:one row|a row|row) (?:for|per) (?:each|every) \w+\b(?! (?:whose|that|which|with|who|having))",
    r"stays? in|all (?!other\b)\w+ with|without \w+(?: \w+){0,3} (?:stay|have|get|are)",
    r"每个[^\s，。；有]{0,10}一行|仍(?:然)?保留|也要(?:保留|出现|列出)|也(?:要|应)?保留",
)
AS_OF = _words(
    r"on or before|latest \w+(?: \w+){0,2} (?:before|up to|as of|until)|most recent \w+(?: \w+)? (?:before|up to)",
    r"当日或之前|或之前最近|之前最近|最近一次的?汇率|不晚于该日",
)
LATE = re.compile(r"\blate\b|arriv\w+ later|out of order|迟到|晚到|乱序|延迟到达", re.IGNORECASE)
TIES = re.compile(r"equal \w+|\bties?\b|among equal|same \w+ (?:by|the)|相同(?:时|的)|并列|相等时", re.IGNORECASE)
NULLS = _words(r"\bnull\b|\bunknown\b|\bmissing\b|\bnot set\b|\bempty\b|without (?:an? |any )?\w+", r"空值|为空|未知|缺失|没有填|未填")
OLDER = _words(r"\bolder\b|latest \w+ wins|newest|newer|most recent \w+ wins", r"旧数据|较旧|以\S{0,12}最新|最新的?(?:状态|为准)|覆盖")
DELETES = _words(r"\bdelet|\bremoved\b|\bcancell?ed\b", r"删除|注销|作废")
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
CHINESE_NUMBERS = "零一二三四五六七八九十"
DAYS_BEFORE = _words(r"(\w+) (?:calendar |full )?days? before\b", r"前([\d零一二三四五六七八九十]+) ?个?(?:自然)?[天日]")
DAY_WINDOW = _words(
    r"\b(\w+)[- ]day (?:moving|rolling|average|mean|sum|window|total)",
    r"(?:last|past) (\w+) (?:calendar )?days",
    r"(?:最近|过去|近)([\d零一二三四五六七八九十]+) ?个?(?:自然)?[天日]",
)
ONCE = re.compile(r"\bonce\b|only one time|without (?:double|duplicate)|not twice|只算一次|只计一次|不重复", re.IGNORECASE)
ZONES = {
    r"beijing|shanghai|china standard|singapore|perth|北京时间|东八区|上海时间": 8 * 60,
    r"tokyo|seoul|japan time|东京时间|日本时间|首尔时间": 9 * 60,
    r"india(?:n)? (?:standard )?time|kolkata|印度时间": 330,
}
OFFSET = re.compile(r"(?:utc|gmt)\s*([+\-−])\s*(\d{1,2})(?::?(\d{2}))?", re.IGNORECASE)
STORED_UTC = re.compile(r"\b(?:utc|gmt)\b(?!\s*[+\-−])|世界时|协调世界时", re.IGNORECASE)
MORE_THAN = re.compile(
    r"(more than|longer than|over|exceeds?|greater than|at least|no less than|less than|fewer than|under|at most|no more than|up to"
    r"|超过|大于|多于|至少|不少于|不小于|小于|少于|不足|至多|不超过|最多)\s*(\d+(?:\.\d+)?)",
    re.IGNORECASE,
)
OR_MORE = re.compile(
    r"(\d+(?:\.\d+)?)\s*\w{0,12}?\s*(or more|or longer|or older|or fewer|or less|及以上|或以上|以上|及以下|或以下|以下)", re.IGNORECASE
)
FEWER = ("or fewer", "or less", "及以下", "或以下", "以下")
NEGATED = re.compile(r"(?:not|no|不)\s*$", re.IGNORECASE)
SIGNS = {
    **dict.fromkeys(("more than", "longer than", "over", "exceed", "exceeds", "greater than", "超过", "大于", "多于"), ">"),
    **dict.fromkeys(("at least", "no less than", "至少", "不少于", "不小于"), ">="),
    **dict.fromkeys(("less than", "fewer than", "under", "小于", "少于", "不足"), "<"),
    **dict.fromkeys(("at most", "no more than", "up to", "至多", "不超过", "最多"), "<="),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the requirement says."""

    calendar_days: bool = False
    """Days without rows count as well."""
    zeros: bool = False
    """0 where there is nothing."""
    every: bool = False
    """Every one of something has a row."""
    as_of: bool = False
    late: bool = False
    """Late rows are spoken of."""
    deletes: bool = False
    """What was deleted is spoken of."""
    days_before: tuple[int, ...] = ()
    """A window of a day and so many days before it."""
    older: bool = False
    """An older state must not replace a newer one."""
    ties: bool = False
    once: bool = False
    """Each of something is counted once."""
    offset_minutes: int | None = None
    """Local time minus UTC, where a time zone is asked for."""
    zone: str = ""
    """The time zone that is asked for by its IANA name, if it is one alone beside UTC."""
    is_stored_in_utc: bool = False
    """It says that something is in UTC; otherwise the stored times may be local ones as well."""
    nulls_near: str = ""
    """The parts of the requirement that speak of missing values, in lower case."""
    bounds: tuple[tuple[str, float], ...] = ()
    """(`>`, 30): more than 30."""


def read_requirement(text: str) -> Wanted:
    """The facts of a requirement."""
    if not text.strip():
        return Wanted()
    return Wanted(
        calendar_days=bool(CALENDAR.search(text)),
        zeros=bool(ZERO.search(text)),
        every=bool(EVERY.search(text)),
        as_of=bool(AS_OF.search(text)),
        late=bool(LATE.search(text)),
        once=bool(ONCE.search(text)),
        deletes=bool(DELETES.search(text)),
        days_before=tuple(_days_before(text)),
        older=bool(OLDER.search(text)),
        ties=bool(TIES.search(text)),
        offset_minutes=_offset(text),
        zone=_zone(text),
        is_stored_in_utc=bool(STORED_UTC.search(text)),
        nulls_near=" ".join(text[max(0, match.start() - 80) : match.end() + 80].lower() for match in NULLS.finditer(text)),
        bounds=tuple(_bounds(text)),
    )


def _offset(text: str) -> int | None:
    if found := OFFSET.search(text):
        minutes = int(found[2]) * 60 + int(found[3] or 0)
        return minutes if found[1] == "+" else -minutes
    return next((minutes for pattern, minutes in ZONES.items() if re.search(pattern, text, re.IGNORECASE)), None)


def _zone(text: str) -> str:
    found = [zone for zone in _zones() if zone in text]
    longest = [zone for zone in found if not any(zone != other and zone in other for other in found)]
    return longest[0] if len(longest) == 1 else ""


@lru_cache(maxsize=1)
def _zones() -> tuple[str, ...]:
    return tuple(sorted(zone for zone in available_timezones() if "/" in zone and not zone.startswith("Etc/")))


def _bounds(text: str) -> list[tuple[str, float]]:
    found = list[tuple[str, float]]()
    for match in MORE_THAN.finditer(text):
        if not NEGATED.search(text[: match.start()]):
            found.append((SIGNS[match[1].lower()], float(match[2])))
    found += [("<=" if match[2].lower() in FEWER else ">=", float(match[1])) for match in OR_MORE.finditer(text)]
    return found


def _days_before(text: str) -> list[int]:
    found = [_number(match) for match in DAYS_BEFORE.finditer(text)]
    if not found:
        found = [number - 1 for match in DAY_WINDOW.finditer(text) if (number := _number(match)) is not None]
    return [number for number in found if number is not None and number > 0]


def _number(match: re.Match[str]) -> int | None:
    word = next((group for group in match.groups() if group), "").lower()
    if word.isdigit():
        return int(word)
    if word in NUMBERS:
        return NUMBERS.index(word)
    return CHINESE_NUMBERS.index(word) if word and word in CHINESE_NUMBERS else None
