"""SQLite's functions of dates and times give in the sandbox what SQLite itself gives."""

import sqlite3

import duckdb
import pytest
from sqlglot import parse_one

from workers.engines.sql.review.sqlite_times import with_sandbox_times

MOMENTS = ("2026-03-31 23:59:59", "2026-01-01 00:00:00", "2024-02-29 12:30:15")


def in_sandbox(expression: str, moment: str) -> str:
    tree = parse_one(f"SELECT {expression} FROM t", read="sqlite")  # noqa: S608 the cases below
    with_sandbox_times(tree)
    with duckdb.connect(":memory:") as connection:
        connection.execute("CREATE TABLE t (m VARCHAR, n INTEGER)")
        connection.execute("INSERT INTO t VALUES (?, 2)", [moment])
        row = connection.execute(tree.sql("duckdb")).fetchone()
    assert row is not None
    return str(row[0])


def in_sqlite(expression: str, moment: str) -> str:
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE t (m TEXT, n INTEGER)")
        connection.execute("INSERT INTO t VALUES (?, 2)", [moment])
        return str(connection.execute(f"SELECT {expression} FROM t").fetchone()[0])  # noqa: S608 the cases below


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize(
    "expression",
    [
        "DATE(m)",
        "DATETIME(m)",
        "TIME(m)",
        "UNIXEPOCH(m)",
        "ROUND(JULIANDAY(m), 6)",
        "DATE(m, 'start of month')",
        "DATE(m, 'start of year')",
        "DATETIME(m, 'start of day')",
        "DATE(m, '+1 day')",
        "DATE(m, '-10 days')",
        "DATETIME(m, '+90 minutes')",
        "DATE(m, 'weekday 0')",
        "DATE(m, 'weekday 0', '-6 days')",
        "DATE(m, '-' || (n) || ' days')",
        "DATE(m, 'start of month', '+' || n || ' months')",
        "CAST(JULIANDAY(DATE(m)) - JULIANDAY(DATE('2020-01-01 18:00:00')) AS INTEGER)",
        "UNIXEPOCH(m) - UNIXEPOCH('2020-01-01 18:00:00')",
        "strftime('%s', m)",
        "strftime('%s', m) - strftime('%s', '2020-01-01 18:00:00')",
        "CAST(strftime('%s', m, '+8 hours') AS INTEGER)",
        "strftime('%Y-%m', m)",
        "strftime('%Y-%m-%d', m, 'start of month', '-1 day')",
        "strftime('%Y', m) - 1",
        "strftime('%w', m) + 6",
    ],
)
def test_the_sandbox_computes_what_sqlite_computes(expression: str, moment: str) -> None:
    assert in_sandbox(expression, moment) == in_sqlite(expression, moment)


@pytest.mark.parametrize("expression", ["DATE('now')", "DATE(m, 'localtime')", "DATE(m, n || ' fortnights')", "DATE(m, n || n || ' days')"])
def test_what_is_not_understood_stays_as_it_is(expression: str) -> None:
    """`now` is another moment in each run, and a modifier that is not known is refused by the sandbox."""
    tree = parse_one(f"SELECT {expression}", read="sqlite")
    before = tree.sql("sqlite")
    with_sandbox_times(tree)

    assert tree.sql("sqlite") == before
