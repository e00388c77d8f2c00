"""One pass over the events of a run: what is kept of each, in memory that does not grow with the log."""

from array import array
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from heapq import nsmallest
from operator import attrgetter
from typing import Any

from contracts.spark import StageStatus
from workers.engines.spark.eventlog import events
from workers.engines.spark.eventlog.configuration import main_file, what_matters
from workers.engines.spark.eventlog.limits import DROPPED_AT_ONCE, KeepLimits, shortest
from workers.engines.spark.eventlog.parsing import stages_of
from workers.engines.spark.eventlog.plans import Plans
from workers.engines.spark.eventlog.stages import MESSAGE_CHARS, NAME_CHARS, SUCCESS, Stage
from workers.engines.spark.eventlog.tasks import AT, ExecutorSums, drop, new_executor_sums, task_row

OTHER_EXECUTORS = "others"
"""Stands for the executors beyond those that are kept."""

JOB_SUCCEEDED = "JobSucceeded"


@dataclass
class Executor:
    """An executor as it is kept."""

    executor_id: str
    host: str = ""
    cores: int | None = None
    added_at: int | None = None
    removed_at: int | None = None
    removed_reason: str = ""
    memory_bytes: int | None = None
    failed_tasks: int = 0
    lost_task_ms: int = 0


@dataclass
class Job:
    """A job as it is kept."""

    job_id: int
    stage_ids: "array[int]"
    submitted_at: int | None = None
    completed_at: int | None = None
    status: StageStatus = StageStatus.UNFINISHED
    failure: str | None = None
    execution_id: int | None = None
    description: str = ""


@dataclass
class Application:
    """What the log says of the run as a whole."""

    app_id: str | None = None
    name: str = ""
    main_file: str = ""
    attempt: str | None = None
    spark_version: str | None = None
    java_version: str = ""
    properties: dict[str, Any] = field(default_factory=dict[str, Any])
    configuration: dict[str, str] = field(default_factory=dict[str, str])
    started_at: int | None = None
    ended_at: int | None = None
    starts: int = 0
    """More than one: logs of several runs have been put together."""


