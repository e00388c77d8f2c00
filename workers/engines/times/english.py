"""English words for ranges of time."""

import re
from datetime import date, timedelta

from contracts.times import TimeRange
from workers.engines.times.atoms import Made, Rule, fixed
from workers.engines.times.calendar import Clock, Unit, day_range, iso_week, months

NUMBERS = {
    word: number
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
}
MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": 4}

_N = r"(?P<n>\d{1,4}|" + "|".join(NUMBERS) + r"|couple of|dozen)"
_UNIT = r"(?P<unit>hour|day|week|month|quarter|year)s?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|(?-i:May|MAY)(?! (?:I|we|it|they)\b)|june?|july?|"
    r"aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_WHICH = r"(?P<which>this|current|last|previous|prior|past|next|coming)"
_INCLUSIVE = r"(?:,? (?:inclusive of|including) (?:today's date|today))?"


def _rule(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.-])(?:{pattern})(?![\w]|[.-]\d)", re.IGNORECASE)


def _month(match: re.Match[str]) -> int:
    return 1 + next(index for index, word in enumerate(MONTHS) if word.startswith(match["month"][:3].lower()))


def _n(text: str) -> int:
    lowered = text.lower()
    words = {"couple of": 2, "dozen": 12, **NUMBERS}
    return words[lowered] if lowered in words else int(text)


def _offset(word: str) -> int:
    return {"this": 0, "current": 0, "next": 1, "coming": 1}.get(word.lower(), -1)


def _unit(match: re.Match[str]) -> Unit:
    return Unit(match["unit"].lower())


def _which_unit(match: re.Match[str], clock: Clock) -> Made:
    unit = Unit(f"fiscal_{match['unit'].lower()}") if match["fiscal"] else _unit(match)
    offset = _offset(match["which"])
    if match["which"].lower() == "past":
        return fixed(clock.rolling(unit, 1))
    return fixed(clock.calendar(unit, offset))


def _last_n(match: re.Match[str], clock: Clock) -> Made:
    number, unit = _n(match["n"]), _unit(match)
    if number == 0:
        return fixed(None)
    if match["whole"] or match["excluding"]:
        return fixed(clock.calendar(unit, -number, number))
    if match["which"].lower() in ("next", "coming"):
        return fixed(clock.coming(unit, number))
    return fixed(clock.rolling(unit, number))


def _ago(match: re.Match[str], clock: Clock) -> Made:
    number, unit = _n(match["n"]), _unit(match)
    if unit != Unit.DAY:
        return fixed(None)
    start = clock.shift(clock.today, unit, -number)
    return fixed(TimeRange(start=start, end=start + timedelta(days=1)))


def _years(match: re.Match[str], first: int, number: int, clock: Clock) -> Made:
    given = int(match["year"]) if match["year"] else _relative_year(match, clock)
    return (lambda year: months(given or year or clock.latest_year(first), first, number)), given


def _relative_year(match: re.Match[str], clock: Clock) -> int | None:
    which = match.groupdict().get("whichyear")
    return clock.today.year + _offset(which.split()[0]) if which else None


_OF_YEAR = rf"(?:(?:,| of|,? in)? (?:{_YEAR}|(?P<whichyear>(?:this|last|previous|next) year)))?"


def _quarter(match: re.Match[str], clock: Clock) -> Made:
    named = match.groupdict()
    quarter = int(named["q"]) if named.get("q") else _ORDINALS[match["ordinal"].lower()]
    if named.get("fiscal"):
        given = int(match["year"]) if match["year"] else _relative_year(match, clock)
        return (lambda year: clock.fiscal_quarter(given or year or clock.today.year, quarter)), given
    return _years(match, 3 * quarter - 2, 3, clock)


def _half(match: re.Match[str], clock: Clock) -> Made:
    named = match.groupdict()
    half = int(named["h"]) if named.get("h") else _ORDINALS[match["ordinal"].lower()]
    return _years(match, 6 * min(half, 2) - 5, 6, clock)


def _month_of(match: re.Match[str], clock: Clock) -> Made:
    return _years(match, _month(match), 1, clock)


