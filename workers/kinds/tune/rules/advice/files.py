"""Files that are too small or cannot be cut: what is read is written in another way, and fewer are written."""

import ast
import math
from collections.abc import Iterator

from contracts.code import OperationKind
from contracts.figures import FigureId
from contracts.spark import StageFacts
from contracts.statements import count, size
from contracts.tune.plan import FixKind, Risk
from contracts.verdicts import Verdict
from contracts.whatif import Change, ChangeKind
from workers.engines.scripts.given import NamedScript
from workers.engines.spark.plan import is_scan
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import NO_PATCH, Draft, NotAdvised, Patch
from workers.kinds.tune.rules.advice.partition_counts import PIECES, count_changed
from workers.kinds.tune.rules.advice.rewrites.chains import diff_by
from workers.kinds.tune.rules.advice.rewrites.patches import Edit
from workers.kinds.tune.rules.advice.settings import bytes_of, changed

GOOD_FILE_BYTES = 128 << 20
ONE_EACH = 1.5
"""Files a task, up to which fewer tasks are what makes fewer files; with more, each task writes into many folders."""

OPEN_COST = "spark.sql.files.openCostInBytes"
DEFAULT_OPEN_COST = 4 << 20


def larger_files(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """As many files as the data is worth."""
    plan = case.plan_of(verdict)
    is_read = plan is not None and any(is_scan(plan.nodes[number]) for number in verdict.blame.nodes if number in plan.nodes)
    files = int(case.value(verdict, FigureId.FILES) or 0)
    each = case.value(verdict, FigureId.FILE_SIZE) or 0
    wanted = max(case.slots, math.ceil(files * each / GOOD_FILE_BYTES))
    stage = case.stage(verdict.stage_ids[0]) if verdict.stage_ids else None
    values = {"now": count(files), "count": count(wanted), "size": size(each)}
    tasks = (stage.planned_tasks or stage.succeeded_tasks) if stage else 0
    fits = tasks > wanted and (is_read or files <= ONE_EACH * tasks)
    changes = (Change(kind=ChangeKind.PARTITIONS, stage_ids=verdict.stage_ids, partitions=wanted),) if fits else ()
    if is_read:
        cost = case.setting(OPEN_COST) or ""
        settings = tuple(changed(case, (OPEN_COST, str(DEFAULT_OPEN_COST)))) if cost.isdecimal() and int(cost) > DEFAULT_OPEN_COST else ()
        yield Draft(FixKind.FILE_SIZES, "compact_files", Risk.LOW, 0.85, 0.9, values=values, settings=settings, changes=changes)
        return
    settings, patch = _fewer(case, verdict, stage, wanted) if stage is not None and tasks >= files else ((), NO_PATCH)
    by_column = _by_column(case) if not patch.diff else NO_PATCH
    yield Draft(
        FixKind.FILE_SIZES,
        "files_by_column" if by_column.diff else "fewer_files",
        Risk.LOW,
        0.9 if patch.diff or by_column.diff else 0.7,
        0.8,
        values=values,
        settings=settings,
        changes=changes,
        patch=patch if patch.diff else by_column,
    )


def files_that_can_be_cut(case: Case, verdict: Verdict, stage: StageFacts, wanted: int) -> Draft:
    """What is left where smaller pieces are of no use: the files themselves, or their rows right behind the read."""
    tasks = stage.planned_tasks or max(1, stage.succeeded_tasks)
    return Draft(
        FixKind.FILE_SIZES,
        "uncut_files",
        Risk.LOW,
        0.6,
        0.6,
        values={"limit": size(bytes_of(case, PIECES) or 0), "each": size(stage.input_bytes / tasks)},
        changes=(Change(kind=ChangeKind.PARTITIONS, stage_ids=(stage.stage_id,), partitions=wanted),),
    )


def _fewer(case: Case, verdict: Verdict, stage: StageFacts, wanted: int) -> tuple[tuple[()], Patch]:
    """The call of the script that makes as many partitions; a setting would change other stages too."""
    return (), count_changed(case, verdict, stage, wanted)[1]


def _by_column(case: Case) -> Patch:
    """`.repartition("column")` before a write that makes a folder for each value of the column."""
    for script in case.scripts:
        found = _partitioned_write(case, script)
        if found is not None:
            return found
    return NO_PATCH


def _partitioned_write(case: Case, script: NamedScript) -> Patch | None:
    source = case.source(script)
    if source is None or not any(operation.kind is OperationKind.WRITE for operation in script.facts.operations):
        return None
    for node in ast.walk(source.tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="partitionBy", value=chain), args=[*columns]) if columns and all(
                isinstance(column, ast.Constant) and isinstance(column.value, str) for column in columns
            ):
                writer = next((part for part in ast.walk(chain) if isinstance(part, ast.Attribute) and part.attr == "write"), None)
                if writer is None:
                    continue
                end = source.end(writer.value)
                named = ", ".join(source.text_of(column) for column in columns)
                return Patch(script.name, diff_by(script, [Edit(end, end, f".repartition({named})")]))
            case _:
                pass
    return None
