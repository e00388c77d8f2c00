"""What parts of a question amount to together: each function replaces the parts that a pattern of the grammar has matched."""

import re
from collections.abc import Sequence
from dataclasses import replace

from contracts.queries import Aggregate, DatePart, Operator
from contracts.times import TimeRange
from workers.engines.questions.items import AGENT, EMPTY, FREQUENCIES, TEXT, TIMES, Item, Kind, Link
from workers.engines.questions.parts import (
    AbsencePart,
    ConditionPart,
    GroupPart,
    MeasurePart,
    OrderPart,
    PeriodPart,
    TopPart,
)
from workers.engines.questions.runs import condition_of, conditions_in, first_of, made_of, members, only
from workers.engines.questions.words import key, split_name

_COUNTING = re.compile(r"^(?:most|least|fewest)$|number of|最多|最少", re.IGNORECASE)
"""Superlatives that count rows; `longest` and its like are about a column of the table."""

_EXISTENCE = re.compile(r"\b(?:without|no|never|any)\b|没有|无|从未", re.IGNORECASE)
"""Denials of rows rather than of a value."""

_NEVER = re.compile(r"\bnever\b|从未|从来没有", re.IGNORECASE)
"""Denials of all that something has."""

DONE_ZH = re.compile(r"卖出?|买入?|售出?|销售|购买|下单|支付|付款|收获|采摘|采收|播放|使用|借阅|租用|捐赠?|消费|登录|访问|预约|报名|退货")
"""Chinese verbs for what is done, in an amount or at a time; 订单最多 counts orders."""

_NAMES_A_ROW = 0.8
"""Quality of a link to a column that names the rows of another table: `state_name` for states."""

_EACH_UNIT = ("daily", "weekly", "monthly", "quarterly", "yearly", "annual", "annually")

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


def grouped_by_own(run: Sequence[Item]) -> Item | None:
    """按客户所在州: by the column of that table."""
    by, table, column = run
    names = {link.table for link in table.links}
    own = tuple(link for link in column.links if link.table in names)
    return grouped([by, replace(column, links=own)]) if own else None


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


def aggregate(run: Sequence[Item]) -> Item | None:
    """`average price`."""
    aggregate = first_of(run, Kind.AGGREGATE).payload
    if not isinstance(aggregate, Aggregate):
        return None
    of = first_of(run, Kind.COLUMN, Kind.METRIC)
    if isinstance(of.payload, MeasurePart):
        return made_of(Kind.MEASURE, run, of.payload) if aggregate == Aggregate.SUM else None
    return made_of(Kind.MEASURE, run, MeasurePart(aggregate, of))


def aggregate_of_own(run: Sequence[Item]) -> Item | None:
    """`average move duration`: of a column of numbers in the table named before it."""
    word, table, column = run
    names = {link.table for link in table.links}
    own = tuple(link for link in column.links if link.table in names)
    is_one_name = column.begin - table.stop <= 1 and table.text.isascii()
    if not own or not is_one_name or column.payload is not None or not isinstance(word.payload, Aggregate):
        return None
    return aggregate([word, replace(column, begin=table.begin, links=own)])


def summed(run: Sequence[Item]) -> Item | Sequence[Item] | None:
    """`total sales`, `total amount of payments`, `total sales amount`: the sum of the only amount of money in that table."""
    word, table = run[0], first_of(run, Kind.TABLE)
    behind = next((item.text.lower() for item in only(run, Kind.COLUMN)), "amount")
    if word.payload != Aggregate.SUM or behind not in ("amount", "value", "revenue"):
        return None
    return [made_of(Kind.MEASURE, [word, table], MeasurePart(Aggregate.SUM, table)), *only(run, Kind.CONDITION)]


def metric(run: Sequence[Item]) -> Item:
    """A measure that a definition gives."""
    return made_of(Kind.MEASURE, run, run[-1].payload)


_TAKES_TIME = re.compile(r"time|duration|second|minute|hour|时长|时间|用时|耗时", re.IGNORECASE)


