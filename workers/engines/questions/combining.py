"""What parts of a question amount to together: each function replaces the parts that a pattern of the grammar has matched."""

import re
from collections.abc import Sequence
from dataclasses import replace

from contracts.queries import Aggregate, Operator, Relation
from contracts.times import TimeRange
from workers.engines.questions.items import TIMES, Item, Kind, Link
from workers.engines.questions.parts import (
    AbsencePart,
    ConditionPart,
    GroupCountPart,
    GroupPart,
    MeasurePart,
    OrderPart,
    PeriodPart,
    TopPart,
)

_COUNTING = re.compile(r"^(?:most|least|fewest)$|number of|最多|最少", re.IGNORECASE)
"""Superlatives that count rows; `longest` and its like are about a column of the table."""

_NAMES_A_ROW = 0.8
"""Quality of a link to a column that names the rows of another table: `state_name` for states."""

_NEXT_TO = 3
"""Characters between two words that stand next to each other, a quotation mark included."""

_OPPOSITE = {
    Operator.EQUAL: Operator.NOT_EQUAL, Operator.IN: Operator.NOT_IN, Operator.GREATER: Operator.LESS_EQUAL, Operator.LESS: Operator.GREATER_EQUAL,
    Operator.GREATER_EQUAL: Operator.LESS, Operator.LESS_EQUAL: Operator.GREATER, Operator.IS_TRUE: Operator.IS_FALSE,
    Operator.CONTAINS: Operator.NOT_CONTAINS, Operator.NOT_NULL: Operator.IS_NULL, Operator.IS_NULL: Operator.NOT_NULL,
}  # fmt: skip


def _made(kind: Kind, run: Sequence[Item], payload: object) -> Item:
    text = " ".join(item.text for item in run)
    return Item(kind, min(item.begin for item in run), max(item.stop for item in run), text, payload=payload)


def _only(run: Sequence[Item], *kinds: Kind) -> list[Item]:
    return [item for item in run if item.kind in kinds]


def _first(run: Sequence[Item], *kinds: Kind) -> Item:
    return _only(run, *kinds)[0]


def _condition(run: Sequence[Item], *parts: ConditionPart) -> Item:
    return _made(Kind.CONDITION, run, parts)


def _share(column: Item, value: Item) -> bool:
    """Whether the value is one of the column's; a text that is nowhere in the data may be any text column's."""
    if not value.links:
        return True
    places = {(link.table, link.column) for link in column.links}
    return any((link.table, link.column) in places for link in value.links)


def between(run: Sequence[Item]) -> Item:
    column = _first(run, Kind.COLUMN)
    low, high = _only(run, Kind.NUMBER)
    return _condition(run, ConditionPart(Operator.GREATER_EQUAL, column, (low,)), ConditionPart(Operator.LESS_EQUAL, column, (high,)))


def compared(run: Sequence[Item]) -> Item | None:
    operator = _first(run, Kind.COMPARE).payload
    if not isinstance(operator, Operator):
        return None
    made = ConditionPart(operator, _first(run, Kind.COLUMN), (_number(_first(run, Kind.NUMBER, Kind.ONE)),))
    return _condition(run, _negated(made) if _only(run, Kind.NOT) else made)


def _number(item: Item) -> Item:
    return replace(item, kind=Kind.NUMBER, payload="1") if item.kind == Kind.ONE else item


def _negated(part: ConditionPart) -> ConditionPart:
    return replace(part, operator=_OPPOSITE.get(part.operator, part.operator))


def above_average(run: Sequence[Item]) -> Item | None:
    operator = _first(run, Kind.ABOVE_AVERAGE).payload
    if not isinstance(operator, Operator):
        return None
    return _condition(run, ConditionPart(operator, _first(run, Kind.COLUMN), aggregate=Aggregate.AVERAGE))


