"""Tasks that do not fit into their memory, and heaps full of garbage."""

import math
import re
from collections.abc import Iterator

from contracts.code import OperationKind
from contracts.statements import count, name, say, size
from contracts.tune.plan import FixKind, Risk, Setting
from contracts.verdicts import Verdict, VerdictKind
from contracts.whatif import Change, ChangeKind
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import NO_PATCH, Draft, NotAdvised
from workers.kinds.tune.rules.advice.partition_counts import (
    count_changed,
    cut_smaller,
    is_asked_for,
    is_in_checkpoint,
    lists_files,
    needs_one_place,
    rounded_to_slots,
    uncut_input,
    why_uncut,
)
from workers.kinds.tune.rules.advice.settings import changed, mebibytes
from workers.kinds.tune.rules.saying import names, stages_of

DEFAULT_FRACTION = 0.6
"""`spark.memory.fraction`: of the heap, for execution and storage."""

CUTS = (4, 16)
"""Into how many parts a task is cut at least and at most: what it spilled tells how far it is too large, and only roughly."""

LARGE_TASK_BYTES = 64 << 20
"""Read by a task: from here on it may hold many objects for the data that it has."""

READ_BYTES = 32 << 20
"""Parts that are cut smaller on reading."""

MEMORY = re.compile(r"(\d{1,6})([mgMG])[bB]?")


MAKES_OBJECTS = {OperationKind.CACHE, OperationKind.MAP, OperationKind.PROCESS, OperationKind.REDUCE, OperationKind.COMBINE}
"""Operations that keep rows, or hand them to user code, as objects on the heap."""

OBJECT_OPERATORS = (
    "Python",
    "DeserializeToObject",
    "MapElements",
    "MapPartitions",
    "MapGroups",
    "ObjectHashAggregate",
    "InMemoryTableScan",
)
"""Parts of the names of a plan's operators that do the same."""