def _descends(superlative: Item, of: Item) -> bool:
    """Whether the superlative asks for large values: the fastest speed is a large one, the fastest time a small one."""
    is_of_pace = superlative.text.lower().removesuffix("的") in ("fastest", "slowest", "最快", "最慢")
    takes_time = any(_TAKES_TIME.search(text) for text in (of.text, *(link.column for link in of.links)))
    return bool(superlative.payload) != (is_of_pace and takes_time)


def extreme(run: Sequence[Item]) -> Sequence[Item]:
    """`What is the highest rating`: the value itself is asked for."""
    superlative, of = first_of(run, Kind.MOST, Kind.LATEST), first_of(run, Kind.COLUMN)
    made = MeasurePart(Aggregate.MAXIMUM if _descends(superlative, of) else Aggregate.MINIMUM, of)
    return [*only(run, Kind.ASK, Kind.SHOW), made_of(Kind.MEASURE, [superlative, of], made)]


def extreme_alone(run: Sequence[Item]) -> Sequence[Item] | None:
    """`Highest score in ranked matches`: the value itself, of a column in the singular."""
    column = run[1]
    is_single = column.text.isascii() and key(column.text.split()[-1]) == column.text.split()[-1].lower()
    return extreme(run) if is_single and column.payload is None and run[0].payload not in FREQUENCIES else None


def extreme_behind(run: Sequence[Item]) -> Sequence[Item] | None:
    """最高的运费是多少: the value itself is asked for."""
    return extreme(run) if run[-1].text in ("是多少", "为多少", "各是多少") else None


def superlative(run: Sequence[Item]) -> Item | Sequence[Item]:
    """`the highest rating`, `the most orders`: what the rows are ordered by."""
    word = first_of(run, Kind.MOST)
    of = next(item for item in run if item.kind in (Kind.COLUMN, Kind.TABLE, Kind.MEASURE, Kind.METRIC))
    adjective = ""
    if of.kind == Kind.TABLE and _COUNTING.search(word.text):
        by: Item | MeasurePart = MeasurePart(Aggregate.COUNT, of)
    elif of.kind == Kind.TABLE:
        by, adjective = of, word.text.lower()
    elif isinstance(of.payload, MeasurePart):
        by = of.payload
    else:
        by = of
    limit = next((int(str(item.payload)) for item in only(run, Kind.NUMBER)), 0)
    made = made_of(Kind.LIMIT, run, TopPart(limit, by, _descends(word, of), word=adjective))
    conditions = only(run, Kind.CONDITION)
    return [of, *conditions, made] if adjective else [*conditions, made]


def latest(run: Sequence[Item]) -> Sequence[Item]:
    """`the 3 latest orders`."""
    word, table = first_of(run, Kind.LATEST), first_of(run, Kind.TABLE)
    limit = next((int(str(item.payload)) for item in only(run, Kind.NUMBER)), 1)
    return [table, made_of(Kind.LIMIT, [word], TopPart(limit, table, bool(word.payload), is_latest=True))]


def superlative_of_several(run: Sequence[Item]) -> Sequence[Item] | None:
    """`Heaviest 10 containers`."""
    word, number, table = run
    if _COUNTING.search(word.text) or word.payload in FREQUENCIES:
        return None
    part = TopPart(int(str(number.payload)), table, bool(word.payload), word=word.text.lower())
    return [table, made_of(Kind.LIMIT, [word, number], part)]


def top_part(run: Sequence[Item]) -> Item:
    """`top 5`: what ranks is elsewhere."""
    return made_of(
        Kind.LIMIT, run, TopPart(int(str(first_of(run, Kind.NUMBER).payload)), None, bool(first_of(run, Kind.TOP, Kind.MOST).payload))
    )


def grouped(run: Sequence[Item]) -> Item | None:
    """`per channel`, `by region and month`."""
    if run[0].payload == AGENT:
        return None  # `transactions by users who joined in May`
    of = tuple(_group_item(item) for item in run if item.kind in (Kind.TABLE, Kind.COLUMN, Kind.UNIT, Kind.FLAG))
    return made_of(
        Kind.GROUP, run, GroupPart(of, is_spoken_of_each=bool(only(run, Kind.EACH, Kind.UNIT)), is_per=run[0].text.lower() == "per")
    )


