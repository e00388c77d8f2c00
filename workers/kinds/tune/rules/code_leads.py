"""What a script's operations may lead to, before anything was measured."""

from collections.abc import Sequence

from contracts.code import OperationKind, ScriptOperation
from contracts.verdicts import VerdictKind
from workers.engines.scripts.given import NamedScript

COLLECTING = frozenset({"collect_list", "collect_set", "percentile", "percentile_approx", "groupByKey"})
"""Aggregates of which nothing is saved before the shuffle: each value of a key goes to one task."""

TAKING_ALL = frozenset({"collect", "toPandas", "toLocalIterator"})
"""Actions that take every row to the driver."""


PYTHON = "python"
"""The language of scripts whose functions over rows run in a Python process."""


def speaks_for(operation: ScriptOperation, language: str) -> dict[VerdictKind, float]:
    """What an operation of a script in this language may lead to, with weights in the measure of words: code alone shows what can happen
    and not that it does, so they are small."""
    name = operation.text.split("(", 1)[0]
    if name == "crossJoin":
        return {VerdictKind.CROSS_JOIN: 0.4}
    if name == "groupByKey" or (operation.kind is OperationKind.GROUP and COLLECTING & set(operation.functions)):
        return {VerdictKind.DATA_SKEW: 0.2, VerdictKind.SHUFFLE_VOLUME: 0.1}
    if operation.kind is OperationKind.REPARTITION and operation.count == 1:
        return {VerdictKind.TOO_FEW_TASKS: 0.3}
    if operation.kind is OperationKind.COALESCE and operation.count == 1:
        return {VerdictKind.TOO_FEW_TASKS: 0.3}
    if operation.kind is OperationKind.JOIN and operation.is_broadcast:
        return {}
    if operation.kind is OperationKind.JOIN and name.startswith(","):
        return {VerdictKind.CROSS_JOIN: 0.2, **_BY_KIND[OperationKind.JOIN]} if not operation.columns else _BY_KIND[OperationKind.JOIN]
    if name in TAKING_ALL:
        return {VerdictKind.DRIVER_COLLECT: 0.15}
    found = _BY_KIND.get(operation.kind, {})
    return found if language == PYTHON else {kind: weight for kind, weight in found.items() if kind is not VerdictKind.PYTHON_UDF}


def heavier_first(scripts: Sequence[NamedScript]) -> list[tuple[str, str, ScriptOperation, float]]:
    """(script, its text, operation, weight) of what may cost time, the likeliest first."""
    weighed = [
        (name, text, operation, max(weights.values()))
        for name, facts, text in scripts
        for operation in facts.operations
        if (weights := speaks_for(operation, facts.language))
    ]
    return sorted(weighed, key=lambda lead: -lead[3])


_BY_KIND: dict[OperationKind, dict[VerdictKind, float]] = {
    OperationKind.JOIN: {VerdictKind.DATA_SKEW: 0.15, VerdictKind.BROADCASTABLE_JOIN: 0.15},
    OperationKind.REPARTITION: {VerdictKind.REDUNDANT_EXCHANGE: 0.15},
    OperationKind.WINDOW: {VerdictKind.DATA_SKEW: 0.12},
    OperationKind.DISTINCT: {VerdictKind.REDUNDANT_EXCHANGE: 0.1},
    OperationKind.SORT: {VerdictKind.REDUNDANT_EXCHANGE: 0.1, VerdictKind.SPILL: 0.1},
    OperationKind.GROUP: {VerdictKind.DATA_SKEW: 0.08},
    OperationKind.MAP: {VerdictKind.PYTHON_UDF: 0.1, VerdictKind.STRAGGLER: 0.08, VerdictKind.FAILURES: 0.05},
    OperationKind.SQL: {VerdictKind.BROADCASTABLE_JOIN: 0.05},
}
