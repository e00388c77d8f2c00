"""The databases behind the cases: SQLite files as they are, and Postgres databases loaded from scripts on a server of the evaluation."""

import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

MOST_STEPS = 30_000_000
"""Instructions of SQLite's machine after which a query is stopped: a few seconds."""

SERVER_TIMEOUT_MS = 8000
NOW = re.compile(r"'now'|\bCURRENT_DATE\b", re.IGNORECASE)
"""How a statement names the present in SQLite."""

_PRESENT = re.compile(r"(?P<day>\bCURRENT_DATE\b)|\bNOW\s*\(\s*\)|\b(?:CURRENT|LOCAL)_?TIMESTAMP\b(?!\s*\()", re.IGNORECASE)
"""The same in Postgres."""
NOON = "12:00:00"


def on_day(statement: str, today: str) -> str:
    """A statement of Postgres whose present is noon of this day."""
    return _PRESENT.sub(lambda match: f"DATE '{today}'" if match["day"] else f"TIMESTAMP '{today} {NOON}'", statement)


Rows = list[tuple[Any, ...]]


class SqliteDatabase:
    """A file, read only. Its present is fixed, since its rows are."""

    def __init__(self, path: Path, today: str) -> None:
        self._connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        self._today = today

    def _at_its_time(self, statement: str) -> str:
        return NOW.sub(f"'{self._today}'", statement)

    def dry_run(self, statement: str) -> str | None:
        """The engine's error, or None where it would run the statement."""
        return self._try(lambda: self._connection.execute(f"EXPLAIN {statement}").fetchall())

    def rows(self, statement: str) -> Rows | str:
        """The result, or the engine's error."""
        found: Rows = []
        left = iter(range(MOST_STEPS // 100_000))
        self._connection.set_progress_handler(lambda: next(left, None) is None, 100_000)
        error = self._try(lambda: found.extend(self._connection.execute(self._at_its_time(statement)).fetchall()))
        self._connection.set_progress_handler(None, 0)
        return found if error is None else error

    def _try(self, run: Callable[[], Any]) -> str | None:
        try:
            run()
        except (sqlite3.Error, sqlite3.Warning, OverflowError) as error:
            return str(error)
        return None

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


class PostgresDatabase:
    """A database on the evaluation's own server, made from a script. Its present is fixed too: rows that are made relative to today would
    fall on other days of the week and the month every day."""

    def __init__(self, server_url: str, name: str, script: Path, today: str) -> None:
        self._today = today
        with psycopg.connect(server_url, autocommit=True) as connection:
            connection.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        self._connection = psycopg.connect(server_url.rsplit("/", 1)[0] + "/" + name, autocommit=True)
        self._connection.execute(on_day(script.read_text("utf-8"), self._today).encode())
        self._connection.execute(f"SET statement_timeout = {SERVER_TIMEOUT_MS}".encode())
        self._connection.read_only = True

    def dry_run(self, statement: str) -> str | None:
        """The engine's error, or None where it would run the statement."""
        found = self._run(f"EXPLAIN {statement}")
        return found if isinstance(found, str) else None

    def rows(self, statement: str) -> Rows | str:
        """The result, or the engine's error."""
        return self._run(on_day(statement, self._today))

    def _run(self, statement: str) -> Rows | str:
        try:
            return self._connection.execute(statement.encode()).fetchall()
        except psycopg.Error as error:
            return str(error)

    def close(self) -> None:
        """End the connection."""
        self._connection.close()


SqlDatabase = SqliteDatabase | PostgresDatabase
