"""JobInfo.xml: who the job is, how it ended, how long it waited, compiled and ran."""

from contracts.bundles import Information
from contracts.scope import ScopeJobInfo
from workers.engines import human
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
    resources = {name: told[:NAME_CHARS] for name in RESOURCES if (told := node.get(name))}
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
        return Parsed(problem=read.problem or "It has neither a job's id nor its state under a name that is known.")
    tells = {Information.RUN_METRICS} if facts.run_ms is not None else set[Information]()
    if resources:
        tells.add(Information.CONFIGURATION)
    if any(stream.size_bytes or stream.rows for stream in inputs):
        tells.add(Information.DATA_VOLUME)
    ran = f", ran {human.took(facts.run_ms)}" if facts.run_ms is not None else ""
    return Parsed((facts,), frozenset(tells), f"Job {facts.name or facts.job_id}: {facts.state or 'state not told'}{ran}", read.problem)


def _duration(node: Node, *names: str) -> int | None:
    return next((named_duration_ms(name, told) for name in names if (told := node.get(name))), None)
