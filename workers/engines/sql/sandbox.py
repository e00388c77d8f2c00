"""Where a script is tried on a few rows: an in-memory DuckDB without files, network, extensions or settings.

It is the same locked configuration as that of sources. Nothing is kept: each run is one transaction that is rolled back. Reviews
take any `Sandbox`, so another engine can be used where one is at hand.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Timer
from typing import Any, Protocol

import duckdb

RUN_S = 3.0
"""Longest run of a script on a handful of rows. What takes longer does not end: a recursive query without a bound."""

LOCKED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": False,
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
    "allow_community_extensions": False,
    "python_enable_replacements": False,
    "lock_configuration": True,
    "memory_limit": "256MB",
    "threads": 1,
    "max_temp_directory_size": "0B",
    "temp_directory": "",
}

Row = tuple[Any, ...]


class RunFailed(Exception):
    """The engine refuses a statement. The message is its first line."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of a table."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]


class Sandbox(Protocol):
    """Runs scripts in DuckDB's dialect."""

    def run(self, script: Sequence[tuple[str, Sequence[Row]]], result: str) -> Table:
        """Run statements, each once, or once for each row of values; then the query `result`. Raises `RunFailed`."""
        ...


class DuckDBSandbox:
    """See `Sandbox`. One connection; not for several threads."""

    def __init__(self) -> None:
        self._connection = duckdb.connect(":memory:", config=LOCKED)

    def run(self, script: Sequence[tuple[str, Sequence[Row]]], result: str) -> Table:
        """See `Sandbox`."""
        connection = self._connection
        try:
            with self._within(RUN_S):
                connection.execute("BEGIN")
                for statement, values in script:
                    if values:
                        connection.executemany(statement, [list(row) for row in values])
                    else:
                        connection.execute(statement)
                found = connection.execute(result)
                columns = tuple(str(column[0]) for column in found.description or ())
                return Table(columns, tuple(tuple(row) for row in found.fetchall()))
        except duckdb.Error as error:
            raise RunFailed((str(error).strip().splitlines() or [type(error).__name__])[0][:300]) from None
        finally:
            self._roll_back()

    def close(self) -> None:
        """Free its memory."""
        self._connection.close()

    def _roll_back(self) -> None:
        try:
            self._connection.execute("ROLLBACK")
        except duckdb.Error:
            return

    @contextmanager
    def _within(self, seconds: float) -> Generator[None]:
        timer = Timer(seconds, self._connection.interrupt)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


@contextmanager
def open_sandbox() -> Generator[Sandbox]:
    """A sandbox for one review."""
    sandbox = DuckDBSandbox()
    try:
        yield sandbox
    finally:
        sandbox.close()
