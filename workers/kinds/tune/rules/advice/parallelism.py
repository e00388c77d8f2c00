"""Too many small tasks, too few large ones, and executors without work."""

import math
from collections.abc import Iterator

from contracts.figures import FigureId
from contracts.spark import StageFacts
from contracts.statements import count, name, say, size
from contracts.tune.plan import FixKind, Risk
from contracts.verdicts import Verdict
from contracts.whatif import Change, ChangeKind
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import NO_PATCH, Draft, NotAdvised
from workers.kinds.tune.rules.advice.partition_counts import (
    count_changed,
    cut_smaller,
    is_asked_for,
    is_in_checkpoint,
    keeps_state,
    lists_files,
    needs_one_place,
    rounded_to_slots,
    uncut_input,
    why_uncut,
)
from workers.kinds.tune.rules.advice.settings import changed, lowered
from workers.kinds.tune.rules.saying import stages_of

GOOD_TASK_BYTES = 64 << 20
"""Spark's `advisoryPartitionSizeInBytes`, to which adaptive execution puts partitions together."""

WAVES = 2
"""Tasks a slot: one wave leaves slots empty behind the longest task."""

LEAST_READ_BYTES = 1 << 20


def fewer_partitions(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """As many tasks as the data is worth. Of stages that read files the files decide."""
    stage = case.stage(verdict.stage_ids[0]) if verdict.stage_ids else None
    if stage is None:
        return
    read = stage.shuffle_read_bytes + stage.input_bytes
    tasks = stage.planned_tasks or stage.succeeded_tasks
    wanted = rounded_to_slots(max(WAVES * case.slots, math.ceil(read / GOOD_TASK_BYTES)), case.slots)
    if wanted >= tasks:
        return
    values = {"now": count(tasks), "count": count(wanted), "read": size(read)}
    by_files = stage.input_bytes > stage.shuffle_read_bytes
    settings, patch = ((), NO_PATCH) if by_files else count_changed(case, verdict, stage, wanted)
    if not by_files and not patch.diff and is_in_checkpoint(case, verdict, settings):
        yield NotAdvised(say("tune.not_advised.in_checkpoint", stages=stages_of(verdict)))
        return
    yield Draft(
        kind=FixKind.FILE_SIZES if by_files else FixKind.FEWER_PARTITIONS,
        remedy="larger_files" if by_files else _fewer(case, verdict, stage, is_written=bool(patch.diff)),
        risk=Risk.LOW,
        confidence=0.95 if settings or patch.diff else 0.7,
        saves=0.9,
        values=values,
        settings=settings,
        changes=(Change(kind=ChangeKind.PARTITIONS, stage_ids=verdict.stage_ids, partitions=wanted),),
        patch=patch,
        is_proved=not by_files and is_asked_for(case, verdict, stage),
    )


def _fewer(case: Case, verdict: Verdict, stage: StageFacts, *, is_written: bool) -> str:
    if lists_files(case, stage):
        return "fewer_listing_tasks"
    return "fewer_partitions_call" if not is_written and is_asked_for(case, verdict, stage) else "fewer_partitions"


def adaptive_coalescing(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """The engine puts small partitions together by itself."""
    stage = case.stage(verdict.stage_ids[0]) if verdict.stage_ids else None
    if stage is None or not stage.shuffle_read_bytes:
        return  # files decide, and adaptive execution does not touch them
    if not case.may_be_adaptive:
        yield without_adaptive(case)
        return
    if keeps_state(case, verdict):
        yield NotAdvised(say("tune.not_advised.state_without_adaptive", stages=stages_of(verdict)))
        return
    wanted = [("spark.sql.adaptive.enabled", "true")] if not case.is_adaptive else []
    if not case.is_on("spark.sql.adaptive.coalescePartitions.enabled", by_default=True):
        wanted.append(("spark.sql.adaptive.coalescePartitions.enabled", "true"))
    settings = tuple(changed(case, *wanted))
    if not settings:
        yield NotAdvised(say("tune.not_advised.coalescing_already"))
        return
    read = stage.shuffle_read_bytes
    yield Draft(
        kind=FixKind.ADAPTIVE_EXECUTION,
        remedy="adaptive_coalescing",
        risk=Risk.LOW,
        confidence=0.85,
        saves=0.85,
        settings=settings,
        values={"now": count(stage.planned_tasks or stage.succeeded_tasks)},
        changes=(Change(kind=ChangeKind.PARTITIONS, stage_ids=verdict.stage_ids, partitions=max(1, math.ceil(read / GOOD_TASK_BYTES))),),
    )


def without_adaptive(case: Case) -> NotAdvised:
    """This version of Spark has no adaptive execution, or is not known."""
    version = case.run.spark_version if case.run else None
    return NotAdvised(say("tune.not_advised.version_without_adaptive", version=name(version or "?")))


def more_partitions(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """As many tasks as can run, and some more."""
    stage = case.stage(verdict.stage_ids[0]) if verdict.stage_ids else None
    if stage is None:
        return
    if needs_one_place(case, verdict.stage_ids):
        yield NotAdvised(say("tune.not_advised.one_place", stages=stages_of(verdict)))
        return
    read = stage.shuffle_read_bytes + stage.input_bytes
    wanted = rounded_to_slots(max(WAVES * case.slots, math.ceil(read / (2 * GOOD_TASK_BYTES))), case.slots)
    in_call = is_asked_for(case, verdict, stage)
    by_files = stage.input_bytes > stage.shuffle_read_bytes and not in_call
    settings, patch = count_changed(case, verdict, stage, wanted)
    if by_files and not patch.diff:
        why = why_uncut(case, stage)
        if why is not None:
            yield uncut_input(stage, why)
            return
        settings = cut_smaller(case, stage, max(LEAST_READ_BYTES, stage.input_bytes / wanted))
    elif not patch.diff and is_in_checkpoint(case, verdict, settings):
        yield NotAdvised(say("tune.not_advised.in_checkpoint", stages=stages_of(verdict)))
        return
    yield Draft(
        kind=FixKind.MORE_PARTITIONS,
        remedy="more_partitions" if patch.diff else _more(by_files=by_files and bool(settings), in_call=in_call),
        risk=Risk.LOW,
        confidence=0.85 if settings or patch.diff else 0.6,
        saves=0.8,
        values={"now": count(stage.planned_tasks or stage.succeeded_tasks), "count": count(wanted), "slots": count(case.slots)},
        settings=settings,
        changes=(Change(kind=ChangeKind.PARTITIONS, stage_ids=verdict.stage_ids, partitions=wanted),),
        patch=patch,
        is_proved=in_call,
    )


def _more(*, by_files: bool, in_call: bool) -> str:
    if by_files:
        return "more_partitions_files"
    return "more_partitions_call" if in_call else "more_partitions"


def release_executors(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """What has no work goes back to the cluster."""
    if case.is_on("spark.dynamicAllocation.enabled", by_default=False):
        settings = tuple(lowered(case, ("spark.dynamicAllocation.executorIdleTimeout", "60s")))
    else:
        settings = tuple(
            changed(case, ("spark.dynamicAllocation.enabled", "true"), ("spark.dynamicAllocation.shuffleTracking.enabled", "true"))
        )
    yield Draft(
        kind=FixKind.RELEASE_EXECUTORS,
        remedy="release_executors",
        risk=Risk.LOW,
        confidence=0.8,
        saves=0.0,
        values={"idle": count(int(case.value(verdict, FigureId.IDLE_EXECUTORS) or 0))},
        settings=settings,
    )