def flag(run: Sequence[Item]) -> Item:
    operator = Operator.IS_FALSE if _only(run, Kind.NOT) else Operator.IS_TRUE
    return _condition(run, ConditionPart(operator, _first(run, Kind.FLAG)))


def valued(run: Sequence[Item]) -> Item | None:
    """A column beside a value of it; also several values that are joined by `and` or `or`."""
    column, values = _first(run, Kind.COLUMN, Kind.FLAG), _only(run, Kind.VALUE)
    if not all(_share(column, value) for value in values) or (len(values) > 1 and not _only(run, Kind.OR)):
        return None
    operator = Operator.IN if len(values) > 1 else Operator.EQUAL
    if _only(run, Kind.CONTAINS) and len(values) == 1:
        operator = Operator.CONTAINS
    made = ConditionPart(operator, column, tuple(values))
    return _condition(run, _negated(made) if _only(run, Kind.NOT) else made)


def value_part(run: Sequence[Item]) -> Item | None:
    values = _only(run, Kind.VALUE)
    if not all(value.links for value in values):
        return None
    places = [{(link.table, link.column) for link in value.links} for value in values]
    if not set[tuple[str, str]].intersection(*places) or (len(values) > 1 and not _only(run, Kind.OR)):
        return None
    made = ConditionPart(Operator.IN if len(values) > 1 else Operator.EQUAL, None, tuple(values))
    return _condition(run, _negated(made) if _only(run, Kind.NOT) else made)


def named(run: Sequence[Item]) -> Item | Sequence[Item] | None:
    """`restaurants named "The Pasta House"`: the table stays, as what is spoken of."""
    value = _first(run, Kind.VALUE)
    if value.links:
        return [*_only(run, Kind.TABLE), _condition([_first(run, Kind.NAMED), value], ConditionPart(Operator.EQUAL, None, (value,)))]
    tables = _only(run, Kind.TABLE)
    if not tables:
        return None
    part = ConditionPart(Operator.EQUAL, tables[0], (value,))
    return [tables[0], _condition([_first(run, Kind.NAMED), value], part)]


def of_table(run: Sequence[Item]) -> Sequence[Item] | None:
    """`the program Mathematics`, `Italian restaurants`: a value of that table, where the two are next to each other."""
    table, value = _first(run, Kind.TABLE), _first(run, Kind.VALUE)
    names = {link.table for link in table.links}
    own = tuple(link for link in value.links if link.table in names)
    if not own or len(own) == len(value.links) or run[1].begin - run[0].stop > _NEXT_TO:
        return None
    condition = _condition([value], ConditionPart(Operator.EQUAL, None, (replace(value, links=own),)))
    return [condition if item is value else item for item in run]


def empty(run: Sequence[Item]) -> Item:
    operator = Operator.NOT_NULL if _only(run, Kind.NOT) else Operator.IS_NULL
    return _condition(run, ConditionPart(operator, _first(run, Kind.COLUMN)))


def weekend(run: Sequence[Item]) -> Item:
    return _condition(run, ConditionPart(Operator.IN, is_weekend=bool(run[0].payload)))


def alternatives(run: Sequence[Item]) -> Item | None:
    """Conditions that are joined by `or`."""
    parts = [item.payload for item in _only(run, Kind.CONDITION)]
    if not all(isinstance(part, tuple) and len(part) == 1 for part in parts):
        return None
    number = 1 + run[0].begin
    return _condition(run, *(replace(part[0], alternative=number) for part in parts if isinstance(part, tuple)))


def having(run: Sequence[Item]) -> Item | None:
    operator = _first(run, Kind.COMPARE).payload
    value = _number(_first(run, Kind.NUMBER, Kind.ONE)).payload
    if not isinstance(operator, Operator) or not isinstance(value, str):
        return None
    return _made(Kind.HAVING, run, GroupCountPart(_first(run, Kind.TABLE), operator, value))


