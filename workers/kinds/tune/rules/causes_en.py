"""What is said of each possible cause, in English."""

from contracts.bundles import Information
from contracts.verdicts import TuningClass, Unit, VerdictKind

TITLES: dict[VerdictKind, str] = {
    VerdictKind.DATA_SKEW: "data skew",
    VerdictKind.BROADCASTABLE_JOIN: "a shuffled join that could be a broadcast",
    VerdictKind.REDUNDANT_EXCHANGE: "a redundant exchange",
    VerdictKind.LATE_PROJECTION: "columns dropped too late",
    VerdictKind.LATE_FILTER: "rows filtered too late",
    VerdictKind.SHUFFLE_VOLUME: "shuffle volume",
    VerdictKind.STRAGGLER: "a straggler without skew",
    VerdictKind.SPILL: "spill",
    VerdictKind.GC_PRESSURE: "garbage collection",
    VerdictKind.FAILURES: "failures and retries",
    VerdictKind.TINY_TASKS: "tiny tasks",
    VerdictKind.TOO_FEW_TASKS: "too few tasks",
    VerdictKind.IDLE_EXECUTORS: "idle executors",
    VerdictKind.WARM_UP: "a warm-up",
    VerdictKind.CROSS_JOIN: "a cross join",
    VerdictKind.MANY_JOINS: "many joins",
    VerdictKind.UNPARTITIONED_JOIN: "a join without partitioning",
    VerdictKind.MANY_GROUPINGS: "many groupings",
    VerdictKind.MANY_DISTINCTS: "many distincts",
    VerdictKind.INLINE_CODE: "inline code",
    VerdictKind.MANY_PROCESSORS: "many processors in a row",
    VerdictKind.EXCEEDED_LIMIT: "a number beyond its limit",
    VerdictKind.JOB_ERROR: "an error of the job",
    VerdictKind.INCOMPLETE_LOG: "an incomplete log",
}

STATEMENTS: dict[VerdictKind, str] = {
    VerdictKind.DATA_SKEW: "A few values of a key carry most of the rows, so that one or few tasks work while the others are done.",
    VerdictKind.BROADCASTABLE_JOIN: "A join shuffles both sides although one of them is small enough to be sent to every executor.",
    VerdictKind.REDUNDANT_EXCHANGE: "Data is redistributed or sorted where the next step does so again, or is partitioned so already.",
    VerdictKind.LATE_PROJECTION: "Columns that nothing needs later are carried through a shuffle.",
    VerdictKind.LATE_FILTER: "Rows that a later filter throws away are carried through a shuffle.",
    VerdictKind.SHUFFLE_VOLUME: "The job moves much more data between its stages than it reads.",
    VerdictKind.STRAGGLER: "A task is slow with no more data than the others: a slow host, or something outside that it waits for.",
    VerdictKind.SPILL: "Tasks get more data than fits into their memory and write it to disk and back.",
    VerdictKind.GC_PRESSURE: "The executors' heaps are so full that garbage collection takes a good part of the tasks' time.",
    VerdictKind.FAILURES: "Tasks or stages fail and are run again.",
    VerdictKind.TINY_TASKS: "The work is cut into so many small tasks that starting them costs more than doing it.",
    VerdictKind.TOO_FEW_TASKS: "Large work lies in fewer tasks than could run at the same time.",
    VerdictKind.IDLE_EXECUTORS: "Executors are held that have nothing to do.",
    VerdictKind.CROSS_JOIN: "A join without a usable key compares every row with every row.",
    VerdictKind.MANY_JOINS: "The script joins so often that the data is redistributed again and again.",
    VerdictKind.UNPARTITIONED_JOIN: "The script joins by keys by which neither side is partitioned, so both are redistributed.",
    VerdictKind.MANY_GROUPINGS: "The script groups so often that the data is redistributed again and again.",
    VerdictKind.MANY_DISTINCTS: "The script removes duplicates so often that the data is redistributed again and again.",
    VerdictKind.INLINE_CODE: "Code of the user's own runs for every row, and the optimiser cannot see into it.",
    VerdictKind.MANY_PROCESSORS: "Several processors or reducers of the user's own stand in a row, each a pass over the data.",
    VerdictKind.EXCEEDED_LIMIT: "The engine's own statistics say that a number is beyond its limit.",
    VerdictKind.JOB_ERROR: "The job or a vertex ends in an error or a timeout.",
}

