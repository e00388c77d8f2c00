"""Tasks, stages and jobs that failed, and what was done twice for it."""

from collections.abc import Iterator, Sequence

from contracts import statements
from contracts.figures import FigureId
from contracts.spark import JobFacts, StageFacts, StageStatus
from contracts.statements import Join, Statement, listing, say
from contracts.verdicts import Unit, Verdict, VerdictKind
from workers.engines.counts import exactly
from workers.engines.spark.verdicts.error_lines import heaviest, line_of_failure, line_of_kind
from workers.engines.spark.verdicts.measures import Run
from workers.engines.spark.verdicts.sources import (
    JOB_ENDS,
    STAGE_ENDS,
    TASK_ENDS,
)
from workers.engines.verdicts import figure, problem_if

TASK_SHARE = 0.05
"""Share of the attempts from which on failures are a problem. Single losses are normal: executors are preempted, disks fill up."""

LOST_SHARE = 0.05
"""Share of all task time, lost in failed attempts, from which on failures are a problem."""

STOPPED = "part of cancelled job group"
"""In the failure of a job that the program itself stopped: a stream that ends, a query that somebody interrupts."""

CANCELLED = "cancelled"
"""In the reason of a stage that went with another's end."""

SHOWN_STAGES = 6
REASON_CHARS = 80


def failures(run: Run) -> Iterator[Verdict]:
    """One verdict a run. Attempts that Spark itself killed as superfluous are no failures."""
    hit = [stage for stage in run.stages if _failed(stage) or stage.status is StageStatus.FAILED]
    failed = sum(_failed(stage) for stage in hit)
    broken = [job for job in run.facts.jobs if job.status is StageStatus.FAILED and not _is_stopped(job)]
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
        severity=problem_if(bool(broken) or rate >= TASK_SHARE or lost_share >= LOST_SHARE),
        stage_ids=tuple(dict.fromkeys(stage.stage_id for stage in hit)),
        share=round(min(1.0, max(lost_share, rate, len(broken) / max(1, len(run.facts.jobs)))), 4),
        summary=say(
            "verdicts.sentences",
            parts=statements.sentences(*_jobs(run, broken, aborted), *_attempts(failed, attempts, lost, hit, is_over=bool(broken))),
        ),
        figures=(
            figure(FigureId.FAILED_ATTEMPTS, failed, Unit.TASKS, TASK_ENDS, 1),
            figure(FigureId.SHARE_OF_ATTEMPTS, rate, Unit.SHARE, TASK_ENDS, TASK_SHARE),
            figure(FigureId.TIME_LOST, lost, Unit.MS, TASK_ENDS),
            figure(FigureId.SHARE_OF_TASK_TIME, lost_share, Unit.SHARE, TASK_ENDS, LOST_SHARE),
            figure(FigureId.FAILED_STAGES, sum(stage.status is StageStatus.FAILED for stage in hit), Unit.COUNT, STAGE_ENDS),
            figure(FigureId.ABORTED_STAGES, len(aborted), Unit.COUNT, STAGE_ENDS),
            figure(FigureId.FAILED_JOBS, len(broken), Unit.COUNT, JOB_ENDS, 1),
            figure(FigureId.JOBS, len(run.facts.jobs), Unit.COUNT, JOB_ENDS),
        ),
        error=_error(hit, broken),
    )


def _jobs(run: Run, broken: Sequence[JobFacts], aborted: Sequence[StageFacts]) -> tuple[Statement, ...]:
    """What ended in failure."""
    if not broken:
        return ()
    jobs = say("spark.verdict.failed_jobs", failed=exactly(len(broken)), jobs=say("spark.jobs", n=exactly(len(run.facts.jobs))))
    if not aborted:
        return (jobs,)
    ids = listing(*(statements.name(stage.stage_id) for stage in aborted[:SHOWN_STAGES]), join=Join.PLAIN)
    return (say("spark.verdict.aborted_stages", n=exactly(min(len(aborted), SHOWN_STAGES)), stages=ids), jobs)


def _attempts(failed: int, attempts: int, lost: int, hit: Sequence[StageFacts], *, is_over: bool) -> tuple[Statement, ...]:
    """What single tasks lost."""
    aborted = [stage for stage in hit if _is_aborted(stage)]
    kinds = heaviest([kind for stage in aborted or hit for kind in stage.failures])
    numbers = {"failed": exactly(failed), "attempts": say("spark.task_attempts", n=exactly(attempts))}
    if not failed:
        return (say("spark.verdict.failed_attempts", **numbers),)
    reason = _short(kinds[0].error or kinds[0].reason) if kinds else ""
    why = statements.name(reason) if reason else say("spark.no_reason")
    took = {**numbers, "reason": why, "lost": statements.milliseconds(lost)}
    killed = sum(stage.killed_tasks for stage in hit)
    if killed:
        summary = say("spark.verdict.failed_attempts_killed", n=exactly(killed), **took)
    else:
        summary = say("spark.verdict.failed_attempts_took", **took)
    return (summary,) if is_over else (summary, say("spark.verdict.done_again"))


def _short(reason: str) -> str:
    """The name of a class without its package, or the beginning of a sentence."""
    return (reason if " " in reason else reason.rsplit(".", 1)[-1])[:REASON_CHARS]


def _error(hit: Sequence[StageFacts], broken: Sequence[JobFacts]) -> str:
    """Of the first stage that has one, aborted ones before others; else of a job that failed."""
    by_stage = (line_of_kind(kind) for stage in hit for kind in heaviest(stage.failures)[:1])
    own = sorted((job for job in broken if job.failure), key=lambda job: CANCELLED in (job.failure or ""))
    by_job = (line_of_failure(job.failure or "") for job in own)
    return next((line for line in (*by_stage, *by_job) if line), "")


def _is_stopped(job: JobFacts) -> bool:
    return STOPPED in (job.failure or "")


def _is_aborted(stage: StageFacts) -> bool:
    return stage.status is StageStatus.FAILED and CANCELLED not in (stage.failure or "")


def _failed(stage: StageFacts) -> int:
    return stage.failed_tasks - stage.killed_tasks
