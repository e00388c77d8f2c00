"""What slows a job down, as far as it is known in general: how often, what has to be known to judge it, and who can judge it."""

from dataclasses import dataclass

from contracts.bundles import Information
from contracts.verdicts import TuningClass, VerdictKind


@dataclass(frozen=True, slots=True)
class KnownCause:
    """One kind of problem before anything is known of the job."""

    tuning_class: TuningClass
    prior: float
    """How likely it is in a job that somebody calls slow. Guesses of the order: joins and memory are everyday, the rest is rarer."""
    needs: tuple[Information, ...]
    """What has to be known to judge it: all of them."""
    of_scripts: bool = False
    """A rule over a SCOPE script or a SCOPE job's own statistics judges it, and nothing in a Spark event log does."""


SKEW, SHUFFLE, OTHER = TuningClass.DATA_SKEW, TuningClass.EXCESS_SHUFFLE, TuningClass.OTHER

KNOWN: dict[VerdictKind, KnownCause] = {
    VerdictKind.DATA_SKEW: KnownCause(SKEW, 0.2, (Information.DATA_DISTRIBUTION, Information.STAGE_RUNS)),
    VerdictKind.BROADCASTABLE_JOIN: KnownCause(SHUFFLE, 0.15, (Information.JOIN_DETAILS, Information.SHUFFLE_STATISTICS)),
    VerdictKind.REDUNDANT_EXCHANGE: KnownCause(SHUFFLE, 0.12, (Information.OPERATORS, Information.PARTITIONING)),
    VerdictKind.LATE_PROJECTION: KnownCause(SHUFFLE, 0.1, (Information.OPERATORS, Information.SHUFFLE_STATISTICS)),
    VerdictKind.LATE_FILTER: KnownCause(SHUFFLE, 0.08, (Information.OPERATORS, Information.DATA_FLOW)),
    VerdictKind.SHUFFLE_VOLUME: KnownCause(SHUFFLE, 0.12, (Information.SHUFFLE_STATISTICS, Information.DATA_FLOW)),
    VerdictKind.STRAGGLER: KnownCause(OTHER, 0.1, (Information.STAGE_RUNS, Information.DATA_DISTRIBUTION)),
    VerdictKind.SPILL: KnownCause(OTHER, 0.12, (Information.RUN_METRICS,)),
    VerdictKind.GC_PRESSURE: KnownCause(OTHER, 0.1, (Information.RUN_METRICS,)),
    VerdictKind.FAILURES: KnownCause(OTHER, 0.1, (Information.STAGE_RUNS,)),
    VerdictKind.TINY_TASKS: KnownCause(OTHER, 0.08, (Information.STAGE_RUNS,)),
    VerdictKind.TOO_FEW_TASKS: KnownCause(OTHER, 0.08, (Information.STAGE_RUNS,)),
    VerdictKind.IDLE_EXECUTORS: KnownCause(OTHER, 0.05, (Information.RUN_METRICS,)),
    VerdictKind.SINGLE_TASK: KnownCause(OTHER, 0.03, (Information.STAGE_RUNS,)),
    VerdictKind.PYTHON_UDF: KnownCause(OTHER, 0.03, (Information.STAGE_RUNS,)),
    VerdictKind.RECOMPUTATION: KnownCause(OTHER, 0.03, (Information.STAGE_RUNS,)),
    VerdictKind.SMALL_FILES: KnownCause(OTHER, 0.03, (Information.STAGE_RUNS,)),
    VerdictKind.LOST_EXECUTORS: KnownCause(OTHER, 0.04, (Information.STAGE_RUNS, Information.ERRORS)),
    VerdictKind.SUPERFLUOUS_COPIES: KnownCause(OTHER, 0.01, (Information.STAGE_RUNS,)),
    VerdictKind.LATE_EXECUTORS: KnownCause(OTHER, 0.03, (Information.STAGE_RUNS, Information.CONFIGURATION)),
    VerdictKind.DRIVER_COLLECT: KnownCause(OTHER, 0.02, (Information.STAGE_RUNS,)),
    VerdictKind.CROSS_JOIN: KnownCause(OTHER, 0.04, (Information.SCRIPT_LOGIC, Information.JOIN_DETAILS), of_scripts=True),
    VerdictKind.REPEATED_PLANS: KnownCause(OTHER, 0.02, (Information.OPERATORS, Information.STAGE_RUNS)),
    VerdictKind.TASK_OVERHEAD: KnownCause(OTHER, 0.02, (Information.STAGE_RUNS,)),
    VerdictKind.PYTHON_TIME: KnownCause(OTHER, 0.02, (Information.STAGE_RUNS,)),
    VerdictKind.SERIAL_SCAN: KnownCause(OTHER, 0.02, (Information.STAGE_RUNS,)),
    VerdictKind.WHOLE_SCAN: KnownCause(OTHER, 0.02, (Information.OPERATORS,)),
    VerdictKind.HANGING_TASK: KnownCause(OTHER, 0.02, (Information.STAGE_RUNS,)),
    VerdictKind.EVICTED_CACHE: KnownCause(OTHER, 0.01, (Information.OPERATORS, Information.STAGE_RUNS)),
    VerdictKind.SHUFFLE_TIME: KnownCause(SHUFFLE, 0.02, (Information.SHUFFLE_STATISTICS, Information.STAGE_RUNS)),
    VerdictKind.UNEVEN_TASKS: KnownCause(OTHER, 0.02, (Information.STAGE_RUNS,)),
    VerdictKind.DRIVER_WORK: KnownCause(OTHER, 0.02, (Information.STAGE_RUNS,)),
    VerdictKind.STREAMING_TRIGGERS: KnownCause(OTHER, 0.01, (Information.STAGE_RUNS,)),
    VerdictKind.MEMORY_TIME: KnownCause(OTHER, 0.02, (Information.RUN_METRICS,)),
    VerdictKind.MANY_JOINS: KnownCause(SHUFFLE, 0.02, (Information.SCRIPT_LOGIC, Information.SHUFFLE_STATISTICS), of_scripts=True),
    VerdictKind.UNPARTITIONED_JOIN: KnownCause(SHUFFLE, 0.02, (Information.SCRIPT_LOGIC, Information.PARTITIONING), of_scripts=True),
    VerdictKind.MANY_GROUPINGS: KnownCause(SHUFFLE, 0.02, (Information.SCRIPT_LOGIC, Information.SHUFFLE_STATISTICS), of_scripts=True),
    VerdictKind.MANY_DISTINCTS: KnownCause(SHUFFLE, 0.02, (Information.SCRIPT_LOGIC, Information.SHUFFLE_STATISTICS), of_scripts=True),
    VerdictKind.INLINE_CODE: KnownCause(OTHER, 0.02, (Information.SCRIPT_LOGIC, Information.STAGE_RUNS), of_scripts=True),
    VerdictKind.MANY_PROCESSORS: KnownCause(OTHER, 0.02, (Information.SCRIPT_LOGIC, Information.STAGE_RUNS), of_scripts=True),
    VerdictKind.EXCEEDED_LIMIT: KnownCause(OTHER, 0.02, (Information.RUN_METRICS,), of_scripts=True),
    VerdictKind.JOB_ERROR: KnownCause(OTHER, 0.03, (Information.ERRORS,), of_scripts=True),
}
"""Every verdict that is a problem."""

UNFAMILIAR = (
    VerdictKind.REPEATED_PLANS,
    VerdictKind.TASK_OVERHEAD,
    VerdictKind.PYTHON_TIME,
    VerdictKind.SERIAL_SCAN,
    VerdictKind.WHOLE_SCAN,
    VerdictKind.HANGING_TASK,
    VerdictKind.EVICTED_CACHE,
    VerdictKind.SHUFFLE_TIME,
    VerdictKind.UNEVEN_TASKS,
    VerdictKind.DRIVER_WORK,
    VerdictKind.STREAMING_TRIGGERS,
    VerdictKind.MEMORY_TIME,
)
"""Classes of lost time below the families: they are named with place and share, and no fix is given for them."""

CLASS_OF = {kind: known.tuning_class for kind, known in KNOWN.items()}
"""The class that a kind of problem belongs to. Kinds that are missing here are notes and speak for no class."""

MEASURED = frozenset({Information.STAGE_RUNS, Information.RUN_METRICS, Information.DATA_DISTRIBUTION, Information.SHUFFLE_STATISTICS})
"""What only a run tells: with one of them read, a class no longer rests on words and code alone."""
