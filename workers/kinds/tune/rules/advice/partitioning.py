"""Which repartitions and sorts of a script nobody makes use of, and which one serves the steps after it and stays."""

import re

from contracts.code import OperationKind, ScriptFacts, ScriptOperation
from contracts.verdicts import Verdict
from workers.engines.scripts.given import NamedScript

BY_KEYS = (OperationKind.JOIN, OperationKind.GROUP, OperationKind.WINDOW, OperationKind.DISTINCT)
"""Operations that need rows of equal keys in one place, and find them there if they lie so already."""

INDIFFERENT = (OperationKind.FILTER, OperationKind.SELECT)
"""They take rows wherever they lie, and leave them there."""

GONE_FIRST = (OperationKind.REPARTITION, OperationKind.SORT)

BY_ORDER = {"first", "last", "collect_list", "first_value", "last_value", "array_agg"}
"""Aggregates that take the rows as they come."""

CUTS = re.compile(r"\.(?:limit|head|tail|take|offset)\s*\(|\bLIMIT\b|monotonically_increasing_id", re.IGNORECASE)
"""In a script with one of these anywhere, no sort is called useless: the operations do not show where such a call is."""


def in_vain(script: NamedScript, verdict: Verdict) -> tuple[tuple[ScriptOperation, ...], tuple[ScriptOperation, ...]]:
    """(what can go, the repartitions that stay because a later step uses them), among the operations that the verdict names."""
    facts = script.facts
    cuts = bool(CUTS.search(script.text))
    named = {(spot.line, spot.column) for spot in verdict.blame.spots if spot.operation in GONE_FIRST}
    gone: list[ScriptOperation] = []
    kept: list[ScriptOperation] = []
    for operation in facts.operations:
        if operation.kind not in GONE_FIRST or (operation.line, operation.column) not in named:
            continue
        if _is_used(facts, operation) or (cuts and operation.kind is OperationKind.SORT):
            kept.append(operation)
        else:
            gone.append(operation)
    return tuple(gone), tuple(kept)


def _is_used(facts: ScriptFacts, operation: ScriptOperation) -> bool:
    """Some way down from it leads to a step that profits before the rows are moved again."""
    waiting = [operation.number]
    while waiting:
        number = waiting.pop()
        following = [user for user in facts.operations if number in user.inputs and user.number > number]
        for user in following:
            if user.kind in INDIFFERENT:
                waiting.append(user.number)
            elif user.kind in GONE_FIRST:
                continue
            elif user.kind in BY_KEYS:
                if _serves(operation, user) or (operation.kind is OperationKind.SORT and BY_ORDER & set(user.functions)):
                    return True
            else:
                return True  # an action, a write, the user's function: how rows lie or are ordered may matter there
    return False


def _serves(repartition: ScriptOperation, user: ScriptOperation) -> bool:
    """Rows of equal keys lie together if they do so by a part of these keys; a distinct compares all columns."""
    if repartition.kind is not OperationKind.REPARTITION or not repartition.columns:
        return False
    return user.kind is OperationKind.DISTINCT or (bool(user.columns) and set(repartition.columns) <= set(user.columns))
