"""Another number of partitions: where it is set for a stage, and the line of the script or of the configuration that changes it."""

import ast
import math
import re
from collections.abc import Iterable, Iterator, Sequence

from contracts.code import OperationKind, ScriptOperation
from contracts.spark import SqlNode, StageFacts
from contracts.statements import Statement, count, say, size
from contracts.tune.plan import FixKind, Risk, Setting
from contracts.verdicts import Verdict
from workers.engines.scripts.given import NamedScript
from workers.engines.scripts.spots import spot_of
from workers.engines.scripts.words import COUNT_WORDS
from workers.engines.spark.batches import BATCH
from workers.engines.spark.plan import Plan
from workers.engines.spark.verdicts.single_task import COALESCE, SINGLE, is_of_database
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import NO_PATCH, Draft, Patch
from workers.kinds.tune.rules.advice.rewrites.chains import diff_by
from workers.kinds.tune.rules.advice.rewrites.patches import Edit
from workers.kinds.tune.rules.advice.settings import bytes_in_force, changed, lowered, mebibytes

SHUFFLE_PARTITIONS = "spark.sql.shuffle.partitions"
INPUT_PARTITION = "spark.sql.files.maxPartitionBytes"
DEFAULT_PARALLELISM = "spark.default.parallelism"
LISTING_PARALLELISM = "spark.sql.sources.parallelPartitionDiscovery.parallelism"
LISTING = "Listing leaf files and directories"
"""How Spark describes the jobs that look for a table's files: a task for each folder of a partition, up to the setting."""

SPARK_DEFAULT = 200
"""Of `spark.sql.shuffle.partitions`."""

SQL_SHUFFLE = "ShuffledRowRDD"
"""What reads the shuffle of a table; older logs have no plans."""

PARTITIONS = re.compile(r"[Pp]artitioning\((?:.{0,900}, )?(\d{1,9})\)")
"""How many partitions an exchange makes: `hashpartitioning(k#1, 40)`, `RoundRobinPartitioning(40)`."""

STATE = re.compile(r"state info \[|StateStore|WithState|StreamingSymmetricHash|StreamingDedup")
"""An operator of a stream that keeps state from batch to batch."""

FILE_SCANS = ("FileScan", "Scan ")
BY_HADOOP = ("Scan hive", "HiveTableScan", "textFile", "wholeTextFiles", "sequenceFile", "objectFile", "hadoop", "newAPIHadoop")
"""How the reads of RDDs, and of Hive tables, begin that Hadoop's input format cuts."""

BY_SOURCE, OF_FILES = ("BatchScan", "GpuBatchScan"), "Location: "
"""Reads by the second interface of sources, and what those of Spark's own files show in the plan: only these the setting cuts."""

CACHED, BUCKETED = "InMemoryTableScan", "Bucketed: true"
"""Reads whose tasks are as many as the partitions or buckets that were written."""

COALESCED = re.compile(r"Coalesce (\d{1,9})\b")

FAR_ABOVE = 2
"""Times what files are cut into, that a task which reads more has a file that cannot be cut."""

WHOLE_DIGITS = 10
COUNTED = (OperationKind.REPARTITION, OperationKind.COALESCE, OperationKind.READ)
"""What may ask for a number of partitions, which no setting changes then."""


def rounded_to_slots(count: int, slots: int) -> int:
    """Up to whole waves of tasks."""
    return max(1, math.ceil(count / slots)) * slots


def lists_files(case: Case, stage: StageFacts) -> bool:
    """The stage looks for the files of a table, before anything is read."""
    jobs = case.run.jobs if case.run else ()
    return any(stage.stage_id in job.stage_ids and job.description.startswith(LISTING) for job in jobs)


def keeps_state(case: Case, verdict: Verdict) -> bool:
    """A stream keeps state in the partitions of these stages: their number is in its checkpoint, and adaptive execution is off."""
    return any(STATE.search(f"{node.name} {node.simple_string}") for node in _nodes(case, verdict.stage_ids))


def is_in_checkpoint(case: Case, verdict: Verdict, settings: Sequence[Setting]) -> bool:
    """The stages are a stream's, whose checkpoint holds the number of partitions that these settings would change."""
    stages = set(verdict.stage_ids)
    is_batch = any(stages.intersection(execution.stage_ids) and BATCH.search(execution.description) for execution in case.executions)
    return keeps_state(case, verdict) or (is_batch and any(setting.name == SHUFFLE_PARTITIONS for setting in settings))