VERIFICATION: dict[VerdictKind, tuple[str, ...]] = {
    VerdictKind.DATA_SKEW: (
        "Compare bytes and records of the heaviest task with the usual one, stage by stage; its time has to follow.",
        "Count the rows of the most frequent values of the key, nulls and stand-ins such as -1 included.",
    ),
    VerdictKind.BROADCASTABLE_JOIN: ("Compare what each side of the join writes to its shuffle with the limit for a broadcast.",),
    VerdictKind.REDUNDANT_EXCHANGE: ("Look for two exchanges in a row in the plan, and for one by keys that its input has already.",),
    VerdictKind.LATE_PROJECTION: ("Compare the columns of each exchange with those that the operators above it use.",),
    VerdictKind.LATE_FILTER: ("Look for filters above an exchange, and count the rows before and after them.",),
    VerdictKind.SHUFFLE_VOLUME: ("Compare the bytes written to shuffles with the bytes read from the inputs.",),
    VerdictKind.STRAGGLER: (
        "Find the longest task of each stage and compare its bytes and records with the usual task's.",
        "See whether it is always the same host or partition.",
    ),
    VerdictKind.SPILL: ("Add up what the tasks spill to disk, and compare it with what they read.",),
    VerdictKind.GC_PRESSURE: ("Divide the time of garbage collection by the tasks' time, stage by stage.",),
    VerdictKind.FAILURES: ("Count the failed attempts by their reason, and add up the time they took.",),
    VerdictKind.TINY_TASKS: ("Compare the usual task's time and bytes with what starting a task costs.",),
    VerdictKind.TOO_FEW_TASKS: ("Compare the tasks of the long stages with the tasks that can run at the same time.",),
    VerdictKind.IDLE_EXECUTORS: ("Divide the time that each executor worked by the time it was there.",),
    VerdictKind.CROSS_JOIN: ("Look for joins without a condition of equality in the script and in the plan, and count their output rows.",),
    VerdictKind.MANY_JOINS: ("Count the script's joins, and see which of them shuffle in the run.",),
    VerdictKind.UNPARTITIONED_JOIN: ("Compare the joins' keys with the partitioning of their inputs.",),
    VerdictKind.MANY_GROUPINGS: ("Count the script's groupings, and see which of them shuffle in the run.",),
    VerdictKind.MANY_DISTINCTS: ("Count the script's distincts, and see which of them shuffle in the run.",),
    VerdictKind.INLINE_CODE: ("Find the code in the script, and the time of the stages that run it.",),
    VerdictKind.MANY_PROCESSORS: ("Count the processors in a row, and the time of the stages that run them.",),
    VerdictKind.EXCEEDED_LIMIT: ("Look for the numbers that the job's statistics mark as exceeded.",),
    VerdictKind.JOB_ERROR: ("Read the error's code and message, and which vertex it names.",),
}

INFORMATION: dict[Information, str] = {
    Information.SCRIPT_LOGIC: "the script's logic",
    Information.JOIN_DETAILS: "how the joins run",
    Information.DATA_DISTRIBUTION: "how data is spread over the tasks",
    Information.PARTITIONING: "how data is partitioned",
    Information.HOT_KEYS: "which keys are heavy",
    Information.RUN_METRICS: "memory and GC figures",
    Information.OPERATORS: "the operators that ran",
    Information.DATA_FLOW: "the data flow between stages",
    Information.SHUFFLE_STATISTICS: "how much is shuffled",
    Information.STAGE_RUNS: "how long stages and tasks took",
    Information.DATA_VOLUME: "rows and bytes of the inputs",
    Information.ERRORS: "errors",
    Information.WARNINGS: "warnings",
    Information.CONFIGURATION: "the configuration",
}

CLASSES: dict[TuningClass, str] = {
    TuningClass.NONE: "no dominating problem",
    TuningClass.DATA_SKEW: "data skew",
    TuningClass.EXCESS_SHUFFLE: "excess shuffle",
    TuningClass.OTHER: "another problem",
}

UNITS: dict[Unit, str] = {
    Unit.MS: "{value} ms",
    Unit.BYTES: "{value}",
    Unit.RECORDS: "{value} rows",
    Unit.TASKS: "{value} tasks",
    Unit.RATIO: "{value} times",
    Unit.SHARE: "{value}",
    Unit.COUNT: "{value}",
}
