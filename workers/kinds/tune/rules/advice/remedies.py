"""The remedies for each kind of verdict; for data skew, by the operator that is skewed."""

from collections.abc import Iterator
from dataclasses import replace

from contracts.code import OperationKind
from contracts.verdicts import Verdict, VerdictKind
from workers.engines.spark.verdicts.measures import TaskMeasure
from workers.kinds.tune.rules.advice import (
    cross_joins,
    executors,
    failures,
    files,
    kept_tables,
    loops,
    memory,
    one_task,
    parallelism,
    python_code,
    scope_jobs,
    shuffle_exchanges,
    shuffle_joins,
    skew_joins,
    skew_others,
    stragglers,
)
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import Draft, NotAdvised, Patch, Remedy
from workers.kinds.tune.rules.advice.fixed_remedies import (
    COMBINE_STEPS,
    EVEN_INPUT,
    OTHER_PARTITIONING,
    REWRITE_CODE,
    SALT_ANYTHING,
)
from workers.kinds.tune.rules.advice.rewrites.own_settings import settings_made

BY_KIND: dict[VerdictKind, tuple[Remedy, ...]] = {
    VerdictKind.BROADCASTABLE_JOIN: (shuffle_joins.broadcast,),
    VerdictKind.REDUNDANT_EXCHANGE: (shuffle_exchanges.remove_exchanges,),
    VerdictKind.LATE_PROJECTION: (shuffle_exchanges.early_projection,),
    VerdictKind.LATE_FILTER: (shuffle_exchanges.early_filter,),
    VerdictKind.SHUFFLE_VOLUME: (shuffle_exchanges.less_volume,),
    VerdictKind.MANY_JOINS: (COMBINE_STEPS,),
    VerdictKind.UNPARTITIONED_JOIN: (shuffle_joins.partition_inputs,),
    VerdictKind.MANY_GROUPINGS: (COMBINE_STEPS,),
    VerdictKind.MANY_DISTINCTS: (COMBINE_STEPS,),
    VerdictKind.SPILL: (memory.smaller_tasks, memory.more_memory),
    VerdictKind.GC_PRESSURE: (memory.less_garbage, memory.more_memory, memory.smaller_tasks),
    VerdictKind.FAILURES: (failures.fix_failures,),
    VerdictKind.TINY_TASKS: (parallelism.fewer_partitions, parallelism.adaptive_coalescing),
    VerdictKind.TOO_FEW_TASKS: (parallelism.more_partitions,),
    VerdictKind.IDLE_EXECUTORS: (parallelism.release_executors,),
    VerdictKind.LOST_EXECUTORS: (executors.keep_executors,),
    VerdictKind.SUPERFLUOUS_COPIES: (executors.fewer_copies,),
    VerdictKind.LATE_EXECUTORS: (executors.earlier_executors,),
    VerdictKind.SINGLE_TASK: (one_task.several_tasks,),
    VerdictKind.PYTHON_UDF: (python_code.built_in_functions,),
    VerdictKind.REPEATED_PLANS: (loops.once_for_all,),
    VerdictKind.RECOMPUTATION: (kept_tables.keep,),
    VerdictKind.SMALL_FILES: (files.larger_files,),
    VerdictKind.DRIVER_COLLECT: (python_code.keep_on_cluster,),
    VerdictKind.CROSS_JOIN: (cross_joins.another_condition,),
    VerdictKind.STRAGGLER: (stragglers.waiting_call, stragglers.speculation),
    **{kind: (remedy,) for kind, remedy in REWRITE_CODE.items()},
}
"""Every kind of fault; notes have no remedy, and classes of lost time have one only where a precondition is proved."""

OF_SKEW: dict[OperationKind, tuple[Remedy, ...]] = {
    OperationKind.JOIN: (skew_joins.keys_apart, skew_joins.other_side_broadcast, skew_joins.engine_cuts, skew_joins.salt),
    OperationKind.GROUP: (skew_others.count_instead_of_list, skew_others.two_stages, skew_others.keys_aggregated_apart),
    OperationKind.WINDOW: (skew_others.ranks_in_two_steps, skew_others.keys_aggregated_apart),
    OperationKind.REPARTITION: (OTHER_PARTITIONING,),
    OperationKind.READ: (EVEN_INPUT,),
}
UNKNOWN_OPERATOR: tuple[Remedy, ...] = (SALT_ANYTHING,)
"""Not another partitioning: that helps only where no join and no grouping asks for the key."""

OPERATORS = (
    ("Join", OperationKind.JOIN),
    ("Aggregate", OperationKind.GROUP),
    ("Window", OperationKind.WINDOW),
    ("Scan", OperationKind.READ),
    ("Exchange", OperationKind.REPARTITION),
)
"""A part of an operator's name in the plan → what it is in a script."""


OF_SCOPE_SKEW: tuple[Remedy, ...] = (scope_jobs.keys_apart, SALT_ANYTHING)
"""SCOPE broadcasts and cuts by hints in the script, which these name; it has no adaptive execution."""

OF_SCOPE: dict[VerdictKind, tuple[Remedy, ...]] = {
    VerdictKind.BROADCASTABLE_JOIN: (scope_jobs.broadcast,),
    VerdictKind.REDUNDANT_EXCHANGE: (scope_jobs.remove_partitioning,),
}
"""In place of those of `BY_KIND`."""


def drafts(case: Case, place: int) -> Iterator[Draft | NotAdvised]:
    """All that may be done about one verdict."""
    verdict = case.findings.verdicts[place]
    by_kind = {**BY_KIND, **OF_SCOPE} if case.is_scope else BY_KIND
    for remedy in _of_skew(case, verdict) if verdict.kind is VerdictKind.DATA_SKEW else by_kind.get(verdict.kind, ()):
        for draft in remedy(case, verdict):
            yield replace(draft, place=place, patch=_patch(case, draft)) if isinstance(draft, Draft) else draft


def _patch(case: Case, draft: Draft) -> Patch:
    """Its own, or else the lines of a script that make the settings which it changes."""
    return draft.patch if draft.patch.diff else Patch(*settings_made(case.scripts, draft.settings))


def _of_skew(case: Case, verdict: Verdict) -> tuple[Remedy, ...]:
    if case.uneven_by(verdict) in (TaskMeasure.INPUT_BYTES, TaskMeasure.INPUT_RECORDS):
        return OF_SKEW[OperationKind.READ]
    by_plan = next((kind for word, kind in OPERATORS if word in verdict.blame.operator), None)
    by_script = next((OperationKind(spot.operation) for spot in verdict.blame.spots if spot.operation in OF_SKEW), None)
    kind = by_plan if by_plan not in (None, OperationKind.REPARTITION) else by_script or by_plan
    if case.is_scope and kind is not OperationKind.REPARTITION:
        return OF_SCOPE_SKEW
    return OF_SKEW[kind] if kind else UNKNOWN_OPERATOR
