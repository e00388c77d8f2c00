"""Prices after a discount or with tax, where the catalogue says what the price and the rate of a row are."""

# ruff: noqa: E501 patterns

import re
from collections.abc import Callable

from contracts.pipelines.expressions import Call, ColumnOf, Constant, Expression, Function, ValueType
from contracts.statements import Statement, name, say
from contracts.tables import ColumnDetail
from workers.engines.requirements.prose.scope import Scope
from workers.engines.sql.build_values import NUMERIC

_NOUN = r"(?:extended |line |list |gross )?(?:prices?|values?|amounts?|revenue|sales|turnover|totals?)"
_DISCOUNTED = re.compile(
    rf"(?:the )?discounted {_NOUN}|(?:the )?{_NOUN} (?:after|net of|less|minus|with)(?: the| its| their)? discounts?|(?:折后|折扣后的?|打折后的?)(?:总|行)?(?:价格?|金额|价值|收入|额|营收)",
    re.IGNORECASE,
)
_TAXED = re.compile(
    rf"(?:the )?discounted {_NOUN} (?:plus|with|including|and) (?:the )?tax|(?:the )?{_NOUN} (?:after|with|less) (?:the )?discount (?:and|plus|with|including) (?:the )?tax|(?:折后|折扣后的?)(?:含税|加税)(?:价格?|金额|收入|额)|含税(?:的)?折后(?:价格?|金额|收入|额)",
    re.IGNORECASE,
)
_PRICE = re.compile(
    r"\b(?:price|amount|value)\b.*\bbefore\b.*\bdiscount|\bgross\b|\bundiscounted\b|(?:折前|折扣前|打折前|原价)", re.IGNORECASE
)
_RATE = re.compile(
    r"\b0(?:\.0)? (?:to|and|-) 1(?:\.0)?\b|\b(?:share|fraction|rate)\b|\b0\.\d+ (?:is|means|for)\b|折扣率|税率|比例", re.IGNORECASE
)
_ONE = Constant(type=ValueType.INTEGER, value="1")


def net_price(text: str, scope: Scope) -> Expression | None:
    """`discounted price` as price * (1 - discount), `... plus tax` times (1 + tax). None unless the comments of exactly one column each
    say that the price is the one before the discount, and that the rate is a share of it."""
    with_tax = _TAXED.fullmatch(text.strip())
    if not with_tax and not _DISCOUNTED.fullmatch(text.strip()):
        return None
    price = _only(scope, lambda column: bool(_PRICE.search(column.description)))
    discount = _only(scope, lambda column: _is_rate(column, "discount", "折扣"))
    if price is None or discount is None:
        return None
    net = Call(function=Function.TIMES, arguments=(price, Call(function=Function.MINUS, arguments=(_ONE, discount))))
    if not with_tax:
        return net
    tax = _only(scope, lambda column: _is_rate(column, "tax", "税"))
    return Call(function=Function.TIMES, arguments=(net, Call(function=Function.PLUS, arguments=(_ONE, tax)))) if tax is not None else None


def notes_of(value: Expression) -> list[Statement]:
    """How net prices inside an expression are worked out, for the reader of the package."""
    if not isinstance(value, Call):
        return []
    if value.function is Function.TIMES and len(value.arguments) == 2:
        price, factor = value.arguments
        if (
            isinstance(price, ColumnOf)
            and isinstance(factor, Call)
            and factor.function is Function.MINUS
            and factor.arguments[0] == _ONE
            and isinstance(factor.arguments[1], ColumnOf)
        ):
            return [say("requirements.assume.net_price", price=name(price.name), discount=name(factor.arguments[1].name))]
    return [note for argument in value.arguments for note in notes_of(argument)]


def _is_rate(column: ColumnDetail, english: str, chinese: str) -> bool:
    named = (
        english in column.name.lower() or re.search(rf"\b{english}\b", column.description, re.IGNORECASE) or chinese in column.description
    )
    return bool(named) and not _PRICE.search(column.description) and bool(_RATE.search(column.description))


def _only(scope: Scope, test: Callable[[ColumnDetail], bool]) -> ColumnOf | None:
    found = [column for column in scope.base.columns if NUMERIC.search(column.type) and test(column)]
    return ColumnOf(step=scope.base.name, name=found[0].name) if len(found) == 1 else None
