"""Queries that ended in an error although none of their jobs failed: Spark gave up in the driver, between the stages."""

from collections.abc import Iterator

from contracts import statements
from contracts.figures import FigureId
from contracts.spark import StageStatus
from contracts.statements import Statement, say
from contracts.verdicts import Blame, Unit, Verdict, VerdictKind
from workers.engines.counts import exactly
from workers.engines.spark.verdicts.error_lines import line_of_text
from workers.engines.spark.verdicts.measures import Run
from workers.engines.spark.verdicts.sources import QUERY_ENDS
from workers.engines.verdicts import figure, problem_if


def failed_queries(run: Run) -> Iterator[Verdict]:
    """One verdict a run, on the last such query. It is a problem where the run ended with it: after others it went on."""
    queries = run.facts.executions
    failed = [query for query in queries if query.error]
    if not failed or any(job.status is StageStatus.FAILED for job in run.facts.jobs):
        return  # of a failed job the stages tell more
    last = failed[-1]
    is_over = last is queries[-1]
    yield Verdict(
        kind=VerdictKind.FAILURES,
        severity=problem_if(is_over),
        share=round(len(failed) / len(queries), 4),
        summary=_summary(len(failed), len(queries), last.execution_id, is_over=is_over),
        figures=(
            figure(FigureId.FAILED_QUERIES, len(failed), Unit.COUNT, QUERY_ENDS, 1),
            figure(FigureId.QUERIES, len(queries), Unit.COUNT, QUERY_ENDS),
        ),
        error=line_of_text(last.error or ""),
        blame=Blame(execution_id=last.execution_id),
    )


def _summary(failed: int, queries: int, last: int, *, is_over: bool) -> Statement:
    values = {"failed": exactly(failed), "queries": say("spark.queries", n=exactly(queries)), "query": statements.name(last)}
    return say("spark.verdict.failed_queries_end", **values) if is_over else say("spark.verdict.failed_queries", **values)
