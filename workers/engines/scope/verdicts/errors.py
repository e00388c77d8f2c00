"""Errors that ended the job, and vertices that timed out."""

from collections.abc import Iterator

from contracts import statements
from contracts.figures import FigureId
from contracts.scope import ScopeError, ScopeErrors
from contracts.statements import Statement, name, say
from contracts.verdicts import Unit, Verdict, VerdictKind
from workers.engines.scope.blame import blame_stages
from workers.engines.scope.job import ScopeJob
from workers.engines.verdicts import figure, problem_if

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
                severity=problem_if(is_problem),
                stage_ids=tuple(numbers),
                share=1.0 if is_problem else 0.0,
                summary=_summary(error, is_skewed, job.has_failed),
                figures=(figure(FigureId.ERRORS, len(part.errors), Unit.COUNT, _source(part.artefact, error), 1),),
                error=error.message[:SHOWN_CHARS],
                blame=blame_stages(job, numbers),
            )


def _source(artefact: str, error: ScopeError) -> Statement:
    id = error.error_id or error.code
    return say("scope.source.error", artefact=name(artefact), error=name(id) if id else say("scope.source.message"))


def _summary(error: ScopeError, is_skewed: bool, has_failed: bool) -> Statement:
    id = error.error_id or error.code
    what = name(id) if id else say("scope.an_error")
    if error.is_timeout:
        vertex = say("scope.vertex", vertex=name(error.vertex)) if error.vertex else say("scope.a_vertex")
        if is_skewed:
            return say("scope.verdict.timeout_by_skew", error=what, vertex=vertex)
        return say("scope.verdict.timeout", error=what, vertex=vertex)
    where = say("scope.error_in", error=what, vertex=name(error.vertex)) if error.vertex else what
    message = statements.quote(error.message[:SHOWN_CHARS])
    if has_failed:
        return say("scope.verdict.error", error=where, message=message)
    return say("scope.verdict.error_survived", error=where, message=message)
