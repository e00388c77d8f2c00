"""Methods that tickets and models propose: recognised by parsing, never by running, and run for a person who decides so.

What is run is printed from what was parsed, under the locks of every query: who may, what is one harmless query, what it may read, a
read-only transaction, time and rows. Each run leaves its row of the audit.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any, Literal

from contracts.checks import ROWS_KEPT, Check, MethodRun, Sensor, System
from contracts.logs import LogExpression
from contracts.sources import Lock, LockVerdict, SourceKind, Verdict
from contracts.statements import Sayable, name, passage, say
from workers.checks.gathering import Looking, all_streams
from workers.checks.looking import ALL_S, CHECK_S, NoConnection, look_at_postgres
from workers.checks.looking_at_logs import narrowed as narrowed_lines
from workers.checks.reading import kept_cell
from workers.checks.rules import moment_of
from workers.checks.statements import parse_check, printed
from workers.engines.logql import LogQLSyntaxError, check_query, parse_logql, print_logql
from workers.engines.promql import Expression, PromQLSyntaxError, narrowed, parse_promql, print_promql
from workers.engines.promql.expressions import Call, Type, parts
from workers.errors import BullpenError, InvalidInput, StatementRefused
from workers.logs import Logs, Window
from workers.prometheus import Over, query_metrics
from workers.prometheus.view import labels_of
from workers.sources import audit, get_source
from workers.sources.addresses import source_url

_LINES = timedelta(hours=1)
"""How far back a selection of lines looks."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A method that can be run on a system."""

    language: Literal["sql", "logql", "promql"]
    text: str
    """As it would run, but for what narrows it to the system."""
    read: str | LogExpression | Expression


def recognised(method: str, system: System) -> Proposal | None:
    """What a method is, where the whole of it is one query that may run on a sensor of the system; else None. Nothing is run."""
    if system.source is not None:
        with suppress(StatementRefused):
            sql = printed(parse_check(method))
            return Proposal("sql", sql, sql)
    if system.logs is not None:
        with suppress(LogQLSyntaxError):
            lines = parse_logql(method)
            if not check_query(lines):
                return Proposal("logql", print_logql(lines), lines)
    if system.metrics is not None:
        with suppress(PromQLSyntaxError):
            series = parse_promql(method)
            if _is_written_as_one(series):
                return Proposal("promql", print_promql(series), series)
    return None


def _is_written_as_one(expression: Expression) -> bool:
    """`disk` and `cpu and disk` are PromQL too, and words: a query has matchers, a call or a range."""
    found = list(parts(expression))
    return expression.type is Type.VECTOR and any(
        isinstance(part, Call) or bool(getattr(part, "matchers", ())) or bool(getattr(part, "range_ms", 0)) for part in found
    )  # fmt: skip


def run_method(looking: Looking, system: System, method: str, item: int, *, by: str) -> MethodRun:
    """Run a method for a person. Raises `InvalidInput` for one that is not recognised, and `StatementRefused`, `SourceUnavailable` or
    `NotFound` as every query does."""
    proposal = recognised(method, system)
    if proposal is None:
        raise InvalidInput.of(say("check.refused.no_method", system=name(system.name)))
    run = MethodRun(
        item=item, language=proposal.language, query=proposal.text, system=system.name, asked_by=by, at=datetime.now(UTC)
    )  # fmt: skip
    try:
        if isinstance(proposal.read, str):
            return _run_sql(looking, system.source or "", run)
        if proposal.language == "logql":
            return _run_lines(looking, system.logs or Sensor(name="-"), proposal.read, run)  # pyright: ignore[reportArgumentType] its language says which
        return _run_series(looking, system.metrics or Sensor(name="-"), proposal.read, run)  # pyright: ignore[reportArgumentType] its language says which
    except NoConnection as error:
        return run.model_copy(update={"why_not": say("check.no_connection", reason=passage(str(error)))})


def _run_sql(looking: Looking, at: str, run: MethodRun) -> MethodRun:
    source = get_source(looking.db, at)
    if not source.is_open_to(looking.owner):
        raise StatementRefused(Lock.POLICIES, say("refused.source.not_yours", source=name(source.name)))
    execution = audit.begin(looking.db, source.name, looking.owner, run.query, looking.job_id, None)
    began, error, rows = monotonic(), "The process was interrupted.", 0
    try:
        check = Check(name="asked", kind=SourceKind.POSTGRES, group="asked", sql=run.query)
        (looked,) = look_at_postgres(source_url(source), (check,), superuser=source.insisted, check_s=CHECK_S, all_s=ALL_S)
        rows, error = len(looked.rows), None if not looked.why_not else "It did not run to its end."
        return _with_rows(run, looked.columns, [tuple(row) for row in looked.rows], looked.why_not)
    except (BullpenError, NoConnection) as failure:
        error = str(failure)
        raise
    finally:
        passed = tuple(LockVerdict(lock=lock, verdict=Verdict.PASSED, reason="A person's decision.") for lock in Lock)
        audit.end(looking.db, execution, passed, duration_ms=round((monotonic() - began) * 1000), rows=rows, error=error)


def _run_lines(looking: Looking, sensor: Sensor, query: LogExpression, run: MethodRun) -> MethodRun:
    logs, now = Logs(looking.db, looking.data_dir), datetime.now(UTC)
    matchers = sensor.matchers or all_streams(logs.label_names(sensor.name, owner=looking.owner))
    query = narrowed_lines(query, matchers)
    found = logs.search(
        sensor.name, query, Window(now - _LINES, now), owner=looking.owner, lines=100, timeout_s=ALL_S, job_id=looking.job_id
    )  # fmt: skip
    run = run.model_copy(update={"query": print_logql(query)})
    if found.is_metric:
        rows = [(labels_of(each.labels), each.points[-1].value) for each in found.series if each.points]
        return _with_rows(run, ("series", "value"), rows)
    return _with_rows(run, ("at", "line"), [(moment_of(line), line.line) for line in found.lines])


def _run_series(looking: Looking, sensor: Sensor, expression: Expression, run: MethodRun) -> MethodRun:
    expression = narrowed(expression, sensor.matchers)
    found = query_metrics(
        looking.db, sensor.name, expression, Over(datetime.now(UTC)), owner=looking.owner, timeout_s=ALL_S, job_id=looking.job_id
    )  # fmt: skip
    rows = [(labels_of(each.labels), each.points[-1].value) for each in found.series if each.points]
    return _with_rows(run.model_copy(update={"query": print_promql(expression)}), ("series", "value"), rows)


def _with_rows(run: MethodRun, columns: tuple[str, ...], rows: list[tuple[Any, ...]], why_not: Sayable = "") -> MethodRun:
    kept = tuple(tuple(kept_cell(cell) for cell in row) for row in rows[:ROWS_KEPT])
    return run.model_copy(update={"columns": columns, "rows": kept, "count": len(rows), "why_not": why_not})
