"""A metric query in a form that needs fewer series in memory, with the same values."""

from contracts.logs import Binary, Grouping, LabelReplace, LogExpression, RangeAggregation, VectorAggregation

ADDITIVE = frozenset({"count_over_time", "rate", "bytes_over_time", "bytes_rate", "sum_over_time"})
"""Range functions whose sum over series is that of all their samples together."""


def push_down(query: LogExpression) -> LogExpression:
    """Sums take their samples together by group at once, instead of making a series of every combination of parsed labels first."""
    match query:
        case VectorAggregation(function="sum", of=RangeAggregation() as inner) if inner.function in ADDITIVE and inner.grouping is None:
            return query.model_copy(update={"of": inner.model_copy(update={"grouping": query.grouping or Grouping()})})
        case VectorAggregation() | LabelReplace():
            return query.model_copy(update={"of": push_down(query.of)})
        case Binary():
            return query.model_copy(update={"left": push_down(query.left), "right": push_down(query.right)})
        case _:
            return query
