"""Skew that is no join's: a grouping that cannot be combined before its shuffle, a window, a repartition, uneven input."""

from collections.abc import Iterator

from contracts.code import OperationKind
from contracts.statements import count, say
from contracts.tune.plan import FixKind, Risk
from contracts.verdicts import Verdict
from contracts.whatif import Change, ChangeKind
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import Draft, NotAdvised
from workers.kinds.tune.rules.advice.rewrites import groups
from workers.kinds.tune.rules.advice.skew_joins import salt_values, salts_for
from workers.kinds.tune.rules.saying import shown_name


def count_instead_of_list(case: Case, place: int, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """A list that is only measured need not be made."""
    spot, script, source = case.code_of(verdict, OperationKind.GROUP)
    if script is None or source is None or spot is None:
        return
    diff, column = groups.counted_instead(script, source, spot)
    if diff:
        yield Draft(
            kind=FixKind.PRE_AGGREGATION,
            remedy="count_instead_of_list",
            place=place,
            risk=Risk.LOW,
            confidence=0.95,
            saves=1.0,
            values={"list": shown_name(column)},
            changes=(Change(kind=ChangeKind.BALANCE, stage_ids=verdict.stage_ids),),
            artefact=script.name,
            diff=diff,
        )


def two_stages(case: Case, place: int, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
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
        place=place,
        risk=Risk.MEDIUM,
        confidence=0.75,
        saves=0.7,
        values=salt_values(salts),
        changes=(Change(kind=ChangeKind.BALANCE, stage_ids=verdict.stage_ids, partitions=salts),),
        artefact=script.name if script and diff else "",
        diff=diff,
    )


def keys_aggregated_apart(case: Case, place: int, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """Rows of an unknown key are rarely wanted in a result by key."""
    keys = case.keys(verdict)
    if keys:
        alone = any(key.is_sentinel for key in keys)
        yield Draft(
            kind=FixKind.FILTER_SENTINEL if alone else FixKind.SPLIT_HOT_KEYS,
            remedy="sentinel_group" if alone else "hot_keys_group",
            place=place,
            risk=Risk.HIGH if alone else Risk.MEDIUM,
            confidence=0.7 if alone else 0.5,
            saves=0.8,
            changes=(Change(kind=ChangeKind.BALANCE, stage_ids=verdict.stage_ids),),
        )


def finer_window(case: Case, place: int, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """A window needs all rows of its key in one place: fewer rows, or a finer key."""
    yield Draft(
        kind=FixKind.TWO_STAGE_AGGREGATION,
        remedy="window_in_two_steps",
        place=place,
        risk=Risk.MEDIUM,
        confidence=0.6,
        saves=0.7,
        values=salt_values(salts_for(case, verdict)),
        changes=(Change(kind=ChangeKind.BALANCE, stage_ids=verdict.stage_ids),),
    )


def other_partitioning(case: Case, place: int, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """Rows that lie by an uneven key for no operator's sake."""
    yield Draft(
        kind=FixKind.REPARTITION,
        remedy="repartition_scope" if case.is_scope else "repartition_evenly",
        place=place,
        risk=Risk.LOW,
        confidence=0.6,
        saves=0.7,
        values={"count": count(max(2 * case.slots, 2))},
        changes=(Change(kind=ChangeKind.BALANCE, stage_ids=verdict.stage_ids),),
    )


def even_input(case: Case, place: int, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """One file, or one part of it that cannot be cut, holds most of what is read."""
    yield Draft(
        kind=FixKind.FILE_SIZES,
        remedy="even_input",
        place=place,
        risk=Risk.LOW,
        confidence=0.7,
        saves=0.7,
        changes=(Change(kind=ChangeKind.BALANCE, stage_ids=verdict.stage_ids),),
    )


def salt_anything(case: Case, place: int, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """The operator is not known: what every one of them allows."""
    yield Draft(
        kind=FixKind.SALT,
        remedy="salt_scope" if case.is_scope else "salt_key",
        place=place,
        risk=Risk.MEDIUM,
        confidence=0.5,
        saves=0.7,
        values=salt_values(salts_for(case, verdict)),
        changes=(Change(kind=ChangeKind.BALANCE, stage_ids=verdict.stage_ids),),
    )
