"""Parts of a moment that come again: `weekday of entered_at`, `hour of day`, 星期几, 时段. An hour alone is not one: it may also be an hour
of one day."""

# ruff: noqa: E501 patterns

import re

from contracts.pipelines.expressions import Call, ColumnOf, Expression, Function
from contracts.queries import DatePart
from workers.engines.requirements.prose.durations import has_time_of_day
from workers.engines.requirements.prose.scope import Scope

_EN = re.compile(
    r"(?:the )?(?:(?P<weekday>weekday|day of (?:the )?week)|(?P<hour>hour of (?:the )?day))(?:(?: (?:of|in which|on which|at))?(?: the| its)? (?P<of>.+))?",
    re.IGNORECASE,
)
_ZH = re.compile(
    r"(?P<of>.*?)(?:的|所在的?|在)?(?:(?P<weekday>(?:星期|周|礼拜)几|星期(?![一二三四五六日天])|礼拜(?![一二三四五六日天]))|(?P<hour>(?:一天中的|几点的?)?(?:小时段|时段|钟点)|几点钟?|一天中的小时))"
)


def named_part(text: str) -> tuple[DatePart, str] | None:
    """The part that words name, and the words for the moment; empty: the rows' own."""
    found = _EN.fullmatch(text.strip()) or _ZH.fullmatch(text.strip())
    if found is None:
        return None
    return DatePart.WEEKDAY if found["weekday"] else DatePart.HOUR, (found["of"] or "").strip()


def part_of_time(part: DatePart, moment: ColumnOf | None, scope: Scope) -> Expression | None:
    """The part as a number; None: the moment has no time of day."""
    if moment is None or (part is DatePart.HOUR and not has_time_of_day(moment, scope)):
        return None
    return Call(function=Function.PART, arguments=(moment,), part=part)
