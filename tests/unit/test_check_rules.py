"""Reading rules: numbers of a log or of metrics become confirmed, denied or not decided."""

from datetime import UTC, datetime, timedelta

import pytest

from contracts.checks import CheckOutcome, Compared, Presence, Rule, SensorCheck, SensorKind, Threshold, Trend
from contracts.log_sources import LogPoint
from contracts.sources import SourceKind
from workers.checks import LOCALE
from workers.checks.library import library, sensor_library
from workers.checks.rules import Seen, Sensed, read_sensed
from workers.engines.logql import parse_logql
from workers.engines.promql import is_filter, parse_promql
from workers.saying import text_of
from workers.saying.po import read_po

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
CONFIRMED, DENIED, UNDECIDED = CheckOutcome.CONFIRMED, CheckOutcome.DENIED, CheckOutcome.UNDECIDED
CHECKS = [check for kind in SensorKind for check in sensor_library(kind)]
DISK = next(check for check in CHECKS if check.name == "host_disk_filling")


def found(rule: Rule, *seen: Seen, severity: float = 0.4):
    check = next(check for check in CHECKS if check.name == "database_deadlocks_jump")
    return read_sensed(Sensed(check.model_copy(update={"rule": rule, "severity": severity}), seen))


def falling(start: float, per_hour: float, hours: float = 6, noise: float = 0.0) -> Seen:
    points = [
        LogPoint(at=NOW - timedelta(hours=hours - step / 10), value=start + per_hour * step / 10 + noise * (-1) ** step)
        for step in range(round(hours * 10) + 1)
    ]
    return Seen("disk=/", points[-1].value, curve=points)


def arrived(start: float, part: float) -> Seen:
    """Falls to 0 within this part of six hours, and stays there."""
    points = [
        LogPoint(at=NOW - timedelta(hours=6 - step / 10), value=start * max(0.0, 1 - step / 60 / part) if part else 0.0)
        for step in range(61)
    ]
    return Seen("disk=/", points[-1].value, curve=points)


@pytest.mark.parametrize(
    ("rule", "seen", "outcome"),
    [
        (Threshold(above=0.9), Seen(now=0.95), CONFIRMED),
        (Threshold(above=0.9), Seen(now=0.9), DENIED),
        (Threshold(below=1), Seen(now=0), CONFIRMED),
        (Threshold(below=1), Seen(now=None), UNDECIDED),
        (Presence(), Seen(now=2), CONFIRMED),
        (Presence(), Seen(now=0), DENIED),
        (Compared(factor=3, least=10), Seen(now=30, before=10, last_week=9), CONFIRMED),
        (Compared(factor=3, least=10), Seen(now=30, before=10, last_week=11), DENIED),
        (Compared(factor=3, least=10), Seen(now=9, before=0, last_week=0), DENIED),
        (Compared(factor=3, least=10), Seen(now=30, before=2, last_week=None), CONFIRMED),
        (Compared(factor=3, least=10), Seen(now=30, before=None, last_week=None), UNDECIDED),
        (Trend(reaches=0, within_s=86_400), falling(0.5, -0.05), CONFIRMED),
        (Trend(reaches=0, within_s=86_400), falling(0.5, -0.005), DENIED),
        (Trend(reaches=0, within_s=86_400), falling(0.5, 0.05), DENIED),
        (Trend(reaches=0, within_s=86_400), falling(0.5, 0.0), DENIED),
        (Trend(reaches=0, within_s=86_400), falling(0.5, -0.01, noise=0.2), DENIED),
        (Trend(reaches=0, within_s=86_400), falling(0.5, -0.05, hours=2), UNDECIDED),
        (Trend(reaches=0, within_s=86_400), arrived(0.5, 0.6), CONFIRMED),
        (Trend(reaches=0, within_s=86_400), arrived(0.5, 0.05), CONFIRMED),
        (Trend(reaches=0, within_s=86_400), arrived(0.0, 0.0), CONFIRMED),
        (Trend(reaches=0.9, toward="up", within_s=86_400), falling(0.5, 0.08), CONFIRMED),
        (Trend(reaches=0.9, toward="up", within_s=86_400), falling(0.95, -0.1), DENIED),
        (Trend(reaches=0.9, toward="up", within_s=86_400), falling(0.95, 0.01), CONFIRMED),
        (Trend(reaches=0.9, toward="up", within_s=86_400), falling(0.97, 0.0), CONFIRMED),
        (Trend(reaches=0.9, toward="down", within_s=86_400), falling(0.97, 0.0), DENIED),
        (Trend(reaches=0.9, within_s=86_400), falling(0.5, 0.08), UNDECIDED),
    ],
)
def test_numbers_are_read_by_the_rule(rule: Rule, seen: Seen, outcome: CheckOutcome) -> None:
    assert found(rule, seen).outcome is outcome


