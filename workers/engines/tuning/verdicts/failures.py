"""Tasks, stages and jobs that failed, and what was done twice for it."""

from collections.abc import Iterator

from contracts.tuning import StageFacts, StageStatus
from contracts.tuning_verdicts import Severity, Unit, Verdict, VerdictKind
from workers.engines.tuning.verdicts.measures import Run, figure, seconds

TASK_SHARE = 0.05
"""Of the attempts. Single losses are a cluster's normal life: executors are preempted, disks fill up."""

LOST_SHARE = 0.05
"""Of all task time."""


def failures(run: Run) -> Iterator[Verdict]:
    """One verdict a run. Attempts that Spark itself killed as superfluous are no failures."""
    hit = [stage for stage in run.stages if _failed(stage) or stage.status is StageStatus.FAILED]
    failed = sum(_failed(stage) for stage in hit)
    broken_jobs = [job.job_id for job in run.facts.jobs if job.status is StageStatus.FAILED]
    if not failed and not broken_jobs:
        return
    attempts = sum(stage.succeeded_tasks + stage.failed_tasks for stage in run.stages)
    lost = sum(stage.lost_task_ms for stage in hit)
    lost_share = lost / (run.task_ms + lost)
    rate = failed / max(1, attempts)
    kinds = sorted((kind for stage in hit for kind in stage.failures if kind.reason != "TaskKilled"), key=lambda kind: -kind.count)
    error = kinds[0].error or kinds[0].reason if kinds else next((stage.failure or "" for stage in hit if stage.failure), "")
    is_problem = bool(broken_jobs) or rate >= TASK_SHARE or lost_share >= LOST_SHARE
    yield Verdict(
        kind=VerdictKind.FAILURES,
        severity=Severity.PROBLEM if is_problem else Severity.HINT,
        stage_ids=tuple(dict.fromkeys(stage.stage_id for stage in hit)),
        share=round(min(1.0, max(lost_share, rate, len(broken_jobs) / max(1, len(run.facts.jobs)))), 4),
        summary=f"{failed} of {attempts} task attempts failed ({error.rsplit('.', 1)[-1][:80] or 'no reason told'}) "
        f"and took {seconds(lost)}"
        + (f"; {len(broken_jobs)} jobs failed." if broken_jobs else "; all were done again with success." if failed else "."),
        figures=(
            figure("failed task attempts", failed, Unit.TASKS, "event log, task ends", 1),
            figure("of all attempts", rate, Unit.SHARE, "event log, task ends", TASK_SHARE),
            figure("time lost in them", lost, Unit.MS, "event log, task ends"),
            figure("of all task time", lost_share, Unit.SHARE, "event log, task ends", LOST_SHARE),
            figure("failed stages", sum(stage.status is StageStatus.FAILED for stage in hit), Unit.COUNT, "event log, stage ends"),
            figure("failed jobs", len(broken_jobs), Unit.COUNT, "event log, job ends", 1),
        ),
    )


def _failed(stage: StageFacts) -> int:
    return stage.failed_tasks - stage.killed_tasks