def count(run: Sequence[Item]) -> Sequence[Item]:
    of = _first(run, Kind.TABLE, Kind.COLUMN)
    word = _first(run, Kind.COUNT)
    distinct = bool(_only(run, Kind.DISTINCT)) or of.kind == Kind.COLUMN
    aggregate = Aggregate.COUNT_DISTINCT if distinct and of.kind == Kind.COLUMN else Aggregate.COUNT
    label = "total" if word.text.lower().startswith("total") else ""
    made = _made(Kind.MEASURE, [word, of], MeasurePart(aggregate, of, is_distinct=bool(_only(run, Kind.DISTINCT)), label=label))
    return [made, *_only(run, Kind.CONDITION)]


def total_count(run: Sequence[Item]) -> Item | None:
    """`total sales count`."""
    if _first(run, Kind.AGGREGATE).payload != Aggregate.SUM:
        return None
    return _made(Kind.MEASURE, run, MeasurePart(Aggregate.COUNT, _first(run, Kind.TABLE), label="total"))


def aggregate(run: Sequence[Item]) -> Item | None:
    aggregate = _first(run, Kind.AGGREGATE).payload
    if not isinstance(aggregate, Aggregate):
        return None
    of = _first(run, Kind.COLUMN, Kind.METRIC)
    if isinstance(of.payload, MeasurePart):
        return _made(Kind.MEASURE, run, of.payload) if aggregate == Aggregate.SUM else None
    return _made(Kind.MEASURE, run, MeasurePart(aggregate, of))


def summed(run: Sequence[Item]) -> Item | None:
    """`total sales`, `total amount of payments`, `total sales amount`: the sum of the only amount of money in that table."""
    word, table = run[0], run[1]
    behind = run[2].text.lower() if len(run) > 2 else "amount"
    if word.payload != Aggregate.SUM or behind not in ("amount", "value", "revenue"):
        return None
    return _made(Kind.MEASURE, run, MeasurePart(Aggregate.SUM, table))


def metric(run: Sequence[Item]) -> Item:
    return _made(Kind.MEASURE, run, run[-1].payload)


def extreme(run: Sequence[Item]) -> Sequence[Item]:
    """`What is the highest rating`: the value itself is asked for."""
    superlative, of = _first(run, Kind.MOST, Kind.LATEST), _first(run, Kind.COLUMN)
    made = MeasurePart(Aggregate.MAXIMUM if superlative.payload else Aggregate.MINIMUM, of)
    return [*_only(run, Kind.ASK, Kind.SHOW), _made(Kind.MEASURE, [superlative, of], made)]


def superlative(run: Sequence[Item]) -> Item | Sequence[Item]:
    """`the highest rating`, `the most orders`: what the rows are ordered by."""
    word = _first(run, Kind.MOST)
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
    limit = next((int(str(item.payload)) for item in _only(run, Kind.NUMBER)), 0)
    made = _made(Kind.LIMIT, run, TopPart(limit, by, bool(word.payload), word=adjective))
    return [of, made] if adjective else made


def latest(run: Sequence[Item]) -> Sequence[Item]:
    word, table = _first(run, Kind.LATEST), _first(run, Kind.TABLE)
    limit = next((int(str(item.payload)) for item in _only(run, Kind.NUMBER)), 1)
    return [table, _made(Kind.LIMIT, [word], TopPart(limit, table, bool(word.payload), is_latest=True))]


def top_part(run: Sequence[Item]) -> Item:
    return _made(Kind.LIMIT, run, TopPart(int(str(_first(run, Kind.NUMBER).payload)), None, bool(_first(run, Kind.TOP, Kind.MOST).payload)))


def grouped(run: Sequence[Item]) -> Item:
    of = tuple(_group_item(item) for item in run if item.kind in (Kind.TABLE, Kind.COLUMN, Kind.UNIT, Kind.FLAG))
    return _made(Kind.GROUP, run, GroupPart(of))