def test_a_system_of_which_nothing_is_seen_is_not_denied_anything() -> None:
    assert {read_sensed(Sensed(check)).outcome for check in CHECKS} == {UNDECIDED}


def test_the_worst_series_is_named_and_one_that_cannot_be_decided_is_not_denied() -> None:
    rule = Threshold(above=0.9, worst=1.0)
    worst = found(rule, Seen("a", 0.92), Seen("b", 0.99), Seen("c", 0.1))

    assert [row[0] for row in worst.rows] == ["b", "a"]
    assert worst.severity == pytest.approx(0.4 + 0.6 * 0.9)
    compared = Compared(factor=3, least=1)
    assert found(compared, Seen("a", 5, 5, 5), Seen("b", 5, None, None)).outcome is UNDECIDED


def test_series_that_were_cut_off_are_not_denied() -> None:
    check = next(check for check in CHECKS if check.name == "target_down").model_copy(update={"rule": Threshold(below=1)})
    fine, bad = Seen("a", 1.0), Seen("b", 0.0)

    cut = read_sensed(Sensed(check, [fine], is_cut=True))
    assert cut.outcome is UNDECIDED
    assert "more than the source gives" in text_of(cut.says, "en")
    assert read_sensed(Sensed(check, [fine, bad], is_cut=True)).outcome is CONFIRMED
    assert read_sensed(Sensed(check, [fine])).outcome is DENIED


def test_a_filling_disk_says_when_it_is_full_and_has_the_curve() -> None:
    full = read_sensed(Sensed(DISK, [falling(0.5, -0.05)]))

    assert "4 h" in text_of(full.says, "en")
    assert len(full.curve) == 61


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_a_shipped_check_is_readable_and_leaves_the_verdict_to_its_rule(check: SensorCheck) -> None:
    if check.kind is SensorKind.METRICS:
        assert not is_filter(parse_promql(check.query)), "without a series nothing could be denied"
    else:
        assert parse_logql(check.query).kind == "log"


def test_each_check_has_its_texts_in_both_languages_and_a_name_of_its_own() -> None:
    wanted = {
        f"check.{check.kind.value}.{check.name}.{what}"
        for check in CHECKS
        for what in ("found", "fine", *(["advice"] if check.is_cause else []))
    }
    for language in ("en", "zh"):
        assert set(read_po(LOCALE / language / "LC_MESSAGES" / "sensors.po")) == wanted
        for check in CHECKS:
            seen = (
                falling(0.5, -0.05)
                if isinstance(check.rule, Trend)
                else Seen("a=b", 0.0 if check.rule == Threshold(below=1) else 9999.0, 1.0, 2.0)
            )
            read = read_sensed(Sensed(check, [seen]))
            assert read.outcome is CONFIRMED, check.name
            assert "{" not in text_of(read.says, language) + text_of(read.advice, language)
    names = [check.name for check in (*CHECKS, *library(SourceKind.POSTGRES))]
    assert len(names) == len(set(names))
    assert {other for check in CHECKS for other in check.explains} <= set(names)
