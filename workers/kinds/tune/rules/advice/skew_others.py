"""Skew of a grouping that cannot be combined before its shuffle."""

from collections.abc import Iterator

from contracts.code import OperationKind
from contracts.statements import say
from contracts.tune.plan import FixKind, Risk
from contracts.verdicts import Verdict
from contracts.whatif import Change, ChangeKind
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import Draft, NotAdvised, patch_of
from workers.kinds.tune.rules.advice.rewrites import groups
from workers.kinds.tune.rules.advice.skew_joins import salt_values, salts_for
from workers.kinds.tune.rules.saying import shown_name


def count_instead_of_list(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """A list that is only measured need not be made."""
    spot, script, source = case.code_of(verdict, OperationKind.GROUP)
    if script is None or source is None or spot is None:
        return
    diff, column = groups.counted_instead(script, source, spot)
    if diff:
        yield Draft(
            kind=FixKind.PRE_AGGREGATION,
            remedy="count_instead_of_list",
            risk=Risk.LOW,
            confidence=0.95,
            saves=1.0,
            values={"list": shown_name(column)},
            changes=(Change(kind=ChangeKind.BALANCE, stage_ids=verdict.stage_ids),),
            patch=patch_of(script, diff),
        )


def two_stages(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """By key and salt, then by key."""
    if any("salt" in column.column.lower() for column in verdict.blame.columns):
        yield NotAdvised(say("tune.not_advised.salted_already"))
        return
    salts = salts_for(case, verdict)
    spot, script, source = case.code_of(verdict, OperationKind.GROUP)
    diff = groups.in_two_stages(script, source, spot, salts) if script and source and spot else ""
    yield Draft(
        kind=FixKind.TWO_STAGE_AGGREGATION,
        remedy="two_stage_aggregation",
        risk=Risk.MEDIUM,
        confidence=0.75,
        saves=0.7,
        values=salt_values(salts),
        changes=(Change(kind=ChangeKind.BALANCE, stage_ids=verdict.stage_ids, partitions=salts),),
        patch=patch_of(script, diff),
    )


def keys_aggregated_apart(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """Rows of an unknown key are rarely wanted in a result by key."""
    keys = case.keys(verdict)
    if keys:
        alone = any(key.is_sentinel for key in keys)
        yield Draft(
            kind=FixKind.FILTER_SENTINEL if alone else FixKind.SPLIT_HOT_KEYS,
            remedy="sentinel_group" if alone else "hot_keys_group",
            risk=Risk.HIGH if alone else Risk.MEDIUM,
            confidence=0.7 if alone else 0.5,
            saves=0.8,
            changes=(Change(kind=ChangeKind.BALANCE, stage_ids=verdict.stage_ids),),
        )
