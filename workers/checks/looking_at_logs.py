"""Running checks on a log: lines of the system, counted now, in the hour before and in the same hour a week ago."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from time import monotonic

from contracts.checks import CheckOutcome, Compared, SensorCheck
from contracts.log_sources import LogResult
from contracts.logs import Binary, LabelReplace, LogExpression, LogQuery, Matcher, RangeAggregation, VectorAggregation
from contracts.statements import as_value, say, seconds
from workers.checks.rules import Seen, Sensed, read_sensed
from workers.engines.logql import parse_logql, print_logql
from workers.errors import StatementFailed, StatementRefused
from workers.logs import Window
from workers.saying.reasons import statement_of

HOUR = timedelta(hours=1)
WEEK = timedelta(days=7)
LINES = 10
"""Lines of a finding, the newest."""

Search = Callable[[LogExpression, Window, int, float], LogResult]
"""Runs a query: at most these lines, within these seconds."""


def look_at_logs(
    search: Search, matchers: Sequence[Matcher], checks: Sequence[SensorCheck], now: datetime, *, check_s: float, all_s: float
) -> Iterator[Sensed]:
    """Each check as it was looked at. Raises `SourceUnavailable` where the log is away, and `NotFound`."""
    look = _Look(search, LogQuery(matchers=tuple(matchers)), now, check_s, monotonic() + all_s)
    for check in checks:
        began = monotonic()
        if began >= look.ends:
            yield Sensed(check, why_not=say("check.no_time", after=seconds(all_s)))
            continue
        query = narrowed(parse_logql(check.query), matchers)
        if not isinstance(query, LogQuery):
            raise ValueError(f"{check.name} selects no lines")  # shipped ones do, and those of operators are looked at when they are added
        try:
            sensed = look.at(check, query)
        except (StatementRefused, StatementFailed) as error:
            sensed = Sensed(check, why_not=say("check.failed", reason=as_value(statement_of(error))))
        yield replace(sensed, query=print_logql(query), ms=round((monotonic() - began) * 1000))


def narrowed(query: LogExpression, matchers: Sequence[Matcher]) -> LogExpression:
    """The same of the streams that fit these matchers too."""
    match query:
        case LogQuery():
            return query.model_copy(update={"matchers": (*query.matchers, *(each for each in matchers if each not in query.matchers))})
        case RangeAggregation():
            return query.model_copy(update={"log": narrowed(query.log, matchers)})
        case VectorAggregation() | LabelReplace():
            return query.model_copy(update={"of": narrowed(query.of, matchers)})
        case Binary():
            return query.model_copy(update={"left": narrowed(query.left, matchers), "right": narrowed(query.right, matchers)})
        case _:
            return query


class _Look:
    """The queries of all checks of a log."""

    def __init__(self, search: Search, everything: LogQuery, now: datetime, check_s: float, ends: float) -> None:
        self.ends = ends
        self._search = search
        self._everything = everything
        self._now = now
        self._check_s = check_s
        self._lines_there: dict[tuple[timedelta, float], bool] = {}

    def at(self, check: SensorCheck, query: LogQuery) -> Sensed:
        """What the rule of a check needs, and the newest lines of what it confirms."""
        compares = isinstance(check.rule, Compared)
        now = self._known(query, timedelta(), check.window_s)
        if now is None:
            return Sensed(check)
        before, last_week = (self._known(query, ago, check.window_s) for ago in (HOUR, WEEK)) if compares and now else (None, None)
        sensed = Sensed(check, [Seen("", now, before, last_week)])
        if read_sensed(sensed).outcome is not CheckOutcome.CONFIRMED:
            return sensed
        window = Window(self._now - timedelta(seconds=check.window_s), self._now)
        try:
            return replace(sensed, lines=self._run(query, window, LINES).lines)
        except (StatementRefused, StatementFailed):  # the count is kept without its lines
            return sensed

    def _known(self, query: LogQuery, ago: timedelta, window_s: float) -> float | None:
        """How many lines there were. None: the log has no line at all of that time, so that 0 would say nothing."""
        counted = self._count(query, ago, window_s)
        if counted:
            return counted
        key = (ago, window_s)
        if key not in self._lines_there:
            self._lines_there[key] = self._count(self._everything, ago, window_s) > 0
        return 0.0 if self._lines_there[key] else None

    def _count(self, query: LogQuery, ago: timedelta, window_s: float) -> float:
        counted = RangeAggregation(function="count_over_time", log=query, range_ns=round(window_s * 1e9))
        end = self._now - ago
        found = self._run(VectorAggregation(function="sum", of=counted), Window(end - timedelta(seconds=window_s), end), 1)
        return sum(each.points[-1].value or 0.0 for each in found.series if each.points)

    def _run(self, query: LogExpression, window: Window, lines: int) -> LogResult:
        return self._search(query, window, lines, max(0.1, min(self._check_s, self.ends - monotonic())))
