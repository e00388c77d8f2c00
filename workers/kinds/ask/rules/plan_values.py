"""A follow-up that names values and nothing else, as a change of the plan before it: `and camping`, `only the web`, 还有应用.

Grouping, measure, order and number of rows stay. It is tried where no text says the same: after a change of the plan that the words of the
question do not have.
"""

import re
from collections.abc import Sequence

from contracts.queries import Condition, Operator, QueryPlan
from workers.engines.questions.items import Item, Kind

_ADDS = re.compile(r"^\W*(?:and|also|plus|add|as well as)\b|\btoo\b|\bas well\b|^\W*(?:还有|加上|再加|以及|和|也)", re.IGNORECASE)
_LEAVES_OUT = re.compile(r"\b(?:not|without|except|excluding|no)\b|不|除|没", re.IGNORECASE)
_SAID = (Kind.VALUE, Kind.AND, Kind.OR, Kind.STOP)


def with_values(plan: QueryPlan, items: Sequence[Item], words: str) -> QueryPlan | None:
    """The plan whose rows have one of the values; None where the words say more, or the plan does not read their column."""
    values = [item for item in items if item.kind is Kind.VALUE]
    if not values or any(item.kind not in _SAID for item in items) or _LEAVES_OUT.search(words):
        return None
    aliases = {source.table: source.alias for source in plan.sources}
    columns: dict[str, list[str]] = {}
    for item in values:
        places = {f"{aliases[link.table]}.{link.column}": link.value for link in item.links if link.table in aliases and link.column}
        if len(places) != 1:
            return None
        column, value = places.popitem()
        columns.setdefault(column, []).append(value)
    if len(columns) != 1:
        return None
    column, wanted = columns.popitem()
    before = [item for item in plan.filters if item.column == column]
    if any(item.operator not in (Operator.EQUAL, Operator.IN) or item.alternative for item in before) or len(before) > 1:
        return None
    if any(condition.column == column for item in plan.selected for condition in item.value.where):
        return None
    kept = [value for item in before for value in item.values] if _ADDS.search(words) and before else []
    together = tuple(dict.fromkeys([*kept, *wanted]))
    operator = Operator.IN if len(together) > 1 else Operator.EQUAL
    others = tuple(item for item in plan.filters if item.column != column)
    return plan.model_copy(update={"filters": (*others, Condition(column=column, operator=operator, values=together))})
