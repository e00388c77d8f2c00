"""The content of a SCOPE or U-SQL job's own artefacts. Every part names the artefact it was read from; a value that the file does
not have is None or empty. Times are in milliseconds. Stages have the names that the engine gives them (`SV3_Combine`)."""

from enum import StrEnum

from pydantic import Field

from contracts.base import Contract, Text
from contracts.code import ScriptFacts
from contracts.statements import Sayable


class ScopeDialect(StrEnum):
    """Which of the two languages a script is written in."""

    SCOPE = "scope"
    USQL = "usql"
    """Rowsets are variables with an `@`."""


class JoinKind(StrEnum):
    """Which rows a join keeps."""

    INNER = "inner"
    LEFT_OUTER = "left_outer"
    RIGHT_OUTER = "right_outer"
    FULL_OUTER = "full_outer"
    SEMI = "semi"
    ANTI_SEMI = "anti_semi"
    CROSS = "cross"


class ScopeJoin(Contract):
    """What is known of one join of a script beyond its operation."""

    operation: int = Field(ge=0)
    """Its number among the script's operations."""
    line: int = Field(ge=1)
    kind: JoinKind
    left: tuple[Text, ...] = ()
    """Tables that flow into the left side."""
    right: tuple[Text, ...] = ()
    left_keys: tuple[Text, ...] = ()
    right_keys: tuple[Text, ...] = ()
    hints: tuple[Text, ...] = ()
    """`BROADCASTRIGHT`, `PAIR`, `HASH`, ..."""
    is_partitioned: bool = False
    """Whether the side is partitioned by the keys, as far as the script shows."""


class ScopePartitioning(Contract):
    """One clause that defines how rows are partitioned."""

    operation: int | None = None
    """None if the clause belongs to the definition of a table."""
    line: int = Field(ge=1)
    target: Text = ""
    """The rowset, the output or the table."""
    scheme: str
    """`hash`, `range`, `round_robin`, `direct_hash`, `random` or `unknown`."""
    columns: tuple[Text, ...] = ()
    buckets: int | None = None


class ScopeHint(Contract):
    """One hint to the optimiser: `SKEWFACTOR(Query) = 0.5`."""

    line: int = Field(ge=1)
    name: Text
    columns: tuple[Text, ...] = ()
    value: Text = ""


class ScopeUserCode(Contract):
    """User code that the optimiser cannot see into."""

    line: int = Field(ge=1)
    kind: str
    """`extractor`, `outputter`, `processor`, `reducer`, `combiner`, `applier`; `expression`: C# in a clause; `block`: `#CS`."""
    name: Text = ""
    text: Text = ""


class UnreadStatement(Contract):
    """A part of a script that could not be parsed."""

    line: int = Field(ge=1)
    reason: Sayable


class ScopeScriptFacts(Contract):
    """A SCOPE or U-SQL script, parsed but not run: its operations, and what only these languages have."""

    artefact: Text = ""
    script: ScriptFacts
    """The operations, in the same form as for other languages."""
    dialect: ScopeDialect = ScopeDialect.SCOPE
    lines: int = Field(default=0, ge=0)
    statements: int = Field(default=0, ge=0)
    joins: tuple[ScopeJoin, ...] = ()
    partitionings: tuple[ScopePartitioning, ...] = ()
    hints: tuple[ScopeHint, ...] = ()
    user_code: tuple[ScopeUserCode, ...] = ()
    unread: tuple[UnreadStatement, ...] = ()


class ScopeStream(Contract):
    """An input or output of a job."""

    name: Text
    size_bytes: int | None = Field(default=None, ge=0)
    rows: int | None = Field(default=None, ge=0)
    partitions: int | None = Field(default=None, ge=0)
    partitioned_by: tuple[Text, ...] = ()


class ScopeStreamInfo(Contract):
    """The streams that a job reads and writes."""

    artefact: Text
    inputs: tuple[ScopeStream, ...] = ()
    outputs: tuple[ScopeStream, ...] = ()


