"""The number of a run that decides a hypothesis, for kinds of problems that have such a number."""

from collections.abc import Callable

from contracts.figures import FigureId
from contracts.spark import RunFacts, SqlNode, StageFacts
from contracts.statements import say
from contracts.verdicts import Figure, Unit, VerdictKind
from workers.engines.spark.plan import EXCHANGES, is_join
from workers.engines.spark.verdicts import memory, parallelism, skew, straggler, volume
from workers.engines.spark.verdicts.failures import TASK_SHARE as FAILED_SHARE
from workers.engines.verdicts import figure

SOURCE = say("tune.source.task_metrics")
PLANS = say("tune.source.plans")
KEYLESS = ("CartesianProduct", "NestedLoopJoin")
"""Parts of the names of operators, in any engine: `GpuCartesianProduct`."""

MATTERS = 0.05
"""Of the run's task time: what stages below it look like decides nothing."""


def telling(kind: VerdictKind, run: RunFacts) -> Figure | None:
    """The number, with the threshold from which on it would speak for the hypothesis. None: the kind has none such, or the run does
    not tell it."""
    measure = MEASURES.get(kind)
    return measure(run) if measure else None


def numbers_of(run: RunFacts | None) -> dict[VerdictKind, Figure]:
    """The numbers of all kinds that have one."""
    found = {kind: telling(kind, run) for kind in MEASURES} if run is not None else {}
    return {kind: number for kind, number in found.items() if number is not None}


def speaks_against(figure: Figure) -> bool:
    """It stays below its threshold."""
    return figure.threshold is not None and figure.value < figure.threshold


def _heavy(run: RunFacts) -> list[StageFacts]:
    return [stage for stage in run.stages if stage.run_share >= MATTERS]


def _skew(run: RunFacts) -> Figure | None:
    ratios = [stage.bytes_ratio for stage in _heavy(run) if stage.bytes_ratio is not None and stage.succeeded_tasks >= skew.MIN_TASKS]
    return figure(FigureId.HEAVIEST_TO_USUAL, max(ratios), Unit.RATIO, SOURCE, skew.DATA_RATIO) if ratios else None


def _straggler(run: RunFacts) -> Figure | None:
    ratios = [stage.time_ratio for stage in _heavy(run) if stage.time_ratio is not None and stage.succeeded_tasks >= skew.MIN_TASKS]
    return figure(FigureId.LONGEST_TO_USUAL, max(ratios), Unit.RATIO, SOURCE, straggler.TIME_RATIO) if ratios else None


def _spill(run: RunFacts) -> Figure | None:
    spilled = sum(max(stage.disk_spill_bytes, stage.memory_spill_bytes) for stage in run.stages)
    return figure(FigureId.SPILLED, spilled, Unit.BYTES, SOURCE, memory.SPILL_BYTES)


def _gc(run: RunFacts) -> Figure | None:
    task_ms = sum(stage.task_ms for stage in run.stages)
    collected = sum(stage.gc_ms for stage in run.stages)
    return figure(FigureId.COLLECTION_SHARE, collected / task_ms, Unit.SHARE, SOURCE, memory.GC_RUN_SHARE) if task_ms else None


def _failures(run: RunFacts) -> Figure | None:
    failed = sum(stage.failed_tasks - stage.killed_tasks for stage in run.stages)
    attempts = sum(stage.failed_tasks + stage.succeeded_tasks for stage in run.stages)
    return figure(FigureId.FAILED_ATTEMPTS, failed, Unit.TASKS, SOURCE, max(1, FAILED_SHARE * attempts)) if attempts else None


def _shuffle(run: RunFacts) -> Figure | None:
    read = sum(stage.input_bytes for stage in run.stages)
    written = sum(stage.shuffle_write_bytes for stage in run.stages)
    return figure(FigureId.SHUFFLED_TO_READ, written / read, Unit.RATIO, SOURCE, volume.INPUT_RATIO) if read else None


def _tiny(run: RunFacts) -> Figure | None:
    most = max((stage.succeeded_tasks for stage in run.stages), default=0)
    return figure(FigureId.TASKS, most, Unit.TASKS, SOURCE, parallelism.TINY_TASKS) if most else None


def _nodes(run: RunFacts, is_meant: Callable[[SqlNode], bool], threshold: int) -> Figure | None:
    plans = [execution for execution in run.executions if execution.nodes]
    if not plans or any(execution.nodes_left_out for execution in plans):
        return None
    found = sum(is_meant(node) for execution in plans for node in execution.nodes)
    return figure(FigureId.OPERATORS, found, Unit.COUNT, PLANS, threshold)


def _is_keyless(node: SqlNode) -> bool:
    return any(word in node.name for word in KEYLESS)


def _shuffles_both_sides(node: SqlNode) -> bool:
    return is_join(node) and "Broadcast" not in node.name


def _is_exchange(node: SqlNode) -> bool:
    return node.name in EXCHANGES


MEASURES: dict[VerdictKind, Callable[[RunFacts], Figure | None]] = {
    VerdictKind.DATA_SKEW: _skew,
    VerdictKind.STRAGGLER: _straggler,
    VerdictKind.SPILL: _spill,
    VerdictKind.GC_PRESSURE: _gc,
    VerdictKind.FAILURES: _failures,
    VerdictKind.SHUFFLE_VOLUME: _shuffle,
    VerdictKind.TINY_TASKS: _tiny,
    VerdictKind.BROADCASTABLE_JOIN: lambda run: _nodes(run, _shuffles_both_sides, 1),
    VerdictKind.REDUNDANT_EXCHANGE: lambda run: _nodes(run, _is_exchange, 2),
    VerdictKind.CROSS_JOIN: lambda run: _nodes(run, _is_keyless, 1),
}