def _group_item(item: Item) -> Item:
    """`in each state`: the rows of a table, or the column of another table that names them."""
    if item.kind != Kind.TABLE or not isinstance(item.payload, tuple):
        return item
    columns = tuple(link for link in item.payload if isinstance(link, Link) and link.column and link.quality >= _NAMES_A_ROW)
    return replace(item, links=(*item.links, *columns))


def ordered(run: Sequence[Item]) -> Sequence[Item] | None:
    by = [item for item in run if item.kind in (Kind.MEASURE, Kind.COLUMN, Kind.TABLE, Kind.UNIT, Kind.METRIC)]
    directions = [bool(item.payload) for item in _only(run, Kind.DIRECTION, Kind.MOST)]
    direction = directions[0] if directions else None
    if not by:
        return [_made(Kind.ORDERING, run, OrderPart(None, True if direction is None else direction))]
    return [_made(Kind.ORDERING, run, OrderPart(_target(item), bool(direction))) for item in by]


def from_best(run: Sequence[Item]) -> Item:
    """`starting from the best ratings to the lowest`."""
    return _made(Kind.ORDERING, run, OrderPart(_first(run, Kind.COLUMN), bool(_first(run, Kind.MOST).payload)))


def _target(item: Item) -> Item | MeasurePart:
    return item.payload if isinstance(item.payload, MeasurePart) else item


def topped(run: Sequence[Item]) -> Sequence[Item] | None:
    """`top 3 customers by revenue`: what stands behind `by` orders them."""
    top, by = run[0], run[-1]
    if not isinstance(top.payload, TopPart) or top.payload.by is not None:
        return None
    return [replace(top, payload=replace(top.payload, by=_target(by))), *run[1:-2]]


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


def ratio(run: Sequence[Item]) -> Item | Sequence[Item] | None:
    """A ratio of two counts, aggregates or parts of a table."""
    word = run[0]
    split = next((index for index, item in enumerate(run) if item.kind == Kind.VERSUS), None)
    if split is None:
        return None
    first, second = _quantity(run[1:split]), _quantity(run[split + 1 :])
    if first is None or second is None:
        return None
    own, shared = _scopes(first.where, second.where, is_part="out of" in run[split].text.lower())
    if own is None:
        return None
    made = replace(first, over=replace(second, where=own), relation=Relation.RATIO, in_percent=bool(word.payload))
    measure = _made(Kind.MEASURE, run, made)
    return [measure, _condition(run, *shared)] if shared else measure


def _scopes(
    first: Sequence[ConditionPart], second: Sequence[ConditionPart], *, is_part: bool
) -> tuple[tuple[ConditionPart, ...] | None, tuple[ConditionPart, ...]]:
    """Conditions of the second quantity alone, and those behind it that hold for both: `vegan restaurants to others in Boston`."""
    if is_part:
        return (), tuple(second)
    places = {place for part in first for place in _places(part)}
    own = tuple(part for part in second if places & _places(part))
    shared = tuple(part for part in second if part not in own)
    if shared and not own and len(shared) == len(first):
        return shared, ()
    return (None, ()) if shared and not own else (own, shared)


def _places(part: ConditionPart) -> set[tuple[str, str]]:
    items = [part.column] if part.column is not None else part.values
    return {(link.table, link.column) for item in items for link in item.links}


def _quantity(run: Sequence[Item]) -> MeasurePart | None:
    """A measure and its conditions; or a table, whose rows are counted."""
    conditions = tuple(part for item in _only(run, Kind.CONDITION) if isinstance(item.payload, tuple) for part in item.payload)
    if any(part.alternative for part in conditions):
        return None
    measures, tables, columns = _only(run, Kind.MEASURE), _only(run, Kind.TABLE), _only(run, Kind.COLUMN)
    if len(measures) == 1 and not columns and isinstance(measures[0].payload, MeasurePart):
        return replace(measures[0].payload, where=conditions)
    if measures or columns:
        return None
    if len({item.text for item in tables}) == 1:
        return MeasurePart(Aggregate.COUNT, tables[0], where=conditions)
    return None


