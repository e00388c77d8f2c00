"""Chinese words for ranges of time."""

import re
from datetime import timedelta

import cn2an

from contracts.times import TimeRange
from workers.engines.times.atoms import Made, Rule, fixed
from workers.engines.times.calendar import Clock, Unit, add_months, day_range, iso_week, months

_DIGITS = {"零": "0", "〇": "0", "一": "1", "二": "2", "三": "3", "四": "4", "五": "5", "六": "6", "七": "7", "八": "8", "九": "9"}
_NUMBER = r"(?:\d{1,4}|[零〇一二两三四五六七八九十百]{1,5})"
_RELATIVE_YEARS = {"今年": 0, "本年": 0, "本年度": 0, "去年": -1, "上年": -1, "上一年": -1, "前年": -2, "明年": 1}
_YEAR = r"(?P<year>(?:19|20)\d\d|[一二][零〇九一二三四五六七八]{3}) ?年(?:度)?|(?P<relyear>今年|本年度?|去年|上年|上一年|前年|明年)"
_UNITS = {
    "小时": Unit.HOUR, "天": Unit.DAY, "日": Unit.DAY, "周": Unit.WEEK, "星期": Unit.WEEK, "礼拜": Unit.WEEK, "月": Unit.MONTH,
    "季度": Unit.QUARTER, "季": Unit.QUARTER, "年": Unit.YEAR, "财年": Unit.FISCAL_YEAR, "财季": Unit.FISCAL_QUARTER,
}  # fmt: skip
_UNIT = r"(?P<unit>小时|天|日|周|星期|礼拜|月|季度|季|年)"
_DAYS = {"今天": 0, "今日": 0, "昨天": -1, "昨日": -1, "前天": -2, "大前天": -3, "明天": 1, "后天": 2}


def number(text: str) -> int:
    """A number in digits of either script."""
    if text.isdigit():
        return int(text)
    if len(text) > 1 and all(letter in _DIGITS for letter in text):
        return int("".join(_DIGITS[letter] for letter in text))
    return int(cn2an.cn2an(text.replace("两", "二").replace("〇", "零"), "smart"))  # pyright: ignore[reportUnknownMemberType] untyped


def _given(match: re.Match[str], clock: Clock) -> int | None:
    named = match.groupdict()
    if named.get("year"):
        return number(named["year"])
    return clock.today.year + _RELATIVE_YEARS[named["relyear"]] if named.get("relyear") else None


def _months(match: re.Match[str], clock: Clock, first: int, length: int) -> Made:
    given = _given(match, clock)
    return (lambda year: months(given or year or clock.latest_year(first), first, length)), given


def _month(match: re.Match[str], clock: Clock) -> Made:
    month = number(match["month"])
    return _months(match, clock, month, 1) if 1 <= month <= 12 else fixed(None)


def _day(match: re.Match[str], clock: Clock) -> Made:
    month, day, given = number(match["month"]), number(match["day"]), _given(match, clock)
    return (lambda year: day_range(given or year or clock.latest_year(month, min(day, 28)), month, day)), given


def _quarter(match: re.Match[str], clock: Clock) -> Made:
    quarter = number(match["q"])
    return _months(match, clock, 3 * quarter - 2, 3) if 1 <= quarter <= 4 else fixed(None)


def _last_n(match: re.Match[str], clock: Clock) -> Made:
    text, unit = match["n"], _UNITS[match["unit"]]
    if text == "半":
        found = clock.rolling(Unit.HALF, 1) if unit == Unit.YEAR else None
        return fixed(found)
    if (amount := number(text)) == 0:
        return fixed(None)
    if match["whole"] or match["excluding"]:
        return fixed(clock.calendar(unit, -amount, amount))
    if match["which"] in ("未来", "接下来"):
        return fixed(clock.coming(unit, amount))
    return fixed(clock.rolling(unit, amount))


def _which(match: re.Match[str], clock: Clock) -> Made:
    word = match["which"]
    offset = {"本": 0, "这": 0, "当": 0, "下": 1, "下下": 2, "上上": -2, "上": -1, "上一": -1, "下一": 1, "这一": 0}[word]
    return fixed(clock.calendar(_UNITS[match["unit"]], offset))


def _half(match: re.Match[str], clock: Clock) -> Made:
    return _months(match, clock, 1 if match["half"] == "上" else 7, 6)


def _relative_day(match: re.Match[str], clock: Clock) -> Made:
    start = clock.today + timedelta(days=_DAYS[match[0]])
    return fixed(TimeRange(start=start, end=start + timedelta(days=1)))


