"""The parent's side of the process in which statements run."""

import json
import os
import selectors
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from workers.engines.sql.sandbox import LOCKED, Row, RunFailed

CHILD = Path(__file__).with_name("child.py")
START_S = 60.0
"""A process that has not opened the engine after this long will not: the machine is overloaded."""
LATE_S = 2.0
"""An interrupted statement ends within this long, or its process is ended."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a trial may use."""

    statement_s: float = 10.0
    """Seconds of one statement; on a few hundred rows, a statement that needs longer does not end."""
    cpu_s: int = 120
    """Processor time of all statements together."""
    memory_bytes: int = 1_200 << 20
    """Address space of the process. The engine maps about 700 MB before the first row; its own limit on rows is 256 MB."""
    rows: int = 100_000
    """Rows of a result; the rest is not read."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a statement."""

    columns: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    """As the engine names them."""
    rows: tuple[Row, ...] = ()
    """Numbers, text, booleans and nulls; decimals, dates and times as text."""
    is_cut: bool = False


class WarehouseError(RunFailed):
    """The engine refuses a statement, or the statement goes beyond a limit."""

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind
        """The engine's class of errors, such as `CatalogException`; `OutOfTime`, `OutOfMemory` and `Ended` are ours."""

    @property
    def is_missing_function(self) -> bool:
        """The engine of the trial does not have a function; the one that the script is meant for may."""
        text = str(self)
        return self.kind in ("CatalogException", "BinderException") and "unction" in text and "does not exist" in text


class Warehouse:
    """A database that forgets everything when it is closed. Not for several threads."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._buffer = b""
        self._process = subprocess.Popen(  # noqa: S603 our own file, by the interpreter that runs this
            [sys.executable, "-I", str(CHILD)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={"PATH": os.defpath, "HOME": "/nonexistent"}, cwd="/", start_new_session=True,
        )  # fmt: skip
        opening = {"config": LOCKED, "memory_bytes": limits.memory_bytes, "cpu_s": limits.cpu_s}
        self.engine = str(self._ask(opening, START_S)["engine"])
        """Name and version."""

    def run(self, sql: str) -> Answer:
        """Run a statement. Raises `WarehouseError`."""
        found = self._request({"sql": sql})
        return Answer(tuple(found["columns"]), tuple(found["types"]), tuple(tuple(row) for row in found["rows"]), bool(found.get("is_cut")))

    def insert(self, sql: str, rows: Sequence[Row]) -> None:
        """Run an INSERT once for each row of values. Dates and decimals are handed over as text. Raises `WarehouseError`."""
        if rows:
            self._request({"sql": sql, "rows": [[_plain(cell) for cell in row] for row in rows]})

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue

    def _request(self, request: dict[str, Any]) -> dict[str, Any]:
        asked = {**request, "timeout_s": self._limits.statement_s, "most": self._limits.rows}
        found = self._ask(asked, self._limits.statement_s + LATE_S)
        if "error" in found:
            raise WarehouseError(*_said_of(found["error"], found["message"], self._limits))
        return found

    def _ask(self, request: dict[str, Any], within_s: float) -> dict[str, Any]:
        stdin = self._process.stdin
        if stdin is None or self._process.poll() is not None:
            raise WarehouseError("The trial's engine has ended.", "Ended")
        try:
            stdin.write(json.dumps(request, ensure_ascii=True).encode() + b"\n")
            stdin.flush()
        except OSError:
            raise self._ended() from None
        return json.loads(self._line(within_s))

    def _line(self, within_s: float) -> bytes:
        deadline = monotonic() + within_s
        stdout = self._process.stdout
        if stdout is None:
            raise self._ended()
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            while b"\n" not in self._buffer:
                if not selector.select(max(deadline - monotonic(), 0)):
                    self.close()
                    raise WarehouseError(_too_long(self._limits), "OutOfTime")
                read = os.read(stdout.fileno(), 1 << 16)
                if not read:
                    raise self._ended()
                self._buffer += read
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _ended(self) -> WarehouseError:
        self._process.wait()
        return WarehouseError("A statement used more than a trial may use, and the engine ended.", "OutOfMemory")


def _said_of(kind: str, message: str, limits: Limits) -> tuple[str, str]:
    if kind == "InterruptException":
        return _too_long(limits), "OutOfTime"
    if kind in ("OutOfMemoryException", "MemoryError"):
        return "It needs more memory than a trial may use.", "OutOfMemory"
    return message, kind


def _too_long(limits: Limits) -> str:
    return f"It did not end within {limits.statement_s:g} seconds on a few hundred rows."


def _plain(cell: Any) -> Any:
    return cell if cell is None or isinstance(cell, bool | int | float | str) else str(cell)


@contextmanager
def open_warehouse(limits: Limits | None = None) -> Generator[Warehouse]:
    """A warehouse for one trial."""
    warehouse = Warehouse(limits or Limits())
    try:
        yield warehouse
    finally:
        warehouse.close()
