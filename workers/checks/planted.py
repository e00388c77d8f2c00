"""A check is tried on the data that its author planted.

A statement runs on the blackboard's own server in a read-only transaction, where each view that it reads is hidden behind a WITH of the
planted rows, of the view's own types: nothing real is read. LogQL runs over planted lines by the engine that reads files. PromQL is
parsed and not run: what is planted is what it gives, so that the reading rule is tried.
"""

import json
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

from sqlglot import exp

from contracts.checks import Check, CheckFinding, CheckOutcome, SensorCheck, SensorKind, Trend
from contracts.log_sources import LogLimits, LogPoint, LogResult
from contracts.logs import LogExpression, LogQuery, Matcher, MatchOp
from contracts.own_checks import OwnCheck, PlantedLine, PlantedSeries, PlantedTest, Tried
from contracts.sources import Lock
from contracts.statements import name, say
from workers.checks.looking import CHECK_S, NoConnection, look_at_postgres
from workers.checks.looking_at_logs import look_at_logs
from workers.checks.reading import SEVERITY, Looked, read_safely
from workers.checks.rules import Seen, Sensed, read_sensed
from workers.checks.statements import VIEWS, parse_check, views_of
from workers.engines.logql import print_logql
from workers.errors import BullpenError, StatementRefused
from workers.logs import Window
from workers.logs.backends import Ask
from workers.logs.files import LogFiles
from workers.saying import text_of

_HERE = {"planted": "yes"}
"""The label of planted lines, by which all of them are selected."""
_TEST_S = 20.0


def try_check(check: OwnCheck, url: str, as_run: Check | SensorCheck) -> tuple[Tried, ...]:
    """What the check finds in each of its tests. `url`: of the server on which statements are tried."""
    return tuple(_result(test, _found(check, test, url, as_run)) for test in check.tests)


def _result(test: PlantedTest, found: CheckFinding | BullpenError) -> Tried:
    if isinstance(found, BullpenError):
        return Tried(expect=test.expect, found=CheckOutcome.UNDECIDED, reason=str(found)[:300])
    reason = text_of(found.says, "en")[:300] if found.outcome is CheckOutcome.UNDECIDED else ""
    return Tried(expect=test.expect, found=found.outcome, reason=reason)


def _found(check: OwnCheck, test: PlantedTest, url: str, as_run: Check | SensorCheck) -> CheckFinding | BullpenError:
    now = datetime.now(UTC)
    try:
        if isinstance(as_run, Check):
            return _of_rows(check, test, url, as_run, now)
        return _of_lines(as_run, test.lines, now) if as_run.kind is SensorKind.LOGS else _of_series(as_run, test.series, now)
    except BullpenError as error:
        return error
    except NoConnection as error:
        return BullpenError(str(error))


def read_own_rows(check: OwnCheck, looked: Looked) -> CheckFinding:
    """What rows mean; a statement without a column `severity` has its check's."""
    if looked.why_not or SEVERITY in looked.columns:
        return read_safely(looked)
    rows = [(check.severity, *row) for row in looked.rows]
    return read_safely(Looked(looked.check, (SEVERITY, *looked.columns), rows, ms=looked.ms))


def _of_rows(check: OwnCheck, test: PlantedTest, url: str, as_run: Check, now: datetime) -> CheckFinding:
    planted = as_run.model_copy(update={"sql": _over_planted(check.sql or "", test, now)})
    (looked,) = look_at_postgres(url, (planted,), superuser=True, check_s=CHECK_S, all_s=_TEST_S)
    return read_own_rows(check, looked)


def _over_planted(statement: str, test: PlantedTest, now: datetime) -> str:
    """The statement over the planted rows. Raises `StatementRefused` for rows of a relation that it may not read."""
    tree = parse_check(statement)
    views = views_of(tree)
    if foreign := [view for view in test.tables if view not in VIEWS]:
        raise StatementRefused(Lock.KNOWN, say("check.refused.relation", relation=name(foreign[0])))
    for tables in views.values():
        for table in tables:
            table.set("db", None)
    made = list[exp.Expr]()
    for view in views:
        rows = json.dumps([{column: _value(value, now) for column, value in row.items()} for row in test.tables.get(view, ())])
        kind = exp.DataType.build(f"pg_catalog.{view}", udt=True)
        filled = exp.func("jsonb_populate_recordset", exp.cast(exp.null(), kind), exp.cast(exp.Literal.string(rows), "jsonb"))
        query = exp.select("*").from_(exp.Table(this=filled))
        made.append(exp.CTE(this=query, alias=exp.TableAlias(this=exp.to_identifier(view))))
    within = tree.args.get("with_")
    if isinstance(within, exp.With):
        within.set("expressions", [*made, *within.expressions])
    elif made:
        tree.set("with_", exp.With(expressions=made))
    return tree.sql("postgres", comments=False)


def _value(value: Any, now: datetime) -> Any:
    fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if set(fields) == {"ago_s"}:
        with suppress(TypeError, ValueError, OverflowError):
            return (now - timedelta(seconds=float(fields["ago_s"]))).isoformat()
    return cast("Any", value)


def _of_lines(check: SensorCheck, lines: Sequence[PlantedLine], now: datetime) -> CheckFinding:
    with tempfile.TemporaryDirectory(prefix="bullpen-check-") as folder:
        made = [
            {"ts": (now - timedelta(seconds=line.ago_s)).isoformat(), "labels": {**line.labels, **_HERE}, "line": line.line}
            for line in lines
        ]
        Path(folder, "planted.jsonl").write_text("".join(json.dumps(line) + "\n" for line in made), "utf-8")
        files = LogFiles(lambda: Path(folder), LogLimits())

        def search(query: LogExpression, window: Window, most: int, within_s: float) -> LogResult:
            text = print_logql(query)
            found = files.search(Ask(query, text, window.start, window.end, None, most, _TEST_S))
            return LogResult(
                log="planted", query=text, start=window.start, end=window.end, lines=tuple(found.lines), series=tuple(found.series),
                is_metric=not isinstance(query, LogQuery), duration_ms=0, execution_id=0,
            )  # fmt: skip

        matchers = tuple(Matcher(label=label, op=MatchOp.EQUAL, value=value) for label, value in _HERE.items())
        (sensed,) = look_at_logs(search, matchers, (check,), now, check_s=_TEST_S, all_s=_TEST_S)
        return read_sensed(sensed)


def _of_series(check: SensorCheck, series: Sequence[PlantedSeries], now: datetime) -> CheckFinding:
    over_s = check.rule.over_s if isinstance(check.rule, Trend) else 3600.0
    seen = [
        Seen(f"series={number}", each.now, each.hour_before, each.last_week, _curve(each.curve, over_s, now))
        for number, each in enumerate(series, start=1)
    ]
    return read_sensed(Sensed(check, seen))


def _curve(values: Sequence[float], over_s: float, now: datetime) -> tuple[LogPoint, ...]:
    step = over_s / max(len(values) - 1, 1)
    return tuple(LogPoint(at=now - timedelta(seconds=step * (len(values) - 1 - at)), value=value) for at, value in enumerate(values))
