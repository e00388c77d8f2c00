"""JobStatistics.xml: how long each stage took, which of its tasks the engine calls skewed, and the metrics it calls exceeded."""

from collections.abc import Sequence

from contracts import statements
from contracts.bundles import Information
from contracts.scope import ScopeJobStatistics, ScopeMetric, ScopeStage, ScopeTask
from contracts.statements import Join, Statement, listing, say
from workers.engines import counts
from workers.engines.artefacts.kinds import ArtefactSource, Parsed
from workers.engines.counts import exactly
from workers.engines.scope.documents import read_document
from workers.engines.scope.sentences import clauses
from workers.engines.scope.tree import Node
from workers.engines.scope.values import count, duration_ms, named_duration_ms, number, size_bytes

STAGES = 5_000
TASKS = 200
"""Skewed tasks of a stage that are kept."""

OVERALL = 60
NAME_CHARS = 300
REASON_CHARS = 1_000
EXCEEDED = ("exceed", "violat", "over", "fail", "critical", "超")
"""How a status says that a metric is beyond its limit."""

DURATIONS = (
    "Duration",
    "DurationMs",
    "ElapsedTime",
    "ElapsedMs",
    "RunTime",
    "RunTimeTicks",
    "TotalTime",
    "ExecutionTime",
    "DurationSeconds",
)


SHOWN_SKEWED = 3


def parse_job_statistics(source: ArtefactSource) -> Parsed:
    """`ScopeJobStatistics`."""
    read = read_document(source)
    root = read.root
    if root is None:
        return Parsed(problem=read.problem)
    stages = tuple(_stage(node) for node in _stages(root))[:STAGES]
    metrics = tuple(_metric(node) for node in root.find("Metric", "PerformanceMetric") if node.get("Name", "MetricName"))[:STAGES]
    overall_node = next(root.find("OverallStatistics", "Overall", "JobSummary", "Summary"), root)
    overall = {node.tag[:NAME_CHARS]: node.text[:NAME_CHARS] for node in overall_node.children if node.text and not node.children}
    overall |= {name[:NAME_CHARS]: value[:NAME_CHARS] for name, value in overall_node.attributes.items()}
    facts = ScopeJobStatistics(
        artefact=source.name,
        job_id=root.get("JobId", "Id", "JobGuid")[:NAME_CHARS],
        duration_ms=duration_of(overall_node, "TotalDuration", "JobDuration", "TotalElapsedTime") or duration_of(root),
        overall=dict(list(overall.items())[:OVERALL]),
        stages=stages,
        metrics=metrics,
    )
    if not stages and not metrics and not facts.overall:
        return Parsed(problem=read.problem or say("scope.problem.no_statistics"))
    return Parsed((facts,), _tells(facts), _summary(facts), read.problem)


def duration_of(node: Node, *names: str) -> int | None:
    """A node's duration under the first of these names, or of the usual ones; the name tells the unit of a plain number."""
    for name in (*names, *DURATIONS):
        text = node.get(name)
        if text:
            return named_duration_ms(name, text)
    return None


def _stages(root: Node) -> list[Node]:
    """The stages, not the lists of them: what has an id or a name."""
    return [node for node in root.find("Stage", "StageInfo", "StageStatistic") if node.get("StageId", "Id", "StageName", "Name")]


def _stage(node: Node) -> ScopeStage:
    skewed = [task for group in node.find("SkewedTasks", "SkewedVertices", "SkewedTask", "SkewedVertex") for task in _tasks(group)]
    name = node.get("StageName", "Name")
    return ScopeStage(
        stage_id=(node.get("StageId", "Id") or name)[:NAME_CHARS],
        name=name[:NAME_CHARS],
        duration_ms=duration_of(node),
        tasks=count(node.get("TaskCount", "Tasks", "VertexCount", "TotalTasks", "NumTasks")),
        read_bytes=size_bytes(node.get("DataRead", "BytesRead", "InputBytes", "InputSize", "DataProcessed", "ReadBytes")),
        written_bytes=size_bytes(node.get("DataWritten", "BytesWritten", "OutputBytes", "OutputSize", "DataOutput", "WrittenBytes")),
        rows=count(node.get("RowsRead", "InputRows", "Rows", "RowCount")),
        usual_task_ms=duration_of_first(node, "MedianTaskDuration", "MedianDuration", "AvgTaskDuration", "AverageTaskDuration"),
        usual_task_bytes=size_bytes(node.get("MedianTaskBytes", "MedianDataRead", "AvgTaskBytes", "AvgDataRead", "AverageDataRead")),
        skewed_tasks=tuple(dict.fromkeys(skewed))[:TASKS],
    )


