"""A join of which a few keys carry most rows. Remedies: join these keys separately, broadcast the other side, let adaptive execution cut
the heavy partition, or salt the key."""

from collections.abc import Iterator

from contracts.code import OperationKind
from contracts.figures import FigureId
from contracts.spark import SqlNode
from contracts.statements import Value, count, name, say, size
from contracts.tune.plan import FixKind, Risk
from contracts.verdicts import KeyStatistics, Verdict, VerdictKind
from contracts.whatif import Change, ChangeKind
from workers.engines.spark.plan import Plan, is_join, metric
from workers.engines.spark.verdicts.broadcast import sides_apart
from workers.engines.spark.verdicts.measures import TaskMeasure
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import NO_PATCH, Draft, NotAdvised, Patch, patch_of
from workers.kinds.tune.rules.advice.parallelism import without_adaptive
from workers.kinds.tune.rules.advice.rewrites import joins
from workers.kinds.tune.rules.advice.settings import MIB, changed, mebibytes
from workers.kinds.tune.rules.advice.shuffle_joins import sent_to_all
from workers.kinds.tune.rules.advice.sides import broadcast_limit, is_right, side_values, small_side, too_large

SALTS = (8, 64)
"""Fewer parts change little; each part is one more copy of the other side."""

WAVES = 2
"""Parts of a heavy key for each slot, so that they even out."""

SPLIT_FROM = 256 * MIB
"""`skewedPartitionThresholdInBytes`, from which Spark cuts a partition if nothing else is set."""

CUT_INTO = 4
"""Parts into which the heaviest partition should be cut at least."""

MORE_DATA = 2
"""Times all that a side brings: what the heaviest task has beyond it is the other side's."""

BROUGHT = {TaskMeasure.SHUFFLE_READ_RECORDS: "shuffle records written", TaskMeasure.SHUFFLE_READ_BYTES: "shuffle bytes written"}
"""What a task reads → what an exchange counts of it."""

LEFT, BOTH = frozenset({0}), frozenset({0, 1})
"""Sides of a join."""

SALT = "salt"
"""A column of this name would be replaced, and dropped, by the lines of the patch."""

MOST_KEYS = 10
"""The most keys that are joined separately: more are not an exception any more."""


def salts_for(case: Case, verdict: Verdict) -> int:
    """A power of two: no more parts than the heavy task has of usual ones, and enough for the slots."""
    ratio = case.value(verdict, FigureId.HEAVIEST_TO_USUAL) or SALTS[0]
    wanted = max(SALTS[0], min(ratio, WAVES * case.slots, SALTS[1]))
    return 1 << (int(wanted) - 1).bit_length()


def salt_values(salts: int) -> dict[str, Value]:
    """How many salts there are, and the last of them."""
    return {"salts": count(salts), "last": count(salts - 1)}