def cut_smaller(case: Case, stage: StageFacts, wanted: float) -> tuple[Setting, ...]:
    """Files that Spark SQL reads in the stage are cut into parts of `wanted` bytes at most; nothing where the log shows another read."""
    return tuple(lowered(case, (INPUT_PARTITION, mebibytes(wanted)))) if _is_cut_by_setting(case, stage) else ()


def _is_cut_by_setting(case: Case, stage: StageFacts) -> bool:
    nodes, operators = _nodes(case, (stage.stage_id,)), _operators(case, stage)
    is_sql = stage.execution_id is not None or any(stage.stage_id in execution.stage_ids for execution in case.executions)
    is_files = bool(stage.input_bytes) and (is_sql or any(name.startswith(FILE_SCANS) for name in operators))
    is_other = any(name.startswith((*BY_HADOOP, CACHED)) for name in operators) or _is_cut_by_source(case, stage)
    return is_files and not is_other and not any(BUCKETED in node.simple_string or is_of_database(node) for node in nodes)


def _is_cut_by_source(case: Case, stage: StageFacts) -> bool:
    """An Iceberg table or a topic of Kafka is read, or nothing tells that it is not."""
    scans = [node for node in _nodes(case, (stage.stage_id,)) if node.name.startswith(BY_SOURCE)]
    if scans:
        return any(OF_FILES not in node.simple_string for node in scans)
    return any(name.startswith(BY_SOURCE) for name in stage.operators)


def _nodes(case: Case, stages: Iterable[int]) -> list[SqlNode]:
    wanted = set(stages)
    return [node for execution in case.executions for node in execution.nodes if wanted.intersection(node.stage_ids)]


def _operators(case: Case, stage: StageFacts) -> list[str]:
    return [*stage.operators, *(node.name for node in _nodes(case, (stage.stage_id,)))]


def why_uncut(case: Case, stage: StageFacts) -> Statement | None:
    """Why no setting cuts the input of the stage; None where the log does not tell."""
    if stage.input_bytes and any(name.startswith(BY_HADOOP) for name in _operators(case, stage)):
        return say("tune.fix.not_read_by_sql")
    if stage.input_bytes and _is_cut_by_source(case, stage):
        return say("tune.fix.cut_by_source")
    if not _is_cut_by_setting(case, stage):
        return None
    spread, limit = stage.distributions.get("input_bytes"), bytes_in_force(case, INPUT_PARTITION)
    most = spread.max if spread is not None else stage.input_bytes / (stage.planned_tasks or max(1, stage.succeeded_tasks))
    if limit and most > FAR_ABOVE * limit:
        return say("tune.fix.larger_than_cut", each=size(most), limit=size(limit))
    return None


def uncut_input(stage: StageFacts, why: Statement) -> Draft:
    """What to do where no setting cuts the input. What it saves nobody knows: how the input can be cut is not in the log."""
    return Draft(
        kind=FixKind.MORE_PARTITIONS,
        remedy="uncut_input",
        risk=Risk.LOW,
        confidence=0.5,
        saves=0.5,
        values={"now": count(stage.planned_tasks or stage.succeeded_tasks), "why": why},
    )


def needs_one_place(case: Case, stages: Iterable[int]) -> bool:
    """The plan brings all rows into a single partition because an operator needs them together: no number of partitions changes that.
    Of an exchange whose readers the log does not tell, they are the stages of its execution that have one task."""
    found = [stage for number in stages for stage in [case.stage(number)] if stage]
    plans = [Plan(execution) for execution in case.executions if execution.nodes]
    return any(
        SINGLE in node.simple_string and "REPARTITION" not in node.simple_string and any(_reads(plan, node, stage) for stage in found)
        for plan in plans
        for node in plan.exchanges
    )


def _reads(plan: Plan, exchange: SqlNode, stage: StageFacts) -> bool:
    if readers := plan.readers(exchange):
        return stage.stage_id in readers
    is_one = (stage.planned_tasks or stage.succeeded_tasks) == 1 and bool(stage.shuffle_read_bytes)
    return is_one and stage.execution_id == plan.execution.execution_id


