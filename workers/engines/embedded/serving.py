"""What a child does: it limits itself, opens one database, and answers requests until its socket is closed.

A request and an answer are frames (`values`). The answer to a statement is `["head", columns, types]`, then `["rows", rows]` as often as
needed, then `["end", is_cut]`; or `["error", kind, message]` at any place.
"""

import math
import re
import resource
import socket
import sqlite3
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer
from typing import Any, Protocol

from workers.engines.embedded import files, workbooks
from workers.engines.embedded.values import LENGTH, Row, decoded, packed, received, send, size_of_row

Request = dict[str, Any]

FRAME_BYTES = 256 << 10
"""A frame of rows is sent when it has grown to this size; the reader holds one frame beside what it keeps."""

FETCHED_BYTES = 1 << 20
"""As many rows are fetched at a time as have about this size."""

FIRST_ROWS, MOST_ROWS = 16, 2_000
"""Rows fetched before anything is known of their size, and at most."""

MESSAGE_CHARS = 500


class Fetch(Protocol):
    """`fetchmany` of a cursor."""

    def __call__(self, size: int, /) -> Sequence[Row]:
        """The next rows."""
        ...


class Engine(Protocol):
    """An open database."""

    def run(self, sql: str, values: Any) -> tuple[list[str], list[str], Fetch]:
        """Columns, types, and how to fetch the rows."""
        ...

    def many(self, sql: str, rows: list[Any]) -> None:
        """Run a statement once for each row of values."""
        ...

    def interrupt(self) -> None:
        """End the running statement, as far as the engine can. From another thread."""
        ...


class DuckDB:
    """A file, or a database in memory."""

    def __init__(self, request: Request) -> None:
        import duckdb

        self.version = f"duckdb {duckdb.__version__}"
        self._module = duckdb
        self._connection = duckdb.connect(request["path"], read_only=request["read_only"], config=request["config"])

    def run(self, sql: str, values: Any) -> tuple[list[str], list[str], Fetch]:
        """See `Engine`."""
        if not self._connection.extract_statements(sql):
            raise self._module.InvalidInputException("There is no statement.")
        cursor = self._connection.execute(sql, values) if values else self._connection.execute(sql)
        described: list[Any] = list(cursor.description or [])
        fetch: Fetch = cursor.fetchmany if described else _nothing
        return [str(column[0]) for column in described], [str(column[1]) for column in described], fetch

    def many(self, sql: str, rows: list[Any]) -> None:
        """See `Engine`. Rows of one kind are inserted some at a time, in a third of the time that this engine takes for each alone."""
        head, _, marks = sql.rpartition(" VALUES ")
        if not (head.startswith("INSERT INTO ") and _MARKS.fullmatch(marks) and _are_of_one_kind(rows)):
            self._connection.executemany(sql, rows)
            return
        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            self._connection.execute(f"{head} VALUES {', '.join([marks] * len(some))}", [cell for row in some for cell in row])

    def interrupt(self) -> None:
        """See `Engine`."""
        self._connection.interrupt()


def _are_of_one_kind(rows: list[Any]) -> bool:
    """Whether no column has values of two kinds: those of one statement become values of one type."""
    columns: list[list[object]] = [list(column) for column in zip(*rows, strict=True)]
    return all(len({type(cell) for cell in column if cell is not None}) <= 1 for column in columns)


_AT_ONCE = 64
"""Rows of one statement."""
_MARKS = re.compile(r"\([?, ]*\)")
_READING = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE)
_NO_FUNCTION = frozenset({"load_extension", "fts3_tokenizer", "writefile", "readfile", "edit"})


class SQLite:
    """A file. `authorized`: nothing but reading is allowed; the engine's own reading of the schema needs more."""

    def __init__(self, request: Request) -> None:
        self.version = f"sqlite {sqlite3.sqlite_version}"
        self._connection = connection = sqlite3.connect(request["path"], uri=True, isolation_level=None, check_same_thread=False)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, request["value_bytes"])
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        if request["authorized"]:
            connection.set_authorizer(_authorize)

    def run(self, sql: str, values: Any) -> tuple[list[str], list[str], Fetch]:
        """See `Engine`."""
        cursor = self._connection.execute(sql, values or ())
        names = [str(column[0]) for column in cursor.description or ()]
        return names, [""] * len(names), cursor.fetchmany

    def many(self, sql: str, rows: list[Any]) -> None:
        """See `Engine`."""
        self._connection.executemany(sql, rows)

    def interrupt(self) -> None:
        """See `Engine`."""
        self._connection.interrupt()


def _nothing(size: int, /) -> Sequence[Row]:
    return []


def _authorize(action: int, first: str | None, second: str | None, database: str | None, trigger: str | None) -> int:
    if action in _READING:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() not in _NO_FUNCTION:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


