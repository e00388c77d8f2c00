"""Lock 5: time, rows, bytes and cost. A slow statement is ended at the server, not only no longer waited for."""

import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any, Literal

from contracts.sources import Lock, SourceLimits
from contracts.statements import Code, number, say, seconds, size
from workers.engines.embedded.process import OUT_OF_MEMORY, OUT_OF_TIME, EngineFailed
from workers.engines.embedded.values import size_of_row
from workers.errors import BullpenError, StatementRefused
from workers.loggers import get_logger
from workers.sources.sessions.base import Batches, Session, Values, Wanted

log = get_logger(__name__)

AGAIN_S = 0.25
"""Pause between two attempts to cancel: the first may come before the server has begun."""


class Stream:
    """A running statement's rows within its limits, as they come."""

    def __init__(self, batches: Batches, limits: SourceLimits, deadline: float) -> None:
        self.columns = batches.columns
        self.types = batches.types
        self.row_count = 0
        """Rows handed over so far."""
        self.result_bytes = 0
        self.cut: Literal["rows", "bytes"] | None = None
        """The limit at which the rows end; None: there are no more rows."""
        self._rows = batches.rows
        self._is_cut = batches.is_cut
        self._limits = limits
        self._deadline = deadline

    def batches(self) -> Iterator[list[tuple[Any, ...]]]:
        """The rows, which can be read once. Raises `StatementRefused` when the time is up."""
        for batch in self._rows:
            if monotonic() > self._deadline:
                raise _out_of_time(self._limits)
            kept = self._within(batch)
            if kept:
                yield kept
            if self.cut is not None:
                return
        if self._is_cut():
            self.cut = "bytes"

    def _within(self, batch: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        kept: list[tuple[Any, ...]] = []
        for row in batch:
            used = size_of_row(row)
            if self.row_count >= self._limits.rows:
                self.cut = "rows"
            elif self.result_bytes + used > self._limits.result_bytes:
                self.cut = "bytes"
            if self.cut is not None:
                break
            kept.append(row)
            self.row_count += 1
            self.result_bytes += used
        return kept


@contextmanager
def stream_within(session: Session, statement: str, values: Values, limits: SourceLimits) -> Generator[Stream]:
    """Run a statement, and read what the limits allow. Raises `StatementRefused` when its time is up or it would cost too much."""
    deadline = monotonic() + limits.timeout_s
    with _cancelled_at(session, deadline, limits):
        check_cost(session, statement, values, limits)
        wanted = Wanted(limits.rows, limits.result_bytes)
        yield Stream(session.run(statement, values, wanted), limits, deadline)


@dataclass(frozen=True, slots=True)
class Fetched:
    """A result within its limits."""

    rows: list[tuple[Any, ...]]
    result_bytes: int
    cut: Literal["rows", "bytes"] | None


def run_within(session: Session, statement: str, values: Values, limits: SourceLimits) -> Fetched:
    """Run a statement and fetch what the limits allow. Raises as `stream_within` does."""
    with stream_within(session, statement, values, limits) as stream:
        rows = [row for batch in stream.batches() for row in batch]
    return Fetched(rows, stream.result_bytes, stream.cut)


def check_cost(session: Session, statement: str, values: Values, limits: SourceLimits) -> None:
    """By the engine's own estimate. Raises `StatementRefused` above the limit."""
    if limits.cost is None:
        return
    cost = session.cost(statement, values)
    if cost is not None and cost > limits.cost:
        raise StatementRefused(Lock.LIMITS, say("refused.source.cost", cost=number(cost, digits=0), most=number(limits.cost, digits=0)))


@contextmanager
def _cancelled_at(session: Session, deadline: float, limits: SourceLimits) -> Generator[None]:
    """Cancel at the deadline, again and again until the block has ended. An error that follows is the time that is up."""
    done = threading.Event()
    fired = threading.Event()

    def watch() -> None:
        if done.wait(max(deadline - monotonic(), 0)):
            return
        fired.set()
        while True:
            try:
                session.cancel()
            except Exception as error:  # the server is away, or the statement has just ended: the block decides what that means
                log.info("source_cancel_failed", error=type(error).__name__)
            if done.wait(AGAIN_S):
                return

    watcher = threading.Thread(target=watch, name="source-limit", daemon=True)
    watcher.start()
    try:
        yield
    except BullpenError:
        raise
    except EngineFailed as error:
        if error.kind == OUT_OF_MEMORY:
            raise out_of_memory(error) from None
        if error.kind == OUT_OF_TIME or fired.is_set():
            raise _out_of_time(limits) from None
        raise
    except Exception as error:
        if fired.is_set() or monotonic() > deadline - 0.05:  # the server's own limit may fire a moment before ours
            raise _out_of_time(limits) from error
        raise
    finally:
        done.set()
        watcher.join(timeout=10)


def out_of_memory(error: EngineFailed) -> StatementRefused:
    """The refusal of a statement, or of a file that is opened, that needs more memory than it may use."""
    setting = Code(text="BULLPEN_STATEMENT_MEMORY_MB")
    return StatementRefused(Lock.LIMITS, say("refused.source.out_of_memory", limit=size(error.memory_bytes), setting=setting))


def _out_of_time(limits: SourceLimits) -> StatementRefused:
    return StatementRefused(Lock.LIMITS, say("refused.source.out_of_time", limit=seconds(limits.timeout_s)))
