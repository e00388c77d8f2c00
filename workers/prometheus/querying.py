"""A query on its way to a metrics server: who may ask, what is a query, how much it may look at. Each query leaves an audit row."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from contracts.metric_sources import MetricsResult, MetricsSource
from contracts.sources import Lock, Verdict
from contracts.statements import Name, Statement, count, say, seconds
from workers.blackboard.engine import Database
from workers.engines.promql import Expression, PromQLSyntaxError, longest_s, parse_promql, print_promql
from workers.engines.promql.expressions import Type
from workers.errors import StatementRefused
from workers.prometheus.addresses import metrics_address
from workers.prometheus.registry import get_metrics
from workers.prometheus.server import ask
from workers.sources.audit import Passage, audited


@dataclass(frozen=True, slots=True)
class Over:
    """The moments of a query: its end alone, or from a start on in steps."""

    end: datetime
    start: datetime | None = None
    step_s: float = 60.0


def query_metrics(
    db: Database,
    name: str,
    query: str | Expression,
    over: Over,
    *,
    owner: str,
    timeout_s: float | None = None,
    job_id: UUID | None = None,
    step_id: UUID | None = None,
) -> MetricsResult:
    """Run a query as an owner, within the server's limits; `timeout_s` may make them shorter.

    Raises `StatementRefused`, `StatementFailed`, `SourceUnavailable` or `NotFound`.
    """
    metrics = get_metrics(db, name)
    text = query if isinstance(query, str) else print_promql(query)
    with audited(db, f"metrics/{name}", owner, text, job_id, step_id) as passage:
        _check(metrics, query, over, owner, passage)
        within = min(timeout_s or metrics.limits.timeout_s, metrics.limits.timeout_s)
        found = ask(metrics_address(metrics), *_asked(text, over, metrics.limits.series + 1), within)
        if sum(len(series.points) for series in found) > metrics.limits.points:
            raise StatementRefused(Lock.LIMITS, _too_many(metrics))
        cut, kept = len(found) > metrics.limits.series, found[: metrics.limits.series]
        passage.rows = len(kept)
        passage.passed(Lock.LIMITS, Verdict.CUT if cut else Verdict.PASSED)
    return MetricsResult(
        metrics=name, query=text, start=over.start, end=over.end, step_s=None if over.start is None else over.step_s,
        series=tuple(kept), cut=cut, duration_ms=passage.duration_ms, execution_id=passage.execution_id,
    )  # fmt: skip


def _asked(text: str, over: Over, most: int) -> tuple[str, dict[str, str]]:
    if over.start is None:
        return "query", {"query": text, "time": _moment(over.end), "limit": str(most)}
    moments = {"start": _moment(over.start), "end": _moment(over.end), "step": f"{max(1, round(over.step_s * 1000))}ms"}
    return "query_range", {"query": text, **moments, "limit": str(most)}


def _check(metrics: MetricsSource, query: str | Expression, over: Over, owner: str, passage: Passage) -> None:
    if not metrics.is_open_to(owner):
        raise StatementRefused(Lock.POLICIES, say("metrics.refused.not_yours", metrics=Name(text=metrics.name)))
    passage.passed(Lock.POLICIES)
    try:
        expression = parse_promql(query) if isinstance(query, str) else query
    except PromQLSyntaxError as error:
        raise StatementRefused(Lock.PARSED, error.what) from None
    if over.start is not None and expression.type not in (Type.SCALAR, Type.VECTOR):
        raise StatementRefused(Lock.PARSED, say("promql.problem.range"))
    passage.passed(Lock.PARSED)
    span_s = 0.0 if over.start is None else (over.end - over.start).total_seconds()
    if over.start is not None and span_s <= 0:
        raise StatementRefused(Lock.LIMITS, say("metrics.refused.no_time"))
    if over.step_s <= 0:
        raise StatementRefused(Lock.LIMITS, say("metrics.refused.no_step"))
    asked, most = span_s + longest_s(expression), metrics.limits.span_s
    if asked > most:
        raise StatementRefused(Lock.LIMITS, say("metrics.refused.long_time", asked=seconds(asked), most=seconds(most)))
    if span_s / over.step_s > metrics.limits.points:
        raise StatementRefused(Lock.LIMITS, _too_many(metrics))


def _too_many(metrics: MetricsSource) -> Statement:
    return say("metrics.refused.points", most=count(metrics.limits.points, exact=True))


def _moment(at: datetime) -> str:
    return f"{at.timestamp():.3f}"
