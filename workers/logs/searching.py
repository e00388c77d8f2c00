"""A query on its way to a log: who may search, what is a query, how much it may look at. Each query leaves an audit row."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from time import monotonic
from uuid import UUID

from contracts.log_questions import LogReading, LogVocabulary
from contracts.log_sources import LogResult, LogSeries, LogSource
from contracts.logs import LogExpression, LogQuery
from contracts.sources import Lock, Verdict
from contracts.statements import Name, count, say, seconds
from workers.blackboard.engine import Database
from workers.engines.logql import check_logql, check_query, print_logql
from workers.engines.logql.asking import read_log_search
from workers.engines.logql.walk import range_aggregations
from workers.errors import StatementRefused
from workers.logs.backends import Ask
from workers.logs.opening import backend_of
from workers.logs.registry import get_log
from workers.sources.audit import Passage, audited

STEPS_MAX = 11_000
"""Moments of a series: the limit of the servers."""

VOCABULARY_KEPT_S = 300.0
"""Seconds for which the vocabulary of a log is kept in memory."""


@dataclass(frozen=True, slots=True)
class Window:
    """The time that a query looks at. Its result has the offset from UTC that the end has."""

    start: datetime
    end: datetime
    step_s: float | None = None
    """A number for every step; None: one number at the end."""


class Logs:
    """The one way to search a log. Share it between threads."""

    def __init__(self, db: Database, data_dir: Path) -> None:
        self._db = db
        self._data_dir = data_dir
        self._vocabularies: dict[str, tuple[float, LogVocabulary]] = {}

    def read(self, name: str, text: str, *, owner: str, now: datetime | None = None, before: LogReading | None = None) -> LogReading:
        """A search in the closed form, or LogQL, as a query; nothing is run. Raises `StatementRefused` or `SourceUnavailable`."""
        log = get_log(self._db, name)
        _check_owner(log, owner)
        return read_log_search(text, self._vocabulary(log), now or datetime.now(UTC), before)

    def label_names(self, name: str, *, owner: str) -> tuple[str, ...]:
        """The labels. Raises `StatementRefused` or `SourceUnavailable`."""
        log = get_log(self._db, name)
        _check_owner(log, owner)
        return backend_of(log, self._data_dir).label_names()

    def vocabulary(self, name: str, *, owner: str) -> LogVocabulary:
        """Labels with their values and the fields in the lines. Raises `StatementRefused` or `SourceUnavailable`."""
        log = get_log(self._db, name)
        _check_owner(log, owner)
        return self._vocabulary(log)

    def search(
        self,
        name: str,
        query: str | LogExpression,
        window: Window,
        *,
        owner: str,
        lines: int | None = None,
        timeout_s: float | None = None,
        job_id: UUID | None = None,
        step_id: UUID | None = None,
    ) -> LogResult:
        """Run a query as an owner, within the log's limits; `timeout_s` may make its time shorter.

        Raises `StatementRefused`, `StatementFailed`, `SourceUnavailable` or `NotFound`."""
        log = get_log(self._db, name)
        text = query if isinstance(query, str) else print_logql(query)
        with audited(self._db, f"logs/{name}", owner, text, job_id, step_id) as passage:
            expression = self._allowed(log, query, text, window, owner, passage)
            most, within = min(lines or log.limits.lines, log.limits.lines), min(timeout_s or log.limits.timeout_s, log.limits.timeout_s)
            ask = Ask(expression, text, window.start, window.end, window.step_s, most, within)
            found = backend_of(log, self._data_dir).search(ask)
            passage.rows, passage.result_bytes = len(found.lines) or len(found.series), found.read_bytes
            cut = f"The result was cut at {most:,} lines." if found.cut else None
            passage.passed(Lock.LIMITS, Verdict.CUT if cut else Verdict.PASSED, cut)
        return LogResult(
            log=name, query=text,
            start=window.start, end=window.end, step_s=window.step_s,
            lines=tuple(line.model_copy(update={"at": line.at.astimezone(window.end.tzinfo)}) for line in found.lines),
            series=tuple(_on_clock(series, window.end.tzinfo) for series in found.series),
            is_metric=not isinstance(expression, LogQuery), cut=found.cut, skipped=found.skipped,
            duration_ms=passage.duration_ms, execution_id=passage.execution_id,
        )  # fmt: skip

    def _allowed(
        self, log: LogSource, query: str | LogExpression, text: str, window: Window, owner: str, passage: Passage
    ) -> LogExpression:
        """The query, where it may run."""
        _check_owner(log, owner)
        passage.passed(Lock.POLICIES)
        if isinstance(query, str):
            checked = check_logql(query)
            found, problems = checked.query, checked.problems
        else:
            found, problems = query, check_query(query)
        if found is None or problems:
            raise StatementRefused(Lock.PARSED, problems[0].what)
        passage.passed(Lock.PARSED)
        _check_time(log, found, window)
        return found

    def _vocabulary(self, log: LogSource) -> LogVocabulary:
        key = log.model_dump_json()
        known = self._vocabularies.get(key)
        if known is None or monotonic() - known[0] > VOCABULARY_KEPT_S:
            known = self._vocabularies[key] = (monotonic(), backend_of(log, self._data_dir).vocabulary(datetime.now(UTC)))
        return known[1]


def _on_clock(series: LogSeries, zone: tzinfo | None) -> LogSeries:
    """The same numbers, their moments in a time zone."""
    return series.model_copy(
        update={"points": tuple(point.model_copy(update={"at": point.at.astimezone(zone)}) for point in series.points)}
    )


def _check_owner(log: LogSource, owner: str) -> None:
    if not log.is_open_to(owner):
        raise StatementRefused(Lock.POLICIES, say("logs.refused.not_yours", log=Name(text=log.name)))


def _check_time(log: LogSource, query: LogExpression, window: Window) -> None:
    if window.end <= window.start:
        raise StatementRefused(Lock.LIMITS, say("logs.refused.no_time"))
    longest_ns = max((part.range_ns for part in range_aggregations(query)), default=0)
    asked = max(window.end - window.start, timedelta(microseconds=longest_ns / 1_000))
    if window.step_s is not None and longest_ns:
        asked = window.end - window.start + timedelta(microseconds=longest_ns / 1_000)
    most = timedelta(seconds=log.limits.span_s)
    if asked > most + timedelta(days=1):
        raise StatementRefused(
            Lock.LIMITS, say("logs.refused.long_time", asked=seconds(asked.total_seconds()), most=seconds(most.total_seconds()))
        )
    if window.step_s is not None:
        if window.step_s <= 0:
            raise StatementRefused(Lock.LIMITS, say("logs.refused.no_step"))
        if (window.end - window.start).total_seconds() / window.step_s > STEPS_MAX:
            raise StatementRefused(Lock.LIMITS, say("logs.refused.points", most=count(STEPS_MAX, exact=True)))
