"""The event log of a Spark application, as an artefact."""

from collections.abc import Iterator

from contracts.bundles import Information
from contracts.spark import RunFacts, StageStatus
from contracts.statements import Join, Sayable, Statement, Value, as_value, listing, milliseconds, name, say
from workers.engines import counts
from workers.engines.artefacts.kinds import ArtefactSource, Parsed
from workers.engines.counts import exactly
from workers.engines.problems import all_of
from workers.engines.spark.eventlog import read_run
from workers.engines.spark.eventlog.limits import GIB, MIB
from workers.engines.spark.eventlog.sources import APPSTATUS, EVENT_LINE, LOG_NAME
from workers.errors import UnreadableLog

MAX_BYTES = 10 * GIB

PLATFORMS = {
    "local": say("spark.platform.local"),
    "standalone": say("spark.platform.standalone"),
    "unknown": say("spark.platform.unknown"),
}
"""Those that have a word in each language; the others are names of products."""

BYTES_PER_SECOND = 20 * MIB
"""As the log lies there. 80 MB of text are read in a second; logs are compressed to a tenth or not at all, so between the two."""


def sniff_event_log(name: str, head: bytes) -> float:
    """Lines that are events; of an empty file the name must tell. The marker beside rolling files is no log."""
    if EVENT_LINE.search(head):
        return 0.99
    return 0.4 if LOG_NAME.search(name) and not APPSTATUS.search(name) else 0.0


def read_event_log(source: ArtefactSource) -> Parsed:
    """The run's facts."""
    try:
        run = read_run(source.path, attempt=source.attempt, label=source.name)
    except UnreadableLog as error:
        return Parsed(problem=error.says)
    if source.attempt is not None and run.attempt not in (None, source.attempt):
        other = say("spark.refused.no_attempt", attempt=name(source.attempt), attempts=name(run.attempt))
        return Parsed(problem=other)
    return Parsed(facts=(run,), tells=_tells(run), summary=_summary(run), problem=all_of(*_problems(run, source.attempt)))


def _problems(run: RunFacts, attempt: str | None) -> Iterator[Sayable]:
    reading = run.reading
    if run.attempt is None and attempt:
        yield say("spark.reading.no_attempts", attempt=name(attempt))
    if reading.truncated:
        yield say("artefacts.note.breaks_off", why=as_value(reading.truncated))
    if reading.malformed_lines:
        yield say("spark.reading.malformed", n=exactly(reading.malformed_lines))


def _tells(run: RunFacts) -> frozenset[Information]:
    """What is in it. A log that runs to its end and shows no failure tells of errors too: that there were none."""
    nodes = [node.name for execution in run.executions for node in execution.nodes]
    failed = any(stage.failed_tasks or stage.status is StageStatus.FAILED for stage in run.stages)
    tells = {
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
    return frozenset(information for information, is_there in tells.items() if is_there)


def _summary(run: RunFacts) -> Statement:
    spark = say("spark.version", version=name(run.spark_version)) if run.spark_version else say("spark.unknown_version")
    work = [
        say("spark.jobs", n=exactly(len(run.jobs))),
        counts.stages(len(run.stages)),
        say("verdicts.tasks", n=exactly(sum(stage.succeeded_tasks for stage in run.stages))),
    ]
    if run.wall_ms is not None:
        work.append(say("spark.log.took", took=milliseconds(run.wall_ms)))
    failed = sum(stage.failed_tasks - stage.killed_tasks for stage in run.stages)
    if failed:
        work.append(say("spark.log.failed", attempts=say("spark.task_attempts", n=exactly(failed))))
    return say("spark.log.summary", spark=spark, platform=_platform(run.platform), work=listing(*work, join=Join.CLAUSES))


def _platform(platform: str) -> Value:
    return PLATFORMS.get(platform) or name(platform)