def _group_item(item: Item) -> Item:
    """`in each state`: the rows of a table, or the column of another table that names them."""
    if item.kind != Kind.TABLE:
        return item
    columns = tuple(link for link in members(item) if isinstance(link, Link) and link.column and link.quality >= _NAMES_A_ROW)
    return replace(item, links=(*item.links, *columns))


def ordered(run: Sequence[Item]) -> Sequence[Item] | None:
    """`ordered by price, descending`."""
    by = [item for item in run if item.kind in (Kind.MEASURE, Kind.COLUMN, Kind.TABLE, Kind.UNIT, Kind.METRIC)]
    directions = [bool(item.payload) for item in only(run, Kind.DIRECTION, Kind.MOST)]
    direction = directions[0] if directions else None
    if not by:
        return [made_of(Kind.ORDERING, run, OrderPart(None, True if direction is None else direction))]
    return [made_of(Kind.ORDERING, run, OrderPart(_target(item), bool(direction))) for item in by]


def from_best(run: Sequence[Item]) -> Item:
    """`starting from the best ratings to the lowest`."""
    return made_of(Kind.ORDERING, run, OrderPart(first_of(run, Kind.COLUMN), bool(first_of(run, Kind.MOST).payload)))


def _target(item: Item) -> Item | MeasurePart:
    return item.payload if isinstance(item.payload, MeasurePart) else item


def topped(run: Sequence[Item]) -> Sequence[Item] | None:
    """`top 3 customers by revenue`: what stands behind `by` orders them."""
    top, by = run[0], run[-1]
    if not isinstance(top.payload, TopPart) or top.payload.by is not None:
        return None
    return [replace(top, payload=replace(top.payload, by=_target(by))), *run[1:-2]]


def topped_by_number(run: Sequence[Item]) -> Sequence[Item] | None:
    """`top 10 episodes by plays`: by the number of their rows. `by sales` may be of their amounts."""
    table = run[-1]
    if len({item.text for item in only(run, Kind.TABLE)}) < 2 or key(table.text.lower().split()[-1]) in _AMOUNTS_TOO:
        return None
    return topped([*run[:-1], made_of(Kind.MEASURE, [table], MeasurePart(Aggregate.COUNT, table))])


_AMOUNTS_TOO = frozenset({"sale", "payment", "refund", "fee", "spending", "budget", "cost", "donation", "usage", "consumption"})
"""Names of tables that are words for their amounts as well."""


def topped_by_superlative(run: Sequence[Item]) -> Sequence[Item] | None:
    """`top 3 restaurants with the highest ratings`."""
    first, last = run[0].payload, run[-1].payload
    if not isinstance(first, TopPart) or not isinstance(last, TopPart) or first.by is not None or last.by is None or last.limit:
        return None
    return [replace(run[0], payload=replace(last, limit=first.limit)), *run[1:-1]]


def numbered(run: Sequence[Item]) -> Sequence[Item] | None:
    """`the 3 restaurants with the highest ratings`."""
    last = run[-1].payload
    if not isinstance(last, TopPart) or last.limit:
        return None
    return [*run[1:-1], replace(run[-1], payload=replace(last, limit=int(str(run[0].payload))))]


def period_near(run: Sequence[Item]) -> Sequence[Item] | None:
    """`customers that ordered in 2026`."""
    table, time = run
    if isinstance(time.payload, PeriodPart):
        return None
    found = time.payload if isinstance(time.payload, TimeRange) else None
    return [table, made_of(Kind.TIME, [time], PeriodPart(found, near=table))]


def without_some(run: Sequence[Item]) -> Item | None:
    """`without failed orders` denies the orders and not their state; it is not understood."""
    word = run[0].text.lower()
    return made_of(Kind.UNKNOWN, run, None) if _EXISTENCE.search(word) else None


