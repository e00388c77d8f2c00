"""Several values of one column: `web and app`, `shoes, camping or clothing`, `neither web nor app`, 鞋类和露营类.

A row has one value of a column, so `orders from web and app` are those from either. A thing that has many such rows may have all of them:
`customers who bought shoes and camping` is shown to the user before it is answered.
"""

from collections.abc import Sequence
from dataclasses import replace

from contracts.queries import Operator
from workers.engines.questions.items import Item, Kind, Link
from workers.engines.questions.parts import ConditionPart
from workers.engines.questions.runs import condition_of, first_of, made_of, only

_JOINERS = (Kind.AND, Kind.OR)

_OF_EITHER = frozenset({",", "，", "of", "only", "just", "many"})
"""Words before a list that leave no doubt: `orders of shoes and camping` are of either."""


def value_list(run: Sequence[Item]) -> Item | None:
    """Values of one column, without its name. Denied values of several columns mean no single thing: they have no place."""
    values = only(run, Kind.VALUE)
    is_denied = bool(only(run, Kind.NOT))
    common = shared_places(values)
    if not common:
        return made_of(Kind.UNKNOWN, run, None) if is_denied else None
    own = tuple(replace(value, links=_within(value, common)) for value in values)
    return condition_of(run, _condition(run, None, own))


def column_list(run: Sequence[Item]) -> Item | None:
    """Values beside their column: `channel web and app`, `status is neither open nor failed`."""
    column, values = first_of(run, Kind.COLUMN, Kind.FLAG), only(run, Kind.VALUE)
    places = {(link.table, link.column) for link in column.links}
    if any(value.links and not places & _places(value) for value in values):
        return None
    return condition_of(run, _condition(run, column, tuple(values)))


def _condition(run: Sequence[Item], column: Item | None, values: tuple[Item, ...]) -> ConditionPart:
    operator = Operator.NOT_IN if only(run, Kind.NOT) else Operator.IN
    is_any = bool(only(run, Kind.OR)) or operator is Operator.NOT_IN or values[0].before in _OF_EITHER or not values[0].begin
    return ConditionPart(operator, column, values, may_mean_all=not is_any or run[0].kind is Kind.BOTH)


def repeated_noun(run: Sequence[Item]) -> Sequence[Item] | None:
    """`cargo bikes and electric bikes`: the noun is said once for both."""
    values, tables, joiners = only(run, Kind.VALUE), only(run, Kind.TABLE, Kind.COLUMN), only(run, *_JOINERS)
    if not shared_places(values) or len({(table.kind, table.links) for table in tables}) > 1:
        return None
    listed = [values[0], *(item for pair in zip(joiners, values[1:], strict=True) for item in pair)]
    return [*listed, tables[0]] if run[0].kind is Kind.VALUE else [tables[0], *listed]


def as_its_neighbour(items: Sequence[Item], values_of: dict[int, tuple[Link, ...]]) -> list[Item]:
    """`city and electric bikes`, where `city` is also a column: beside a value of the same column it is a value. `values_of`: the values
    that the words of an item are as well, by its place in the text."""
    made = list(items)
    for _ in range(2):  # from left to right, then once more for a list that begins with such a word
        for place, item in enumerate(made):
            own = values_of.get(item.begin, ()) if item.kind in (Kind.COLUMN, Kind.TABLE, Kind.WHEN) else ()
            beside = [made[other] for step in (-1, 1) for other in (place + 2 * step,) if _is_joined(made, place + step, other)]
            common = tuple(link for link in own if any((link.table, link.column) in _places(value) for value in beside))
            if common:
                made[place] = replace(item, kind=Kind.VALUE, links=common, payload=item.text)
    return made


def _is_joined(items: Sequence[Item], joiner: int, other: int) -> bool:
    return 0 <= other < len(items) and items[joiner].kind in _JOINERS and items[other].kind is Kind.VALUE


def shared_places(values: Sequence[Item]) -> set[tuple[str, str]]:
    """Tables and columns that have all of these values."""
    places = [_places(value) for value in values]
    return set[tuple[str, str]].intersection(*places) if places else set()


def _within(value: Item, places: set[tuple[str, str]]) -> tuple[Link, ...]:
    return tuple(link for link in value.links if (link.table, link.column) in places)


def _places(value: Item) -> set[tuple[str, str]]:
    return {(link.table, link.column) for link in value.links}
