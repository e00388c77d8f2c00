"""Hours, minutes and seconds between two moments of a row."""

import re

from contracts.pipelines.expressions import Call, ColumnOf, Constant, Expression, Function, ValueType
from workers.engines.requirements.prose.scope import Scope

_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "秒": 1, "分": 60, "分钟": 60, "小时": 3600}
_EN = re.compile(
    r"(?:the )?(?:number of |elapsed )?(?P<unit>second|minute|hour)s (?:from|between) (?P<a>.+?) (?:to|until|and|till) (?P<b>.+)",
    re.IGNORECASE,
)
_ZH = re.compile(r"(?:从)?\s*(?P<a>.+?)\s*(?:到|至)\s*(?P<b>.+?)\s*(?:的|之间的?)?\s*(?:间隔)?(?P<unit>秒|分钟|分|小时)数?")


def duration(text: str, scope: Scope) -> Expression | None:
    """`hours between began_at and ended_at`, 采集到接收的分钟数; None where the two are no moments with a time of day."""
    found = _EN.fullmatch(text) or _ZH.fullmatch(text)
    if found is None:
        return None
    first, second = scope.column(found["a"]), scope.column(found["b"])
    if first is None or second is None or not (has_time_of_day(first, scope) and has_time_of_day(second, scope)):
        return None
    seconds = Call(function=Function.SECONDS_BETWEEN, arguments=(second, first))
    size = _SECONDS[found["unit"].lower()]
    return seconds if size == 1 else Call(function=Function.OVER, arguments=(seconds, Constant(type=ValueType.INTEGER, value=str(size))))


def has_time_of_day(value: Expression, scope: Scope) -> bool:
    """Whether a value is a column of moments, not of days."""
    return isinstance(value, ColumnOf) and re.search(r"timestamp|datetime", scope.type_of(value), re.IGNORECASE) is not None