def period(run: Sequence[Item]) -> Item | None:
    """An expression of time beside the column that it is about."""
    time = first_of(run, Kind.TIME)
    columns = only(run, Kind.COLUMN, Kind.WHEN)
    if isinstance(time.payload, PeriodPart) or any(not _says_when(column) for column in columns):
        return None
    found = time.payload if isinstance(time.payload, TimeRange) else None
    return made_of(Kind.TIME, run, PeriodPart(found, columns[0] if columns else None))


def _says_when(column: Item) -> bool:
    """Whether all that the words may name are times or years: `built before 2005`."""
    is_year = column.payload is None and all(split_name(link.column)[-1].lower() in ("year", "yr") for link in column.links)
    return column.kind != Kind.COLUMN or column.payload == TIMES or is_year


def drop_part(run: Sequence[Item]) -> Sequence[Item]:
    """Words that change nothing here."""
    return ()


def absent(run: Sequence[Item]) -> Item:
    """`without orders`."""
    return made_of(Kind.ABSENCE, run, AbsencePart(first_of(run, Kind.TABLE)))


def done_by(run: Sequence[Item]) -> Sequence[Item] | None:
    """`plays by German listeners`: `by` says who, where the value is one of theirs."""
    _, value, table = run
    names = {link.table for link in table.links}
    return run[1:] if any(link.table in names for link in value.links) else None


def absent_in(run: Sequence[Item]) -> Item | None:
    """`had no port call in 2026`, 2026年没有下单: no row of that time. In 2025年以来没有职位的客户 it may be the time of the client."""
    time, table = first_of(run, Kind.TIME), first_of(run, Kind.TABLE)
    if not isinstance(time.payload, TimeRange) or (run[0] is time and not DONE_ZH.fullmatch(table.text)):
        return None
    return made_of(Kind.ABSENCE, run, AbsencePart(table, range=time.payload))


def by_weekday(run: Sequence[Item]) -> Item | None:
    """`per weekday`: by the day of the week, all seven of them."""
    by, day = run
    return None if day.payload else grouped([by, replace(day, kind=Kind.UNIT, payload=DatePart.WEEKDAY)])


def unit_group(run: Sequence[Item]) -> Item | None:
    """每月, 各季度, 按天, `monthly`."""
    return grouped(run) if run[0].text[0] in "每各按" or run[0].text.lower() in _EACH_UNIT else None


def total_of_each_unit(run: Sequence[Item]) -> Sequence[Item]:
    """`total monthly revenue`: the total revenue, monthly."""
    made = grouped([run[1]])
    return [run[0]] if made is None else [made, run[0]]


def period_behind(run: Sequence[Item]) -> Sequence[Item] | None:
    """`shipped to Wuhan this year`: the time is of the verb, with conditions in between."""
    made = period([run[0], run[-1]])
    return None if made is None else [made, *run[1:-1]]


def summed_behind(run: Sequence[Item]) -> Item | None:
    """销售总额."""
    table, word = run
    return (
        made_of(Kind.MEASURE, run, MeasurePart(Aggregate.SUM, table))
        if word.text in ("总额", "总金额", "多少钱", "多少金额", "多少元")
        else None
    )


def most_behind(run: Sequence[Item]) -> Sequence[Item] | None:
    """评分最高的三家餐厅, 评分最高的前三家餐厅: what is ordered by, the superlative, how many of what."""
    word = first_of(run, Kind.MOST)
    of = run[0]
    limit = next((int(str(item.payload)) for item in only(run, Kind.NUMBER)), 0)
    if of.kind == Kind.TABLE:
        if not _COUNTING.search(word.text):
            return None  # 保费最高: not the most payments of premiums
        by: Item | MeasurePart = MeasurePart(Aggregate.COUNT, of)
    else:
        by = of.payload if isinstance(of.payload, MeasurePart) else of
    made = made_of(Kind.LIMIT, run[: run.index(word) + 1], TopPart(limit, by, _descends(word, of)))
    return [made, *(item for item in run[run.index(word) + 1 :] if item.kind not in (Kind.NUMBER, Kind.TOP))]
