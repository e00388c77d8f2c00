"""Joins that shuffle more than they must: a small side to every executor; SCOPE's joins by keys that nothing is partitioned by."""

import math
from collections.abc import Iterator

from contracts.code import OperationKind
from contracts.tune.plan import FixKind, Risk, Setting
from contracts.verdicts import Severity, Verdict
from contracts.whatif import Change, ChangeKind
from workers.engines.spark.verdicts.broadcast import SPARK_DEFAULT
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import NO_PATCH, Draft, NotAdvised, Patch, patch_of
from workers.kinds.tune.rules.advice.rewrites import joins
from workers.kinds.tune.rules.advice.rewrites.sql_hints import broadcast_hint
from workers.kinds.tune.rules.advice.settings import raised
from workers.kinds.tune.rules.advice.sides import THRESHOLD, SmallSide, broadcast_limit, is_right, side_values, small_side, too_large

ROOM = 1.5
"""To the side's size, for its growth until somebody looks again."""


def broadcast(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """The small side goes to every executor, and the large one is joined where it is read."""
    side = small_side(case, verdict)
    if side is None:
        return
    values = side_values(case, verdict, side)
    if side.memory_bytes > broadcast_limit(case):
        yield too_large(values)
        return
    patch, settings = sent_to_all(case, verdict, side)
    yield Draft(
        kind=FixKind.BROADCAST_JOIN,
        remedy="broadcast_join",
        risk=Risk.LOW if verdict.severity is Severity.PROBLEM else Risk.MEDIUM,
        confidence=0.95 if verdict.severity is Severity.PROBLEM else 0.6,
        saves=0.8,
        values=values,
        settings=settings,
        changes=(Change(kind=ChangeKind.BROADCAST, stage_ids=verdict.stage_ids, broadcast_bytes=side.shuffled_bytes),),
        patch=patch,
    )


def sent_to_all(case: Case, verdict: Verdict, side: SmallSide) -> tuple[Patch, tuple[Setting, ...]]:
    """The side marked in the script; where no line shows it, the limit up to which Spark broadcasts by itself."""
    patch = _patch(case, verdict, side)
    return patch, () if patch.diff else tuple(raised(case, (THRESHOLD, str(_threshold(side.memory_bytes)))))


def _threshold(size: int) -> int:
    """A limit that the side is below, with room to grow: whole multiples of Spark's default."""
    return SPARK_DEFAULT * max(1, math.ceil(ROOM * size / SPARK_DEFAULT))


def partition_inputs(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """Both inputs lie by the join's key once, for all that follows."""
    yield Draft(
        kind=FixKind.REUSE_PARTITIONING,
        remedy="partition_inputs_scope" if case.is_scope else "bucket_inputs",
        risk=Risk.MEDIUM,
        confidence=0.5,
        saves=0.5,
        changes=(Change(kind=ChangeKind.FEWER_BYTES, stage_ids=verdict.stage_ids, kept_share=0.5),) if verdict.stage_ids else (),
    )


def _patch(case: Case, verdict: Verdict, side: SmallSide) -> Patch:
    spot = case.spot(verdict, OperationKind.JOIN) or case.spot(verdict, OperationKind.SQL)
    script = case.script_at(spot) if spot else None
    if spot is None or script is None:
        return NO_PATCH
    source = case.calls_of(script)
    right = is_right(case, spot, side.tables)
    diff = joins.with_broadcast(script, source, spot, of_right=right) if source and right is not None else ""
    if not diff and len(side.tables) == 1:
        diff = broadcast_hint(script, spot.line, side.tables[0])
    return patch_of(script, diff)