def _ago(match: re.Match[str], clock: Clock) -> Made:
    unit = _UNITS[match["unit"]]
    if unit != Unit.DAY:
        return fixed(None)
    start = clock.shift(clock.today, unit, -number(match["n"]))
    return fixed(TimeRange(start=start, end=start + timedelta(days=1)))


def _fiscal(match: re.Match[str], clock: Clock) -> Made:
    year = number(match["fy"])
    return fixed(clock.fiscal_year(year + 2000 if year < 100 else year))


def _month_of_relative(match: re.Match[str], clock: Clock) -> Made:
    """`上个月5日`."""
    start = add_months(clock.today.replace(day=1), {"上": -1, "本": 0, "这": 0, "下": 1}[match["which"]])
    return fixed(day_range(start.year, start.month, number(match["day"])))


_OPTIONAL_YEAR = rf"(?:(?:{_YEAR})的? ?)?"
_MONTH_WORD = r"(?P<month>\d{1,2}|十[一二]?|[一二三四五六七八九])"
_DAY_WORD = r"(?P<day>\d{1,2}|[一二三四五六七八九十]{1,3})"


def _rule(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\d第])(?:{pattern})")


RULES: tuple[Rule, ...] = (
    (_rule(_YEAR), lambda match, clock: _months(match, clock, 1, 12)),
    (_rule(rf"{_OPTIONAL_YEAR}{_MONTH_WORD} ?月份?(?![内底末初])"), _month),
    (_rule(rf"{_OPTIONAL_YEAR}{_MONTH_WORD} ?月 ?{_DAY_WORD} ?[日号]"), _day),
    (re.compile(rf"{_OPTIONAL_YEAR}第? ?(?P<q>[一二三四1-4]) ?季度"), _quarter),
    (re.compile(rf"{_OPTIONAL_YEAR}[Qq](?P<q>[1-4])(?!\d)"), _quarter),
    (re.compile(rf"{_OPTIONAL_YEAR}(?P<half>[上下])半年"), _half),
    (
        re.compile(
            rf"(?P<which>最近|近|过去|未来|接下来|之前|前)的? ?(?P<n>{_NUMBER}|半) ?个? ?(?P<whole>完整|整|自然)?的?{_UNIT}(?![前月日])"
            r"(?:内|里|以来|之内|间)?(?P<excluding>[（(，,]?(?:不含|不包括|不算)(?:本|当前|这个?)[周月季年天日]度?[）)]?)?(?:[（(，,]?(?:含|包括|包含)今[天日][）)]?)?"
        ),
        _last_n,
    ),
    (_rule(r"(?P<which>上上|下下|上一|下一|这一|上|下|本|这|当)个?(?P<unit>周|星期|礼拜|月|季度|季|财年|财季)(?![一二三四五六日天末])"), _which),  # noqa: E501 a rule a line
    (_rule(rf"(?P<which>上|本|这|下)个?月{_DAY_WORD}[日号]"), _month_of_relative),
    (_rule("大前天|前天|昨[天日]|今[天日]|明天|后天"), _relative_day),
    (_rule(rf"(?P<n>{_NUMBER.replace('1,4', '1,3')}) ?个?{_UNIT}(?:之|以)?前"), _ago),
    (_rule(r"(?P<fy>20\d\d|\d\d) ?财年"), _fiscal),
    (_rule(r"(?:今年|本年)?(?P<unit>年)初(?:至今|到现在|以来|到今天)|本?(?P<unit2>[季月周])初?(?:至今|到现在)"),
     lambda match, clock: _to_date_of(match, clock)),
    (_rule(r"(?P<year>20\d\d) ?年?第 ?(?P<w>\d\d?) ?周"), lambda match, clock: fixed(iso_week(int(match["year"]), int(match["w"])))),
    (re.compile(r"(?:最近|近|过去|前)几(?:天|周|年|个月)|(?:去年|上年)?同期|近期|前阵子|前段时间|最近(?=[有的，,。？?一-鿿])(?!的? ?(?:\d|[零〇一二两三四五六七八九十百半]))"  # noqa: E501 a rule a line
                r"|(?:去年|今年|明年)?(?:春天|夏天|秋天|冬天|春季|夏季|秋季|冬季)|[上本这]个?周末"), lambda match, clock: fixed(None)),
)  # fmt: skip
"""What is tried at each place. 近期 and its like name a time without saying which."""


def _to_date_of(match: re.Match[str], clock: Clock) -> Made:
    unit = {"年": Unit.YEAR, "季": Unit.QUARTER, "月": Unit.MONTH, "周": Unit.WEEK}[match["unit"] or match["unit2"]]
    return fixed(clock.to_date(unit))
