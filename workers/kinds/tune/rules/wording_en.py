"""English names of what verdicts, plans and reports are made of. A verdict's own sentence is English already."""

from contracts.tune.plan import Risk
from contracts.verdicts import Severity, TuningClass, VerdictKind

CLASSES: dict[TuningClass, str] = {
    TuningClass.NONE: "no dominating problem",
    TuningClass.DATA_SKEW: "data skew",
    TuningClass.EXCESS_SHUFFLE: "excess shuffle",
    TuningClass.OTHER: "another problem",
}
SEVERITIES: dict[Severity, str] = {Severity.PROBLEM: "problem", Severity.HINT: "hint", Severity.NOTE: "note"}
RISKS: dict[Risk, str] = {Risk.LOW: "low", Risk.MEDIUM: "medium", Risk.HIGH: "high"}
KINDS: dict[VerdictKind, str] = {
    VerdictKind.DATA_SKEW: "data skew",
    VerdictKind.BROADCASTABLE_JOIN: "a join that could be broadcast",
    VerdictKind.REDUNDANT_EXCHANGE: "a redundant exchange",
    VerdictKind.LATE_PROJECTION: "unused columns in a shuffle",
    VerdictKind.LATE_FILTER: "a filter after a shuffle",
    VerdictKind.SHUFFLE_VOLUME: "more shuffled than read",
    VerdictKind.STRAGGLER: "a straggler",
    VerdictKind.SPILL: "spill",
    VerdictKind.GC_PRESSURE: "garbage collection",
    VerdictKind.FAILURES: "failures",
    VerdictKind.TINY_TASKS: "tiny tasks",
    VerdictKind.TOO_FEW_TASKS: "too few tasks",
    VerdictKind.IDLE_EXECUTORS: "idle executors",
    VerdictKind.WARM_UP: "warm-up",
    VerdictKind.CROSS_JOIN: "a cross join",
    VerdictKind.MANY_JOINS: "many joins",
    VerdictKind.UNPARTITIONED_JOIN: "a join of unpartitioned inputs",
    VerdictKind.MANY_GROUPINGS: "many groupings",
    VerdictKind.MANY_DISTINCTS: "many distincts",
    VerdictKind.INLINE_CODE: "inline code",
    VerdictKind.MANY_PROCESSORS: "many processors",
    VerdictKind.EXCEEDED_LIMIT: "an exceeded limit",
    VerdictKind.JOB_ERROR: "an error of the job",
    VerdictKind.INCOMPLETE_LOG: "an incomplete log",
}
