"""Answers to producers, kept until they are delivered: any process writes them, the senders of a coordinator claim them.

A claim is a lease: an answer whose sender died is claimed again when the lease ends. So an answer is delivered at least once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, LiteralString
from uuid import UUID

from contracts.base import Json, clean_text
from workers.blackboard.engine import Database, jsonb

Lane = Literal["broker", "web"]

HOLD_S = 60.0
"""Seconds that a sender may take for the answers that it claimed at once."""

LONGEST_PAUSE_S = 300.0
FIRST_PAUSE_S = 0.5
GIVE_UP_S = 3600.0
"""Since the answer was made. One that could not be delivered by then goes into quarantine."""

_PUT: LiteralString = """
INSERT INTO answers (address, target, lane, job_id, body)
VALUES (%(address)s, %(target)s, %(lane)s, %(job_id)s, %(body)s)
"""

_CLAIM_BROKER: LiteralString = """
WITH due AS MATERIALIZED (
  SELECT seq FROM answers a
   WHERE sent_at IS NULL AND lane = 'broker' AND try_at <= now() AND (held_until IS NULL OR held_until < now())
     AND NOT EXISTS (SELECT 1 FROM answers b WHERE b.job_id = a.job_id AND b.seq < a.seq AND b.sent_at IS NULL AND b.address = a.address)
   ORDER BY try_at, seq LIMIT %(limit)s FOR UPDATE SKIP LOCKED)
"""

_CLAIM_WEB: LiteralString = """
WITH first AS (
  SELECT DISTINCT ON (target) seq FROM answers a
   WHERE sent_at IS NULL AND lane = 'web' AND try_at <= now()
     AND NOT EXISTS (SELECT 1 FROM answers h WHERE h.lane = 'web' AND h.target = a.target AND h.sent_at IS NULL AND h.held_until >= now())
     AND NOT EXISTS (SELECT 1 FROM answers b WHERE b.job_id = a.job_id AND b.seq < a.seq AND b.sent_at IS NULL AND b.address = a.address)
   ORDER BY target, try_at, seq),
due AS MATERIALIZED (
  SELECT seq FROM answers WHERE seq IN (SELECT seq FROM first) AND sent_at IS NULL AND (held_until IS NULL OR held_until < now())
   ORDER BY try_at, seq LIMIT %(limit)s FOR UPDATE SKIP LOCKED)
"""
"""One answer to each server at a time: a server that hangs takes one sender, no matter how many answers wait for it."""

_HOLD: LiteralString = """
UPDATE answers SET tries = tries + 1, held_until = now() + make_interval(secs => %(hold_s)s) WHERE seq IN (SELECT seq FROM due)
RETURNING seq, address, target, job_id, body, tries, created_at < now() - make_interval(secs => %(give_up_s)s) AS old
"""

_SENT: LiteralString = """
UPDATE answers SET sent_at = now(), held_until = NULL, error = NULL, entry = %(entry)s, memory = %(memory)s
 WHERE seq = %(seq)s AND sent_at IS NULL
"""

_PUT_OFF: LiteralString = """
UPDATE answers SET held_until = NULL, try_at = now() + make_interval(secs => %(pause_s)s),
       error = CASE WHEN seq = %(seq)s THEN %(error)s ELSE error END
 WHERE sent_at IS NULL AND (seq = %(seq)s OR (%(whole)s AND lane = %(lane)s AND target = %(target)s
       AND (held_until IS NULL OR held_until < now()) AND try_at < now() + make_interval(secs => %(pause_s)s)))
"""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An answer that this process claimed."""

    seq: int
    address: str
    target: str
    job_id: UUID | None
    body: Json
    tries: int
    """This one included."""
    old: bool
    """It is given up if this try fails."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer that a reply stream took, and that is kept as long as the stream lives."""

    seq: int
    address: str
    entry: str

    @property
    def stream(self) -> str:
        """The name of the stream."""
        return self.address.partition(":")[2]


def put(db: Database, *, address: str, target: str, lane: Lane, body: Json, job_id: UUID | None) -> None:
    """Keep an answer for the senders. If this statement is repeated after a lost connection, the answer may be sent twice."""
    db.statement(_PUT, {"address": clean_text(address), "target": clean_text(target), "lane": lane, "job_id": job_id, "body": jsonb(body)})