class ScopeJobInfo(Contract):
    """How a job was submitted and how it ended."""

    artefact: Text
    job_id: Text = ""
    name: Text = ""
    state: Text = ""
    """The engine's term: `CompletedSuccess`, `Failed`, ..."""
    submitted_at: Text = ""
    """Copied from the file, because the time zone depends on the cluster."""
    started_at: Text = ""
    ended_at: Text = ""
    run_ms: int | None = Field(default=None, ge=0)
    queued_ms: int | None = Field(default=None, ge=0)
    compile_ms: int | None = Field(default=None, ge=0)
    resources: dict[str, Text] = {}
    """Tokens, allocation, priority."""
    inputs: tuple[ScopeStream, ...] = ()


class ScopeTask(Contract):
    """A task that the engine calls skewed."""

    task_id: Text
    reason: Text = ""
    duration_ms: int | None = Field(default=None, ge=0)
    read_bytes: int | None = Field(default=None, ge=0)
    rows: int | None = Field(default=None, ge=0)


class ScopeStage(Contract):
    """One stage in the job statistics."""

    stage_id: Text
    name: Text = ""
    duration_ms: int | None = Field(default=None, ge=0)
    tasks: int | None = Field(default=None, ge=0)
    read_bytes: int | None = Field(default=None, ge=0)
    written_bytes: int | None = Field(default=None, ge=0)
    rows: int | None = Field(default=None, ge=0)
    usual_task_ms: int | None = Field(default=None, ge=0)
    """Bytes of the median task, or of the average task if the file has no median."""
    usual_task_bytes: int | None = Field(default=None, ge=0)
    skewed_tasks: tuple[ScopeTask, ...] = ()


class ScopeMetric(Contract):
    """One of the engine's own performance metrics."""

    name: Text
    value: Text
    number: float | None = None
    """The value without its unit: sizes in bytes, durations in milliseconds."""
    threshold: Text = ""
    stage: Text = ""
    status: Text = ""
    is_exceeded: bool = False


class ScopeJobStatistics(Contract):
    """The job's statistics: overall, by stage, and its metrics."""

    artefact: Text
    job_id: Text = ""
    duration_ms: int | None = Field(default=None, ge=0)
    overall: dict[str, Text] = {}
    """Copied from the file."""
    stages: tuple[ScopeStage, ...] = ()
    metrics: tuple[ScopeMetric, ...] = ()


class ScopeOperatorRun(Contract):
    """What one operator of a vertex processed."""

    operator_id: Text
    rows: int | None = Field(default=None, ge=0)
    exclusive_ms: int | None = Field(default=None, ge=0)


class ScopeVertexRun(Contract):
    """The numbers of one vertex (all its instances) at run time."""

    vertex: Text
    peak_memory_bytes: int | None = Field(default=None, ge=0)
    """Memory of the instance that used most, if the file has it."""
    usual_memory_bytes: int | None = Field(default=None, ge=0)
    elapsed_ms: int | None = Field(default=None, ge=0)
    cpu_ms: int | None = Field(default=None, ge=0)
    input_bytes: int | None = Field(default=None, ge=0)
    output_bytes: int | None = Field(default=None, ge=0)
    spilled_bytes: int | None = Field(default=None, ge=0)
    gc_share: float | None = Field(default=None, ge=0, le=1)
    exceptions: int | None = Field(default=None, ge=0)
    operators: tuple[ScopeOperatorRun, ...] = ()


class ScopeRuntimeStatistics(Contract):
    """The cost of the vertices, and the five most expensive by each measure."""

    artefact: Text
    read_as: str
    """`xml`; `wrapped`: XML without a root of its own; `pattern`: broken XML, its vertices found by pattern; `lines`."""
    vertices: tuple[ScopeVertexRun, ...] = ()
    top_memory: tuple[Text, ...] = ()
    top_time: tuple[Text, ...] = ()
    top_bytes: tuple[Text, ...] = ()


class PlanOperatorKind(StrEnum):
    """What an operator of a plan does."""

    EXTRACT = "extract"
    FILTER = "filter"
    JOIN = "join"
    CROSS = "cross"
    AGGREGATE = "aggregate"
    SORT = "sort"
    EXCHANGE = "exchange"
    """Rows move between vertices: split, merge, repartition."""
    UNION = "union"
    PROCESS = "process"
    REDUCE = "reduce"
    OUTPUT = "output"
    OTHER = "other"


