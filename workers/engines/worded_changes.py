"""Changes of a plan that come in words: what a message below an answer says alone (conditions, groups, a time, a number of rows), as the
options that say it. Used where the question above is not read again, because options have changed its answer."""

from collections.abc import Iterator

from contracts.queries import Condition, Operator, QueryPlan, TimeUnit
from contracts.times import TimeRange
from workers.engines.plan_changes import SIGNS, Changes
from workers.engines.questions.asked import Asked, Filter, NotAsked
from workers.engines.questions.grammar import Edge, Link

_SIGNS = {
    **{operator: sign for sign, operator in SIGNS.items()},
    **{Operator.IN: "=", Operator.NOT_IN: "!=", Operator.IS_TRUE: "=", Operator.IS_FALSE: "="},
}
_SOME = (Operator.EQUAL, Operator.IN)


def changes_of(asked: Asked, plan: QueryPlan) -> Changes:
    """The options that say what a message says. Raises `NotAsked` where none do, or where a word may be several columns."""
    others = (asked.figures, asked.columns, asked.things, asked.counts, asked.absent, asked.ranked, asked.subject)
    if any(others) or asked.latest is not None or len(asked.times) > 1:
        raise NotAsked
    here = {source.table: source.alias for source in plan.sources}
    by = (*(unit.value for unit in asked.units), *(_written(_link(edge, here)) for edge in asked.dimensions))
    if by and asked.is_added:
        by = (*_groups(plan, here), *by)
    where = tuple(_where(item, here, plan.filters if asked.is_joined else ()) for item in asked.filters)
    return Changes(by=tuple(dict.fromkeys(by)), where=where, top=asked.limit, during=_during(asked))


def _link(edge: Edge, here: dict[str, str]) -> Link:
    """The only column that a word may be, of the tables of the plan where it may be one of theirs."""
    places = list(dict.fromkeys(Link(link.table, link.column) for link in edge.links))
    found = [place for place in places if place.table in here] or places
    if len(found) != 1 or not found[0].column:
        raise NotAsked
    return found[0]


def _written(link: Link) -> str:
    return f"{link.table}.{link.column}"


def _groups(plan: QueryPlan, here: dict[str, str]) -> Iterator[str]:
    tables = {alias: table for table, alias in here.items()}
    for group in plan.group_by:
        alias, _, column = group.column.rpartition(".")
        cut = group.unit or group.part
        if cut is not None:
            yield TimeUnit.WEEK.value if cut.value.startswith(TimeUnit.WEEK.value + "_") else cut.value
        else:
            yield f"{tables[alias]}.{column}"


def _where(item: Filter, here: dict[str, str], before: tuple[Condition, ...]) -> str:
    if item.operator not in _SIGNS or any(quantity.unit is not None for quantity in item.quantities):
        raise NotAsked
    link = _link(item.column or item.values[0], here)
    if item.operator in (Operator.IS_TRUE, Operator.IS_FALSE):
        return f"{_written(link)}={'yes' if item.operator is Operator.IS_TRUE else 'no'}"
    values = [quantity.number for quantity in item.quantities] or [_value(edge, link) for edge in item.values]
    column = f"{here.get(link.table, '')}.{link.column}"
    if item.operator in _SOME:
        values = [value for each in before if each.column == column and each.operator in _SOME for value in each.values] + values
    if any("," in value or value != value.strip() or value == "*" for value in values):
        raise NotAsked
    return f"{_written(link)}{_SIGNS[item.operator]}{','.join(dict.fromkeys(values))}"


def _value(edge: Edge, link: Link) -> str:
    found = next((other.value for other in edge.links if (other.table, other.column) == (link.table, link.column)), None)
    if found is None:
        raise NotAsked
    return found


def _during(asked: Asked) -> TimeRange | None:
    for column, words in asked.times:
        if column is not None or not isinstance(words.meant, TimeRange):
            raise NotAsked
        return words.meant
    return None