ENGINES: dict[str, Callable[[Request], Engine]] = {"duckdb": DuckDB, "sqlite": SQLite}


WORK: dict[str, Callable[[Request], None]] = {
    "folder": files.make, "parquet": files.write_parquet, "sheet": workbooks.write_first_sheet,
    "sheets": workbooks.write_sheets,
}  # fmt: skip
"""What is done by opening alone."""


def serve(data: socket.socket) -> None:
    """Answer until the socket is closed."""
    opening = _request(data)
    if opening is None:
        return
    _limit(opening)
    try:
        _allow(opening["cpu_s"])
        if (work := WORK.get(opening["engine"])) is not None:
            work(opening)
            send(data, ["opened", ""])
            return
        engine: Any = ENGINES[opening["engine"]](opening)
    except Exception as error:
        send(data, _refusal(error))
        return
    send(data, ["opened", engine.version])
    while (request := _request(data)) is not None:
        _allow(opening["cpu_s"])
        try:
            with _interrupted_after(engine, request["timeout_s"]):
                _answer(data, engine, request)
        except OSError:  # the other side is gone
            return
        except Exception as error:
            send(data, _refusal(error))


def _request(data: socket.socket) -> Request | None:
    length = received(data, LENGTH.size)
    body = received(data, LENGTH.unpack(length)[0]) if length is not None else None
    return decoded(body) if body is not None else None


def _limit(opening: Request) -> None:
    """Memory, written files and cores; processor time is limited for each request."""
    for name, most in (
        (resource.RLIMIT_AS, opening["memory_bytes"]),
        (resource.RLIMIT_FSIZE, opening["written_bytes"]),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(name, (most, most))
    with suppress(OSError):  # where the machine itself has no memory left, Linux ends this process before any other
        Path("/proc/self/oom_score_adj").write_text("1000")


def _allow(cpu_s: float) -> None:
    """From now on, so much processor time more."""
    until = math.ceil(time.process_time() + cpu_s)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (until if hard == resource.RLIM_INFINITY else min(until, hard), hard))


def _refusal(error: Exception) -> list[str]:
    if isinstance(error, MemoryError):
        return ["error", "MemoryError", ""]
    name = str(getattr(error, "sqlite_errorname", ""))  # DuckDB has classes for these
    if name == "SQLITE_INTERRUPT":
        return ["error", "InterruptException", str(error)]
    if name == "SQLITE_FULL" or name.startswith("SQLITE_IOERR"):  # it may write no more
        return ["error", "OutOfMemoryException", str(error)]
    return ["error", type(error).__name__, (str(error).strip().splitlines() or [type(error).__name__])[0][:MESSAGE_CHARS]]


@contextmanager
def _interrupted_after(engine: Engine, seconds: float | None) -> Generator[None]:
    if seconds is None:
        yield
        return
    timer = Timer(seconds, engine.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _answer(data: socket.socket, engine: Engine, request: Request) -> None:
    steps: list[Any] | None = request.get("steps")
    if steps is None:
        _send_result(data, engine, request)
        return
    try:  # a script leaves nothing behind
        engine.run("BEGIN", None)
        for sql, rows in steps:
            if rows:
                engine.many(sql, rows)
            else:
                engine.run(sql, None)
        _send_result(data, engine, request)
    finally:
        with suppress(Exception):  # the script has ended its transaction itself
            engine.run("ROLLBACK", None)


def _send_result(data: socket.socket, engine: Engine, request: Request) -> None:
    if (rows := request.get("rows")) is not None:
        engine.many(request["sql"], rows)
        columns, types, fetch = [], [], _nothing
    else:
        columns, types, fetch = engine.run(request["sql"], request.get("values"))
    send(data, ["head", columns, types])
    send(data, ["end", _send_rows(data, fetch, request["most_rows"], request["most_bytes"])])


def _send_rows(data: socket.socket, fetch: Fetch, most_rows: int, most_bytes: int) -> bool:
    """Whether rows were left out."""
    frame: list[Any] = []
    count = used = sent = 0
    fetched = FIRST_ROWS
    is_cut = False
    while not is_cut and (rows := fetch(fetched)):
        before = used
        for row in rows:
            size = size_of_row(row)
            if count >= most_rows or used + size > most_bytes:
                is_cut = True
                break
            frame.append([packed(cell) for cell in row])
            count, used = count + 1, used + size
            if used - sent >= FRAME_BYTES:
                send(data, ["rows", frame])
                frame, sent = [], used
        fetched = max(1, min(MOST_ROWS, FETCHED_BYTES * len(rows) // max(1, used - before)))
    if frame:
        send(data, ["rows", frame])
    return is_cut