def count_changed(case: Case, verdict: Verdict, stage: StageFacts, wanted: int) -> tuple[tuple[Setting, ...], Patch]:
    """(settings, patch): the call of the script that asks for the stage's number of tasks, or the setting that it comes from. Neither
    where a call asks for it that no script shows: no setting reaches that."""
    if lists_files(case, stage):
        return tuple(changed(case, (LISTING_PARALLELISM, str(wanted)))), NO_PATCH
    asked = _asked_for(case, stage.planned_tasks or stage.succeeded_tasks)
    if asked is not None:
        script, operation = asked
        diff = _other_number(case, script, operation, wanted)
        if diff:
            return (), Patch(script.name, diff)
    if is_asked_for(case, verdict, stage):
        return (), NO_PATCH
    name = SHUFFLE_PARTITIONS if _is_sql(case, verdict, stage) else DEFAULT_PARALLELISM
    tasks = stage.planned_tasks or stage.succeeded_tasks
    was = case.setting(name) or ""
    if wanted > tasks and was.isdecimal() and len(was) < WHOLE_DIGITS and int(was) >= wanted:
        return (), NO_PATCH  # adaptive execution has put them together: the number is not what keeps them few
    return tuple(changed(case, (name, str(wanted)))), NO_PATCH


def is_asked_for(case: Case, verdict: Verdict, stage: StageFacts) -> bool:
    """The stage's number of tasks comes from a call: `coalesce(4)`, or `repartition(40)` where the setting has another number. Where
    adaptive execution may have put partitions together, it is what the exchanges that the stage reads say."""
    tasks = stage.planned_tasks or stage.succeeded_tasks
    if any(name in COALESCE for name in stage.operators):
        executions = [execution for execution in case.executions if stage.stage_id in execution.stage_ids]
        lines = (COALESCED.match(node.simple_string) for execution in executions for node in execution.nodes)
        counts = {int(found[1]) for found in lines if found}
        if not counts or tasks in counts:
            return True
    if not stage.shuffle_read_bytes or not tasks:
        return False
    if not _is_sql(case, verdict, stage):
        was = _number(case.setting(DEFAULT_PARALLELISM))
        parents = [parent for number in stage.parent_ids for parent in [case.stage(number)] if parent]
        usual = {was} if was else {parent.planned_tasks or parent.succeeded_tasks for parent in parents}
        return bool(usual) and tasks not in usual
    by_setting = _number(case.setting(SHUFFLE_PARTITIONS)) or SPARK_DEFAULT
    named = set(_exchanged(case, stage))
    if named:
        return by_setting not in named
    return not case.is_adaptive and tasks != by_setting


def _is_sql(case: Case, verdict: Verdict, stage: StageFacts) -> bool:
    of_execution = stage.execution_id is not None or verdict.blame.execution_id is not None
    return bool(of_execution or SQL_SHUFFLE in stage.operators or case.setting(SHUFFLE_PARTITIONS))


def _exchanged(case: Case, stage: StageFacts) -> Iterator[int]:
    """The numbers of partitions of the exchanges that the stage reads."""
    for execution in case.executions:
        plan = Plan(execution)
        for exchange in plan.exchanges:
            found = PARTITIONS.search(exchange.simple_string) if stage.stage_id in plan.readers(exchange) else None
            if found:
                yield int(found[1])


def _number(text: str | None) -> int | None:
    text = (text or "").strip()
    return int(text) if text.isdecimal() and len(text) < WHOLE_DIGITS else None


def _asked_for(case: Case, tasks: int) -> tuple[NamedScript, ScriptOperation] | None:
    """`repartition(n)`, `coalesce(n)` or `parallelize(rows, n)` of a script, where exactly one asks for that number."""
    found = [
        (script, operation)
        for script in case.scripts
        for operation in script.facts.operations
        if operation.kind in COUNTED and operation.count == tasks
    ]
    return found[0] if len(found) == 1 else None


def _other_number(case: Case, script: NamedScript, operation: ScriptOperation, wanted: int) -> str:
    source = case.calls_of(script)
    spot = spot_of(operation)
    call = source.call_at(spot) if source else None
    declared = next(_numbers(call, operation), None) if call else None
    if source is None or call is None or declared is None:
        return ""
    edits = [Edit(source.start(declared), source.end(declared), str(wanted))]
    if operation.kind is OperationKind.COALESCE and isinstance(call.func, ast.Attribute) and wanted > (operation.count or 0):
        end = source.end(call.func)  # coalesce only ever makes fewer
        edits.append(Edit(end - len(call.func.attr), end, "repartition"))
    return diff_by(script, edits)


def _numbers(call: ast.Call, operation: ScriptOperation) -> Iterator[ast.Constant]:
    """Where a call says the number of partitions; nothing where a name stands for it."""
    by_name = [word.value for word in call.keywords if word.arg in COUNT_WORDS]
    of_rows = operation.kind is OperationKind.READ
    for node in [*by_name, *(call.args[1:] if of_rows else call.args[:1])]:
        if isinstance(node, ast.Constant) and node.value == operation.count:
            yield node