def duration_of_first(node: Node, *names: str) -> int | None:
    """A duration that is given under exactly one of these names, without a unit in the name."""
    return next((duration_ms(text) for name in names if (text := node.get(name))), None)


def _tasks(group: Node) -> list[ScopeTask]:
    if group.key in ("skewedtask", "skewedvertex"):
        return [_task(group)]
    return [_task(node) for node in group.children if node.key in ("task", "vertex", "item", "instance")]


def _task(node: Node) -> ScopeTask:
    return ScopeTask(
        task_id=(node.get("TaskId", "Id", "VertexId", "Name") or node.text)[:NAME_CHARS],
        reason=node.get("SkewReason", "Reason", "Message", "Description")[:REASON_CHARS],
        duration_ms=duration_of(node),
        read_bytes=size_bytes(node.get("DataRead", "BytesRead", "InputBytes", "DataProcessed", "Size", "ReadBytes")),
        rows=count(node.get("RowsRead", "InputRows", "Rows", "RowCount")),
    )


def _metric(node: Node) -> ScopeMetric:
    value = node.get("Value", "Current", "Actual")
    size, duration = size_bytes(value) if value else None, duration_ms(value) if value else None
    quantity = number(value.rstrip("% x×"))
    status = node.get("Status", "State", "Result")[:NAME_CHARS]
    return ScopeMetric(
        name=node.get("Name", "MetricName")[:NAME_CHARS],
        value=value[:NAME_CHARS],
        number=quantity if quantity is not None else size if size is not None else duration,
        threshold=node.get("Threshold", "Limit", "Max", "Expected")[:NAME_CHARS],
        stage=node.get("Stage", "StageId", "StageName", "Vertex")[:NAME_CHARS],
        status=status,
        is_exceeded=status.lower().startswith(EXCEEDED),
    )


def _tells(facts: ScopeJobStatistics) -> frozenset[Information]:
    tells: set[Information] = set()
    if any(stage.duration_ms is not None for stage in facts.stages):
        tells.add(Information.STAGE_RUNS)
    if any(stage.skewed_tasks or stage.usual_task_bytes is not None for stage in facts.stages):
        tells.add(Information.DATA_DISTRIBUTION)
    if facts.metrics or facts.overall:
        tells.add(Information.RUN_METRICS)
    return frozenset(tells)


def _summary(facts: ScopeJobStatistics) -> Statement:
    skewed = [stage for stage in facts.stages if stage.skewed_tasks]
    longest = max(facts.stages, key=lambda stage: stage.duration_ms or 0, default=None)
    parts = [counts.stages(len(facts.stages))]
    if facts.duration_ms:
        parts = [say("scope.summary.stages_in", stages=parts[0], took=statements.milliseconds(facts.duration_ms))]
    if longest and longest.duration_ms:
        took = statements.milliseconds(longest.duration_ms)
        parts.append(say("scope.summary.longest", stage=statements.name(longest.name or longest.stage_id), took=took))
    parts.append(_skewed(skewed))
    exceeded = exactly(sum(metric.is_exceeded for metric in facts.metrics))
    parts.append(say("scope.summary.exceeded", exceeded=exceeded, metrics=exactly(len(facts.metrics))))
    return clauses(*parts)


def _skewed(stages: Sequence[ScopeStage]) -> Statement:
    tasks = exactly(sum(len(stage.skewed_tasks) for stage in stages))
    if not stages:
        return say("scope.summary.skewed", tasks=tasks)
    named = listing(*(statements.name(stage.name or stage.stage_id) for stage in stages[:SHOWN_SKEWED]), join=Join.PLAIN)
    return say("scope.summary.skewed_in", tasks=tasks, stages=named)
