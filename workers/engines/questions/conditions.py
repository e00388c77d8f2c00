"""Patterns of the grammar that say which rows count: a column with its value, a comparison, a flag, rows that are not there."""

import re
from collections.abc import Sequence
from dataclasses import replace

from contracts.queries import Aggregate, Operator
from contracts.times import TimeRange
from workers.engines.questions.items import EMPTY, TEXT, Item, Kind
from workers.engines.questions.parts import AbsencePart, ConditionPart
from workers.engines.questions.runs import condition_of, conditions_in, first_of, made_of, only

_EXISTENCE = re.compile(r"\b(?:without|no|never|any)\b|没有|无|从未", re.IGNORECASE)
"""Denials of rows rather than of a value."""

_NEVER = re.compile(r"\bnever\b|从未|从来没有", re.IGNORECASE)
"""Denials of all that something has."""

DONE_ZH = re.compile(r"卖出?|买入?|售出?|销售|购买|下单|支付|付款|收获|采摘|采收|播放|使用|借阅|租用|捐赠?|消费|登录|访问|预约|报名|退货")
"""Chinese verbs for what is done, in an amount or at a time; 订单最多 counts orders."""

_NEXT_TO = 3
"""Characters between two adjacent words, a quotation mark included."""

_OPPOSITE = {
    Operator.EQUAL: Operator.NOT_EQUAL, Operator.IN: Operator.NOT_IN,
    Operator.GREATER: Operator.LESS_EQUAL, Operator.LESS: Operator.GREATER_EQUAL,
    Operator.GREATER_EQUAL: Operator.LESS, Operator.LESS_EQUAL: Operator.GREATER, Operator.IS_TRUE: Operator.IS_FALSE,
    Operator.CONTAINS: Operator.NOT_CONTAINS, Operator.NOT_NULL: Operator.IS_NULL, Operator.IS_NULL: Operator.NOT_NULL,
}  # fmt: skip


def _share(column: Item, value: Item) -> bool:
    """Whether the value is one of the column's; a text that is nowhere in the data may be any text column's."""
    if not value.links:
        return True
    places = {(link.table, link.column) for link in column.links}
    return any((link.table, link.column) in places for link in value.links)


def between(run: Sequence[Item]) -> Item:
    """`rating between 3 and 4`."""
    column = first_of(run, Kind.COLUMN)
    low, high = only(run, Kind.NUMBER)
    return condition_of(run, ConditionPart(Operator.GREATER_EQUAL, column, (low,)), ConditionPart(Operator.LESS_EQUAL, column, (high,)))


def compared(run: Sequence[Item]) -> Item | None:
    """`rating above 4`."""
    operator = first_of(run, Kind.COMPARE).payload
    if not isinstance(operator, Operator) or first_of(run, Kind.COLUMN).payload == TEXT:
        return None
    made = ConditionPart(operator, first_of(run, Kind.COLUMN), (number(first_of(run, Kind.NUMBER, Kind.ONE)),))
    return condition_of(run, _negated(made) if only(run, Kind.NOT) else made)


def number(item: Item) -> Item:
    """The word `one` as a number."""
    return replace(item, kind=Kind.NUMBER, payload="1") if item.kind == Kind.ONE else item


def _negated(part: ConditionPart) -> ConditionPart:
    return replace(part, operator=_OPPOSITE.get(part.operator, part.operator))


def above_average(run: Sequence[Item]) -> Item | None:
    """`rating above average`."""
    operator = first_of(run, Kind.ABOVE_AVERAGE).payload
    if not isinstance(operator, Operator):
        return None
    return condition_of(run, ConditionPart(operator, first_of(run, Kind.COLUMN), aggregate=Aggregate.AVERAGE))


def flag(run: Sequence[Item]) -> Item:
    """`with projects`, `without exams`: a boolean column."""
    item, is_not = first_of(run, Kind.FLAG), bool(only(run, Kind.NOT))
    if item.payload == EMPTY:
        return condition_of(run, ConditionPart(Operator.NOT_NULL if is_not else Operator.IS_NULL, item))
    return condition_of(run, ConditionPart(Operator.IS_FALSE if is_not else Operator.IS_TRUE, item))


def valued(run: Sequence[Item]) -> Item | None:
    """A column beside a value of it."""
    column, value = first_of(run, Kind.COLUMN, Kind.FLAG), first_of(run, Kind.VALUE)
    if not _share(column, value):
        return None
    operator = Operator.EQUAL
    if contains := only(run, Kind.CONTAINS):
        operator = contains[0].payload if isinstance(contains[0].payload, Operator) else Operator.CONTAINS
        value = _as_it_is(value)
    made = ConditionPart(operator, column, (value,))
    return condition_of(run, _negated(made) if only(run, Kind.NOT) else made)


