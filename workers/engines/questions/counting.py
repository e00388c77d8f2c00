"""Patterns of the grammar that count: rows, kinds of rows, and groups by the number of their rows."""

import re
from collections.abc import Sequence
from dataclasses import replace

from contracts.queries import Aggregate, Operator
from workers.engines.questions.conditions import number
from workers.engines.questions.items import TIMES, Item, Kind, Link
from workers.engines.questions.parts import ConditionPart, GroupCountPart, MeasurePart
from workers.engines.questions.runs import condition_of, conditions_in, first_of, made_of, only
from workers.engines.questions.words import key, split_name

_COUNTER = 1
"""Characters between a number and what it counts; with 的 behind the counter there is another noun."""


def having(run: Sequence[Item]) -> Item | Sequence[Item] | None:
    """`more than 5 orders`, `more than one active subscription`."""
    operator = first_of(run, Kind.COMPARE).payload
    value = number(first_of(run, Kind.NUMBER, Kind.ONE)).payload
    if not isinstance(operator, Operator) or not isinstance(value, str):
        return None
    made = made_of(Kind.HAVING, run, GroupCountPart(first_of(run, Kind.TABLE), operator, value))
    return [made, *only(run, Kind.CONDITION)]


def having_behind(run: Sequence[Item]) -> Sequence[Item] | None:
    """订单超过10个的客户: what is counted comes before the comparison; in 主人有超过一只宠物 it comes behind the number and its counter."""
    if len(run) > 3 and run[3].begin - run[2].stop <= _COUNTER:
        made = having(run[1:])
        return [run[0], *made] if isinstance(made, list) else None
    made = having(run[:3])
    return None if not isinstance(made, list) else [*made, *run[3:]]


def count(run: Sequence[Item]) -> Sequence[Item]:
    """`how many orders`, `number of different cities`, `number of sign-ups`."""
    of = first_of(run, Kind.TABLE, Kind.COLUMN)
    word = first_of(run, Kind.COUNT)
    if of.payload == TIMES and not only(run, Kind.DISTINCT) and len({link.table for link in of.links}) == 1 and not _is_date(of):
        rows = replace(of, kind=Kind.TABLE, links=(Link(of.links[0].table),), payload=None, begin=word.begin)
        done = replace(of, text=" ".join(split_name(of.links[0].column)))  # `sign-ups` happened as what was `signed up at` a time
        event = condition_of([of], ConditionPart(Operator.NOT_NULL, done, is_event=True))
        return [made_of(Kind.MEASURE, [word], MeasurePart(Aggregate.COUNT, rows)), event, *only(run, Kind.CONDITION)]
    distinct = bool(only(run, Kind.DISTINCT)) or of.kind == Kind.COLUMN
    aggregate = Aggregate.COUNT_DISTINCT if distinct and of.kind == Kind.COLUMN else Aggregate.COUNT
    label = "total" if word.text.lower().startswith("total") else ""
    made = made_of(Kind.MEASURE, [word, of], MeasurePart(aggregate, of, is_distinct=bool(only(run, Kind.DISTINCT)), label=label))
    return [made, *only(run, Kind.CONDITION)]


def _is_date(of: Item) -> bool:
    """Whether dates themselves are spoken of, rather than what happened on them."""
    return bool(re.search(r"(?:dates?|days?|times?|timestamps?|日期|时间|日)$", of.text, re.IGNORECASE))


def count_of_kind(run: Sequence[Item]) -> Sequence[Item] | None:
    """`how many trucks`: rows of the only table that has this value. Of several values the one in the plural is what is counted: `how many
    printers does Dublin have`."""
    conditions = conditions_in(run)
    values = [value for part in conditions for value in part.values]
    names = {link.table for value in values for link in value.links}
    plural = [value for value in values if _is_plural(value)]
    if len(names) > 1 and len(plural) == 1:
        names = {link.table for link in plural[0].links}
    if len(names) != 1 or not values:
        return None
    begin = run[0].begin
    table = Item(Kind.TABLE, begin, run[0].stop, run[-1].text, (Link(names.pop()),))
    word = first_of(run, Kind.COUNT)
    if only(run, Kind.DISTINCT):
        return None
    return [made_of(Kind.MEASURE, [word], MeasurePart(Aggregate.COUNT, table)), *only(run, Kind.CONDITION)]


def _is_plural(value: Item) -> bool:
    """Whether the word is the plural of the value: `printers` of `printer`."""
    word = value.text.lower()
    return bool(value.links) and key(word) != word and all(key(word) == key(link.value.lower()) != word for link in value.links)


def total_count(run: Sequence[Item]) -> Item | None:
    """`total sales count`."""
    if first_of(run, Kind.AGGREGATE).payload != Aggregate.SUM:
        return None
    return made_of(Kind.MEASURE, run, MeasurePart(Aggregate.COUNT, first_of(run, Kind.TABLE), label="total"))


def without_count(run: Sequence[Item]) -> Sequence[Item]:
    """平均被引用多少次: the question word behind an aggregate of a column counts nothing."""
    return [run[0]]
