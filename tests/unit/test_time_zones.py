"""Today and yesterday are days of the user's time zone, in questions about data and about logs."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
import tzlocal

from contracts.log_questions import LogVocabulary
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.logql.asking import read_log_search
from workers.engines.questions import Reader
from workers.errors import ConfigurationError
from workers.logs.view import zoned
from workers.settings import Settings, load_settings

SHANGHAI, BERLIN = ZoneInfo("Asia/Shanghai"), ZoneInfo("Europe/Berlin")
EVENING = datetime(2026, 11, 23, 18, 30, tzinfo=UTC)
"""In Shanghai the 24th has begun."""

LOG = LogVocabulary(labels={"app": ("billing",), "level": ("info", "error")})
ORDERS = TableDetail(
    name="orders", primary_key=("id",), rows=10,
    columns=(ColumnDetail(name="id", type="INTEGER"), ColumnDetail(name="ordered_at", type="TIMESTAMP")),
)  # fmt: skip


def searched(question: str, now: datetime) -> tuple[datetime, datetime]:
    reading = read_log_search(question, LOG, now)
    assert reading.start is not None
    assert reading.end is not None
    return reading.start, reading.end


def test_yesterday_is_the_users_day() -> None:
    (reading,) = Reader((ORDERS,), EVENING.astimezone(SHANGHAI)).read("How many orders yesterday?").readings
    (utc,) = Reader((ORDERS,), EVENING).read("How many orders yesterday?").readings

    assert reading.plan.periods[0].start == date(2026, 11, 23)
    assert utc.plan.periods[0].start == date(2026, 11, 22)


@pytest.mark.parametrize("question", ["app=billing yesterday", "app=billing昨天的日志", "app=billing on 2026-11-23"])
def test_a_day_of_a_log_begins_at_the_users_midnight(question: str) -> None:
    start, end = searched(question, EVENING.astimezone(SHANGHAI))

    assert start == datetime(2026, 11, 22, 16, tzinfo=UTC)
    assert end == datetime(2026, 11, 23, 16, tzinfo=UTC)
    assert zoned(start) == "2026-11-23 00:00:00 UTC+08:00"


def test_a_time_that_says_utc_is_utc() -> None:
    start, _ = searched("app=billing on 2026-11-23 from 10:00 to 11:00 UTC", EVENING.astimezone(SHANGHAI))

    assert start == datetime(2026, 11, 23, 10, tzinfo=UTC)


def test_hours_are_hours_when_the_clocks_change() -> None:
    """On 25 October 2026 at three o'clock it is two o'clock again in Berlin."""
    morning = datetime(2026, 10, 25, 8, tzinfo=BERLIN)
    start, end = searched("app=billing in the last 12 hours", morning)
    day = searched("app=billing on 2026-10-25", datetime(2026, 10, 27, 8, tzinfo=BERLIN))

    assert (end - start).total_seconds() == 12 * 3600
    assert (day[1] - day[0]).total_seconds() == 25 * 3600


def test_the_zone_is_a_setting_and_else_the_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    tzlocal.reload_localzone()  # it is looked up once a process
    try:
        assert str(Settings().zone) == "Asia/Tokyo"
    finally:
        monkeypatch.undo()  # also to the zone of a developer's own environment
        tzlocal.reload_localzone()

    assert str(Settings(timezone="Europe/Berlin").zone) == "Europe/Berlin"
    assert Settings(timezone="Asia/Shanghai").now.utcoffset() == SHANGHAI.utcoffset(datetime(2026, 1, 1))  # noqa: DTZ001 a zone without summer time
    monkeypatch.setenv("BULLPEN_TIMEZONE", "Mars/Olympus")
    load_settings.cache_clear()
    with pytest.raises(ConfigurationError, match="BULLPEN_TIMEZONE"):
        load_settings()
    load_settings.cache_clear()
