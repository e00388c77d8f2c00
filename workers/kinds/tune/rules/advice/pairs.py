"""Fixes against each other: the same twice, two that contradict each other, and two that rewrite the same lines without saying that one
is made instead of the other. The later one goes."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from contracts.statements import Target, ref, say_member
from contracts.tune.plan import Fix, FixKind
from contracts.whatif import ChangeKind
from workers.kinds.tune.rules.advice.alternatives import rewrite_the_same
from workers.kinds.tune.rules.advice.objections import Objection, PairRule

OPPOSITES = (
    {FixKind.MORE_PARTITIONS, FixKind.FEWER_PARTITIONS},
    {FixKind.MORE_PARTITIONS, FixKind.ADAPTIVE_EXECUTION},
    {FixKind.REPARTITION, FixKind.REMOVE_REPARTITION},
)
"""Kinds of fixes that contradict each other in the same stages."""

INSTEAD = frozenset(
    {
        FixKind.FILTER_SENTINEL,
        FixKind.SPLIT_HOT_KEYS,
        FixKind.SALT,
        FixKind.SKEW_JOIN,
        FixKind.TWO_STAGE_AGGREGATION,
        FixKind.BROADCAST_JOIN,
    }
)
"""Each of them makes the others of the same problem pointless: they have to say so in `excludes`."""


def against_each_other(fixes: Sequence[Fix]) -> Iterator[Objection]:
    """One objection for each pair, against the later of the two."""
    for first, later in combinations(fixes, 2):
        rule = _rule(first, later)
        if rule:
            text = say_member("tune.objection.pair", rule, other=ref(Target.FIX, first.fix_id))
            yield Objection(fix_id=later.fix_id, rule=rule, text=text)


def _rule(first: Fix, later: Fix) -> PairRule | None:
    if _content(first) == _content(later) or (first.diff and first.diff == later.diff and first.artefact == later.artefact):
        return PairRule.DUPLICATE
    if any(first.kind is not later.kind and {first.kind, later.kind} == pair for pair in OPPOSITES) and _stages(first) & _stages(later):
        return PairRule.CONTRADICTION
    values = {setting.name: setting.value for setting in first.configuration}
    clash = any(values.get(setting.name, setting.value) != setting.value for setting in later.configuration)
    apart = later.kind in first.excludes or first.kind in later.excludes
    if clash and not apart:
        return PairRule.CONTRADICTION
    if rewrite_the_same(first, later) and first.fix_id not in later.instead_of:
        return PairRule.OVERLAP
    same = set(first.verdicts[:1]) & set(later.verdicts[:1])
    return PairRule.NOT_EXCLUDED if same and not apart and {first.kind, later.kind} <= INSTEAD else None


def _content(fix: Fix) -> tuple[object, ...]:
    return fix.kind, fix.title, fix.what, fix.verdicts, fix.diff, tuple((setting.name, setting.value) for setting in fix.configuration)


def _stages(fix: Fix) -> set[int]:
    partitioning = (ChangeKind.PARTITIONS, ChangeKind.DROP_EXCHANGE, ChangeKind.BALANCE)
    return {stage for change in fix.changes if change.kind in partitioning for stage in change.stage_ids}
