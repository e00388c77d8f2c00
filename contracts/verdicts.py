"""The problems of a run: their figures, their origin, and the class that follows from them."""

from enum import StrEnum

from pydantic import Field

from contracts.base import Contract, Text
from contracts.statements import Sayable


class TuningClass(StrEnum):
    """The main problem of a slow run."""

    NONE = "none"
    """No problem dominates the run."""
    DATA_SKEW = "data_skew"
    EXCESS_SHUFFLE = "excess_shuffle"
    OTHER = "other"


class VerdictKind(StrEnum):
    """A problem that a run can have, or something that looks like a problem but is not."""

    DATA_SKEW = "data_skew"
    """A few tasks got much more data than the others, and therefore took longer."""
    BROADCASTABLE_JOIN = "broadcastable_join"
    """Both sides of a join are shuffled although one of them would fit into each executor."""
    REDUNDANT_EXCHANGE = "redundant_exchange"
    """A repartition or global sort that the next exchange undoes, or a repartition by the keys by which the data is already partitioned."""
    LATE_PROJECTION = "late_projection"
    """An exchange carries columns that no later operator needs."""
    LATE_FILTER = "late_filter"
    """An exchange carries rows that a later filter discards."""
    SHUFFLE_VOLUME = "shuffle_volume"
    """Much more is shuffled than was read."""
    STRAGGLER = "straggler"
    """A task took much longer than the others without having more data."""
    HANGING_TASK = "hanging_task"
    """A task had not ended when the log did, long after it began."""
    SPILL = "spill"
    GC_PRESSURE = "gc_pressure"
    FAILURES = "failures"
    TINY_TASKS = "tiny_tasks"
    """The tasks are so many and so short that starting them costs more than their work."""
    TOO_FEW_TASKS = "too_few_tasks"
    """Much work is divided into fewer tasks than could run at the same time."""
    IDLE_EXECUTORS = "idle_executors"
    WARM_UP = "warm_up"
    """The first tasks of the executors were slow without having more data. This is start-up, neither skew nor a straggler."""
    SINGLE_TASK = "single_task"
    """Much work runs in one task because of the script: a window over everything, a single partition, a file that cannot be split."""
    PYTHON_UDF = "python_udf"
    """Rows leave the engine for a Python process, one at a time."""
    RECOMPUTATION = "recomputation"
    """Stages do again what earlier stages of the run have done."""
    SMALL_FILES = "small_files"
    """Many files that are read or written are so small that opening them costs more than their data."""
    LOST_EXECUTORS = "lost_executors"
    """Executors were lost in the middle of the run, and their work was done again."""
    SUPERFLUOUS_COPIES = "superfluous_copies"
    """Speculation started copies of tasks that were no faster than the tasks themselves."""
    LATE_EXECUTORS = "late_executors"
    """Dynamic allocation asked for executors only when stages already waited for them."""
    DRIVER_COLLECT = "driver_collect"
    """Many rows are taken to the driver."""
    CROSS_JOIN = "cross_join"
    """A join that compares every row with every row."""
    REPEATED_PLANS = "repeated_plans"
    """The same plan is run again and again, in a loop or by several actions."""
    TASK_OVERHEAD = "task_overhead"
    """Starting tasks and taking their results costs much of the time of what they do."""
    PYTHON_TIME = "python_time"
    """Tasks wait for Python processes."""
    SERIAL_SCAN = "serial_scan"
    """A source is read by fewer tasks than could run."""
    WHOLE_SCAN = "whole_scan"
    """A source is read whole although a part of it is needed: it gets no filter on its partitions, or none in a form that it takes."""
    EVICTED_CACHE = "evicted_cache"
    """A table that is kept in memory is computed again, since parts of it were dropped."""
    SHUFFLE_TIME = "shuffle_time"
    """Tasks write shuffle files and wait for those of others."""
    UNEVEN_TASKS = "uneven_tasks"
    """Slots are empty while the last tasks of a stage run."""
    DRIVER_WORK = "driver_work"
    """No stage runs: planning, listing files, commits, the driver's own code."""
    STREAMING_TRIGGERS = "streaming_triggers"
    """Micro-batches cost more by being batches than by their rows."""
    MEMORY_TIME = "memory_time"
    """Collecting garbage and spilling take much of the tasks' time."""
    MANY_JOINS = "many_joins"
    UNPARTITIONED_JOIN = "unpartitioned_join"
    """A script joins by keys, but partitions neither side by them."""
    MANY_GROUPINGS = "many_groupings"
    MANY_DISTINCTS = "many_distincts"
    INLINE_CODE = "inline_code"
    """User code inside the script (C#, a UDF), which the optimiser cannot see into."""
    MANY_PROCESSORS = "many_processors"
    """Several user processors or reducers in a row."""
    EXCEEDED_LIMIT = "exceeded_limit"
    """The engine's own statistics report that a threshold was exceeded."""
    JOB_ERROR = "job_error"
    """The job ended in an error, or a vertex timed out."""
    INCOMPLETE_LOG = "incomplete_log"
    """The log ends before the application does, so sums are lower bounds."""


