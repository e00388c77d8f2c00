"""Parts of a question that a plan does not use: where there are any, the user is asked, and nothing is answered beside the question.

What is compared is what the reader itself took for numbers, orders, shares and units; no word is read here that it did not.
"""

import re
from collections.abc import Iterator, Sequence

from contracts.queries import Measure, QueryPlan, Relation, Selected
from contracts.tables import TableDetail
from workers.engines.questions.items import Item, Kind
from workers.engines.questions.units import Unit, unit_of, unit_of_word

_QUANTITIES = frozenset({"weight", "volume", "energy", "length", "money"})
"""Dimensions in which a figure is meant. Those of time are what days and hours are counted in as well."""
_HOW_MANY = re.compile(r"(?:多少|几)(?P<zh>[\u3400-\u9fff]{1,3})|\b(?:how many|in|as) (?P<unit>[A-Za-z³]{2,20})\b", re.IGNORECASE)


def unused_parts(
    plan: QueryPlan, items: Sequence[Item], text: str, tables: Sequence[TableDetail], *, is_ordered: bool = False
) -> list[str]:
    """The words of what is not used. `is_ordered`: the rows are ordered after they were read."""
    found = [item.text for item in items if item.kind is Kind.NUMBER and not _has_number(plan, item)]
    if not plan.order_by and plan.limit is None and not is_ordered:
        found += [item.text for item in items if item.kind in (Kind.TOP, Kind.DIRECTION, Kind.ORDER)]
    found += [word for word, unit in _units(text) if unit not in set(_units_shown(plan, tables))]
    if any(_is_constant(item) for item in plan.selected):
        found += [item.text for item in items if item.kind is Kind.RATIO] or [text]
    return list(dict.fromkeys(found))


def _has_number(plan: QueryPlan, item: Item) -> bool:
    """Whether a number appears somewhere in the plan: its limit, a condition, a period or a bound of groups."""
    wanted = str(item.payload)
    return any(wanted in re.split(r"[^\d.]+", text) or _same(wanted, text) for text in _texts(plan))


def _same(wanted: str, text: str) -> bool:
    try:
        return float(wanted) == float(text)
    except ValueError:
        return False


def _texts(plan: QueryPlan) -> Iterator[str]:
    conditions = [*plan.filters, *(item for related in plan.related for item in related.conditions)]
    conditions += [item for measure in _measures(plan) for item in measure.where]
    for condition in conditions:
        yield from condition.values
    for bound in plan.having:
        yield from bound.values
    for period in plan.periods:
        yield from (str(moment) for moment in (period.start, period.end) if moment is not None)
    if plan.limit is not None:
        yield str(plan.limit)


def _measures(plan: QueryPlan) -> Iterator[Measure]:
    for item in plan.selected:
        yield item.value
        if item.other is not None:
            yield item.other
    yield from (bound.value for bound in plan.having)
    yield from (order.value for order in plan.order_by if order.value is not None)


def _units(text: str) -> Iterator[tuple[str, Unit]]:
    """The units of quantities in which the question wants its figures."""
    for match in _HOW_MANY.finditer(text):
        word = match["unit"] or match["zh"]
        for size in range(len(word), 0, -1 if match["zh"] else -len(word)):
            unit = unit_of_word(word[:size])
            if unit is not None and unit[0] in _QUANTITIES:
                yield word[:size], unit
                break


def _units_shown(plan: QueryPlan, tables: Sequence[TableDetail]) -> Iterator[Unit]:
    """The units that the columns of the result are known to have."""
    by_alias = {source.alias: source.table for source in plan.sources}
    columns = {(table.full_name, column.name): column for table in tables for column in table.columns}
    for measure in _measures(plan):
        for spelled in (measure.column, measure.operand):
            alias, _, name = spelled.rpartition(".")
            column = columns.get((by_alias.get(alias, ""), name))
            if column is not None and (unit := unit_of(column)) is not None:
                yield unit


def _is_constant(item: Selected) -> bool:
    """A ratio of a value to itself is 1 for any data."""
    return item.relation in (Relation.RATIO, Relation.CHANGE, Relation.DIFFERENCE) and item.value == item.other
