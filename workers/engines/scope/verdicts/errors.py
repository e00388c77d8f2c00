"""Errors that ended the job, and vertices that timed out."""

from collections.abc import Iterator

from contracts.scope import ScopeError, ScopeErrors
from contracts.verdicts import Severity, Unit, Verdict, VerdictKind
from workers.engines.scope.blame import blame_stages
from workers.engines.scope.job import ScopeJob
from workers.engines.spark.verdicts.measures import figure

SHOWN_CHARS = 200


def job_errors(job: ScopeJob) -> Iterator[Verdict]:
    """One verdict an error. A vertex that timed out in a stage with skewed data is the skew's consequence and only a hint."""
    for part in job.all(ScopeErrors):
        for error in part.errors:
            numbers = [job.number(error.vertex)] if error.vertex else []
            is_skewed = error.is_timeout and any(map(job.is_skewed, numbers))
            is_problem = job.has_failed and not is_skewed
            yield Verdict(
                kind=VerdictKind.JOB_ERROR,
                severity=Severity.PROBLEM if is_problem else Severity.HINT,
                stage_ids=tuple(numbers),
                share=1.0 if is_problem else 0.0,
                summary=_summary(error, is_skewed, job.has_failed),
                figures=(
                    figure(
                        FigureId.ERRORS, len(part.errors), Unit.COUNT, f"{part.artefact}, {error.error_id or error.code or 'message'}", 1
                    ),
                ),
                error=error.message[:SHOWN_CHARS],
                blame=blame_stages(job, numbers),
            )


def _summary(error: ScopeError, is_skewed: bool, has_failed: bool) -> str:
    what = error.error_id or error.code or "An error"
    if error.is_timeout:
        vertex = f"vertex {error.vertex}" if error.vertex else "a vertex"
        why = "; its stage has skewed tasks, which is why" if is_skewed else ""
        return f"{what}: {vertex} ran longer than it may{why}."
    ended = "ended the job" if has_failed else "was told, and the job ended well"
    at = f" in {error.vertex}" if error.vertex else ""
    return f"{what}{at} {ended}: {error.message[:SHOWN_CHARS]}"
