"""The operations of a script behind problems that no key and no exchange leads to: user functions, single partitions, writes, actions."""

from collections.abc import Callable, Sequence

from contracts.code import OperationKind, ScriptFacts, ScriptOperation
from contracts.figures import FigureId
from contracts.spark import SqlNode, StageFacts
from contracts.verdicts import ScriptSpot, Verdict, VerdictKind
from workers.engines.scripts.repetitions import Way, repetitions
from workers.engines.scripts.spots import spot_of
from workers.engines.spark.plan import EXCHANGES, is_scan, is_window
from workers.engines.verdicts import figure_of

TO_DRIVER = ("collect", "toPandas", "toLocalIterator", "take", "head", "collectAsMap")
"""Actions that hand rows to the driver, by the beginning of their text."""

RESULT_SIZE = "maxResultSize"
"""In Spark's error where the driver refuses what the tasks send."""

BROADCAST = "broadcast the table"
"""In Spark's error where a table is too large for it."""

OF_A_DATABASE = ("load(", "jdbc(")
STREAMS = ("start(", "toTable(")

ENDS = (OperationKind.ACTION, OperationKind.WRITE)

Find = Callable[[Verdict, ScriptFacts, Sequence[SqlNode]], list[ScriptOperation]]


SHUFFLE_PARTITIONS = "spark.sql.shuffle.partitions"
OF_A_COUNT = (VerdictKind.TINY_TASKS, VerdictKind.TASK_OVERHEAD, VerdictKind.TOO_FEW_TASKS, VerdictKind.SINGLE_TASK)
SETTING = "setting"
LOOP = "loop"

LAMBDA = "<lambda>"
"""What a plan calls a function without a name."""


def by_kind(verdict: Verdict, script: ScriptFacts, nodes: Sequence[SqlNode]) -> list[ScriptOperation]:
    """Those that a problem of this kind comes from; empty where the plan or the keys tell more."""
    find = PLACES.get(verdict.kind)
    return find(verdict, script, nodes) if find else []


def _python(verdict: Verdict, script: ScriptFacts, nodes: Sequence[SqlNode]) -> list[ScriptOperation]:
    named = set(verdict.blame.functions)
    if LAMBDA in named:  # the plan knows no name, but the script gave it one
        named |= set(script.functions)
    called = [operation for operation in script.operations if named & set(operation.functions)]
    return called or [
        operation for operation in script.operations if operation.kind is OperationKind.MAP and not _is_scala(script, operation)
    ]


def _is_scala(script: ScriptFacts, operation: ScriptOperation) -> bool:
    """Its functions run in the JVM."""
    return script.language == "scala" or operation.artefact.endswith(".scala")


def _single_task(verdict: Verdict, script: ScriptFacts, nodes: Sequence[SqlNode]) -> list[ScriptOperation]:
    if any(is_scan(node) or is_window(node) for node in nodes):
        return []
    return [
        operation
        for operation in script.operations
        if operation.kind in (OperationKind.COALESCE, OperationKind.REPARTITION) and operation.count == 1
    ]


def _small_files(verdict: Verdict, script: ScriptFacts, nodes: Sequence[SqlNode]) -> list[ScriptOperation]:
    if any(is_scan(node) for node in nodes):
        return []
    return [operation for operation in script.operations if operation.kind is OperationKind.WRITE]


def takes_rows(operation: ScriptOperation) -> bool:
    """An action that hands rows to the driver."""
    return operation.kind is OperationKind.ACTION and operation.text.startswith(TO_DRIVER)


def _driver(verdict: Verdict, script: ScriptFacts, nodes: Sequence[SqlNode]) -> list[ScriptOperation]:
    return [operation for operation in script.operations if takes_rows(operation)]


def _failed(verdict: Verdict, script: ScriptFacts, nodes: Sequence[SqlNode]) -> list[ScriptOperation]:
    """Of results too large for the driver the action that takes them, of a table too large to be sent to all the join that asks for it; of
    other errors the operators tell more."""
    if BROADCAST in verdict.error.lower():
        joins = [operation for operation in script.operations if operation.kind is OperationKind.JOIN]
        return [join for join in joins if join.is_broadcast] or joins
    return _driver(verdict, script, nodes) if RESULT_SIZE in verdict.error else []


def _tiny_tasks(verdict: Verdict, script: ScriptFacts, nodes: Sequence[SqlNode]) -> list[ScriptOperation]:
    """Where the script itself says how many partitions there are; after an exchange it is the setting that does."""
    if any(node.name in EXCHANGES or not is_scan(node) for node in nodes):
        return []
    counted = (OperationKind.READ, OperationKind.REPARTITION)
    return [operation for operation in script.operations if operation.kind in counted and (operation.count or 0) > 1]


