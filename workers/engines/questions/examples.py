"""Questions that were confirmed before: the same question again, or the same with another time, value or number."""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.queries import Condition, QueryPlan
from contracts.times import TimeRange
from workers.engines.questions.items import Item, Kind
from workers.engines.questions.words import key
from workers.engines.sql.build_values import split

_VARIABLE = (Kind.TIME, Kind.VALUE, Kind.NUMBER)


@dataclass(frozen=True, slots=True)
class KnownQuestion:
    """A confirmed question as items, and its plan."""

    items: tuple[Item, ...]
    plan: QueryPlan


def plan_by_example(items: Sequence[Item], known: Sequence[KnownQuestion]) -> QueryPlan | None:
    """The plan of a confirmed question of the same words, with this question's times, values and numbers in their places; None: there is
    no such question, or a place cannot be distinguished from another."""
    for example in known:
        if len(items) == len(example.items) and all(_same(item, other) for item, other in zip(items, example.items, strict=True)):
            plan = _with_own(example, items)
            if plan is not None:
                return plan
    return None


def _same(item: Item, other: Item) -> bool:
    if item.kind != other.kind:
        return False
    if item.kind in _VARIABLE:
        return True
    words = [key(word) for word in item.text.split()]
    return words == [key(word) for word in other.text.split()]


def _with_own(example: KnownQuestion, items: Sequence[Item]) -> QueryPlan | None:
    plan: QueryPlan | None = example.plan
    for mine, its in zip(items, example.items, strict=True):
        if plan is None:
            return None
        if mine.kind not in _VARIABLE or mine.text.lower() == its.text.lower():
            continue
        if mine.kind == Kind.TIME:
            plan = _with_time(plan, mine)
        elif mine.kind == Kind.NUMBER:
            plan = _with_number(plan, str(its.payload), str(mine.payload))
        else:
            plan = _with_value(plan, its, mine)
    return plan


def _with_time(plan: QueryPlan, item: Item) -> QueryPlan | None:
    if len(plan.periods) != 1 or not isinstance(item.payload, TimeRange):
        return None
    period = plan.periods[0].model_copy(update={"start": item.payload.start, "end": item.payload.end})
    return plan.model_copy(update={"periods": (period,)})


def _with_number(plan: QueryPlan, old: str, new: str) -> QueryPlan | None:
    holders = [index for index, item in enumerate(plan.filters) if item.values == (old,)]
    if plan.limit is not None and str(plan.limit) == old:
        return plan.model_copy(update={"limit": int(float(new))}) if not holders and new.isdigit() and int(new) else None
    return _replaced(plan, holders, new)


def _with_value(plan: QueryPlan, old: Item, new: Item) -> QueryPlan | None:
    known = {link.value for link in old.links} | {str(old.payload)}
    holders = [index for index, item in enumerate(plan.filters) if len(item.values) == 1 and item.values[0] in known]
    if len(holders) != 1:
        return None
    alias, column = split(plan.filters[holders[0]].column)
    table = next(source.table for source in plan.sources if source.alias == alias)
    links = [link for link in new.links if (link.table, link.column) == (table, column)]
    return _replaced(plan, holders, links[0].value) if links else None


def _replaced(plan: QueryPlan, holders: Sequence[int], value: str) -> QueryPlan | None:
    if len(holders) != 1:
        return None
    filters: list[Condition] = list(plan.filters)
    filters[holders[0]] = filters[holders[0]].model_copy(update={"values": (value,)})
    return plan.model_copy(update={"filters": tuple(filters)})