def smaller_tasks(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """More partitions, so that one fits."""
    found = [stage for number in verdict.stage_ids for stage in [case.stage(number)] if stage]
    stage = (
        max(found, key=lambda stage_facts: stage_facts.gc_ms)
        if verdict.kind is VerdictKind.GC_PRESSURE and found
        else next(iter(found), None)
    )
    if stage is None:
        return
    tasks = stage.planned_tasks or max(1, stage.succeeded_tasks)
    read = stage.shuffle_read_bytes + stage.input_bytes
    if verdict.kind is VerdictKind.GC_PRESSURE and read < LARGE_TASK_BYTES * tasks:
        return  # its tasks are small already
    if not read:
        return  # what its tasks have is not in the log
    if needs_one_place(case, (stage.stage_id,)):
        yield NotAdvised(say("tune.not_advised.one_place", stages=stages_of(verdict)))
        return
    cuts = min(CUTS[1], max(CUTS[0], 2 * (1 + math.ceil(stage.memory_spill_bytes / read))))
    wanted = rounded_to_slots(tasks * cuts, case.slots)
    values = {"now": count(tasks), "count": count(wanted), "each": size(read / tasks)}
    in_call = is_asked_for(case, verdict, stage)
    if not stage.shuffle_read_bytes and not in_call:
        why = why_uncut(case, stage)
        if why is not None:
            yield uncut_input(stage, why)
            return
        settings, patch = cut_smaller(case, stage, READ_BYTES), NO_PATCH
    else:
        settings, patch = count_changed(case, verdict, stage, wanted)
        if not patch.diff and is_in_checkpoint(case, verdict, settings):
            yield NotAdvised(say("tune.not_advised.in_checkpoint", stages=stages_of(verdict)))
            return
        if case.is_adaptive and not in_call:
            settings = (*settings, *changed(case, ("spark.sql.adaptive.advisoryPartitionSizeInBytes", mebibytes(read / wanted))))
    yield Draft(
        kind=FixKind.MORE_PARTITIONS,
        remedy=_smaller(verdict, in_call=in_call and not patch.diff),
        risk=Risk.LOW,
        confidence=0.85 if verdict.kind is VerdictKind.SPILL else 0.5,
        saves=0.5,
        values=values,
        settings=settings,
        changes=(
            Change(kind=ChangeKind.PARTITIONS, stage_ids=(stage.stage_id,), partitions=wanted),
            Change(kind=ChangeKind.NO_SPILL if verdict.kind is VerdictKind.SPILL else ChangeKind.NO_GC, stage_ids=verdict.stage_ids),
        ),
        patch=patch,
        is_proved=in_call,
    )


def _smaller(verdict: Verdict, *, in_call: bool) -> str:
    if verdict.kind is VerdictKind.GC_PRESSURE:
        return "smaller_tasks_gc"
    return "smaller_tasks_call" if in_call else "smaller_tasks"


def more_memory(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """A larger part of the heap where it was made small; else a larger heap."""
    change = Change(kind=ChangeKind.NO_SPILL if verdict.kind is VerdictKind.SPILL else ChangeKind.NO_GC, stage_ids=verdict.stage_ids)
    fraction = _part(case.setting("spark.memory.fraction"))
    if verdict.kind is VerdictKind.SPILL and fraction is not None and fraction < DEFAULT_FRACTION:
        yield Draft(
            kind=FixKind.MORE_MEMORY,
            remedy="memory_fraction",
            risk=Risk.LOW,
            confidence=0.9,
            saves=0.5,
            values={"now": name(f"{fraction:g}"), "wanted": name(f"{DEFAULT_FRACTION:g}")},
            settings=tuple(changed(case, ("spark.memory.fraction", f"{DEFAULT_FRACTION:g}"))),
            changes=(change,),
        )
        return
    setting = _larger_heap(case)
    yield Draft(
        kind=FixKind.MORE_MEMORY,
        remedy="more_memory_gc" if verdict.kind is VerdictKind.GC_PRESSURE else "more_memory",
        risk=Risk.LOW,
        confidence=0.6,
        saves=0.5,
        values={"sizes": name(f"{setting.was} → {setting.value}" if setting else "×2")},
        settings=(setting,) if setting else (),
        changes=(change,),
    )


def less_garbage(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """Fewer objects: rows in Spark's own binary form, built-in functions, less in the cache."""
    functions = verdict.blame.functions[:4]
    operations = [operation.kind for script in case.scripts for operation in script.facts.operations]
    in_script = MAKES_OBJECTS & set(operations) or any(".rdd" in script.text for script in case.scripts)
    if not functions and not (in_script if operations else _makes_objects(case, verdict)):
        yield NotAdvised(say("tune.not_advised.no_objects"))
        return
    yield Draft(
        kind=FixKind.LESS_GARBAGE,
        remedy="less_garbage_functions" if functions else "less_garbage",
        risk=Risk.MEDIUM,
        confidence=0.55,
        saves=0.5,
        values={"functions": names(functions)},
        changes=(Change(kind=ChangeKind.NO_GC, stage_ids=verdict.stage_ids),),
    )


def _makes_objects(case: Case, verdict: Verdict) -> bool:
    """By the log alone: a stage is of no SQL plan, or an operator of its plan hands rows over as objects."""
    planned = {stage for execution in case.executions for stage in execution.stage_ids}
    own = {number for number in verdict.stage_ids if (stage := case.stage(number)) is None or not lists_files(case, stage)}
    names = [node.name for execution in case.executions if set(execution.stage_ids) & own for node in execution.nodes]
    return not own <= planned or any(part in name for name in names for part in OBJECT_OPERATORS)


def _part(value: str | None) -> float | None:
    return float(value) if value and re.fullmatch(r"0?\.\d{1,6}|1(?:\.0)?", value.strip()) else None


def _larger_heap(case: Case) -> Setting | None:
    """Twice what it is, where that is known. A local run has its tasks in the driver."""
    heap = "spark.driver.memory" if case.run is not None and case.run.platform == "local" else "spark.executor.memory"
    was = case.setting(heap)
    found = MEMORY.fullmatch((was or "").strip())
    return Setting(name=heap, value=f"{2 * int(found[1])}{found[2].lower()}", was=was) if found else None
