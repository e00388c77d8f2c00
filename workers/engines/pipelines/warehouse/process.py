"""The process in which whole scripts run, one statement after the other."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from workers.engines.embedded import process as embedded
from workers.engines.embedded.process import ENDED, OUT_OF_MEMORY, OUT_OF_TIME, Child, EngineFailed
from workers.engines.sql.sandbox import IN_MEMORY, LATE_S, LOCKED, SANDBOX_BYTES, Row, RunFailed

RESULT_BYTES = 64 << 20
"""Bytes of a result; the rest is not read."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a trial may use."""

    statement_s: float = 10.0
    """Seconds of one statement; on a few hundred rows, a statement that needs longer does not end."""
    memory_bytes: int = SANDBOX_BYTES
    """Address space of the process."""
    rows: int = 100_000
    """Rows of a result; the rest is not read."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a statement."""

    columns: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    """As the engine names them."""
    rows: tuple[Row, ...] = ()
    """Numbers, text, booleans and nulls; dates and times as text."""
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
        allowed = embedded.Limits(limits.memory_bytes, limits.statement_s + LATE_S)
        self._child = Child(allowed, {**IN_MEMORY, "config": LOCKED})
        self.engine = self._child.engine
        """Name and version."""

    def run(self, sql: str) -> Answer:
        """Run a statement. Raises `WarehouseError`."""
        try:
            found = self._child.run(sql, most_rows=self._limits.rows, most_bytes=RESULT_BYTES, **self._times())
            rows = tuple(tuple(_shown(cell) for cell in row) for row in found.rows())
        except EngineFailed as error:
            raise self._refused(error) from None
        return Answer(found.columns, found.types, rows, found.is_cut)

    def insert(self, sql: str, rows: Sequence[Row]) -> None:
        """Run an INSERT once for each row of values. Dates and decimals are handed over as text. Raises `WarehouseError`."""
        if not rows:
            return
        try:
            self._child.many(sql, [tuple(_plain(cell) for cell in row) for row in rows], **self._times())
        except EngineFailed as error:
            raise self._refused(error) from None

    def close(self) -> None:
        """End the process."""
        self._child.close()

    def _times(self) -> dict[str, float]:
        return {"timeout_s": self._limits.statement_s, "within_s": self._limits.statement_s + LATE_S}

    def _refused(self, error: EngineFailed) -> WarehouseError:
        match error.kind:
            case kind if kind == OUT_OF_TIME:
                return WarehouseError(f"It did not end within {self._limits.statement_s:g} seconds on a few hundred rows.", kind)
            case kind if kind == OUT_OF_MEMORY:
                return WarehouseError("It needs more memory than a trial may use.", kind)
            case kind if kind == ENDED:
                return WarehouseError("The trial's engine has ended.", kind)
            case kind:
                return WarehouseError(str(error), kind)


def _plain(cell: Any) -> Any:
    return cell if cell is None or isinstance(cell, bool | int | float | str) else str(cell)


def _shown(cell: Any) -> Any:
    """Numbers, text, booleans and nulls; the rest is text."""
    if cell is None or isinstance(cell, bool | int | str | Decimal):
        return cell
    if isinstance(cell, float):
        return cell if cell == cell and abs(cell) != float("inf") else str(cell)
    if isinstance(cell, bytes):
        return cell.hex()
    return str(cell)


@contextmanager
def open_warehouse(limits: Limits | None = None) -> Generator[Warehouse]:
    """A warehouse for one trial."""
    warehouse = Warehouse(limits or Limits())
    try:
        yield warehouse
    finally:
        warehouse.close()
