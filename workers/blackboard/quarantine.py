"""Quarantine: messages that could not be processed or were given up, with their causes. No message is dropped silently."""

import hashlib
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any, LiteralString
from uuid import UUID

from contracts.base import clean_text
from contracts.statements import Shown, code, name, say, term
from workers.blackboard.engine import Database, Row
from workers.blackboard.ids import new_id
from workers.errors import Conflict, NotFound
from workers.loggers import get_logger

log = get_logger(__name__)

NEW = "new"
REPLAYED = "replayed"
GIVEN_UP = "given_up"
STATES = {NEW: term("lists.word.new"), REPLAYED: term("lists.word.replayed"), GIVEN_UP: term("lists.word.given_up")}
"""What became of an entry, in words."""

KEPT_BYTES = 65_536
MOST_NOTE = 2_000
"""Characters of an operator's note."""


@dataclass(frozen=True, slots=True)
class EntryReplayed:
    """What the replay of an entry did."""

    did: Shown
    job_id: UUID | None
    """The job that it became, or is about."""


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


PUT: LiteralString = """
INSERT INTO quarantine (id, source, cause, message, body, body_hash, body_size, job_id, step_id)
SELECT %(kept_id)s::uuid, %(kept_source)s, %(kept_cause)s, %(kept_message)s, %(kept_body)s::bytea, %(kept_hash)s, %(kept_size)s::bigint,
       %(kept_job_id)s::uuid, %(kept_step_id)s::uuid
"""
"""Writes the entry of `entry_values`; a larger statement may go on with FROM."""


def put(
    db: Database, *, source: str, cause: str, message: str, body: bytes, job_id: UUID | None = None, step_id: UUID | None = None
) -> UUID:
    """Keep a message that cannot be processed: its first 64 KB, sha256, size and cause. Returns the id of the entry."""
    values = entry_values(source=source, cause=cause, message=message, body=body, job_id=job_id, step_id=step_id)
    db.statement(PUT, values)
    tell(values)
    return values["kept_id"]


def entry_values(
    *, source: str, cause: str, message: str, body: bytes, job_id: UUID | None = None, step_id: UUID | None = None
) -> dict[str, Any]:
    """What `PUT` writes."""
    size, digest = (body.size, body.sha256) if isinstance(body, Cut) else (len(body), hashlib.sha256(body).hexdigest())
    return {
        "kept_id": new_id(),
        "kept_source": _storable(source),
        "kept_cause": _storable(cause),
        "kept_message": _storable(message[:4000]),
        "kept_body": body[:KEPT_BYTES],
        "kept_hash": digest,
        "kept_size": size,
        "kept_job_id": job_id,
        "kept_step_id": step_id,
    }


def tell(values: dict[str, Any]) -> None:
    """Log that an entry was written."""
    entry, source, cause, size = (values[f"kept_{name}"] for name in ("id", "source", "cause", "size"))
    log.warning("quarantined", quarantine_id=str(entry), source=source, cause=cause, size=size)


def _storable(text: str) -> str:
    """Causes and sources may come from a message's headers."""
    cleaned: str = clean_text(text)
    return cleaned


@dataclass(frozen=True, slots=True)
class Selection:
    """Which entries are meant. A field without a value excludes nothing."""

    state: str | None = "new"
    source: str | None = None
    cause: str | None = None
    older_s: float | None = None
    """At least this age in seconds."""
    newer_s: float | None = None
    """At most this age in seconds."""
    owner: str | None = None
    """Only those about jobs of this owner."""


_OF_OWNER: LiteralString = (
    "(%(owner)s::text IS NULL OR EXISTS (SELECT 1 FROM jobs j WHERE j.id = quarantine.job_id AND j.owner = %(owner)s))"
)
"""An entry belongs to the owner of its job; one without a job to nobody."""

_CHOSEN: LiteralString = f"""
 WHERE (%(state)s::text IS NULL OR state = %(state)s) AND (%(source)s::text IS NULL OR source = %(source)s)
   AND (%(cause)s::text IS NULL OR cause = %(cause)s)
   AND (%(older_s)s::float8 IS NULL OR created_at <= now() - make_interval(secs => %(older_s)s))
   AND (%(newer_s)s::float8 IS NULL OR created_at >= now() - make_interval(secs => %(newer_s)s))
   AND {_OF_OWNER}
"""

_LIST: LiteralString = f"""
SELECT id, source, cause, message, body_size, state, note, job_id, step_id, created_at FROM quarantine {_CHOSEN}
 ORDER BY CASE WHEN %(oldest_first)s THEN id END, id DESC LIMIT %(limit)s
"""  # noqa: S608  made of constants

_GROUPS: LiteralString = f"""
SELECT source, cause, count(*) AS entries, min(created_at) AS first_at, max(created_at) AS last_at,
       (array_agg(message ORDER BY id DESC))[1] AS message
  FROM quarantine {_CHOSEN} GROUP BY source, cause ORDER BY 3 DESC, 1, 2 LIMIT %(limit)s
"""  # noqa: S608  made of constants