class Aggregate:
    """Takes events in the log's order, each by the method that `takes` names for its class. What that raises tells that the event is
    damaged; then nothing of it was kept."""

    def __init__(self, limits: KeepLimits) -> None:
        self.limits = limits
        self.application = Application()
        self.stages: dict[tuple[int, int], Stage] = {}
        self.jobs: dict[int, Job] = {}
        self.executors: dict[str, Executor] = {}
        self.executor_names: list[str] = []
        self.executor_sums: ExecutorSums = new_executor_sums()
        self.plans = Plans(limits)
        self.running: dict[int, events.TaskStart] = {}
        """Tasks without an end so far, by id."""
        self.first_at: int | None = None
        self.last_at: int | None = None
        self.stages_left_out = self.jobs_left_out = 0
        self.left_out_run_ms = 0
        self.peak_cores = 0
        self._cores = 0
        self._numbers: dict[str, int] = {}
        self._rows_held = 0
        self.takes: Mapping[type[Any], Callable[[Any], None]] = {
            events.TaskStart: self._task_start,
            events.TaskEnd: self._task_end,
            events.StageChange: self._stage,
            events.JobStart: self._job_start,
            events.JobEnd: self._job_end,
            events.ExecutorAdded: self._executor_added,
            events.ExecutorRemoved: self._executor_removed,
            events.BlockManagerAdded: self._block_manager,
            events.ApplicationStart: self._application_start,
            events.ApplicationEnd: self._application_end,
            events.LogStart: self._log_start,
            events.EnvironmentUpdate: self._environment,
            events.SqlStart: self._sql_start,
            events.SqlReplan: self.plans.replan,
            events.SqlEnd: self._sql_end,
            events.DriverMetrics: self.plans.driver_metrics,
        }

    def fold_all(self) -> None:
        """No task comes any more: summarise all of them."""
        for stage in self.stages.values():
            stage.tasks.fold(self.executor_sums, self.executor_names, last=True)

    def saw(self, at: int | None, *, work: bool = True) -> None:
        """Something happened at this instant. What is no work (an executor comes or goes) may begin a run, but does not end it."""
        if at:
            if self.first_at is None or at < self.first_at:
                self.first_at = at
            if self.last_at is None or (work and at > self.last_at):
                self.last_at = at

    def _task_start(self, event: events.TaskStart) -> None:
        if len(self.running) < self.limits.running_tasks:
            self.running[event.info.task_id] = event
        self.saw(event.info.launched_at)

    def _task_end(self, event: events.TaskEnd) -> None:
        key = (event.stage_id, event.attempt)
        stage = self.stages.get(key) or self._add_stage(Stage(*key))
        info = event.info
        self.running.pop(info.task_id, None)
        number = self._numbers.get(info.executor_id)
        if number is None:
            number = self._number(info.executor_id, info.host)
        reason = event.end.reason if event.end and event.end.reason else "" if info.failed else SUCCESS
        if reason == SUCCESS:
            row = task_row(event, number)
            stage.tasks.add(row)
            stage.took_ms += row[AT["task_ms"]]
            self._rows_held += 1
            if self._rows_held > self.limits.task_rows:
                self._make_room()
        else:
            stage.fail_task(event)
            executor = self.executors[self.executor_names[number]]
            executor.failed_tasks += 1
            executor.lost_task_ms += max(0, info.finished_at - info.launched_at)
            self.saw(info.finished_at)
        if info.speculative:
            stage.speculative_tasks += 1

    def _stage(self, event: events.StageChange) -> None:
        info = event.stage
        key = (info.stage_id, info.attempt)
        stage = self.stages.get(key) or Stage(*key)
        stage.describe(info)
        if key not in self.stages:
            self._add_stage(stage)
        if info.completed_at is not None or info.failure:
            stage.is_open = False
            stage.count(info.accumulables or [], self.limits.accumulators_per_stage)
        if event.properties and event.properties.execution_id:
            stage.execution_id = _number_in(event.properties.execution_id)
        self.saw(info.submitted_at)
        self.saw(info.completed_at)

    def _job_start(self, event: events.JobStart) -> None:
        ids = event.stage_ids or stages_of(event.stages)
        self.saw(event.at)
        if len(self.jobs) >= self.limits.jobs:
            for number in shortest(((job.job_id, job.submitted_at, job.completed_at) for job in self.jobs.values()), len(self.jobs)):
                del self.jobs[number]
                self.jobs_left_out += 1
        properties = event.properties or events.JobProperties()
        self.jobs[event.job_id] = Job(
            event.job_id,
            array("q", sorted(ids)[-self.limits.stages_per_job :]),
            submitted_at=event.at,
            execution_id=_number_in(properties.execution_id),
            description=(properties.description or "")[:MESSAGE_CHARS],
        )

    def _job_end(self, event: events.JobEnd) -> None:
        self.saw(event.at)
        job = self.jobs.get(event.job_id)
        if job is None:
            return
        result = event.result or events.JobResult()
        job.completed_at = event.at
        job.status = StageStatus.SUCCEEDED if result.result == JOB_SUCCEEDED else StageStatus.FAILED
        message = result.exception.get("Message") if isinstance(result.exception, dict) else result.exception  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] JSON from outside
        job.failure = str(message)[:MESSAGE_CHARS] if message else None  # pyright: ignore[reportUnknownArgumentType] as above

    def _executor_added(self, event: events.ExecutorAdded) -> None:
        self.saw(event.at, work=False)
        executor = self._executor(event.executor_id)
        executor.host = event.info.host[:NAME_CHARS] or executor.host
        executor.added_at = event.at
        if executor.cores is None or executor.removed_at is not None:
            self._cores += event.info.cores or 0
            self.peak_cores = max(self.peak_cores, self._cores)
        executor.cores = event.info.cores
        executor.removed_at = None

    def _executor_removed(self, event: events.ExecutorRemoved) -> None:
        self.saw(event.at, work=False)
        executor = self._executor(event.executor_id)
        if executor.removed_at is None:
            self._cores -= executor.cores or 0
        self.running = {task: start for task, start in self.running.items() if start.info.executor_id != event.executor_id}
        executor.removed_at = event.at
        executor.removed_reason = (event.reason or "")[:MESSAGE_CHARS]

    def _block_manager(self, event: events.BlockManagerAdded) -> None:
        self.saw(event.at, work=False)
        executor = self._executor(event.manager.executor_id)
        executor.host = executor.host or event.manager.host[:NAME_CHARS]
        executor.memory_bytes = event.memory_bytes

    def _application_start(self, event: events.ApplicationStart) -> None:
        self.saw(event.at)
        application = self.application
        application.name = event.name[:MESSAGE_CHARS]
        application.app_id = event.app_id[:NAME_CHARS] if event.app_id else None
        application.attempt = event.attempt[:NAME_CHARS] if event.attempt else None
        application.started_at = event.at if application.started_at is None else application.started_at
        application.starts += 1

    def _application_end(self, event: events.ApplicationEnd) -> None:
        self.saw(event.at)
        self.application.ended_at = event.at

    def _log_start(self, event: events.LogStart) -> None:
        self.saw(event.at, work=False)
        self.application.spark_version = event.version[:NAME_CHARS] if event.version else self.application.spark_version

    def _environment(self, event: events.EnvironmentUpdate) -> None:
        properties = event.spark or {}
        self.application.properties = {key: value for key, value in properties.items() if isinstance(value, str)}
        self.application.configuration = what_matters(properties)
        self.application.main_file = main_file(properties, event.system or {})
        self.application.java_version = str((event.jvm or {}).get("Java Version", ""))[:MESSAGE_CHARS]

    def _sql_start(self, event: events.SqlStart) -> None:
        self.saw(event.at)
        self.plans.start(event)

    def _sql_end(self, event: events.SqlEnd) -> None:
        self.saw(event.at)
        self.plans.end(event)

    def _executor(self, executor_id: str) -> Executor:
        executor_id = executor_id[:NAME_CHARS]
        if executor_id not in self.executors and len(self.executors) >= self.limits.executors:
            executor_id = OTHER_EXECUTORS
        return self.executors.setdefault(executor_id, Executor(executor_id))

    def _number(self, executor_id: str, host: str) -> int:
        """An executor's number in the rows of tasks."""
        executor = self._executor(executor_id)
        executor.host = executor.host or host[:NAME_CHARS]
        if executor.executor_id not in self._numbers:
            self._numbers[executor.executor_id] = len(self.executor_names)
            self.executor_names.append(executor.executor_id)
        return self._numbers[executor.executor_id]

    def _add_stage(self, stage: Stage) -> Stage:
        """Room for a stage attempt."""
        if len(self.stages) >= self.limits.stages:
            self._drop_stages()
        self.stages[stage.key] = stage
        return stage

    def _make_room(self) -> None:
        """Fold the stages with most tasks, completed ones first, until half of the rows are free."""
        by_size = sorted(self.stages.values(), key=lambda stage: (stage.is_open, -stage.tasks.held))
        for stage in by_size:
            if self._rows_held <= self.limits.task_rows // 2:
                break
            self._rows_held -= stage.tasks.held
            stage.tasks.fold(self.executor_sums, self.executor_names)

    def _drop_stages(self) -> None:
        """Leave out the stages that took the least, completed ones first. Their tasks still count for the executors."""
        cheapest = nsmallest(max(1, len(self.stages) // DROPPED_AT_ONCE), self.stages.values(), key=attrgetter("is_open", "took_ms"))
        for stage in cheapest:
            self._rows_held -= stage.tasks.held
            del self.stages[stage.key]
        self.stages_left_out += len(cheapest)
        self.left_out_run_ms += drop((stage.tasks for stage in cheapest), self.executor_sums)


def stages_by_execution(stages: dict[tuple[int, int], Stage], jobs: dict[int, Job]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """The jobs and the stages that each SQL execution ran."""
    job_ids: dict[int, list[int]] = defaultdict(list)
    stage_ids: dict[int, set[int]] = defaultdict(set)
    for job in jobs.values():
        if job.execution_id is not None:
            job_ids[job.execution_id].append(job.job_id)
    for stage in stages.values():
        if stage.execution_id is not None:
            stage_ids[stage.execution_id].add(stage.stage_id)
    return job_ids, {execution: sorted(ids) for execution, ids in stage_ids.items()}


def _number_in(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else None
