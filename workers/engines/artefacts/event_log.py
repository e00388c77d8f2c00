"""The event log of a Spark application, as an artefact."""

from contracts.bundles import Information
from contracts.spark import RunFacts, StageStatus
from workers.engines import human
from workers.engines.artefacts.kinds import ArtefactSource, Parsed
from workers.engines.spark.eventlog import read_run
from workers.engines.spark.eventlog.limits import GIB, MIB
from workers.engines.spark.eventlog.sources import EVENT_LINE, LOG_NAME
from workers.errors import UnreadableLog

MAX_BYTES = 10 * GIB
NO_ATTEMPTS = "Attempt {attempt} was asked for, and the log tells of no attempts: it was read as it is."

BYTES_PER_SECOND = 20 * MIB
"""As the log lies there. 80 MB of text are read in a second; logs are compressed to a tenth or not at all, so between the two."""


def sniff_event_log(name: str, head: bytes) -> float:
    """Lines that are events; of an empty file the name must tell."""
    if EVENT_LINE.search(head):
        return 0.99
    return 0.4 if LOG_NAME.search(name) else 0.0


def read_event_log(source: ArtefactSource) -> Parsed:
    """The run's facts."""
    try:
        run = read_run(source.path, attempt=source.attempt, label=source.name)
    except UnreadableLog as error:
        return Parsed(problem=str(error))
    if source.attempt is not None and run.attempt not in (None, source.attempt):
        return Parsed(problem=f"There is no attempt {source.attempt!r}; there is {run.attempt}.")
    problems: list[object] = [run.attempt is None and source.attempt and NO_ATTEMPTS.format(attempt=repr(source.attempt))]
    problems += [run.reading.truncated and f"It breaks off ({run.reading.truncated})."]
    problems += [run.reading.malformed_lines and f"{run.reading.malformed_lines} lines are no events."]
    return Parsed(facts=(run,), tells=_tells(run), summary=_summary(run), problem=" ".join(str(one) for one in problems if one) or None)


def _tells(run: RunFacts) -> frozenset[Information]:
    """What is in it. A log that runs to its end and shows no failure tells of errors too: that there were none."""
    nodes = [node.name for execution in run.executions for node in execution.nodes]
    failed = any(stage.failed_tasks or stage.status is StageStatus.FAILED for stage in run.stages)
    told = {
        Information.STAGE_RUNS: bool(run.stages),
        Information.RUN_METRICS: any(stage.run_ms for stage in run.stages),
        Information.DATA_DISTRIBUTION: any(name.endswith(("bytes", "records")) for stage in run.stages for name in stage.distributions),
        Information.SHUFFLE_STATISTICS: any(stage.shuffle_read_bytes or stage.shuffle_write_bytes for stage in run.stages),
        Information.DATA_VOLUME: any(stage.input_bytes for stage in run.stages),
        Information.DATA_FLOW: any(stage.parent_ids for stage in run.stages),
        Information.OPERATORS: bool(nodes) or any(stage.operators for stage in run.stages),
        Information.JOIN_DETAILS: any("Join" in name or name == "CartesianProduct" for name in nodes),
        Information.PARTITIONING: any("Exchange" in name for name in nodes),
        Information.CONFIGURATION: bool(run.configuration),
        Information.ERRORS: failed or (bool(run.stages) and run.end_from == "application_end"),
    }
    return frozenset(information for information, is_there in told.items() if is_there)


def _summary(run: RunFacts) -> str:
    failed = sum(stage.failed_tasks for stage in run.stages)
    took = f" in {human.took(run.wall_ms)}" if run.wall_ms is not None else ""
    tasks = human.counted(sum(stage.succeeded_tasks for stage in run.stages), "task")
    parts = [human.counted(len(run.jobs), "job"), human.counted(len(run.stages), "stage"), tasks]
    lost = f"; {human.counted(failed, 'task attempt')} failed" if failed else ""
    return f"Spark {run.spark_version or 'of unknown version'} on {run.platform}: {', '.join(parts)}{took}{lost}."