class Severity(StrEnum):
    """What a verdict means for the run."""

    PROBLEM = "problem"
    HINT = "hint"
    """True, but either minor or not certain to be worth fixing."""
    NOTE = "note"
    """Not a fault: it explains a number that looks like a fault."""


class Unit(StrEnum):
    """What a figure counts or measures."""

    MS = "ms"
    BYTES = "bytes"
    RECORDS = "records"
    TASKS = "tasks"
    RATIO = "ratio"
    SHARE = "share"
    """A fraction between 0 and 1."""
    COUNT = "count"


class Figure(Contract):
    """One number that supports a verdict. Code finds it by its id; its name is for readers."""

    id: str = Field(default="", max_length=60, pattern=r"^([a-z][a-z0-9_]*)?$")
    """What it measures: a `FigureId` of the libraries, or an id that a kind defines. Empty in deliverables of version 0.1."""
    name: Sayable
    value: float
    unit: Unit
    source: Sayable
    """The artefact and the place in it: `event log, stage 4, task metrics`."""
    threshold: float | None = None
    """The value from which it supports the verdict. None if the figure is only informative."""


class ColumnRef(Contract):
    """A column of a table; the table is empty if the plan computes the column."""

    table: Text = ""
    column: Text


class KeyStatistics(Contract):
    """A key's share of its table, from the table's metadata."""

    column: ColumnRef
    value: Text
    rows: int = Field(ge=0)
    share: float = Field(ge=0)
    table_rows: int = Field(ge=0)
    distinct: int | None = None
    """Of the column."""
    is_sentinel: bool = False
    """Whether it looks like a placeholder for an unknown key: -1, 0, empty, `unknown`. A null always counts as a placeholder."""


class ScriptSpot(Contract):
    """A place in the script."""

    line: int = Field(ge=1)
    column: int = Field(default=0, ge=0)
    """Position in characters, counted from 0."""
    operation: Text
    """`join`, `group`, `window`, `sort`, `distinct`, `repartition`, `map`, `read`, ..., or `setting`"""
    text: Text = ""
    """The text of the operation in the script, cut."""
    used_line: int | None = None
    """Where it is used, if that is another line: a window may be specified elsewhere."""
    artefact: Text = ""
    """The script, if the bundle has several."""
    cell: int | None = None
    """Of a notebook: the number of the cell."""
    cell_line: int | None = None
    """Of a notebook: the line within the cell; `line` counts through all code cells."""


class Blame(Contract):
    """The origin of a verdict: stage → plan operator → script → columns → keys. A part that is not known is empty."""

    execution_id: int | None = None
    nodes: tuple[int, ...] = ()
    """Number of the operator in that execution's plan."""
    operator: Text = ""
    """Spark's name of the operator."""
    columns: tuple[ColumnRef, ...] = ()
    """The columns by which the operator works, or the unused columns that an exchange carries."""
    tables: tuple[Text, ...] = ()
    """The tables that the operator reads, directly or through others."""
    spots: tuple[ScriptSpot, ...] = ()
    keys: tuple[KeyStatistics, ...] = ()
    """The heaviest keys of the columns, heaviest first."""
    functions: tuple[Text, ...] = ()
    """The user's own functions that run in the stage."""


class Verdict(Contract):
    """One finding about a run."""

    kind: VerdictKind
    severity: Severity
    stage_ids: tuple[int, ...] = ()
    share: float = Field(default=0, ge=0, le=1)
    """Share of the run's time that it affects: the most that a fix can save. For failures, the largest of their shares of time, attempts
    and jobs, because failed work is lost even if it was short."""
    run_share: float = Field(default=0, ge=0, le=1)
    """The same on the wall clock of the whole run, the basis of a fix's gain; 0 if it is not known."""
    span_share: float = Field(default=0, ge=0, le=1)
    """Share of the run's wall clock in which its stages were running: no fix of these stages can save more. 0 if it is not known."""
    summary: Sayable
    """One sentence with its main numbers."""
    figures: tuple[Figure, ...] = ()
    error: Text = ""
    """For a failure, the line of the log that gives the reason, cut."""
    blame: Blame = Blame()


class ClassScore(Contract):
    """How strong the evidence for a class is."""

    tuning_class: TuningClass
    score: float = Field(ge=0, le=1)
    """The largest sum of shares over the problems of one kind in this class. For `none`, the distance of the best class from its
    threshold."""
    carried_by: tuple[int, ...] = ()
    """Its verdicts, as positions in `Findings.verdicts`."""


class Findings(Contract):
    """The verdicts on a run and the class that follows."""

    tuning_class: TuningClass
    scores: tuple[ClassScore, ...]
    """The score of every class, highest first."""
    verdicts: tuple[Verdict, ...] = ()
    """Problems first, then by share."""
    not_known: tuple[Sayable, ...] = ()
    """Artefacts that are missing or could not be read, and what cannot be determined without them."""
