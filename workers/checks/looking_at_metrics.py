"""Running checks on a metrics server: PromQL over the system's series, with the hour before and the same hour a week ago."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from time import monotonic

from contracts.checks import CheckOutcome, Compared, Sensor, SensorCheck, Trend
from contracts.log_sources import LogPoint, LogSeries
from contracts.metric_sources import MetricsResult
from contracts.statements import as_value, say, seconds
from workers.checks.rules import Seen, Sensed, read_sensed
from workers.engines.promql import Expression, narrowed, parse_promql, print_promql
from workers.errors import StatementFailed, StatementRefused
from workers.prometheus import Over
from workers.prometheus.view import labels_of
from workers.saying.reasons import statement_of

HOUR = timedelta(hours=1)
WEEK = timedelta(days=7)
_CURVE = timedelta(hours=3)
"""What is shown of a series that is confirmed."""
_CURVE_POINTS = 60
_STEPS_WITHOUT = 3
"""Steps without a point at the end of a curve, from which nobody knows where it is by now."""

Query = Callable[[Expression, Over, float], MetricsResult]
"""Runs a query within so many seconds."""


def look_at_metrics(
    query: Query, sensor: Sensor, checks: Sequence[SensorCheck], now: datetime, *, check_s: float, all_s: float
) -> Iterator[Sensed]:
    """Each check as it was looked at. Raises `SourceUnavailable` where the server is away, and `NotFound`."""
    ends = monotonic() + all_s
    for check in checks:
        began = monotonic()
        if began >= ends:
            yield Sensed(check, why_not=say("check.no_time", after=seconds(all_s)))
            continue
        expression = narrowed(parse_promql(check.query), sensor.matchers)
        look = _Look(query, expression, now, min(began + check_s, ends))
        try:
            sensed = look.at(check)
        except (StatementRefused, StatementFailed) as error:
            sensed = Sensed(check, why_not=say("check.failed", reason=as_value(statement_of(error))))
        yield replace(sensed, query=print_promql(expression), ms=round((monotonic() - began) * 1000))


class _Look:
    """The queries of one check, which end together."""

    def __init__(self, query: Query, expression: Expression, now: datetime, ends: float) -> None:
        self._query = query
        self._expression = expression
        self._now = now
        self._ends = ends
        self._is_cut = False

    def at(self, check: SensorCheck) -> Sensed:
        """What the rule of a check needs; the curve of what it confirms."""
        if isinstance(check.rule, Trend):
            over = timedelta(seconds=check.rule.over_s)
            since = self._now - _STEPS_WITHOUT * _step(over)
            seen = [_followed(labels, points, since) for labels, points in self._curves(over).items()]
            return Sensed(check, seen, is_cut=self._is_cut)
        now = self._numbers(timedelta())
        compares = isinstance(check.rule, Compared) and bool(now)
        before, last_week = (self._numbers(ago) if compares else dict[str, float | None]() for ago in (HOUR, WEEK))
        seen = [Seen(labels, value, before.get(labels), last_week.get(labels)) for labels, value in now.items()]
        sensed = Sensed(check, seen, is_cut=self._is_cut)
        if read_sensed(sensed).outcome is not CheckOutcome.CONFIRMED:
            return sensed
        try:
            curves = self._curves(_CURVE)
        except (StatementRefused, StatementFailed):  # the finding is kept without its curve
            return sensed
        return replace(sensed, seen=[replace(each, curve=curves.get(each.labels, ())) for each in seen])

    def _numbers(self, ago: timedelta) -> dict[str, float | None]:
        """By the labels of each series; None: it has no finite number, such as a share of nothing."""
        return {labels: _newest(points) for labels, points in _by_labels(self._run(Over(self._now - ago))).items() if points}

    def _curves(self, over: timedelta) -> dict[str, tuple[LogPoint, ...]]:
        return _by_labels(self._run(Over(self._now, self._now - over, _step(over).total_seconds())))

    def _run(self, over: Over) -> Sequence[LogSeries]:
        found = self._query(self._expression, over, max(0.1, self._ends - monotonic()))
        self._is_cut |= found.cut
        return found.series


def _by_labels(found: Sequence[LogSeries]) -> dict[str, tuple[LogPoint, ...]]:
    """The points of each series; the metric's name is among the labels where several metrics are."""
    several = len({each.labels.get("__name__") for each in found}) > 1
    named = ((each.labels.get("__name__", "") if several else "", each) for each in found)
    return {", ".join(part for part in (metric, labels_of(each.labels)) if part): each.points for metric, each in named}


def _step(over: timedelta) -> timedelta:
    return max(timedelta(seconds=15), over / _CURVE_POINTS)


def _followed(labels: str, points: tuple[LogPoint, ...], since: datetime) -> Seen:
    """A series that is to be continued; one that has no number since then has no curve."""
    is_over = all(point.value is None or point.at < since for point in points)
    return Seen(labels, now=_newest(points), curve=() if is_over else points)


def _newest(points: Sequence[LogPoint]) -> float | None:
    return points[-1].value if points else None
