"""Remedies for a SCOPE or U-SQL job: what the platform does by clauses and hints of the script, and not by settings."""

from collections.abc import Iterator

from contracts.code import OperationKind
from contracts.figures import FigureId
from contracts.scope import JoinKind, ScopeJoin
from contracts.statements import name, say, size
from contracts.tune.plan import FixKind, Risk
from contracts.verdicts import ScriptSpot, Verdict
from contracts.whatif import Change, ChangeKind
from workers.engines.scope.script import read_scope
from workers.engines.scope.verdicts.shuffle import sides_of
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import NO_PATCH, Draft, NotAdvised, Patch, patch_of
from workers.kinds.tune.rules.advice.rewrites import scope_script
from workers.kinds.tune.rules.advice.values import values_of
from workers.kinds.tune.rules.saying import names

MOST_KEYS = 10
"""The most keys that are joined separately: more are not an exception any more."""


def remove_partitioning(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """A clause that partitions rows which the next step partitions again."""
    spot = case.spot(verdict, OperationKind.REPARTITION)
    script = case.script_at(spot) if spot else None
    patch = patch_of(script, scope_script.without_partitioning(script, spot)) if script and spot else NO_PATCH
    yield Draft(
        kind=FixKind.REMOVE_REPARTITION,
        remedy="remove_partitioning_scope" if spot else "remove_exchange_scope",
        risk=Risk.LOW if spot else Risk.MEDIUM,
        confidence=0.95 if patch.diff else 0.7,
        saves=0.8,
        values={
            "bytes": size(case.value(verdict, FigureId.MOVED) or 0),
            "lines": names([spot.line] if spot else []),
            "operator": name(verdict.blame.operator or "Exchange"),
        },
        changes=(Change(kind=ChangeKind.DROP_EXCHANGE, stage_ids=verdict.stage_ids),),
        patch=patch,
        is_proved=True,
        is_alternative=False,
    )


def broadcast(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """The small side of a join goes to every vertex, if it is the right side and the join may send it."""
    spot = case.spot(verdict, OperationKind.JOIN)
    script = case.script_at(spot) if spot else None
    join = _join_at(script.text, spot) if script and spot else None
    small = _small_side(case, verdict, join)
    if join and small and small == join.left and join.kind is JoinKind.LEFT_OUTER:
        yield NotAdvised(say("tune.not_advised.kept_side", place=values_of(case, verdict)["place"]))
        return
    is_right = join is not None and bool(small) and small == join.right
    diff = scope_script.with_broadcast(script, spot) if script and spot and is_right else ""
    sent = size(case.value(verdict, FigureId.SMALL_SIDE) or 0)
    yield Draft(
        kind=FixKind.BROADCAST_JOIN,
        remedy="broadcast_scope" if is_right else "broadcast_side_scope",
        risk=Risk.LOW,
        confidence=0.9 if diff else 0.7,
        saves=0.7,
        values={"other": names(small), "size": sent},
        changes=(Change(kind=ChangeKind.BROADCAST, stage_ids=verdict.stage_ids),),
        patch=patch_of(script, diff),
        is_proved=True,
    )


def keys_apart(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """The heavy keys are known by name."""
    keys = case.keys(verdict)[:MOST_KEYS]
    if not keys:
        return
    alone = [key for key in keys if key.is_sentinel]
    yield Draft(
        kind=FixKind.FILTER_SENTINEL if alone else FixKind.SPLIT_HOT_KEYS,
        remedy="keys_apart_scope",
        risk=Risk.LOW if alone else Risk.MEDIUM,
        confidence=0.95 if alone else 0.9,
        saves=0.9,
        changes=(Change(kind=ChangeKind.BALANCE, stage_ids=verdict.stage_ids),),
        patch=_apart(case, verdict),
        is_proved=True,
    )


def _apart(case: Case, verdict: Verdict) -> Patch:
    """Only where the heavy rows come in on the join's left side."""
    keys = case.keys(verdict)[:MOST_KEYS]
    spot = case.spot(verdict, OperationKind.JOIN)
    script = case.script_at(spot) if spot else None
    join = _join_at(script.text, spot) if script and spot else None
    column = keys[0].column
    if script is None or spot is None or join is None or column.table not in join.left or column.column not in join.left_keys:
        return NO_PATCH
    if any(key.value == "null" for key in keys) or join.hints:
        return NO_PATCH
    values = tuple(key.value for key in keys)
    columns = (column.column, join.right_keys[join.left_keys.index(column.column)])
    return patch_of(script, scope_script.keys_apart(script, spot, columns, values, case.column_type(column)))


def _join_at(text: str, spot: ScriptSpot) -> ScopeJoin | None:
    """What the parser knows of the join; None for kinds whose right side may not be sent to every vertex."""
    found = next((join for join in read_scope(text).joins if join.line == spot.line), None)
    return found if found is not None and found.kind in (JoinKind.INNER, JoinKind.LEFT_OUTER) else None


def _small_side(case: Case, verdict: Verdict, join: ScopeJoin | None) -> tuple[str, ...]:
    """The tables of the side that the finding measured as small; empty where the data flow does not tell which of the two it is."""
    edges = sides_of(case.scope, verdict.stage_ids[0]) if case.scope and verdict.stage_ids else []
    if join is None or case.scope is None or len(edges) != 2:
        return ()
    small, large = (case.scope.tables_into(edge.source) for edge in edges)
    sides = ((join.left, join.right), (join.right, join.left))
    return next((side for side, other in sides if small and large and small <= set(side) and large <= set(other) and not small & large), ())
