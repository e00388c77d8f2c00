"""A metric query in the form in which it is run: of windows as searches have them, and with fewer series in memory."""

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


def up_to(query: LogExpression) -> LogExpression:
    """The query with windows that hold their first moment and not their last, as the time of a search does. With LogQL's own, a day would
    have the midnight of the next. Times are whole nanoseconds."""
    match query:
        case RangeAggregation():
            return query.model_copy(update={"offset_ns": query.offset_ns + 1})
        case VectorAggregation() | LabelReplace():
            return query.model_copy(update={"of": up_to(query.of)})
        case Binary():
            return query.model_copy(update={"left": up_to(query.left), "right": up_to(query.right)})
        case _:
            return query
