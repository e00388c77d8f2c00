"""A job as it changes: its events without a gap, from a revision on, through restarts of the database."""

import json
import time
from collections.abc import Callable, Generator
from uuid import UUID

import psycopg

from contracts.base import Json
from workers.blackboard.engine import Database, Row
from workers.blackboard.live import CHANNEL as LIVE
from workers.blackboard.notify import CHANNEL
from workers.errors import DatabaseUnavailable, NotFound
from workers.reading.events import EventTail, read_events
from workers.reading.snapshot import Snapshot

POLL_S = 1.0
"""A notification may be lost; the table is read this often without one."""
PATIENCE_S = 60.0
"""How long a database that went away is waited for."""
_PAUSE_S = 0.2


def follow(
    db: Database,
    job_id: UUID,
    *,
    after: int = 0,
    poll_s: float = POLL_S,
    on_lost: Callable[[DatabaseUnavailable], None] | None = None,
    on_live: Callable[[Json], None] | None = None,
) -> Generator[EventTail]:
    """Tails of a job: one at once, then whenever it changed or `poll_s` passed. Each begins where the one before ended. Holds a
    connection. Waits for a database that restarts, after one call of `on_lost`. Ends when the job was deleted; raises `NotFound` when
    it never was there, and `DatabaseUnavailable` when the database stays away. `on_live` hears of words and calls of steps as they
    come."""
    lost_at: float | None = None
    was_there = False
    while True:
        try:
            with db.session() as connection:
                connection.execute(f"LISTEN {CHANNEL}")
                if on_live is not None:
                    connection.execute(f"LISTEN {LIVE}")
                try:
                    while True:
                        tail = read_events(Snapshot(connection), job_id, after)
                        after, lost_at, was_there = tail.last_rev, None, True
                        yield tail
                        if not tail.more:
                            _wait(connection, job_id, poll_s, on_live)
                finally:
                    if not connection.closed:
                        connection.execute("UNLISTEN *")
        except NotFound:
            if was_there:
                return
            raise
        except DatabaseUnavailable as error:
            if lost_at is None:
                lost_at = time.monotonic()
                if on_lost is not None:
                    on_lost(error)
            if time.monotonic() - lost_at > PATIENCE_S:
                raise
            db.close()
            time.sleep(_PAUSE_S)


def _wait(connection: psycopg.Connection[Row], job_id: UUID, poll_s: float, on_live: Callable[[Json], None] | None) -> None:
    until = time.monotonic() + poll_s
    while (left := until - time.monotonic()) > 0:
        for note in connection.notifies(timeout=left, stop_after=1):
            if str(job_id) not in note.payload:
                continue
            if note.channel != LIVE:
                return
            if on_live is not None:
                on_live(json.loads(note.payload))
