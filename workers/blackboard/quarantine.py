"""Quarantine: what could not be taken or was given up, with its cause. Nothing is dropped silently."""

import hashlib
from uuid import UUID

import structlog

from workers.blackboard.engine import Database, Row
from workers.blackboard.ids import new_id
from workers.errors import Conflict, NotFound

log = structlog.get_logger()

KEPT_BYTES = 65_536

_PUT = """
INSERT INTO quarantine (id, source, cause, message, body, body_hash, body_size, job_id, step_id)
VALUES (%(id)s, %(source)s, %(cause)s, %(message)s, %(body)s, %(body_hash)s, %(body_size)s, %(job_id)s, %(step_id)s)
"""


def put(
    db: Database, *, source: str, cause: str, message: str, body: bytes, job_id: UUID | None = None, step_id: UUID | None = None
) -> UUID:
    """Keep a message that cannot be taken: its first 64 KB, sha256, size and cause. The id of the entry."""
    entry = new_id()
    db.statement(
        _PUT,
        {
            "id": entry,
            "source": source,
            "cause": cause,
            "message": message[:4000].replace("\x00", "\ufffd"),
            "body": body[:KEPT_BYTES],
            "body_hash": hashlib.sha256(body).hexdigest(),
            "body_size": len(body),
            "job_id": job_id,
            "step_id": step_id,
        },
    )
    log.warning("quarantined", quarantine_id=str(entry), source=source, cause=cause, size=len(body))
    return entry


def list_entries(db: Database, *, state: str | None = None, limit: int = 100) -> list[Row]:
    """The newest entries, without their bodies."""
    return db.statement(
        "SELECT id, source, cause, message, body_size, state, job_id, step_id, created_at FROM quarantine "
        "WHERE %(state)s::text IS NULL OR state = %(state)s ORDER BY id DESC LIMIT %(limit)s",
        {"state": state, "limit": limit},
    )


def get_entry(db: Database, entry: UUID) -> Row:
    """One entry with its body. Raises `NotFound`."""
    row = db.row("SELECT * FROM quarantine WHERE id = %(id)s", {"id": entry})
    if row is None:
        raise NotFound(f"There is no quarantine entry {entry}. `bullpen quarantine list` shows them.")
    return row


def settle(db: Database, entry: UUID, state: str) -> None:
    """Mark a new entry as `replayed` or `given_up`. Raises `NotFound`, or `Conflict` when it was settled before."""
    known = get_entry(db, entry)
    row = db.row(
        "UPDATE quarantine SET state = %(state)s, updated_at = now() WHERE id = %(id)s AND state = 'new' RETURNING id",
        {"id": entry, "state": state},
    )
    if row is None and known["state"] != state:
        raise Conflict(f"Quarantine entry {entry} is already {known['state']}.")
