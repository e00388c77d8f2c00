"""JobInfo.xml: who the job is, how it ended, how long it waited, compiled and ran."""

from contracts import statements
from contracts.bundles import Information
from contracts.scope import ScopeJobInfo
from contracts.statements import Statement, say
from workers.engines.artefacts.kinds import ArtefactSource, Parsed
from workers.engines.scope.documents import read_document
from workers.engines.scope.streams import stream_of
from workers.engines.scope.tree import Node
from workers.engines.scope.values import named_duration_ms

NAME_CHARS = 300
INPUTS = 2_000
RESOURCES = ("Priority", "VcPercentAllocation", "Tokens", "MaxTokens", "TokenCount", "DegreeOfParallelism", "AnalyticsUnits", "RuntimeName")
"""What of a job's resources matters for its speed. Names of users and clusters are left where they are."""


def parse_job_info(source: ArtefactSource) -> Parsed:
    """`ScopeJobInfo`."""
    read = read_document(source)
    root = read.root
    if root is None:
        return Parsed(problem=read.problem)
    node = next(root.find("JobInfo", "Job"), root)
    resources = {name: text[:NAME_CHARS] for name in RESOURCES if (text := node.get(name))}
    for group in node.find("ResourceRequirements", "Resources"):
        resources |= {child.tag[:NAME_CHARS]: child.text[:NAME_CHARS] for child in group.children[:50] if child.text}
    inputs = [
        stream for group in node.find("InputTables", "Inputs", "InputStreams") for child in group.children if (stream := stream_of(child))
    ]
    facts = ScopeJobInfo(
        artefact=source.name,
        job_id=node.get("JobId", "Id", "Guid")[:NAME_CHARS],
        name=node.get("Name", "JobName")[:NAME_CHARS],
        state=node.get("State", "Status", "JobState", "Result")[:NAME_CHARS],
        submitted_at=node.get("SubmitTime", "SubmittedAt")[:NAME_CHARS],
        started_at=node.get("StartTime", "StartedAt")[:NAME_CHARS],
        ended_at=node.get("EndTime", "EndedAt", "CompletionTime")[:NAME_CHARS],
        run_ms=_duration(node, "RunTimeTicks", "RunTime", "Duration", "ElapsedTime"),
        queued_ms=_duration(node, "QueuedTimeTicks", "QueuedTime"),
        compile_ms=_duration(node, "CompilationTimeTicks", "CompilationTime"),
        resources=resources,
        inputs=tuple(inputs)[:INPUTS],
    )
    if not facts.job_id and not facts.state and facts.run_ms is None:
        return Parsed(problem=read.problem or say("scope.problem.no_job"))
    tells = {Information.RUN_METRICS} if facts.run_ms is not None else set[Information]()
    if resources:
        tells.add(Information.CONFIGURATION)
    if any(stream.size_bytes or stream.rows for stream in inputs):
        tells.add(Information.DATA_VOLUME)
    return Parsed((facts,), frozenset(tells), _summary(facts), read.problem)


def _summary(facts: ScopeJobInfo) -> Statement:
    values = {
        "job": statements.name(facts.name or facts.job_id),
        "state": statements.name(facts.state) if facts.state else say("scope.unknown_state"),
    }
    if facts.run_ms is None:
        return say("scope.summary.job", **values)
    return say("scope.summary.job_ran", **values, ran=statements.milliseconds(facts.run_ms))


def _duration(node: Node, *names: str) -> int | None:
    return next((named_duration_ms(name, text) for name in names if (text := node.get(name))), None)
