"""Tasks, stages and jobs that failed, and what was done twice for it."""

from collections.abc import Iterator, Sequence

from contracts.spark import JobFacts, StageFacts, StageStatus
from contracts.verdicts import Severity, Unit, Verdict, VerdictKind
from workers.engines import human
from workers.engines.spark.verdicts.error_lines import heaviest, line_of_failure, line_of_kind
from workers.engines.spark.verdicts.measures import Run, figure

TASK_SHARE = 0.05
"""Of the attempts. Single losses are a cluster's normal life: executors are preempted, disks fill up."""

LOST_SHARE = 0.05
"""Of all task time."""

CANCELLED = "cancelled"
"""In the reason of a stage that went with another's end."""

SHOWN_STAGES = 6


def failures(run: Run) -> Iterator[Verdict]:
    """One verdict a run. Attempts that Spark itself killed as superfluous are no failures."""
    hit = [stage for stage in run.stages if _failed(stage) or stage.status is StageStatus.FAILED]
    failed = sum(_failed(stage) for stage in hit)
    broken = [job for job in run.facts.jobs if job.status is StageStatus.FAILED]
    if not failed and not broken:
        return
    attempts = sum(stage.succeeded_tasks + stage.failed_tasks for stage in run.stages)
    lost = sum(stage.lost_task_ms for stage in hit)
    lost_share = lost / (run.task_ms + lost)
    rate = failed / max(1, attempts)
    aborted = [stage for stage in hit if _is_aborted(stage)] if broken else []
    hit = [*aborted, *(stage for stage in hit if stage not in aborted)]
    yield Verdict(
        kind=VerdictKind.FAILURES,
        severity=Severity.PROBLEM if broken or rate >= TASK_SHARE or lost_share >= LOST_SHARE else Severity.HINT,
        stage_ids=tuple(dict.fromkeys(stage.stage_id for stage in hit)),
        share=round(min(1.0, max(lost_share, rate, len(broken) / max(1, len(run.facts.jobs)))), 4),
        summary=_jobs(run, broken, aborted) + _attempts(failed, attempts, lost, hit, is_over=bool(broken)),
        figures=(
            figure("failed task attempts", failed, Unit.TASKS, "event log, task ends", 1),
            figure("of all attempts", rate, Unit.SHARE, "event log, task ends", TASK_SHARE),
            figure("time lost in them", lost, Unit.MS, "event log, task ends"),
            figure("of all task time", lost_share, Unit.SHARE, "event log, task ends", LOST_SHARE),
            figure("failed stages", sum(stage.status is StageStatus.FAILED for stage in hit), Unit.COUNT, "event log, stage ends"),
            figure("aborted stages", len(aborted), Unit.COUNT, "event log, stage ends"),
            figure("failed jobs", len(broken), Unit.COUNT, "event log, job ends", 1),
            figure("jobs in all", len(run.facts.jobs), Unit.COUNT, "event log, job ends"),
        ),
        error=_error(hit, broken),
    )


def _jobs(run: Run, broken: Sequence[JobFacts], aborted: Sequence[StageFacts]) -> str:
    """What ended in failure."""
    if not broken:
        return ""
    jobs = f"{len(broken)} of {human.counted(len(run.facts.jobs), 'job')} failed"
    if not aborted:
        return f"{jobs}; "
    ids = [str(stage.stage_id) for stage in aborted[:SHOWN_STAGES]]
    return f"Stage{'s' if len(ids) > 1 else ''} {', '.join(ids)} {'were' if len(ids) > 1 else 'was'} aborted and {jobs}; "


def _attempts(failed: int, attempts: int, lost: int, hit: Sequence[StageFacts], *, is_over: bool) -> str:
    """What single tasks lost."""
    aborted = [stage for stage in hit if _is_aborted(stage)]
    kinds = heaviest([kind for stage in aborted or hit for kind in stage.failures])
    reason = (kinds[0].error or kinds[0].reason).rsplit(".", 1)[-1][:80] if kinds else "no reason told"
    told = f"{human.whole(failed)} of {human.counted(attempts, 'task attempt')} failed"
    took = f"{told} ({reason}) and took {human.duration(lost, 'en')}" if failed else told
    return f"{took}." if is_over or not failed else f"{took}; all were done again with success."


def _error(hit: Sequence[StageFacts], broken: Sequence[JobFacts]) -> str:
    """Of the first stage that has one, aborted ones before others; else of a job that failed."""
    by_stage = (line_of_kind(kind) for stage in hit for kind in heaviest(stage.failures)[:1])
    own = sorted((job for job in broken if job.failure), key=lambda job: CANCELLED in (job.failure or ""))
    by_job = (line_of_failure(job.failure or "") for job in own)
    return next((line for line in (*by_stage, *by_job) if line), "")


def _is_aborted(stage: StageFacts) -> bool:
    return stage.status is StageStatus.FAILED and CANCELLED not in (stage.failure or "")


def _failed(stage: StageFacts) -> int:
    return stage.failed_tasks - stage.killed_tasks
