"""Long work in the background: what a caller sees of it, how it begins, and how its row is kept up to date while it runs."""

import threading
import time
from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import LiteralString
from uuid import UUID

from contracts.base import Contract, Json
from contracts.statements import code, name, read_stored, say
from workers.blackboard.engine import Database, Row, jsonb
from workers.blackboard.ids import new_id
from workers.errors import BullpenError, NotFound, Unavailable
from workers.loggers import get_logger
from workers.operations.base import Tell
from workers.saying import text_of
from workers.saying.reasons import statement_of

log = get_logger(__name__)

TELL_EVERY_S = 1.0
BEAT_S = 5.0
LOST_S = 60.0
"""Seconds after which an operation whose process was not heard of is over: its gateway ended."""
KEPT_DAYS = 30
THREADS = "bullpen-operation-"
"""How the names of the threads begin that work on operations."""

_BEGIN: LiteralString = """
WITH lost AS (
  UPDATE operations SET state = 'failed', ended_at = now(), error = %(error)s
   WHERE state = 'running' AND beat_at < now() - make_interval(secs => %(lost_s)s)),
old AS (DELETE FROM operations WHERE ended_at < now() - make_interval(days => %(kept_days)s))
SELECT 1
"""
_INSERT: LiteralString = """
INSERT INTO operations (id, what, state) VALUES (%(id)s, %(what)s, 'running')
ON CONFLICT (what) WHERE state = 'running' DO NOTHING
"""
_RUNNING: LiteralString = "SELECT id FROM operations WHERE what = %(what)s AND state = 'running'"
_READ: LiteralString = """
SELECT id, what, state, progress, result, error, begun_at, ended_at,
       state = 'running' AND beat_at < now() - make_interval(secs => %(lost_s)s) AS lost
  FROM operations WHERE id = %(id)s
"""
_BEAT: LiteralString = """
UPDATE operations SET beat_at = now(), progress = COALESCE(%(progress)s, progress) WHERE id = %(id)s AND state = 'running'
"""
_END: LiteralString = """
UPDATE operations SET state = %(state)s, result = %(result)s, error = %(error)s, ended_at = now() WHERE id = %(id)s AND state = 'running'
"""
_ENDED_WITH_ITS_PROCESS = say("fleet.operation.lost")


class State(StrEnum):
    """How far it is."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Operation(Contract):
    """Long work in the background."""

    id: UUID
    what: str
    state: State
    doing: str | None = None
    """What it does now."""
    done: int | None = None
    total: int | None = None
    """How many there are to do; None: that is not known."""
    result: Json | None = None
    error: str | None = None
    begun_at: datetime
    ended_at: datetime | None = None


def begin(db: Database, what: str, work: Callable[[Tell], Json]) -> UUID:
    """Do this work in a thread of this process, unless the same is running here or at another gateway; the id of the one that runs."""
    operation = new_id()
    db.statement(_BEGIN, {"lost_s": LOST_S, "kept_days": KEPT_DAYS, "error": jsonb(_ENDED_WITH_ITS_PROCESS.to_json())})
    db.statement(_INSERT, {"id": operation, "what": what})
    row = db.row(_RUNNING, {"what": what})
    if row is not None and row["id"] != operation:
        return row["id"]
    threading.Thread(target=_run, args=(db, operation, what, work), name=f"{THREADS}{what}", daemon=True).start()
    return operation


def wait_for_end(within_s: float) -> None:
    """Let the operations of this process end, if they do within this time; what goes on counts as lost when the process has ended."""
    until = time.monotonic() + within_s
    for thread in threading.enumerate():
        if thread.name.startswith(THREADS):
            thread.join(max(0.0, until - time.monotonic()))


def read_operation(db: Database, operation: UUID, language: str) -> Operation:
    """The operation, with its error in this language. Raises `NotFound`."""
    row = db.row(_READ, {"id": operation, "lost_s": LOST_S})
    if row is None:
        raise NotFound.of(say("refused.no_operation", id=name(operation), command=code("POST /v1/history/reindex")))
    return _as_operation(row, language)


def _as_operation(row: Row, language: str) -> Operation:
    error = _ENDED_WITH_ITS_PROCESS if row["lost"] else None if row["error"] is None else read_stored(row["error"])
    return Operation(
        id=row["id"],
        what=row["what"],
        state=State.FAILED if row["lost"] else State(row["state"]),
        **row["progress"],
        result=row["result"],
        error=None if error is None else text_of(error, language),
        begun_at=row["begun_at"],
        ended_at=row["ended_at"],
    )


def _run(db: Database, operation: UUID, what: str, work: Callable[[Tell], Json]) -> None:
    over, latest = threading.Event(), dict[str, Json]()
    beat = threading.Thread(target=_beat, args=(db, operation, over, latest), name=f"bullpen-beat-{what}", daemon=True)
    beat.start()

    def tell(doing: str, done: int, total: int | None) -> None:
        latest["progress"] = {"doing": doing, "done": done, "total": total}

    result, error = None, None
    began = time.monotonic()
    try:
        result = work(tell)
    except Exception as fault:  # of any library that the work uses; it reaches who asked by the row
        error = statement_of(fault) if isinstance(fault, BullpenError) else say("fleet.operation.failed", error=name(type(fault).__name__))
        log.warning("operation_failed", what=what, error=type(fault).__name__, reason=str(fault)[:300], exc_info=True)
    over.set()
    beat.join()
    ended = {"id": operation, "state": "done" if error is None else "failed"}
    stored = {"result": None if result is None else jsonb(result), "error": None if error is None else jsonb(error.to_json())}
    try:
        db.statement(_END, {**ended, **stored})
    except Unavailable as fault:  # it counts as lost then
        log.warning("operation_not_recorded", what=what, reason=str(fault)[:200])
    log.info("operation_ended", what=what, state=ended["state"], duration_s=round(time.monotonic() - began, 3))


def _beat(db: Database, operation: UUID, over: threading.Event, latest: dict[str, Json]) -> None:
    """Say that the process lives, and how far it is."""
    said_at = float("-inf")
    while not over.wait(TELL_EVERY_S):
        progress = latest.pop("progress", None)
        if progress is None and time.monotonic() < said_at + BEAT_S:
            continue
        try:
            db.statement(_BEAT, {"id": operation, "progress": None if progress is None else jsonb(progress)})
            said_at = time.monotonic()
        except Unavailable as error:
            log.warning("operation_not_told", error=type(error).__name__, reason=str(error)[:200])