_GIVE_UP: LiteralString = f"""
WITH chosen AS MATERIALIZED (SELECT id FROM quarantine {_CHOSEN} ORDER BY id LIMIT %(limit)s)
UPDATE quarantine SET state = 'given_up', note = COALESCE(%(note)s, note), updated_at = now()
 WHERE state = 'new' AND id IN (SELECT id FROM chosen) RETURNING id
"""  # noqa: S608  made of constants

_EXPIRE: LiteralString = """
WITH chosen AS MATERIALIZED (
  SELECT id FROM quarantine WHERE created_at < now() - make_interval(secs => %(lifetime_s)s)
   ORDER BY id LIMIT %(batch)s FOR UPDATE SKIP LOCKED)
DELETE FROM quarantine WHERE id IN (SELECT id FROM chosen) RETURNING source
"""

_OVERFLOW: LiteralString = """
WITH chosen AS MATERIALIZED (
  SELECT id FROM quarantine WHERE cause <> %(said)s ORDER BY (state = 'new'), id
   LIMIT LEAST(%(batch)s, GREATEST(0, (SELECT count(*) FROM quarantine) - %(most)s)) FOR UPDATE SKIP LOCKED)
DELETE FROM quarantine WHERE id IN (SELECT id FROM chosen) RETURNING source, state
"""
"""The settled ones first, then the oldest."""

OVERFLOW = "QuarantineFull"
"""Cause of the entry that says how many were deleted."""
BATCH = 1_000


def list_entries(db: Database, selection: Selection = Selection(state=None), *, limit: int = 100, oldest_first: bool = False) -> list[Row]:
    """The newest of these entries, or the oldest, without their bodies."""
    return db.statement(_LIST, {**asdict(selection), "limit": limit, "oldest_first": oldest_first})


def count_entries(db: Database, selection: Selection = Selection(state=None)) -> int:
    """How many there are of these."""
    rows = db.statement(f"SELECT count(*) AS entries FROM quarantine {_CHOSEN}", asdict(selection))  # noqa: S608  made of constants
    return rows[0]["entries"]


def group_entries(db: Database, selection: Selection = Selection(), *, limit: int = 50) -> list[Row]:
    """These entries by source and cause, the most frequent first: how many, from when to when, and the newest message."""
    return db.statement(_GROUPS, {**asdict(selection), "limit": limit})


def give_up_many(db: Database, selection: Selection, *, note: str | None = None) -> int:
    """Settle all new entries of these, in batches. How many they were."""
    done = 0
    while gone := len(db.statement(_GIVE_UP, {**asdict(selection), "note": note and _storable(note[:MOST_NOTE]), "limit": BATCH})):
        done += gone
    return done


def expire(db: Database, *, lifetime_s: float, most: int) -> int:
    """Delete a batch of entries past their lifetime, and what is more than the quarantine may hold. A new entry says what was deleted
    before its time, so that it is not silent. The number of deleted rows."""
    old = len(db.statement(_EXPIRE, {"lifetime_s": lifetime_s, "batch": BATCH}))
    dropped = db.statement(_OVERFLOW, {"batch": BATCH, "most": most, "said": OVERFLOW})
    lost = Counter(row["source"] for row in dropped if row["state"] == "new")
    if lost:
        sources = ", ".join(f"{number} of {source}" for source, number in lost.most_common(10))
        text = f"The quarantine may hold {most} entries (BULLPEN_QUARANTINE_ENTRIES). The oldest were deleted: {sources}."
        put(db, source="quarantine", cause=OVERFLOW, message=text, body=b"")
    return old + len(dropped)


def get_entry(db: Database, entry: UUID, *, owner: str | None = None) -> Row:
    """One entry with its body. `owner`: only if it is about a job of this owner. Raises `NotFound`."""
    row = db.row("SELECT * FROM quarantine WHERE id = %(id)s AND " + _OF_OWNER, {"id": entry, "owner": owner})  # noqa: S608  made of constants
    if row is None:
        raise NotFound.of(say("refused.no_entry", entry=name(entry), command=code("bullpen quarantine list")))
    return row


def settle(db: Database, entry: UUID, state: str, *, note: str | None = None) -> None:
    """Mark a new entry as `replayed` or `given_up`; `note` says what helped. Raises `NotFound`, or `Conflict` if it was settled before."""
    known = get_entry(db, entry)
    row = db.row(
        "UPDATE quarantine SET state = %(state)s, note = COALESCE(%(note)s, note), updated_at = now() "
        "WHERE id = %(id)s AND state = 'new' RETURNING id",
        {"id": entry, "state": state, "note": note and _storable(note[:MOST_NOTE])},
    )
    if row is None and known["state"] != state:
        raise Conflict.of(say("refused.entry_settled", entry=name(entry), state=STATES.get(known["state"], name(known["state"]))))
