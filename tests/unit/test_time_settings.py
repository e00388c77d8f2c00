"""What words about time mean is a setting: the first day of a week, the first month of the fiscal year, whether today is a rolling day."""

import sqlite3
from datetime import datetime

import duckdb
import pytest
import sqlglot

from contracts.questions import Verdict
from contracts.tables import ColumnDetail, TableDetail
from contracts.times import TimeSettings, Weekday
from tests.support.said import said
from workers.engines.questions import Reader
from workers.engines.sql.build import build_sql
from workers.settings import Settings

NOW = datetime(2026, 11, 21, 12)  # noqa: DTZ001 local time of the source; a Saturday
TABLES = (
    TableDetail(
        name="trips", rows=9, primary_key=("trip_id",),
        columns=(
            ColumnDetail(name="trip_id", type="integer", distinct=9),
            ColumnDetail(name="left_at", type="timestamp", nulls=0),
        ),
    ),
)  # fmt: skip
DAYS = ("2026-11-13", "2026-11-14", "2026-11-15", "2026-11-16", "2026-11-20", "2026-11-21")
"""Friday to Monday, and the next Friday and Saturday."""


def weeks(settings: TimeSettings, dialect: str) -> list[tuple[str, int]]:
    """First day of each week with its number of trips, as the statement of the dialect gives them."""
    reading = Reader(TABLES, NOW, settings=settings).read("How many trips are there per week?")
    assert reading.verdict is Verdict.ANSWERED
    statement = build_sql(reading.readings[0].plan, TABLES, dialect)
    if dialect == "sqlite":
        connection: sqlite3.Connection | duckdb.DuckDBPyConnection = sqlite3.connect(":memory:")
    else:
        connection = duckdb.connect()
    connection.execute("CREATE TABLE trips (trip_id INTEGER, left_at TIMESTAMP)")
    for number, day in enumerate(DAYS):
        connection.execute("INSERT INTO trips VALUES (?, ?)", (number, f"{day} 08:00:00"))
    found = [(str(first)[:10], count) for first, count in connection.execute(statement).fetchall()]
    connection.close()
    return sorted(found)


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
@pytest.mark.parametrize(
    ("first", "expected"),
    [
        (Weekday.MONDAY, [("2026-11-09", 3), ("2026-11-16", 3)]),
        (Weekday.SUNDAY, [("2026-11-08", 2), ("2026-11-15", 4)]),
        (Weekday.SATURDAY, [("2026-11-07", 1), ("2026-11-14", 4), ("2026-11-21", 1)]),
    ],
)
def test_rows_are_grouped_by_weeks_that_begin_on_the_day_of_the_settings(
    dialect: str, first: Weekday, expected: list[tuple[str, int]]
) -> None:
    assert weeks(TimeSettings(week_start=first), dialect) == expected


@pytest.mark.parametrize("dialect", ["postgres", "mysql", "trino", "clickhouse"])
def test_weeks_of_the_settings_are_valid_sql_of_every_engine(dialect: str) -> None:
    reading = Reader(TABLES, NOW, settings=TimeSettings(week_start=Weekday.SUNDAY)).read("How many trips are there per week?")

    statement = build_sql(reading.readings[0].plan, TABLES, dialect)

    assert sqlglot.parse_one(statement, read=dialect)
    assert "week of trips.left_at, from Sunday" in " ".join(said(text, "en") for text in reading.readings[0].understood)


@pytest.mark.parametrize(
    ("question", "includes_today", "start", "end", "says"),
    [
        ("How many trips were there in the last 7 days?", True, "2026-11-15", "2026-11-22", "last 7 days” ends with today, 2026-11-21"),
        (
            "How many trips were there in the last 7 days?",
            False,
            "2026-11-14",
            "2026-11-21",
            "last 7 days” ends with yesterday, 2026-11-20",
        ),
        ("最近7天有多少trips？", True, "2026-11-15", "2026-11-22", "2026-11-21"),
        ("最近两周有多少trips？", False, "2026-11-07", "2026-11-21", "2026-11-20"),
        ("How many trips were there in the last 3 months?", True, "2026-08-22", "2026-11-22", "2026-11-21"),
    ],
)
def test_the_answer_says_whether_today_is_the_last_day(question: str, includes_today: bool, start: str, end: str, says: str) -> None:
    reading = Reader(TABLES, NOW, settings=TimeSettings(rolling_includes_today=includes_today)).read(question)

    assert reading.verdict is Verdict.ANSWERED, reading
    (found,) = reading.readings
    assert (str(found.plan.periods[0].start), str(found.plan.periods[0].end)) == (start, end)
    assert says in " ".join(said(text, "en") for text in found.understood)


def test_the_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BULLPEN_WEEK_START", "sunday")
    monkeypatch.setenv("BULLPEN_FISCAL_YEAR_START", "4")
    monkeypatch.setenv("BULLPEN_ROLLING_INCLUDES_TODAY", "false")

    assert Settings().times == TimeSettings(week_start=Weekday.SUNDAY, fiscal_year_start=4, rolling_includes_today=False)