def keys_apart(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """The heavy keys are known by name."""
    keys = case.keys(verdict)[:MOST_KEYS]
    if not keys:
        return
    alone = [key for key in keys if key.is_sentinel]
    is_null = any(key.value == "null" for key in keys)
    yield Draft(
        kind=FixKind.FILTER_SENTINEL if alone else FixKind.SPLIT_HOT_KEYS,
        remedy="filter_sentinel" if alone else "split_hot_keys",
        risk=Risk.LOW if alone else Risk.MEDIUM,
        confidence=0.95 if alone else 0.9,
        saves=0.9,
        changes=(Change(kind=ChangeKind.BALANCE, stage_ids=verdict.stage_ids),),
        patch=NO_PATCH if is_null else _split(case, verdict, alone or list(keys)),
        is_proved=True,
    )


def other_side_broadcast(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """Without a shuffle there is no heavy partition."""
    side = small_side(case, verdict)
    if side is None:
        return
    values = side_values(case, verdict, side)
    if side.memory_bytes > broadcast_limit(case):
        yield too_large(values)
        return
    patch, settings = sent_to_all(case, verdict, side)
    also = tuple(
        other
        for other, found in enumerate(case.findings.verdicts)
        if found.kind is VerdictKind.BROADCASTABLE_JOIN and set(found.stage_ids) & set(verdict.stage_ids)
    )
    yield Draft(
        kind=FixKind.BROADCAST_JOIN,
        remedy="broadcast_for_skew",
        also=also,
        risk=Risk.LOW if side.memory_bytes * 2 < broadcast_limit(case) else Risk.MEDIUM,
        confidence=0.8,
        saves=1.0,
        values=values,
        settings=settings,
        changes=(Change(kind=ChangeKind.BROADCAST, stage_ids=verdict.stage_ids, broadcast_bytes=side.shuffled_bytes),),
        patch=patch,
    )


def engine_cuts(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """Adaptive execution cuts skewed partitions of sort-merge joins, if they are larger than its threshold."""
    if not case.may_be_adaptive:
        yield without_adaptive(case)
        return
    if not _each_row_apart(case, verdict):
        yield NotAdvised(say("tune.not_advised.outer_not_cut"))
        return
    is_shuffled = case.uneven_by(verdict) is TaskMeasure.SHUFFLE_READ_BYTES
    heaviest = (case.value(verdict, FigureId.HEAVIEST_TASK) or 0) if is_shuffled else 0
    wanted = [("spark.sql.adaptive.enabled", "true")] if not case.is_adaptive else []
    if not case.is_on("spark.sql.adaptive.skewJoin.enabled", by_default=True):
        wanted.append(("spark.sql.adaptive.skewJoin.enabled", "true"))
    is_set = case.setting("spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes") is not None
    if heaviest and heaviest <= SPLIT_FROM and not is_set:
        part = mebibytes(heaviest / CUT_INTO)
        wanted.append(("spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes", part))
        wanted.append(("spark.sql.adaptive.advisoryPartitionSizeInBytes", part))
    settings = tuple(changed(case, *wanted))
    if not settings:
        yield NotAdvised(say("tune.not_advised.adaptive_already"))
        return
    yield Draft(
        kind=FixKind.SKEW_JOIN,
        remedy="skew_join",
        risk=Risk.LOW,
        confidence=0.75,
        saves=0.8,
        values={"heaviest": size(heaviest) if heaviest else name("?")},
        settings=settings,
        changes=(Change(kind=ChangeKind.BALANCE, stage_ids=verdict.stage_ids),),
    )


def salt(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """The key is made finer on both sides. A key that has a salt already keeps it."""
    if any("salt" in column.column.lower() for column in verdict.blame.columns):
        yield NotAdvised(say("tune.not_advised.salted_already"))
        return
    is_proved = _each_row_apart(case, verdict)
    if not (is_proved or _may_be_left(case, verdict)):
        yield NotAdvised(say("tune.not_advised.outer_not_salted"))
        return
    salts = salts_for(case, verdict)
    spot, script, source = case.code_of(verdict, OperationKind.JOIN)
    join = joins.read_join(source, spot) if source and spot else None
    keys, plan = case.keys(verdict), case.plan_of(verdict)
    is_left = _is_left(case, verdict, keys[0]) if keys else _rows_are_left(case, verdict)
    is_free = not any(column.name.lower() == SALT for node in plan.nodes for column in plan.output(node)) if plan else False
    diff = joins.salted(script, join, salts) if script and join and spot and is_left and is_free else ""
    yield Draft(
        kind=FixKind.SALT,
        remedy="salt_join",
        risk=Risk.MEDIUM,
        confidence=0.7,
        saves=0.8,
        values=salt_values(salts),
        changes=(Change(kind=ChangeKind.BALANCE, stage_ids=verdict.stage_ids, partitions=salts),),
        patch=patch_of(script, diff),
        is_proved=is_proved,
    )


def _split(case: Case, verdict: Verdict, keys: list[KeyStatistics]) -> Patch:
    spot, script, source = case.code_of(verdict, OperationKind.JOIN)
    join = joins.read_join(source, spot) if source and spot else None
    if script is None or join is None or not _is_left(case, verdict, keys[0]):
        return NO_PATCH
    column = keys[0].column
    diff = joins.split_by_keys(script, join, column.column, [key.value for key in keys], case.column_type(column))
    return patch_of(script, diff)


def _each_row_apart(case: Case, verdict: Verdict) -> bool:
    """The heavy rows may be cut into parts, each beside a copy of the other side: proved by the kind of join and the side they lie on. A
    copy of a side that the join keeps would be a row of the result where it finds no counterpart."""
    plan, joined = _joins(case, verdict)
    if plan is not None and joined:
        return all(_heavy_sides(case, verdict, plan, join) <= sides_apart(join) for join in joined)
    join = _scripted(case, verdict)
    keys = case.keys(verdict)
    if join is None or join.how in joins.EITHER_JOINS:
        return join is not None
    return join.how in joins.LEFT_JOINS and bool(keys) and _is_left(case, verdict, keys[0])


def _may_be_left(case: Case, verdict: Verdict) -> bool:
    """Nothing but a script is there, and its join keeps the left side: the salt is right if the heavy rows are its, as the risk says."""
    join = _scripted(case, verdict)
    return case.plan_of(verdict) is None and not case.keys(verdict) and join is not None and join.how in joins.LEFT_JOINS


def _scripted(case: Case, verdict: Verdict) -> joins.JoinCall | None:
    """The verdict's join, as the script writes it."""
    spot, _, source = case.code_of(verdict, OperationKind.JOIN)
    return joins.read_join(source, spot) if source and spot else None


def _joins(case: Case, verdict: Verdict) -> tuple[Plan | None, list[SqlNode]]:
    """The verdict's plan, and the joins among its operators."""
    plan = case.plan_of(verdict)
    nodes = [plan.nodes[number] for number in verdict.blame.nodes if number in plan.nodes] if plan else []
    return plan, [node for node in nodes if is_join(node)]


def _heavy_sides(case: Case, verdict: Verdict, plan: Plan, join: SqlNode) -> frozenset[int]:
    """The sides of a join that the heavy rows may lie on, 0 for the left one: that of the table whose keys are heavy, or the one without
    which the heaviest task cannot have what it has."""
    sides, keys = plan.children[join.node], case.keys(verdict)
    if len(sides) != len(BOTH):
        return BOTH
    if keys:
        return frozenset(place for place, side in enumerate(sides) if keys[0].column.table in plan.scanned(side)) or BOTH
    stage = case.stage(verdict.stage_ids[0]) if verdict.stage_ids else None
    exchanges = [plan.exchange_below(side) for side in sides]
    for measure, counted in BROUGHT.items():
        spread = stage.distributions.get(measure) if stage else None
        brought = [metric(exchange, counted) if exchange else None for exchange in exchanges]
        for heavy, other in enumerate(reversed(brought)):
            if spread and other is not None and brought[heavy] is not None and spread.max > MORE_DATA * other:
                return frozenset({heavy})
    return BOTH


def _rows_are_left(case: Case, verdict: Verdict) -> bool:
    """The heavy rows come from the left side, in the plan and in the script."""
    plan, joined = _joins(case, verdict)
    if plan is None or len(joined) != 1 or _heavy_sides(case, verdict, plan, joined[0]) != LEFT:
        return False
    spot = case.spot(verdict, OperationKind.JOIN)
    return spot is not None and is_right(case, spot, plan.scanned(plan.children[joined[0].node][0])) is False


def _is_left(case: Case, verdict: Verdict, key: KeyStatistics) -> bool:
    """The heavy keys are in what the join is called on."""
    spot = case.spot(verdict, OperationKind.JOIN)
    return spot is not None and is_right(case, spot, (key.column.table,)) is False
