"""Where a script is tried on a few rows: an in-memory DuckDB without files, network, extensions or settings, in a process of its own.

It is the same locked configuration as that of sources. Nothing is kept: each run is one transaction that is rolled back. Reviews
take any `Sandbox`, so another engine can be used where one is at hand.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from workers.engines.embedded.process import ENDED, OUT_OF_MEMORY, OUT_OF_TIME, Child, EngineFailed, Limits

RUN_S = 3.0
"""Longest run of a script on a handful of rows. What takes longer does not end: a recursive query without a bound."""

LATE_S = 2.0
"""An interrupted statement ends within this long, or its process is ended."""

SANDBOX_BYTES = 1_200 << 20
"""Address space of the process. About 260 MB are mapped before the first row; the engine's own limit on rows is 256 MB."""

RESULT_BYTES = 16 << 20
"""Bytes of a result; what a script makes of a handful of rows is far smaller."""

IN_MEMORY: dict[str, Any] = {"engine": "duckdb", "path": ":memory:", "read_only": False}
"""How a child is opened for a database that is kept in no file."""

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
    """See `Sandbox`. One process, started for the first run and again after one that took too much; not for several threads."""

    def __init__(self) -> None:
        self._child: Child | None = None

    def run(self, script: Sequence[tuple[str, Sequence[Row]]], result: str) -> Table:
        """See `Sandbox`."""
        try:
            found = self._opened().script(script, result, most_bytes=RESULT_BYTES, timeout_s=RUN_S, within_s=RUN_S + LATE_S)
            table = Table(found.columns, tuple(found.rows()))
        except EngineFailed as error:
            if error.kind in (OUT_OF_MEMORY, OUT_OF_TIME, ENDED):
                self.close()
            raise RunFailed(str(error)[:300]) from None
        if found.is_cut:
            raise RunFailed(f"The result has more than {RESULT_BYTES} bytes.")
        return table

    def close(self) -> None:
        """End its process."""
        child, self._child = self._child, None
        if child is not None:
            child.close()

    def _opened(self) -> Child:
        if self._child is None:
            self._child = Child(Limits(SANDBOX_BYTES, RUN_S + LATE_S), {**IN_MEMORY, "config": LOCKED})
        return self._child


@contextmanager
def open_sandbox() -> Generator[Sandbox]:
    """A sandbox for one review."""
    sandbox = DuckDBSandbox()
    try:
        yield sandbox
    finally:
        sandbox.close()