def _recomputed(verdict: Verdict, script: ScriptFacts, nodes: Sequence[SqlNode]) -> list[ScriptOperation]:
    """The last operation that more than one action needs."""
    shared = [operation for operation in script.operations if operation.kind not in (*ENDS, OperationKind.READ)]
    return [operation for operation in reversed(shared) if _ends(script, operation) > 1][:1]


def _ends(script: ScriptFacts, begin: ScriptOperation) -> int:
    reached = {begin.number}
    for operation in script.operations:
        if reached & set(operation.inputs):
            reached.add(operation.number)
    return sum(operation.kind in ENDS for operation in script.operations if operation.number in reached)


def setting_spots(verdict: Verdict, stages: Sequence[StageFacts], script: ScriptFacts) -> tuple[ScriptSpot, ...]:
    """The line of the script that says how many tasks these stages have, where that is a setting."""
    place, value = script.setting_places.get(SHUFFLE_PARTITIONS), script.settings.get(SHUFFLE_PARTITIONS)
    if verdict.kind not in OF_A_COUNT or place is None or value is None:
        return ()
    if value not in {str(stage.planned_tasks or stage.succeeded_tasks) for stage in stages}:
        return ()
    return (ScriptSpot(line=place.line, operation=SETTING, text=f"{SHUFFLE_PARTITIONS} = {value}", artefact=place.artefact),)


def loop_spots(verdict: Verdict, script: ScriptFacts) -> tuple[ScriptSpot, ...]:
    """The heads of the loops that a verdict of a loop may come from: of those over the verdict's tables, where one is."""
    if figure_of(verdict, FigureId.TURNS) is None:
        return ()
    loops = [again.operations[0] for again in repetitions(script) if again.is_loop]
    return tuple(
        spot_of(operation).model_copy(
            update={
                "line": operation.loop_line,
                "column": 0,
                "operation": LOOP,
                "text": operation.loop_text,
                "used_line": None,
                "cell": operation.loop_cell,
                "cell_line": operation.loop_cell_line,
            }
        )
        for operation in loops
        if operation.loop_line is not None
    )


def _grouped(verdict: Verdict, script: ScriptFacts, nodes: Sequence[SqlNode]) -> list[ScriptOperation]:
    """Of rows that an RDD groups the call that groups them; of other volumes the plan tells more."""
    calls = [operation for operation in script.operations if operation.kind is OperationKind.GROUP]
    return [call for call in calls if verdict.blame.operator and call.text.startswith(verdict.blame.operator)]


def _repeated(verdict: Verdict, script: ScriptFacts, nodes: Sequence[SqlNode]) -> list[ScriptOperation]:
    """What the script does in loops, or for several actions; where neither shows, the plan tells more. What the log shows as a loop is
    looked for among the loops."""
    found = [again for again in repetitions(script) if again.way is not Way.COLUMNS]
    if figure_of(verdict, FigureId.TURNS) is not None:
        found = [again for again in found if again.is_loop] or found
    return [operation for again in found[:1] for operation in again.operations]


def _read_whole(verdict: Verdict, script: ScriptFacts, nodes: Sequence[SqlNode]) -> list[ScriptOperation]:
    """The reads that say neither a file nor a folder, as of a database; of files the plan names the table."""
    if any(is_scan(node) and "Location" in node.simple_string for node in nodes):
        return []
    reads = [operation for operation in script.operations if operation.kind is OperationKind.READ]
    return [read for read in reads if read.text.startswith(OF_A_DATABASE)] or (reads if len(reads) == 1 else [])


def _kept(verdict: Verdict, script: ScriptFacts, nodes: Sequence[SqlNode]) -> list[ScriptOperation]:
    return [operation for operation in script.operations if operation.kind is OperationKind.CACHE]


def _streamed(verdict: Verdict, script: ScriptFacts, nodes: Sequence[SqlNode]) -> list[ScriptOperation]:
    """Where the stream begins to run."""
    ends = [operation for operation in script.operations if operation.kind is OperationKind.WRITE]
    return [end for end in ends if end.text.startswith(STREAMS)] or ends


PLACES: dict[VerdictKind, Find] = {
    VerdictKind.REPEATED_PLANS: _repeated,
    VerdictKind.PYTHON_TIME: _python,
    VerdictKind.SERIAL_SCAN: _read_whole,
    VerdictKind.EVICTED_CACHE: _kept,
    VerdictKind.DRIVER_WORK: _driver,
    VerdictKind.STREAMING_TRIGGERS: _streamed,
    VerdictKind.SHUFFLE_VOLUME: _grouped,
    VerdictKind.PYTHON_UDF: _python,
    VerdictKind.SINGLE_TASK: _single_task,
    VerdictKind.SMALL_FILES: _small_files,
    VerdictKind.DRIVER_COLLECT: _driver,
    VerdictKind.FAILURES: _failed,
    VerdictKind.TINY_TASKS: _tiny_tasks,
    VerdictKind.TASK_OVERHEAD: _tiny_tasks,
    VerdictKind.RECOMPUTATION: _recomputed,
}