def valued_before_a_value(run: Sequence[Item]) -> Item | None:
    """南湖校区的高级教练: a value of the column behind it; what follows it has its own."""
    return valued(run) if run[0].links and _share(run[1], run[0]) else None


def _as_it_is(value: Item) -> Item:
    """The text of a part of a value, whether or not it is also a whole one."""
    return replace(value, links=(), payload=value.text)


def value_part(run: Sequence[Item]) -> Item | None:
    """A value of the data without its column."""
    value = first_of(run, Kind.VALUE)
    if not value.links:
        return None
    made = ConditionPart(Operator.EQUAL, None, (value,))
    denial = next(iter(only(run, Kind.NOT)), None)
    if denial is None:
        return condition_of(run, made)
    return condition_of(run, replace(_negated(made), is_never=bool(_NEVER.search(denial.text))))


def named(run: Sequence[Item]) -> Item | Sequence[Item] | None:
    """`restaurants named "The Pasta House"`: the table stays, as what is spoken of."""
    value = first_of(run, Kind.VALUE)
    if value.links:
        return [*only(run, Kind.TABLE), condition_of([first_of(run, Kind.NAMED), value], ConditionPart(Operator.EQUAL, None, (value,)))]
    tables = only(run, Kind.TABLE)
    if not tables:
        return None
    part = ConditionPart(Operator.EQUAL, tables[0], (value,))
    return [tables[0], condition_of([first_of(run, Kind.NAMED), value], part)]


def of_table(run: Sequence[Item]) -> Sequence[Item] | None:
    """`the program Mathematics`, `Italian restaurants`: a value of that table, where the two are next to each other."""
    table, value = first_of(run, Kind.TABLE), first_of(run, Kind.VALUE)
    names = {link.table for link in table.links}
    own = tuple(link for link in value.links if link.table in names)
    if not own or len(own) == len(value.links) or run[1].begin - run[0].stop > _NEXT_TO:
        return None
    condition = condition_of([value], ConditionPart(Operator.EQUAL, None, (replace(value, links=own),)))
    return [condition if item is value else item for item in run]


def empty(run: Sequence[Item]) -> Item:
    """`email is missing`."""
    operator = Operator.NOT_NULL if only(run, Kind.NOT) else Operator.IS_NULL
    return condition_of(run, ConditionPart(operator, first_of(run, Kind.COLUMN)))


def without_value(run: Sequence[Item]) -> Item | None:
    """`patients with no insurer`: a column that is empty. A verb is not denied so."""
    if not _EXISTENCE.search(run[0].text) or run[0].text in ("未", "非", "不"):
        return None
    return condition_of(run, ConditionPart(Operator.IS_NULL, first_of(run, Kind.COLUMN)))


def weekend(run: Sequence[Item]) -> Item:
    """`on weekends`."""
    return condition_of(run, ConditionPart(Operator.IN, is_weekend=bool(run[0].payload)))


def alternatives(run: Sequence[Item]) -> Item | None:
    """Conditions that are joined by `or`."""
    parts = [conditions_in([item]) for item in only(run, Kind.CONDITION)]
    if not all(len(part) == 1 for part in parts):
        return None
    number = 1 + run[0].begin
    return condition_of(run, *(replace(part[0], alternative=number) for part in parts))


def without_some(run: Sequence[Item]) -> Item | None:
    """`without failed orders` denies the orders and not their state; it is not understood."""
    word = run[0].text.lower()
    return made_of(Kind.UNKNOWN, run, None) if _EXISTENCE.search(word) else None


def absent(run: Sequence[Item]) -> Item:
    """`without orders`."""
    return made_of(Kind.ABSENCE, run, AbsencePart(first_of(run, Kind.TABLE)))


def absent_in(run: Sequence[Item]) -> Item | None:
    """`had no port call in 2026`, 2026年没有下单: no row of that time. In 2025年以来没有职位的客户 it may be the time of the client."""
    time, table = first_of(run, Kind.TIME), first_of(run, Kind.TABLE)
    if not isinstance(time.payload, TimeRange) or (run[0] is time and not DONE_ZH.fullmatch(table.text)):
        return None
    return made_of(Kind.ABSENCE, run, AbsencePart(table, range=time.payload))