def _day_of(match: re.Match[str], clock: Clock) -> Made:
    month, day = _month(match), int(match["day"])
    given = int(match["year"]) if match["year"] else _relative_year(match, clock)
    return (lambda year: day_range(given or year or clock.latest_year(month, min(day, 28)), month, day)), given


def _which_month(match: re.Match[str], clock: Clock) -> Made:
    month = _month(match)
    year = clock.today.year
    if match["which"].lower() in ("this", "current"):
        return fixed(months(year, month, 1))
    if match["which"].lower() in ("next", "coming"):
        return fixed(months(year if month > clock.today.month else year + 1, month, 1))
    return fixed(months(year if month < clock.today.month else year - 1, month, 1))


def _weekday(match: re.Match[str], clock: Clock) -> Made:
    wanted = next(index for index, word in enumerate(_WEEKDAYS) if word == match["weekday"].lower())
    back = (clock.today.weekday() - wanted) % 7 or 7
    start = clock.today - timedelta(days=back)
    return fixed(TimeRange(start=start, end=start + timedelta(days=1)))


def _numbers(match: re.Match[str], clock: Clock) -> Made:
    """`03/04/2025` is March or April; only a number above 12 says which is the day."""
    first, second, year = int(match["a"]), int(match["b"]), int(match["year"])
    if first > 12:
        return fixed(day_range(year, second, first))
    return fixed(day_range(year, first, second) if second > 12 or first == second else None)


_RELATIVE_DAYS = {"today": 0, "yesterday": -1, "tomorrow": 1, "the day before yesterday": -2, "day before yesterday": -2}


def _relative_day(match: re.Match[str], clock: Clock) -> Made:
    start = clock.today + timedelta(days=_RELATIVE_DAYS[match["word"].lower()])
    return fixed(TimeRange(start=start, end=start + timedelta(days=1)))


_TO_DATE = {"y": Unit.YEAR, "q": Unit.QUARTER, "m": Unit.MONTH, "w": Unit.WEEK}


def _fiscal(match: re.Match[str], clock: Clock) -> Made:
    year = int(match["short"])
    return fixed(clock.fiscal_year(year + 2000 if year < 100 else year))


def _decade(match: re.Match[str], clock: Clock) -> Made:
    year = int(match["decade"])
    return fixed(TimeRange(start=date(year, 1, 1), end=date(year + 10, 1, 1)))


