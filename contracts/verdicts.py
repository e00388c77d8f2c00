"""What is wrong with a run, with the numbers that say so, where it comes from, and the class it belongs to."""

from enum import StrEnum

from pydantic import Field

from contracts.base import Contract, Text
from contracts.statements import Sayable


class TuningClass(StrEnum):
    """What a slow run suffers from most."""

    NONE = "none"
    """No problem dominates it."""
    DATA_SKEW = "data_skew"
    EXCESS_SHUFFLE = "excess_shuffle"
    OTHER = "other"


class VerdictKind(StrEnum):
    """One thing that can be wrong with a run, or that looks wrong and is not."""

    DATA_SKEW = "data_skew"
    """Few tasks got much more data than the others, and took longer for it."""
    BROADCASTABLE_JOIN = "broadcastable_join"
    """Both sides of a join are shuffled though one of them would fit into each executor."""
    REDUNDANT_EXCHANGE = "redundant_exchange"
    """A repartition or global sort that the next exchange undoes, or one by keys by which the data is partitioned already."""
    LATE_PROJECTION = "late_projection"
    """Columns are carried through an exchange that nothing after it needs."""
    LATE_FILTER = "late_filter"
    """Rows are carried through an exchange that a later filter throws away."""
    SHUFFLE_VOLUME = "shuffle_volume"
    """Much more is shuffled than was read."""
    STRAGGLER = "straggler"
    """A task took much longer than the others with no more data than they."""
    SPILL = "spill"
    GC_PRESSURE = "gc_pressure"
    FAILURES = "failures"
    TINY_TASKS = "tiny_tasks"
    """So many, so short tasks that starting them costs more than their work."""
    TOO_FEW_TASKS = "too_few_tasks"
    """Large work in fewer tasks than could run at the same time."""
    IDLE_EXECUTORS = "idle_executors"
    WARM_UP = "warm_up"
    """The first tasks of the executors were slow, with no more data: starting up, and neither skew nor a straggler."""
    CROSS_JOIN = "cross_join"
    """Every row meets every row."""
    MANY_JOINS = "many_joins"
    UNPARTITIONED_JOIN = "unpartitioned_join"
    """A script joins by keys by which it partitions neither side."""
    MANY_GROUPINGS = "many_groupings"
    MANY_DISTINCTS = "many_distincts"
    INLINE_CODE = "inline_code"
    """User code inside the script (C#, a UDF), which the optimiser cannot see into."""
    MANY_PROCESSORS = "many_processors"
    """Several user processors or reducers in a row."""
    EXCEEDED_LIMIT = "exceeded_limit"
    """The engine's own statistics call a number exceeded."""
    JOB_ERROR = "job_error"
    """The job ended in an error, or a vertex timed out."""
    INCOMPLETE_LOG = "incomplete_log"
    """The log ends before the application does, so sums are lower bounds."""


class Severity(StrEnum):
    """What a verdict means for the run."""

    PROBLEM = "problem"
    HINT = "hint"
    """True, and either of little weight, or not certain to be a gain."""
    NOTE = "note"
    """No fault: it says what a number that looks like one comes from."""


class Unit(StrEnum):
    """What a figure counts."""

    MS = "ms"
    BYTES = "bytes"
    RECORDS = "records"
    TASKS = "tasks"
    RATIO = "ratio"
    SHARE = "share"
    """A part of one."""
    COUNT = "count"


class Figure(Contract):
    """One number that a verdict rests on. Code finds it by its id; its name is for readers."""

    id: str = Field(default="", max_length=60, pattern=r"^([a-z][a-z0-9_]*)?$")
    """What it measures: a `FigureId` of the libraries, or an id of a kind's own. Empty in deliverables of version 0.1."""
    name: Sayable
    value: float
    unit: Unit
    source: Sayable
    """The artefact and the place in it: `event log, stage 4, task metrics`."""
    threshold: float | None = None
    """From which value on it speaks for the verdict; none: it is there to be read."""


class ColumnRef(Contract):
    """A column of a table; the table is empty where the plan computes the column."""

    table: Text = ""
    column: Text


class KeyStatistics(Contract):
    """A key's share of its table, as the table's metadata has it."""

    column: ColumnRef
    value: Text
    rows: int = Field(ge=0)
    share: float = Field(ge=0)
    table_rows: int = Field(ge=0)
    distinct: int | None = None
    """Of the column."""
    is_sentinel: bool = False
    """It looks like a stand-in for an unknown key: -1, 0, empty, `unknown`; a null always is one."""


class ScriptSpot(Contract):
    """A place in the script."""

    line: int = Field(ge=1)
    column: int = Field(default=0, ge=0)
    """In characters, counted from 0."""
    operation: Text
    """`join`, `group`, `window`, `sort`, `distinct`, `repartition`, `map`, `read`, ..."""
    text: Text = ""
    """The operation as the script has it, cut."""
    artefact: Text = ""
    """The script, where the bundle has several."""


class Blame(Contract):
    """Where a verdict comes from: stage → plan operator → script → columns → keys. Each part that is not known is empty."""

    execution_id: int | None = None
    nodes: tuple[int, ...] = ()
    """Of that execution's plan."""
    operator: Text = ""
    """Spark's name of the operator."""
    columns: tuple[ColumnRef, ...] = ()
    """The ones the operator works by, or, for columns carried in vain, these."""
    tables: tuple[Text, ...] = ()
    """What the operator reads, directly or through others."""
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
    """Of the run's time that it touches: what a remedy can save at most. Of failures, the largest of their parts of time, attempts
    and jobs: what fails is lost even if it was quick."""
    summary: Sayable
    """One sentence with its main numbers."""
    figures: tuple[Figure, ...] = ()
    error: Text = ""
    """Of what failed: the line that says why, as the log has it, cut."""
    blame: Blame = Blame()


class ClassScore(Contract):
    """How much speaks for a class."""

    tuning_class: TuningClass
    score: float = Field(ge=0, le=1)
    """The shares of its problems, summed over those of one kind, of the kind where that is most; of `none`, how far the best class is
    below being one."""
    carried_by: tuple[int, ...] = ()
    """Its verdicts, as places in `Findings.verdicts`."""


class Findings(Contract):
    """The verdicts on a run and the class that follows."""

    tuning_class: TuningClass
    scores: tuple[ClassScore, ...]
    """Of every class, highest first."""
    verdicts: tuple[Verdict, ...] = ()
    """Problems first, then by share."""
    not_known: tuple[Sayable, ...] = ()
    """What was not given or could not be read, and what cannot be said without it."""
