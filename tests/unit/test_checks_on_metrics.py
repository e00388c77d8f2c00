"""What a check sees of the series that a metrics server gives, before its rule is read."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from contracts.checks import CheckFinding, CheckOutcome, Rule, Sensor, SensorCheck, SensorKind, Threshold, Trend, Unit
from contracts.log_sources import LogPoint, LogSeries
from contracts.metric_sources import MetricsResult
from workers.checks.looking_at_metrics import look_at_metrics
from workers.checks.rules import read_sensed
from workers.engines.promql import Expression
from workers.prometheus import Over

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def looked(rule: Rule, series: Callable[[Over], Sequence[LogSeries]]) -> CheckFinding:
    """What a check of these series found."""
    check = SensorCheck(
        name="own", kind=SensorKind.METRICS, group="own", query="queue_depth", rule=rule, unit=Unit.NUMBER, severity=0.5
    )  # fmt: skip

    def query(_: Expression, over: Over, within_s: float) -> MetricsResult:
        step_s = None if over.start is None else over.step_s
        return MetricsResult(
            metrics="m", query="q", start=over.start, end=over.end, step_s=step_s, series=tuple(series(over)), duration_ms=1, execution_id=1
        )

    (sensed,) = look_at_metrics(query, Sensor(name="m"), [check], NOW, check_s=60, all_s=60)
    return read_sensed(sensed)


def series(value: float | None, **labels: str) -> LogSeries:
    """With one number."""
    return LogSeries(labels=labels, points=(LogPoint(at=NOW, value=value),))


def test_a_series_without_a_finite_number_is_not_denied() -> None:
    """Errors of no requests are neither many nor few."""
    found = looked(Threshold(above=0.1), lambda _: [series(0.0, i="a"), series(None, i="b")])

    assert found.outcome is CheckOutcome.UNDECIDED


def test_two_metrics_with_the_same_labels_are_two_series() -> None:
    found = looked(Threshold(above=100), lambda _: [series(5000.0, __name__="dead", i="a"), series(1.0, __name__="queued", i="a")])

    assert found.outcome is CheckOutcome.CONFIRMED
    assert [row[0] for row in found.rows] == ["dead, i=a"]


@pytest.mark.parametrize(("ended_hours_ago", "outcome"), [(0, CheckOutcome.CONFIRMED), (2, CheckOutcome.UNDECIDED)])
def test_a_series_that_ended_is_not_continued(ended_hours_ago: int, outcome: CheckOutcome) -> None:
    """A disk that was unmounted fills no more."""

    def disk(over: Over) -> list[LogSeries]:
        assert over.start is not None
        steps = range(0, (6 - ended_hours_ago) * 3600 + 1, 360)
        points = (LogPoint(at=over.start + timedelta(seconds=second), value=0.5 - 0.45 * second / 21_600) for second in steps)
        return [LogSeries(labels={"disk": "sda"}, points=tuple(points))]

    assert looked(Trend(reaches=0, within_s=86_400), disk).outcome is outcome