RULES: tuple[Rule, ...] = (
    (_rule(rf"(?:the )?{_WHICH} (?P<fiscal>(?:fiscal|financial) )?{_UNIT.replace('s?', '')}"), _which_unit),
    (
        _rule(
            rf"(?:the )?(?:whole of the )?{_WHICH} {_N} (?P<whole>(?:full|complete|whole|calendar|completed) )?{_UNIT}"
            rf"{_INCLUSIVE}(?P<excluding>,? \(?(?:not including|excluding) (?:the )?(?:current|this) \w+\)?)?"
        ),
        _last_n,
    ),
    (_rule(r"(?:the )?(?:whole of the )?(?P<which>last|previous) (?:ISO |calendar |full |complete )(?P<fiscal>)(?P<unit>week|month|quarter|year)"  # noqa: E501 a rule a line
           r"(?:,? (?:not including|excluding) (?:the )?(?:current|this) \w+)?"), _which_unit),
    (_rule(rf"{_N} {_UNIT} ago"), _ago),
    (_rule(rf"q(?P<q>[1-4])(?:{_OF_YEAR}|[ -]?{_YEAR.replace('year', 'joined')})"),
     lambda match, clock: _years_joined(match, clock)),
    (_rule(rf"{_YEAR}[ -]?q(?P<q>[1-4])"), _quarter),
    (_rule(rf"(?P<fiscal>fiscal )q(?P<q>[1-4]){_OF_YEAR}"), _quarter),
    (_rule(rf"q(?P<q>[1-4]) (?P<fiscal>of fiscal(?: year)? |of fy ?|fy ?){_YEAR}"), _quarter),
    (_rule(rf"(?:the )?(?P<ordinal>first|second|third|fourth|1st|2nd|3rd|4th) (?P<fiscal>fiscal )?quarter{_OF_YEAR}"), _quarter),
    (_rule(rf"h(?P<h>[12]){_OF_YEAR}"), _half),
    (_rule(rf"{_YEAR}[ -]?h(?P<h>[12])"), _half),
    (_rule(rf"(?:the )?(?P<ordinal>first|second|1st|2nd) half{_OF_YEAR}"), _half),
    (_rule(rf"(?:the month of )?{_MONTH}{_OF_YEAR}"), _month_of),
    (_rule(rf"{_WHICH} {_MONTH}"), _which_month),
    (_rule(rf"{_MONTH} (?:the )?{_DAY}{_OF_YEAR}"), _day_of),
    (_rule(rf"{_DAY}(?: of)? {_MONTH}{_OF_YEAR}"), _day_of),
    (_rule(rf"{_YEAR}[-/.](?P<m>\d\d?)[-/.](?P<d>\d\d?)"),
     lambda match, clock: fixed(day_range(int(match["year"]), int(match["m"]), int(match["d"])))),
    (_rule(rf"{_YEAR}[-/](?P<m>0[1-9]|1[0-2])"), lambda match, clock: fixed(months(int(match["year"]), int(match["m"]), 1))),
    (_rule(rf"(?P<m>0?[1-9]|1[0-2])/{_YEAR}"), lambda match, clock: fixed(months(int(match["year"]), int(match["m"]), 1))),
    (_rule(rf"(?P<a>\d\d?)/(?P<b>\d\d?)/{_YEAR}"), _numbers),
    (_rule(rf"{_YEAR}-?w(?P<w>\d\d?)"), lambda match, clock: fixed(iso_week(int(match["year"]), int(match["w"])))),
    (_rule(rf"(?:calendar )?week (?P<w>\d\d?) (?:of |in )?{_YEAR}"), lambda match, clock: fixed(iso_week(int(match["year"]), int(match["w"])))),  # noqa: E501 a rule a line
    (_rule(rf"(?:the )?(?:calendar )?(?:year )?{_YEAR}"), lambda match, clock: _years(match, 1, 12, clock)),
    (_rule(r"(?:fiscal year|financial year|fy) ?(?P<short>20\d\d|\d\d)"), _fiscal),
    (_rule(r"(?:the )?(?P<decade>(?:19|20)\d0)s"), _decade),
    (_rule(r"(?P<word>today|yesterday|tomorrow|(?:the )?day before yesterday)"), _relative_day),
    (_rule(r"(?P<u>y|q|m|w)td"), lambda match, clock: fixed(clock.to_date(_TO_DATE[match["u"].lower()]))),
    (_rule(r"(?:the )?(?P<unit>week|month|quarter|year)[ -]to[ -]date"), lambda match, clock: fixed(clock.to_date(_unit(match)))),
    (_rule(r"so far this (?P<unit>week|month|quarter|year)"), lambda match, clock: fixed(clock.to_date(_unit(match)))),
    (_rule(r"this (?P<unit>week|month|quarter|year) so far"), lambda match, clock: fixed(clock.to_date(_unit(match)))),
    (_rule(r"last (?P<weekday>" + "|".join(_WEEKDAYS) + ")"), _weekday),
    (_rule(r"recently|lately|nowadays|these days|a while ago|some time ago|the holidays|(?:last|this|next) (?:spring|summer|autumn|fall|winter|season|weekend)"  # noqa: E501 a rule a line
           r"|(?:the )?past few \w+|(?:the )?last few \w+"), lambda match, clock: fixed(None)),
)  # fmt: skip
"""What is tried at each place. `recently` and its like name a time without saying which."""


def _years_joined(match: re.Match[str], clock: Clock) -> Made:
    quarter = int(match["q"])
    if match["joined"]:
        given = int(match["joined"])
        return (lambda year: months(given, 3 * quarter - 2, 3)), given
    return _years(match, 3 * quarter - 2, 3, clock)
