"""Quarantine: messages that could not be processed or were given up, with their causes. No message is dropped silently."""

import hashlib
from uuid import UUID

import structlog

from contracts.base import clean_text
from workers.blackboard.engine import Database, Row
from workers.blackboard.ids import new_id
from workers.errors import Conflict, NotFound

log = structlog.get_logger()

KEPT_BYTES = 65_536


class Cut(bytes):
    """The beginning of a body that was too large to be held, with the size and the sha256 of the whole."""

    size: int
    sha256: str

    @classmethod
    def of(cls, beginning: bytes, *, size: int, sha256: str) -> "Cut":
        """`beginning`: what was kept."""
        cut = cls(beginning)
        cut.size, cut.sha256 = size, sha256
        return cut


class Cutter:
    """Takes a body in pieces and keeps no more than the beginning that quarantine holds."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._hash = hashlib.sha256()
        self._size = 0

    def add(self, piece: bytes | memoryview) -> None:
        """The next piece."""
        self._hash.update(piece)
        self._size += len(piece)
        self._kept += piece[: KEPT_BYTES - len(self._kept)]

    def cut(self) -> Cut:
        """What is left of all pieces."""
        return Cut.of(bytes(self._kept), size=self._size, sha256=self._hash.hexdigest())


_PUT = """
INSERT INTO quarantine (id, source, cause, message, body, body_hash, body_size, job_id, step_id)
VALUES (%(id)s, %(source)s, %(cause)s, %(message)s, %(body)s, %(body_hash)s, %(body_size)s, %(job_id)s, %(step_id)s)
"""


def put(
    db: Database, *, source: str, cause: str, message: str, body: bytes, job_id: UUID | None = None, step_id: UUID | None = None
) -> UUID:
    """Keep a message that cannot be processed: its first 64 KB, sha256, size and cause. Returns the id of the entry."""
    entry = new_id()
    size, digest = (body.size, body.sha256) if isinstance(body, Cut) else (len(body), hashlib.sha256(body).hexdigest())
    db.statement(
        _PUT,
        {
            "id": entry,
            "source": _storable(source),
            "cause": _storable(cause),
            "message": _storable(message[:4000]),
            "body": body[:KEPT_BYTES],
            "body_hash": digest,
            "body_size": size,
            "job_id": job_id,
            "step_id": step_id,
        },
    )
    log.warning("quarantined", quarantine_id=str(entry), source=source, cause=cause, size=size)
    return entry


def _storable(text: str) -> str:
    """Causes and sources may come from a message's headers."""
    cleaned: str = clean_text(text)
    return cleaned


def list_entries(db: Database, *, state: str | None = None, owner: str | None = None, limit: int = 100) -> list[Row]:
    """The newest entries, without their bodies. `owner`: only those about this owner's jobs."""
    return db.statement(
        "SELECT id, source, cause, message, body_size, state, job_id, step_id, created_at FROM quarantine q "
        "WHERE (%(state)s::text IS NULL OR state = %(state)s) AND (%(owner)s::text IS NULL "
        "OR EXISTS (SELECT 1 FROM jobs j WHERE j.id = q.job_id AND j.owner = %(owner)s)) ORDER BY id DESC LIMIT %(limit)s",
        {"state": state, "owner": owner, "limit": limit},
    )


def get_entry(db: Database, entry: UUID) -> Row:
    """One entry with its body. Raises `NotFound`."""
    row = db.row("SELECT * FROM quarantine WHERE id = %(id)s", {"id": entry})
    if row is None:
        raise NotFound(f"There is no quarantine entry {entry}. `bullpen quarantine list` shows them.")
    return row


def settle(db: Database, entry: UUID, state: str) -> None:
    """Mark a new entry as `replayed` or `given_up`. Raises `NotFound`, or `Conflict` if it was settled before."""
    known = get_entry(db, entry)
    row = db.row(
        "UPDATE quarantine SET state = %(state)s, updated_at = now() WHERE id = %(id)s AND state = 'new' RETURNING id",
        {"id": entry, "state": state},
    )
    if row is None and known["state"] != state:
        raise Conflict(f"Quarantine entry {entry} is already {known['state']}.")