class ScopePlanOperator(Contract):
    """One operator of the plan."""

    operator_id: Text
    name: Text
    kind: PlanOperatorKind
    stage: Text = ""
    columns: tuple[Text, ...] = ()
    """The columns that it groups, joins, sorts or partitions by."""
    tables: tuple[Text, ...] = ()
    inputs: tuple[Text, ...] = ()
    """Ids of the operators or data it reads."""
    outputs: tuple[Text, ...] = ()
    """Ids of its data, if they differ from its own id."""
    line: int | None = Field(default=None, ge=1)
    """Line of the script, if the plan gives it."""
    rows: float | None = Field(default=None, ge=0)
    """The optimiser's estimate."""
    partitions: int | None = Field(default=None, ge=0)


class ScopePlan(Contract):
    """The operators of a job, from its algebra or its vertex definition."""

    artefact: Text
    operators: tuple[ScopePlanOperator, ...] = ()
    memory_limits: dict[str, int] = {}
    """Vertex → the bytes that one instance may use."""


class ScopeFlowVertex(Contract):
    """A node of the data flow."""

    vertex_id: Text
    name: Text = ""
    kind: Text = ""
    is_input: bool = False
    is_output: bool = False
    tasks: int | None = Field(default=None, ge=0)


class ScopeFlowEdge(Contract):
    """Data that goes from one node to another."""

    source: Text
    target: Text
    size_bytes: int | None = Field(default=None, ge=0)
    rows: int | None = Field(default=None, ge=0)
    kind: Text = ""


class ScopeDataFlow(Contract):
    """Which stage feeds which."""

    artefact: Text
    vertices: tuple[ScopeFlowVertex, ...] = ()
    edges: tuple[ScopeFlowEdge, ...] = ()


class ScopeError(Contract):
    """Why a job ended."""

    code: Text = ""
    component: Text = ""
    error_id: Text = ""
    message: Text = ""
    resolution: Text = ""
    details: Text = ""
    """The internal diagnostics, cut."""
    vertex: Text = ""
    """The vertex that failed, where it is named."""
    is_timeout: bool = False
    """A vertex exceeded its time limit."""


class ScopeErrors(Contract):
    """The errors of a job; empty if it ended without errors."""

    artefact: Text
    errors: tuple[ScopeError, ...] = ()


class ScopeMessage(Contract):
    """A warning or a finding of the compiler or the engine."""

    code: Text = ""
    severity: Text = ""
    message: Text
    line: int | None = Field(default=None, ge=1)
    """In the script."""
    occurrences: int = Field(default=1, ge=0)
    solution: Text = ""


class ScopeMessages(Contract):
    """The warnings, or the diagnostics, of a job."""

    artefact: Text
    messages: tuple[ScopeMessage, ...] = ()


class ScopeCompilation(Contract):
    """How the script was compiled: the command, the options, the timers and the output of the compilers."""

    artefact: Text
    command: Text = ""
    options: dict[str, Text] = {}
    timers_ms: dict[str, int] = {}
    functions: int | None = Field(default=None, ge=0)
    """Number of files that were generated."""
    messages: tuple[ScopeMessage, ...] = ()


class ScopeGeneratedClass(Contract):
    """A class of the generated code."""

    name: Text
    line: int = Field(ge=1)
    base: Text = ""


class ScopeGeneratedCode(Contract):
    """The C# code that the compiler generated from the script."""

    artefact: Text
    lines: int = Field(ge=0)
    classes: tuple[ScopeGeneratedClass, ...] = ()


class ScopeGeneratedPart(Contract):
    """A class of the generated code, explained: which operator it is the code of, and from which line of the script that comes."""

    artefact: Text
    line: int = Field(ge=1)
    name: Text
    does: PlanOperatorKind
    """What the operator does."""
    operator: Text = ""
    """In the plan; empty if the plan has none of this name."""
    stage: Text = ""
    share: float = Field(default=0, ge=0, le=1)
    """Share of the job's time that the stage took."""
    script_line: int | None = Field(default=None, ge=1)
    is_user_code: bool = False
    """It runs code of the script or of a library, which the optimiser cannot see into."""


class ScopeCounters(Contract):
    """Internal counters of the engine, or numbers of a profile, by name."""

    artefact: Text
    counters: dict[str, float] = {}
