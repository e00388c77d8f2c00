"""A statement that ends at a limit, run a little further: whether rows that it does not show are as good as its last one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlglot import exp

from workers.engines.sql.trees import NotParsed, parse_statement

MOST_TIES = 20
"""Rows behind the limit that are looked at."""


@dataclass(frozen=True, slots=True)
class Further:
    """The statement with a higher limit."""

    sql: str
    limit: int
    ordered_by: tuple[int, ...]
    """Places of the columns of the result by which it orders, from 0."""

    def ties(self, shown: Sequence[Sequence[Any]], further: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
        """The rows of the further result that are ordered like the last row shown, and are not shown."""
        if len(shown) != self.limit or not shown:
            return []
        left = [tuple(row) for row in shown]
        found: list[Sequence[Any]] = []
        for row in further:
            if self._rank(row) != self._rank(shown[-1]):
                continue
            if tuple(row) in left:
                left.remove(tuple(row))
            else:
                found.append(row)
        return found

    def _rank(self, row: Sequence[Any]) -> list[Any]:
        return [row[place] for place in self.ordered_by]


def further_than_limit(sql: str, dialect: str, columns: Sequence[str]) -> Further | None:
    """None: the statement has no limit, does not say its order, or orders by what its result does not show."""
    try:
        tree = parse_statement(sql, dialect)
    except NotParsed:
        return None
    limit, order = tree.args.get("limit"), tree.args.get("order")
    if not isinstance(tree, exp.Query) or not isinstance(limit, exp.Limit | exp.Fetch) or not isinstance(order, exp.Order):
        return None
    most = limit.expression if isinstance(limit, exp.Limit) else limit.args.get("count")
    places = [_place(cast("exp.Expr", item.this), tree, columns) for item in order.expressions if isinstance(item, exp.Ordered)]
    if not isinstance(most, exp.Literal) or not most.is_int or tree.args.get("offset") is not None or None in places or not places:
        return None
    number = int(most.name)
    further = tree.limit(number + MOST_TIES, copy=True)
    return Further(further.sql(dialect=dialect), number, tuple(place for place in places if place is not None))


def _place(ordered: exp.Expr, tree: exp.Query, columns: Sequence[str]) -> int | None:
    """The column of the result that an expression behind ORDER BY is."""
    if isinstance(ordered, exp.Literal) and ordered.is_int:
        place = int(ordered.name) - 1
        return place if place < len(columns) else None
    shown = [item.unalias() for item in tree.selects]
    if ordered in shown and len(shown) == len(columns):
        return shown.index(ordered)
    if isinstance(ordered, exp.Column) and not ordered.table:
        named = [place for place, column in enumerate(columns) if column.lower() == ordered.name.lower()]
        return named[0] if len(named) == 1 else None
    return None
