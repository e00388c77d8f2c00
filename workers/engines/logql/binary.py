"""Operators between numbers and vectors."""

import math
from collections.abc import Callable

from contracts.logs import Binary, BinaryMatching
from workers.engines.logql.collecting import Labels
from workers.engines.logql.names import COMPARISONS, SET_OPERATORS

Vector = list[tuple[Labels, float]]


class ManyMatches(ValueError):
    """Several series of both sides have the same labels."""


def _divided(left: float, right: float) -> float:
    return left / right if right else math.nan


def _power(left: float, right: float) -> float:
    try:
        found = left**right
    except (OverflowError, ZeroDivisionError):
        return math.inf
    return found if isinstance(found, float) else math.nan


_NUMBERS: dict[str, Callable[[float, float], float]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": _divided,
    "%": lambda left, right: math.fmod(left, right) if right and math.isfinite(left) else math.nan,
    "^": _power,
}
_TESTS: dict[str, Callable[[float, float], bool]] = {
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
}


def combine(query: Binary, left: Vector | float, right: Vector | float) -> Vector | float:
    """The value of an operator. Raises `ManyMatches`."""
    if not isinstance(left, list) and not isinstance(right, list):
        if query.op in COMPARISONS:
            return 1.0 if _TESTS[query.op](left, right) else 0.0
        return _NUMBERS[query.op](left, right)
    if not isinstance(left, list):
        return _each(query, [(labels, left, value, value) for labels, value in right]) if isinstance(right, list) else []
    if not isinstance(right, list):
        return _each(query, [(labels, value, right, value) for labels, value in left])
    if query.op in SET_OPERATORS:
        return _sets(query, left, right)
    return _matched(query, left, right)


def _each(query: Binary, pairs: list[tuple[Labels, float, float, float]]) -> Vector:
    """`pairs`: the labels of the result, both numbers, and the number that a comparison keeps."""
    if query.op not in COMPARISONS:
        number = _NUMBERS[query.op]
        return [(labels, number(left, right)) for labels, left, right, _ in pairs]
    test = _TESTS[query.op]
    if query.is_bool:
        return [(labels, 1.0 if test(left, right) else 0.0) for labels, left, right, _ in pairs]
    return [(labels, kept) for labels, left, right, kept in pairs if test(left, right)]


def _key(matching: BinaryMatching | None, labels: Labels) -> Labels:
    if matching is None:
        return labels
    return tuple(pair for pair in labels if (pair[0] in matching.labels) is not matching.is_ignoring)


def _sets(query: Binary, left: Vector, right: Vector) -> Vector:
    there = {_key(query.matching, labels) for labels, _ in right}
    if query.op == "and":
        return [series for series in left if _key(query.matching, series[0]) in there]
    if query.op == "unless":
        return [series for series in left if _key(query.matching, series[0]) not in there]
    here = {_key(query.matching, labels) for labels, _ in left}
    return left + [series for series in right if _key(query.matching, series[0]) not in here]


def _matched(query: Binary, left: Vector, right: Vector) -> Vector:
    matching = query.matching
    swapped = matching is not None and matching.group == "right"
    many, single = (right, left) if swapped else (left, right)
    by_key: dict[Labels, tuple[Labels, float]] = {}
    for labels, value in single:
        key = _key(matching, labels)
        if key in by_key:
            raise ManyMatches(query.op)
        by_key[key] = (labels, value)
    grouped = matching is not None and matching.group is not None
    pairs: list[tuple[Labels, float, float, float]] = []
    seen: set[Labels] = set()
    for labels, value in many:
        key = _key(matching, labels)
        other = by_key.get(key)
        if other is None:
            continue
        if not grouped and key in seen:
            raise ManyMatches(query.op)
        seen.add(key)
        result = _with(labels, other[0], matching.include) if matching is not None and grouped else key
        first, second = (other[1], value) if swapped else (value, other[1])
        pairs.append((result, first, second, first))
    return _each(query, pairs)


def _with(labels: Labels, other: Labels, names: tuple[str, ...]) -> Labels:
    taken = {name: value for name, value in other if name in names}
    return tuple(sorted((dict(labels) | taken).items())) if taken else labels
