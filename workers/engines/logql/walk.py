"""Walks through a query."""

from collections.abc import Iterator

from contracts.logs import Binary, LabelReplace, LogExpression, LogQuery, RangeAggregation, VectorAggregation


def parts_of(query: LogExpression) -> Iterator[LogExpression]:
    """The expression and all expressions in it."""
    yield query
    match query:
        case VectorAggregation() | LabelReplace():
            yield from parts_of(query.of)
        case Binary():
            yield from parts_of(query.left)
            yield from parts_of(query.right)
        case _:
            return


def log_queries(query: LogExpression) -> Iterator[LogQuery]:
    """The selections of lines that a query is made from."""
    for part in parts_of(query):
        if isinstance(part, LogQuery):
            yield part
        elif isinstance(part, RangeAggregation):
            yield part.log


def range_aggregations(query: LogExpression) -> Iterator[RangeAggregation]:
    """The range aggregations of a query."""
    for part in parts_of(query):
        if isinstance(part, RangeAggregation):
            yield part