_PUT_MANY: LiteralString = """
INSERT INTO answers (address, target, lane, job_id, body)
SELECT address, target, lane, job_id, body
  FROM jsonb_to_recordset(%(rows)s) AS x(address text, target text, lane text, job_id uuid, body jsonb)
"""


def put_many(db: Database, rows: Sequence[Json]) -> None:
    """Keep several answers, each with `address`, `target`, `lane`, `job_id` and `body`."""
    if rows:
        db.statement(_PUT_MANY, {"rows": jsonb(rows)})


def claim(db: Database, lane: Lane, *, limit: int) -> list[Waiting]:
    """Take answers that are due, oldest first. Answers of a job to an address leave in order; of the web lane, one to each server."""
    first = _CLAIM_WEB if lane == "web" else _CLAIM_BROKER
    rows = db.statement(first + _HOLD, {"limit": limit, "hold_s": HOLD_S, "give_up_s": GIVE_UP_S})
    return sorted((Waiting(**row) for row in rows), key=lambda waiting: waiting.seq)


def mark_sent(db: Database, seq: int, *, entry: str, memory: str) -> None:
    """Delivered to a stream, as this entry of this memory."""
    db.statement(_SENT, {"seq": seq, "entry": entry, "memory": memory})


def put_off(db: Database, waiting: Waiting, lane: Lane, error: str, *, server_away: bool) -> None:
    """Try again after a pause that doubles. `server_away`: the others to the same target wait as long."""
    pause_s = min(FIRST_PAUSE_S * 2 ** min(waiting.tries, 20), LONGEST_PAUSE_S)
    db.statement(
        _PUT_OFF,
        {
            "seq": waiting.seq,
            "pause_s": pause_s,
            "error": clean_text(error)[:500],
            "whole": server_away,
            "lane": lane,
            "target": waiting.target,
        },
    )


def release(db: Database, claimed: Sequence[Waiting], *, pause_s: float) -> None:
    """Give these back untried: the broker is away, for which no address can be blamed."""
    db.statement(
        "UPDATE answers SET held_until = NULL, tries = GREATEST(tries - 1, 0), try_at = now() + make_interval(secs => %(pause_s)s) "
        "WHERE seq = ANY (%(seqs)s) AND sent_at IS NULL",
        {"seqs": [waiting.seq for waiting in claimed], "pause_s": pause_s},
    )


def remove(db: Database, seqs: Sequence[int]) -> None:
    """Forget these, delivered or given up."""
    db.statement("DELETE FROM answers WHERE seq = ANY (%(seqs)s)", {"seqs": list(seqs)})


def of_other_memory(db: Database, memory: str, *, limit: int) -> list[Kept]:
    """Kept answers that another memory of Redis took."""
    rows = db.statement(
        "SELECT seq, address, entry FROM answers WHERE sent_at IS NOT NULL AND (memory < %(memory)s OR memory > %(memory)s) "
        "LIMIT %(limit)s",
        {"memory": memory, "limit": limit},
    )
    return [Kept(**row) for row in rows]


def send_again(db: Database, seqs: Sequence[int]) -> None:
    """These were delivered and then lost: as if they had been made just now."""
    db.statement(
        "UPDATE answers SET sent_at = NULL, entry = NULL, memory = NULL, try_at = now(), created_at = now(), tries = 0 "
        "WHERE seq = ANY (%(seqs)s)",
        {"seqs": list(seqs)},
    )


def confirm(db: Database, seqs: Sequence[int], memory: str) -> None:
    """These are still in the stream, of which this memory knows."""
    db.statement("UPDATE answers SET memory = %(memory)s WHERE seq = ANY (%(seqs)s)", {"seqs": list(seqs), "memory": memory})


def forget_old(db: Database, *, lifetime_s: float, limit: int = 1_000) -> int:
    """Remove answers that were delivered longer ago than their stream lives. Returns how many."""
    rows = db.statement(
        "WITH chosen AS MATERIALIZED (SELECT seq FROM answers WHERE sent_at < now() - make_interval(secs => %(lifetime_s)s) "
        "ORDER BY sent_at LIMIT %(limit)s FOR UPDATE SKIP LOCKED) "
        "DELETE FROM answers WHERE seq IN (SELECT seq FROM chosen) RETURNING 1",
        {"lifetime_s": lifetime_s, "limit": limit},
    )
    return len(rows)
