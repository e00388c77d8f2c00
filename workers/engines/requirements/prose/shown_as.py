"""How a number is shown: `in percent`, `with one decimal`, 百分比, 保留两位小数."""

# ruff: noqa: E501 patterns

import re

from contracts.pipelines.expressions import Call, Constant, Expression, Function, ValueType
from workers.engines.requirements.prose.column_lists import number_of

_DIGITS = re.compile(
    r"[\s,，;；]*(?:(?:and )?(?:with|rounded to|to) (?P<n>\d|one|two|three|four) (?:decimals?|digits?)(?: places?)?|(?:四舍五入)?(?:保留)?(?P<zh>\d|[一二两三四])位小数)$",
    re.IGNORECASE,
)
_PERCENT = re.compile(
    r"[,，;；]\s*(?:in percent|as a percentage|in %|(?:以|用)?(?:百分比|百分数|%)(?:表示)?)$|\s+in percent$", re.IGNORECASE
)


def shown_as(text: str) -> tuple[str, int | None, bool]:
    """The words without these, the number of decimals, and whether percent are wanted."""
    body, digits = text.strip(), None
    if found := _DIGITS.search(body):
        digits, body = number_of(found["n"] or found["zh"]), body[: found.start()]
    found = _PERCENT.search(body)
    return (body[: found.start()] if found else body), digits, found is not None


def as_shown(value: Expression, digits: int | None, *, in_percent: bool) -> Expression:
    """The value so."""
    if in_percent:
        value = Call(function=Function.TIMES, arguments=(Constant(type=ValueType.INTEGER, value="100"), value))
    if digits is not None:
        value = Call(function=Function.ROUND, arguments=(value, Constant(type=ValueType.INTEGER, value=str(digits))))
    return value
