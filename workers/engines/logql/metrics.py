"""The numbers of a metric query at a moment, from samples that were collected before."""

import math
from collections.abc import Callable
from itertools import starmap

from contracts.logs import (
    Binary,
    LabelReplace,
    Literally,
    LogExpression,
    LogQuery,
    MatchOp,
    RangeAggregation,
    VectorAggregation,
    VectorOf,
)
from workers.engines.logql.binary import combine
from workers.engines.logql.collecting import Collected, Labels
from workers.engines.logql.expressions import compiled
from workers.engines.logql.names import SORTING_VECTOR
from workers.engines.logql.range_functions import over_window, variance

Vector = list[tuple[Labels, float]]
"""Series with a number each; in order where the query sorts."""


def value_at(query: LogExpression, collected: Collected, at_ns: int) -> Vector | float:
    """A vector, or a plain number for an expression without series."""
    match query:
        case Literally():
            return query.value
        case VectorOf():
            return [((), query.value)]
        case RangeAggregation():
            return _range(query, collected, at_ns)
        case VectorAggregation():
            return _aggregated(query, _vector(value_at(query.of, collected, at_ns)))
        case Binary():
            return combine(query, value_at(query.left, collected, at_ns), value_at(query.right, collected, at_ns))
        case LabelReplace():
            return _replaced(query, _vector(value_at(query.of, collected, at_ns)))
        case LogQuery():
            raise TypeError("a selection of lines has no number")


def vector_at(query: LogExpression, collected: Collected, at_ns: int) -> Vector:
    """The same, a plain number as a series without labels."""
    return _vector(value_at(query, collected, at_ns))


def _vector(value: Vector | float) -> Vector:
    return value if isinstance(value, list) else [((), value)]


def _range(query: RangeAggregation, collected: Collected, at_ns: int) -> Vector:
    until = at_ns - query.offset_ns
    after = until - query.range_ns
    found: Vector = []
    for labels, samples in collected.series(query).items():
        first, end = samples.window(after, until)
        if first == end:
            continue
        if query.function == "absent_over_time":
            return []
        if query.function == "count_over_time":
            found.append((labels, float(end - first)))
        else:
            values = samples.values[first:end]
            found.append((labels, over_window(query.function, values, query.range_ns / 1e9, query.parameter or 0.0)))
    if query.function == "absent_over_time":
        fixed = {matcher.label: matcher.value for matcher in query.log.matchers if matcher.op is MatchOp.EQUAL}
        return [(tuple(sorted(fixed.items())), 1.0)]
    return found


_AGGREGATIONS: dict[str, Callable[[list[float]], float]] = {
    "sum": math.fsum,
    "avg": lambda values: math.fsum(values) / len(values),
    "min": min,
    "max": max,
    "count": lambda values: float(len(values)),
    "stddev": lambda values: math.sqrt(variance(values)),
    "stdvar": variance,
}


def _aggregated(query: VectorAggregation, vector: Vector) -> Vector:
    if query.function in SORTING_VECTOR:
        return sorted(vector, key=lambda series: series[1], reverse=query.function == "sort_desc")
    groups: dict[Labels, Vector] = {}
    for labels, value in vector:
        groups.setdefault(_group(query, labels), []).append((labels, value))
    if query.function in _AGGREGATIONS:
        aggregate = _AGGREGATIONS[query.function]
        return [(labels, aggregate([value for _, value in members])) for labels, members in groups.items()]
    kept = int(query.parameter or 0)
    falling = query.function != "bottomk"
    chosen = [series for members in groups.values() for series in sorted(members, key=lambda series: series[1], reverse=falling)[:kept]]
    return sorted(chosen, key=lambda series: series[1], reverse=falling)


def _group(query: VectorAggregation, labels: Labels) -> Labels:
    if query.grouping is None:
        return ()
    names = query.grouping.labels
    return tuple(pair for pair in labels if (pair[0] in names) is not query.grouping.is_without)


def _replaced(query: LabelReplace, vector: Vector) -> Vector:
    expression = compiled(query.pattern)

    def replaced(labels: Labels, value: float) -> tuple[Labels, float]:
        by_name = dict(labels)
        found = expression.fullmatch(by_name.get(query.source, ""))
        if found is None:
            return labels, value
        text = query.replacement
        for number in range(expression.groups, -1, -1):
            group = found.group(number) or ""
            text = text.replace(f"${{{number}}}", group).replace(f"${number}", group)
        for name in expression.groupindex:
            group = found.group(name) or ""
            text = text.replace(f"${{{name}}}", group).replace(f"${name}", group)
        by_name[query.target] = text
        if not text:
            del by_name[query.target]
        return tuple(sorted(by_name.items())), value

    return list(starmap(replaced, vector))