def part_of_all(run: Sequence[Item]) -> Item | None:
    """`percentage of orders that failed`: of all orders."""
    part = _quantity(run[1:])
    if part is None or not part.where:
        return None
    return _made(Kind.MEASURE, run, replace(part, over=replace(part, where=()), relation=Relation.RATIO, in_percent=bool(run[0].payload)))


def part_of_all_behind(run: Sequence[Item]) -> Item | None:
    """失败订单的占比."""
    return part_of_all([run[-1], *run[:-1]])


def ratio_of_columns(run: Sequence[Item]) -> Item | None:
    first, second = _only(run, Kind.COLUMN)
    return _made(Kind.MEASURE, run, MeasurePart(Aggregate.SUM, first, over=MeasurePart(Aggregate.SUM, second), relation=Relation.RATIO))


def period(run: Sequence[Item]) -> Item | None:
    """An expression of time beside the column that it is about."""
    time = _first(run, Kind.TIME)
    columns = _only(run, Kind.COLUMN, Kind.WHEN)
    if isinstance(time.payload, PeriodPart) or any(column.kind == Kind.COLUMN and column.payload != TIMES for column in columns):
        return None
    found = time.payload if isinstance(time.payload, TimeRange) else None
    return _made(Kind.TIME, run, PeriodPart(found, columns[0] if columns else None))


def drop_part(run: Sequence[Item]) -> Sequence[Item]:
    return ()


def absent(run: Sequence[Item]) -> Item:
    return _made(Kind.ABSENCE, run, AbsencePart(_first(run, Kind.TABLE)))


def unit_group(run: Sequence[Item]) -> Item | None:
    """每月, 各季度, 按天."""
    return grouped(run) if run[0].text[0] in "每各按" else None


def summed_behind(run: Sequence[Item]) -> Item | None:
    """销售总额."""
    table, word = run
    return _made(Kind.MEASURE, run, MeasurePart(Aggregate.SUM, table)) if word.text in ("总额", "总金额") else None


def ratio_behind(run: Sequence[Item]) -> Item | Sequence[Item] | None:
    """评分高于 4 的餐厅与低于 4 的餐厅之比."""
    place = next(index for index, item in enumerate(run) if item.kind in (Kind.AND, Kind.VERSUS))
    versus = replace(run[place], kind=Kind.VERSUS)
    first, second = _quantity(run[:place]), _quantity(run[place + 1 : -1])
    if first is None or second is None:
        return None
    shared = [part for part in first.where if not any(_places(part) & _places(other) for other in second.where)]
    if second.where and shared and len(shared) < len(first.where):
        # what stands in front of both holds for both
        made = _made(
            Kind.MEASURE,
            run,
            replace(first, where=tuple(part for part in first.where if part not in shared), over=second, relation=Relation.RATIO),
        )
        return [made, _condition(run, *shared)]
    return ratio([run[-1], *run[:place], versus, *run[place + 1 : -1]])


def most_behind(run: Sequence[Item]) -> Sequence[Item]:
    """评分最高的三家餐厅: what is ordered by, the superlative, how many of what."""
    word = _first(run, Kind.MOST)
    of = run[0]
    limit = next((int(str(item.payload)) for item in _only(run, Kind.NUMBER)), 0)
    if of.kind == Kind.TABLE:
        by: Item | MeasurePart = MeasurePart(Aggregate.COUNT, of)
    else:
        by = of.payload if isinstance(of.payload, MeasurePart) else of
    made = _made(Kind.LIMIT, run[: run.index(word) + 1], TopPart(limit, by, bool(word.payload)))
    return [made, *(item for item in run[run.index(word) + 1 :] if item.kind != Kind.NUMBER)]
