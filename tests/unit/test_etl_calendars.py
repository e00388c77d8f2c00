"""Calendars of days in the dialects that sources have, run by the engine itself."""

import sqlite3
from datetime import date

import pytest

from contracts.pipelines.analysis import AnalysisStep, CalendarWork, EtlTarget, SourceWork, TargetColumn
from contracts.pipelines.expressions import Constant, ValueType
from contracts.tables import ColumnDetail, TableDetail
from tests.support.mariadb import MariaDB, why_not
from workers.engines.steps import Relations, statements_of

BALANCES = TableDetail(name="balances", columns=(ColumnDetail(name="changed_on", type="DATE"),))


def script(first: str, last: str, dialect: str) -> tuple[str, ...]:
    """The statements that make a table of the days."""
    ends = [Constant(type=ValueType.DATE, value=value) for value in (first, last)]
    steps = (
        AnalysisStep(id="balances", name="read", work=SourceWork(table="balances")),
        AnalysisStep(id="calendar", name="days", work=CalendarWork(input="balances", start=ends[0], end=ends[1], name="day")),
    )
    target = EtlTarget(table="all_days", columns=(TargetColumn(name="day"),), key=("day",))
    statements, _ = statements_of(Relations(steps, [BALANCES], dialect), steps[-1], target, dialect)
    return tuple(statements)


def days(first: str, last: str) -> list[str]:
    """The days that a script leaves in SQLite."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE balances (changed_on DATE)")
    connection.execute("INSERT INTO balances VALUES ('2025-03-02'), ('2025-03-03')")
    for statement in script(first, last, "sqlite"):
        connection.execute(statement)
    return [row[0] for row in connection.execute("SELECT day FROM all_days ORDER BY day")]


def test_sqlite_counts_the_days_of_a_calendar_itself() -> None:
    """Case 17: GENERATE_DATE_ARRAY is no function of SQLite."""
    found = days("2025-02-27", "2025-03-02")

    assert found == ["2025-02-27", "2025-02-28", "2025-03-01", "2025-03-02"]
    assert len(days("2025-03-01", "2025-03-31")) == (date(2025, 4, 1) - date(2025, 3, 1)).days


def test_a_calendar_that_ends_before_it_begins_has_no_day() -> None:
    assert days("2025-03-02", "2025-03-01") == []


@pytest.mark.skipif(why_not() is not None, reason=str(why_not()))
def test_mariadb_lists_more_days_than_its_recursion_goes() -> None:
    """GENERATE_DATE_ARRAY is no function of MySQL, and a recursion ends after 1,000 steps. Each day once, though the input has two rows."""
    with MariaDB() as server:
        server.execute(
            "CREATE DATABASE shop", "USE shop", "CREATE TABLE balances (changed_on DATE)", "INSERT INTO balances VALUES (NOW()), (NOW())"
        )
        found = server.execute(
            "USE shop",
            *script("2020-01-01", "2025-12-31", "mysql"),
            "SELECT MIN(day), MAX(day), COUNT(*), COUNT(DISTINCT day) FROM all_days",
        )

    assert [tuple(map(str, row)) for row in found] == [("2020-01-01", "2025-12-31", "2192", "2192")]
