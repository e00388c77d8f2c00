"""The functions and operators of LogQL, and what each of them allows."""

PLAIN_RANGE = frozenset({"count_over_time", "rate", "bytes_over_time", "bytes_rate", "absent_over_time"})
"""Range functions that count lines or bytes."""

UNWRAPPED_RANGE = frozenset(
    {
        "rate", "rate_counter", "sum_over_time", "avg_over_time", "max_over_time", "min_over_time", "first_over_time", "last_over_time",
        "stddev_over_time", "stdvar_over_time", "quantile_over_time", "absent_over_time",
    }
)  # fmt: skip
"""Range functions that work on the numbers of an unwrapped label."""

GROUPED_RANGE = frozenset(
    {
        "avg_over_time", "max_over_time", "min_over_time", "first_over_time", "last_over_time", "stddev_over_time", "stdvar_over_time",
        "quantile_over_time",
    }
)  # fmt: skip
"""Range functions that may be grouped themselves."""

RANGE_FUNCTIONS = PLAIN_RANGE | UNWRAPPED_RANGE

COUNTED_VECTOR = frozenset({"topk", "bottomk", "approx_topk"})
"""Vector functions that keep some series, and are given how many."""

SORTING_VECTOR = frozenset({"sort", "sort_desc"})

VECTOR_FUNCTIONS = frozenset({"sum", "avg", "min", "max", "count", "stddev", "stdvar"}) | COUNTED_VECTOR | SORTING_VECTOR

SET_OPERATORS = frozenset({"or", "and", "unless"})
COMPARISONS = frozenset({"==", "!=", ">", ">=", "<", "<="})

PRECEDENCE: dict[str, int] = {
    "or": 1, "and": 2, "unless": 2, "==": 3, "!=": 3, ">": 3, ">=": 3, "<": 3, "<=": 3, "+": 4, "-": 4, "*": 5, "/": 5, "%": 5, "^": 6,
}  # fmt: skip
"""How strongly an operator binds."""

RIGHT_TO_LEFT = frozenset({"^"})
