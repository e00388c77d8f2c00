"""The parent's side: children that run statements, and what is known of one that ended."""

import atexit
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

import msgspec

from workers.engines.embedded.values import LENGTH, Incomplete, Row, decoded, encoded, packed, received
from workers.engines.embedded.zygote import STATUS

ROOT = Path(__file__).resolve().parents[3]
"""The folder that holds this package."""

START_S = 60.0
"""A child that has not opened its database after this long will not: the machine is overloaded."""

ENDING_S = 10.0
"""A killed process is gone after this long, unless the machine is overloaded."""

SPARE_BYTES = 1 << 20
"""What a frame may have beyond the bytes of its rows' values."""

OUT_OF_MEMORY, OUT_OF_TIME, ENDED = "OutOfMemory", "OutOfTime", "Ended"

MEMORY_MB = 1_500
"""Address space of a child unless a setting says otherwise. The interpreter and the engine map about 260 MB before the first row; a plain
query needs no more, and a function that makes long values is stopped at 420 to 630 MB of resident memory."""

UNLIMITED_BYTES = 1 << 40


class EngineFailed(Exception):
    """The engine refuses a statement, or the statement goes beyond a limit."""

    def __init__(self, kind: str, message: str, *, memory_bytes: int = 0) -> None:
        super().__init__(message or kind)
        self.kind = kind
        """The engine's class of errors, such as `CatalogException`; `OutOfMemory`, `OutOfTime` and `Ended` are ours."""
        self.memory_bytes = memory_bytes
        """The limit that was reached, of `OutOfMemory`."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a child may use."""

    memory_bytes: int = MEMORY_MB << 20
    """Address space."""
    cpu_s: float = 60.0
    """Processor time of one request."""
    written_bytes: int = 0
    """Length of a file that it writes."""


class Result:
    """The result of a statement: its rows can be read once, and a later request of the same child drops what was not read."""

    def __init__(self, columns: tuple[str, ...], types: tuple[str, ...], frames: Iterator[list[Any]]) -> None:
        self.columns = columns
        self.types = types
        self.is_cut = False
        """Rows were left out, since they are more or longer than wanted. Known when all rows are read."""
        self._frames = frames

    def batches(self) -> Iterator[list[Row]]:
        """The rows as they come. Raises `EngineFailed`."""
        for frame in self._frames:
            if frame[0] == "rows":
                yield [tuple(row) for row in frame[1]]
            else:
                self.is_cut = bool(frame[1])

    def rows(self) -> list[Row]:
        """All rows that are left. Raises `EngineFailed`."""
        return [row for batch in self.batches() for row in batch]


class Child:
    """A process with one open database. One thread at a time; `kill` comes from any."""

    def __init__(self, limits: Limits, opening: dict[str, Any], *, within_s: float = START_S) -> None:
        """Opens the database. Raises `EngineFailed`."""
        self._limits = limits
        self._killed = False
        self._unread: Iterator[list[Any]] = iter(())
        self._data, self._leash = _children.fork()
        try:
            limits_of = {"memory_bytes": limits.memory_bytes, "cpu_s": limits.cpu_s, "written_bytes": limits.written_bytes}
            self.engine = str(next(self._ask({**opening, **limits_of}, within_s, SPARE_BYTES))[1])
            """Name and version."""
        except BaseException:
            self.close()
            raise

    def run(
        self,
        sql: str,
        values: Any = None,
        *,
        most_rows: int = 1 << 40,
        most_bytes: int = 1 << 30,
        timeout_s: float | None = None,
        within_s: float | None = None,
    ) -> Result:
        """Run a statement. `values`: by name, or in order. `timeout_s`: it is interrupted then, and the child lives on. `within_s`: the
        child is killed then. Raises `EngineFailed`."""
        return self._result({"sql": sql, "values": _packed_values(values)}, most_rows, most_bytes, timeout_s, within_s)

    def many(self, sql: str, rows: Sequence[Row], *, timeout_s: float | None = None, within_s: float | None = None) -> None:
        """Run a statement once for each row of values. Raises `EngineFailed`."""
        self._result({"sql": sql, "rows": _packed_rows(rows)}, 1, SPARE_BYTES, timeout_s, within_s).rows()

    def script(
        self, steps: Sequence[tuple[str, Sequence[Row]]], result: str, *, most_bytes: int, timeout_s: float, within_s: float
    ) -> Result:
        """Run statements, each once or once for each row of values, then the query `result`; and undo all of it. Raises `EngineFailed`."""
        made = [[sql, _packed_rows(rows)] for sql, rows in steps]
        return self._result({"steps": made, "sql": result}, 1 << 40, most_bytes, timeout_s, within_s)

    def kill(self) -> None:
        """End the process. A request that waits for it fails."""
        self._killed = True
        with suppress(OSError):
            self._leash.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """End the process, and wait until it has gone, so that its files are free."""
        self.kill()
        self._status()
        self._data.close()
        self._leash.close()

    def _result(self, request: dict[str, Any], most_rows: int, most_bytes: int, timeout_s: float | None, within_s: float | None) -> Result:
        for _ in self._unread:
            continue
        self._unread = iter(())
        asked = {**request, "most_rows": most_rows, "most_bytes": most_bytes, "timeout_s": timeout_s}
        frames = self._ask(asked, within_s, most_bytes + SPARE_BYTES)
        head = next(frames)
        self._unread = frames
        return Result(tuple(head[1]), tuple(head[2]), frames)

    def _ask(self, request: dict[str, Any], within_s: float | None, most_bytes: int) -> Generator[list[Any]]:
        """The frames of an answer. A child that sends more than it was allowed to is killed."""
        deadline = None if within_s is None else monotonic() + within_s
        body = encoded(request)
        try:
            self._data.settimeout(within_s)
            self._data.sendall(LENGTH.pack(len(body)) + body)
        except OSError:
            raise self._ended() from None
        left = 4 * most_bytes  # an integer has at most nine bytes for the eight that it counts, a null or an empty text one
        while True:
            frame, size = self._frame(deadline, min(left, UNLIMITED_BYTES))
            left -= size
            if frame[0] == "error":
                raise self._refused(str(frame[1]), str(frame[2]))
            yield frame
            if frame[0] in ("end", "opened"):
                return

    def _frame(self, deadline: float | None, most_bytes: int) -> tuple[list[Any], int]:
        try:
            self._data.settimeout(None if deadline is None else max(deadline - monotonic(), 0.001))
            length = received(self._data, LENGTH.size)
            size = LENGTH.unpack(length)[0] if length is not None else 0
            if size > most_bytes:
                self.kill()
                raise EngineFailed(OUT_OF_MEMORY, "The answer is larger than was allowed.", memory_bytes=most_bytes)
            body = received(self._data, size) if length is not None else None
            if body is None:
                raise self._ended()
            return decoded(body), size
        except TimeoutError:
            self.kill()
            raise EngineFailed(OUT_OF_TIME, "The time is up.") from None
        except (OSError, Incomplete, msgspec.MsgspecError, ValueError, RecursionError):
            self.kill()
            raise self._ended() from None

    def _refused(self, kind: str, message: str) -> EngineFailed:
        if kind in ("OutOfMemoryException", "MemoryError"):
            return EngineFailed(OUT_OF_MEMORY, message, memory_bytes=self._limits.memory_bytes)
        if kind == "InterruptException":
            return EngineFailed(OUT_OF_TIME, message)
        return EngineFailed(kind, message)

    def _ended(self) -> EngineFailed:
        """Why the process has ended. An engine that gets no memory may abort; with none left, the kernel kills."""
        status = self._status()
        ended_by = os.WTERMSIG(status) if status is not None and os.WIFSIGNALED(status) else None
        if ended_by == signal.SIGXCPU:
            return EngineFailed(OUT_OF_TIME, "The processor time is up.")
        killed = ended_by == signal.SIGKILL and not self._killed
        if killed or ended_by in (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS):
            return EngineFailed(OUT_OF_MEMORY, "The engine ended.", memory_bytes=self._limits.memory_bytes)
        return EngineFailed(ENDED, "The engine's process has ended.")

    def _status(self) -> int | None:
        """The wait status; None: not known."""
        try:
            self._leash.settimeout(ENDING_S)
            found = received(self._leash, STATUS.size)
        except (OSError, Incomplete):
            return None
        return STATUS.unpack(found)[0] if found is not None else None


