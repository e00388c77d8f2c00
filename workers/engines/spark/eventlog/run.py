"""A Spark event log in, the facts of its run out."""

from collections.abc import Iterator
from pathlib import Path

from contracts.spark import ExecutorFacts, JobFacts, RunFacts, RunningTask, StageFacts, StageStatus
from contracts.statements import Statement, say
from workers.engines.counts import exactly
from workers.engines.spark.eventlog.aggregate import Aggregate, Job, stages_by_execution
from workers.engines.spark.eventlog.configuration import local_cores, platform_of, task_cpus
from workers.engines.spark.eventlog.dag import critical_path, idle_ms
from workers.engines.spark.eventlog.limits import KeepLimits, ReadLimits
from workers.engines.spark.eventlog.plans import Counted
from workers.engines.spark.eventlog.reading import LogReader
from workers.engines.spark.eventlog.sources import LogSource, find_log
from workers.engines.spark.eventlog.stages import NAME_CHARS
from workers.engines.spark.eventlog.tasks import EXECUTOR_SUMS

READ_LIMITS = ReadLimits()
KEEP_LIMITS = KeepLimits()
MOST_RUNNING = 50
"""Running tasks of the facts: those that began first."""


def read_run(
    path: Path, limits: ReadLimits = READ_LIMITS, keep: KeepLimits = KEEP_LIMITS, *, attempt: str | None = None, label: str | None = None
) -> RunFacts:
    """The facts of the run whose event log is the file, folder or archive at `path`; of its last attempt unless one is named. `label` is
    what a file is called, where its path does not tell: a log's name says which part of it, and which attempt, it is.
    `UnreadableLog` says why a log is refused; a log that breaks off or has bad lines is read, and `reading` says so."""
    with find_log(path, limits, attempt, label) as source:
        aggregate = Aggregate(keep)
        reader = LogReader(source, limits, keep)
        reader.read(aggregate.takes, lambda: aggregate.last_at)
    aggregate.fold_all()
    return _facts(aggregate, reader, source)


def _facts(aggregate: Aggregate, reader: LogReader, source: LogSource) -> RunFacts:
    application = aggregate.application
    stages = _stages(aggregate)
    executors = _executors(aggregate)
    for stage in aggregate.stages.values():
        aggregate.saw(stage.tasks.first_launch_at)
        aggregate.saw(stage.tasks.last_finish_at)
    started_at = application.started_at if application.started_at is not None else aggregate.first_at
    ended_at = application.ended_at if application.ended_at is not None else aggregate.last_at
    platform, release = platform_of(application.properties, application.app_id)
    jobs, stage_ids = stages_by_execution(aggregate.stages, aggregate.jobs)
    cores = aggregate.peak_cores or local_cores(application.properties)
    submitted = {stage.stage_id for stage in stages}
    return RunFacts(
        app_id=application.app_id,
        app_name=application.name,
        main_file=application.main_file,
        attempt=application.attempt or source.attempt,
        spark_version=application.spark_version,
        platform=platform,
        platform_release=release,
        java_version=application.java_version,
        configuration=application.configuration,
        started_at=started_at,
        ended_at=ended_at,
        start_from="application_start" if application.started_at is not None else "first_event",
        end_from="application_end" if application.ended_at is not None else "last_event",
        wall_ms=max(0, ended_at - started_at) if started_at is not None and ended_at is not None else None,
        idle_ms=idle_ms(stages, started_at, ended_at),
        slots=max(1, cores // task_cpus(application.properties)) if cores else None,
        jobs=tuple(_job(job, submitted) for _, job in sorted(aggregate.jobs.items())),
        stages=stages,
        running=_running(aggregate) if application.ended_at is None else (),
        executors=executors,
        executions=tuple(aggregate.plans.facts(Counted(aggregate.stages.values()), jobs, stage_ids)),
        critical_path=critical_path(stages, started_at),
        reading=reader.reading(*_notes(aggregate)),
    )


def _stages(aggregate: Aggregate) -> tuple[StageFacts, ...]:
    job_ids: dict[int, list[int]] = {}
    for job in aggregate.jobs.values():
        for stage_id in job.stage_ids:
            job_ids.setdefault(stage_id, []).append(job.job_id)
    all_run_ms = sum(stage.tasks.sums["run_ms"] for stage in aggregate.stages.values()) + aggregate.left_out_run_ms
    return tuple(stage.facts(tuple(job_ids.get(stage.stage_id, ())), all_run_ms) for _, stage in sorted(aggregate.stages.items()))


def _running(aggregate: Aggregate) -> tuple[RunningTask, ...]:
    """Of the stages that have not ended either: an end that is missing after its stage's was lost by the log."""
    open_stages = {key for key, stage in aggregate.stages.items() if stage.is_open}
    found = [start for start in aggregate.running.values() if (start.stage_id, start.attempt) in open_stages]
    return tuple(
        RunningTask(
            stage_id=start.stage_id,
            attempt=start.attempt,
            task_id=start.info.task_id,
            index=start.info.index,
            executor_id=start.info.executor_id[:NAME_CHARS],
            host=start.info.host[:NAME_CHARS],
            launched_at=start.info.launched_at,
        )
        for start in sorted(found, key=lambda start: (start.info.launched_at, start.info.task_id))[:MOST_RUNNING]
    )


def _executors(aggregate: Aggregate) -> tuple[ExecutorFacts, ...]:
    numbers = {name: number for number, name in enumerate(aggregate.executor_names)}
    facts: list[ExecutorFacts] = []
    for executor in sorted(
        aggregate.executors.values(),
        key=lambda executor: (not executor.executor_id.isdecimal(), len(executor.executor_id), executor.executor_id),
    ):
        number = numbers.get(executor.executor_id)
        tasks, *sums = aggregate.executor_sums[number] if number is not None else [0] * (1 + len(EXECUTOR_SUMS))
        facts.append(
            ExecutorFacts(
                executor_id=executor.executor_id,
                host=executor.host,
                cores=executor.cores,
                added_at=executor.added_at,
                removed_at=executor.removed_at,
                removed_reason=executor.removed_reason,
                memory_bytes=executor.memory_bytes,
                tasks=tasks,
                failed_tasks=executor.failed_tasks,
                lost_task_ms=executor.lost_task_ms,
                **dict(zip(EXECUTOR_SUMS, sums, strict=True)),
            )
        )
    return tuple(facts)


def _job(job: Job, submitted: set[int]) -> JobFacts:
    return JobFacts(
        job_id=job.job_id,
        stage_ids=tuple(job.stage_ids),
        skipped_stage_ids=tuple(stage for stage in job.stage_ids if stage not in submitted) if job.status is StageStatus.SUCCEEDED else (),
        submitted_at=job.submitted_at,
        completed_at=job.completed_at,
        status=job.status,
        failure=job.failure,
        execution_id=job.execution_id,
        description=job.description,
    )


def _notes(aggregate: Aggregate) -> Iterator[Statement]:
    if aggregate.application.starts > 1:
        yield say("spark.reading.several_starts", n=exactly(aggregate.application.starts))
    if aggregate.stages_left_out:
        yield say("spark.reading.stages_left_out", n=exactly(aggregate.stages_left_out))
    if aggregate.jobs_left_out:
        yield say("spark.reading.jobs_left_out", n=exactly(aggregate.jobs_left_out))
    if aggregate.plans.left_out:
        yield say("spark.reading.executions_left_out", n=exactly(aggregate.plans.left_out))
