"""The traps of a dialect that prompts name are those of its engine."""

import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import pytest

from contracts.sources import SourceKind
from workers.blackboard.engine import Database
from workers.engines.sql.traps import traps_of

FOLDER = Path(__file__).parents[2] / "workers" / "engines" / "sql" / "traps"
OF_DUCKDB: list[tuple[str, str, Any]] = [
    ("1 / 2 is 0.5", "SELECT 1 / 2", 0.5),
    ("1 // 2 cuts the fraction off", "SELECT 1 // 2", 0),
    ("`||` with a null is null", "SELECT 'a' || NULL", None),
    ("concat() skips nulls", "SELECT concat('a', NULL)", "a"),
    ("All give timestamps", "SELECT typeof(date_trunc('month', DATE '2026-01-31'))", "TIMESTAMP"),
    ("All give timestamps", "SELECT typeof(DATE '2026-01-31' - INTERVAL 7 DAY)", "TIMESTAMP"),
    ("date_diff('day', earlier, later)", "SELECT date_diff('day', DATE '2026-01-01', DATE '2026-01-03')", 2),
    ("dayofweek() is 0 on Sunday", "SELECT dayofweek(DATE '2026-11-29')", 0),
    ("strptime(text, '%d.%m.%Y')", "SELECT CAST(strptime('31.01.2026', '%d.%m.%Y') AS DATE) = DATE '2026-01-31'", True),
    ("Texts compare by case", "SELECT 'A' = 'a'", False),
    ("Nulls come last in every ORDER BY", "SELECT x FROM (VALUES (1), (NULL)) t(x) ORDER BY x DESC", 1),
]
OF_SQLITE: list[tuple[str, str, Any]] = [
    ("date(d, '-7 days')", "SELECT date('2026-01-31', '-7 days')", "2026-01-24"),
    ("strftime('%Y-%m', d)", "SELECT strftime('%Y-%m', '2026-01-31')", "2026-01"),
    ("julianday(b) - julianday(a) for days", "SELECT julianday('2026-01-03') - julianday('2026-01-01')", 2.0),
    ("Dates and times are texts", "SELECT typeof(date('now'))", "text"),
    ("1 / 2 is 0", "SELECT 1 / 2", 0),
    ("is null with a null", "SELECT 'a' || NULL", None),
    ("'A' = 'a' is false", "SELECT 'A' = 'a'", 0),
    ("LIKE ignores the case", "SELECT 'A' LIKE 'a'", 1),
    ('a "..." that names no column is taken for a text', 'SELECT "no column"', "no column"),
    ("Nulls come first in an ascending order", "SELECT x FROM (SELECT 1 AS x UNION ALL SELECT NULL) ORDER BY x", None),
]
OF_POSTGRES: list[tuple[str, str, Any]] = [
    ("1 / 2 is 0", "SELECT 1 / 2", 0),
    ("`||` with a null is null", "SELECT 'a' || NULL::text", None),
    ("concat() skips nulls", "SELECT concat('a', NULL)", "a"),
    ("is read in lower case", "SELECT key FROM jsonb_each(to_jsonb((SELECT t FROM (SELECT 1 AS Amount) t))) LIMIT 1", "amount"),
    ("Texts compare by case", "SELECT 'A' = 'a'", False),
    ("later_date - earlier_date is a number of days", "SELECT DATE '2026-01-03' - DATE '2026-01-01'", 2),
    (
        "a difference of timestamps is an interval",
        "SELECT pg_typeof(TIMESTAMP '2026-01-03' - TIMESTAMP '2026-01-01')::text",
        "interval",
    ),
    ("date_trunc('month', d) is a timestamp", "SELECT pg_typeof(date_trunc('month', DATE '2026-01-31'))::text ~ '^timestamp'", True),
    ("last ascending", "SELECT x FROM (VALUES (1), (NULL)) t(x) ORDER BY x", 1),
    ("first descending", "SELECT x FROM (VALUES (1), (NULL)) t(x) ORDER BY x DESC", None),
]


@pytest.mark.parametrize(("line", "sql", "value"), OF_DUCKDB)
def test_duckdb_does_what_its_prompt_says(line: str, sql: str, value: Any) -> None:
    assert line in traps_of("duckdb")

    row = duckdb.connect().execute(sql).fetchone()

    assert row is not None
    assert row[0] == value


@pytest.mark.parametrize(("line", "sql", "value"), OF_SQLITE)
def test_sqlite_does_what_its_prompt_says(line: str, sql: str, value: Any) -> None:
    assert line in traps_of("sqlite")

    found = sqlite3.connect(":memory:").execute(sql).fetchone()[0]

    assert found == value


def test_postgres_does_what_its_prompt_says(database: Database) -> None:
    for line, sql, value in OF_POSTGRES:
        assert line in traps_of("postgresql")
        with database.session() as connection:
            row = connection.execute(sql.encode()).fetchone()
        assert row is not None
        assert next(iter(row.values())) == value, sql


@pytest.mark.parametrize("kind", SourceKind)
def test_every_engine_of_a_source_has_its_traps(kind: SourceKind) -> None:
    assert traps_of(kind)


def test_they_are_a_few_lines_each() -> None:
    texts = [file.read_text("utf-8") for file in FOLDER.glob("*.txt")]

    assert max(len(text.split()) for text in texts) <= 150
    assert all(line.startswith("- ") for text in texts for line in text.splitlines())
    assert not traps_of("no such dialect")