def _packed_values(values: Any) -> Any:
    if not values:
        return None
    if isinstance(values, dict):
        return {name: packed(value) for name, value in values.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] names of values
    return [packed(value) for value in values]


def _packed_rows(rows: Iterable[Row]) -> list[Any]:
    return [[packed(cell) for cell in row] for row in rows]


class _Children:
    """The zygote of this process, started on first use, and again when it was killed or this process is a fork. For all threads."""

    def __init__(self) -> None:
        self._mutex = Lock()
        self._owner = 0
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def fork(self) -> tuple[socket.socket, socket.socket]:
        """The data socket and the leash of a new child."""
        data, its_data = socket.socketpair()
        leash, its_leash = socket.socketpair()
        with its_data, its_leash, self._mutex:
            for attempt in (1, 2):
                try:
                    socket.send_fds(self._started(), [b"f"], [its_data.fileno(), its_leash.fileno()])
                    break
                except OSError:
                    self._forget()
                    if attempt == 2:
                        data.close()
                        leash.close()
                        raise
        return data, leash

    def _started(self) -> socket.socket:
        if self._control is not None and self._owner == os.getpid():
            return self._control
        self._forget()
        ours, its = socket.socketpair()
        with its:
            environment = {"PATH": os.defpath, "HOME": "/nonexistent", "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8"}
            environment["MALLOC_ARENA_MAX"] = "2"  # each thread would else map 64 MB of the child's address space
            environment |= {name: os.environ[name] for name in ("TZ", "TMPDIR") if name in os.environ}
            self._process = subprocess.Popen(  # noqa: S603 our own module, by the interpreter that runs this
                [sys.executable, "-P", "-s", "-m", "workers.engines.embedded.zygote", str(its.fileno())],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                pass_fds=[its.fileno()], env=environment, cwd="/", start_new_session=True,
            )  # fmt: skip
        self._control, self._owner = ours, os.getpid()
        return ours

    def _forget(self) -> None:
        if self._control is not None:
            self._control.close()
        if self._process is not None and self._owner == os.getpid():
            try:
                self._process.wait(ENDING_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._control = self._process = None

    def end(self) -> None:
        """End the zygote and all children."""
        with self._mutex:
            self._forget()

    def after_fork(self) -> None:
        """In a forked process: the mutex may be held by a thread that is not there."""
        self._mutex = Lock()


_children = _Children()
os.register_at_fork(after_in_child=_children.after_fork)
atexit.register(_children.end)


@contextmanager
def open_child(limits: Limits, opening: dict[str, Any], *, within_s: float = START_S) -> Generator[Child]:
    """A child for the time of the block. Raises `EngineFailed`."""
    child = Child(limits, opening, within_s=within_s)
    try:
        yield child
    finally:
        child.close()
