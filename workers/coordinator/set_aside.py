"""A job whose rows make our own statements or rules fail: ended with the cause, so that it holds up nobody else."""

from typing import LiteralString
from uuid import UUID

import psycopg

from contracts.events import EventKind
from contracts.statements import Term, as_stored, code, name, passage, say
from workers.blackboard import quarantine
from workers.blackboard.engine import Database, jsonb
from workers.loggers import get_logger
from workers.saying import text_of
from workers.saying.catalogues import DEFAULT_LANGUAGE

log = get_logger(__name__)

BROKEN_ROW = (psycopg.DataError, psycopg.IntegrityError)
"""What a statement raises when a value in a row is at fault, not the server or the connection."""

_SET_ASIDE: LiteralString = """
WITH j AS (
  UPDATE jobs SET status = 'failed', error = %(error)s::jsonb, finished_at = now(), updated_at = now(),
         rev = LEAST(rev, 9223372036854775806) + 1, decided_rev = LEAST(rev, 9223372036854775806) + 1
   WHERE id = %(job_id)s AND finished_at IS NULL RETURNING id, rev),
stopped AS (
  UPDATE steps SET status = 'cancelled', token = NULL, lease_until = NULL, finished_at = now(), ended_rev = j.rev
    FROM j WHERE steps.job_id = j.id AND steps.status IN ('queued', 'running')),
closed AS (
  UPDATE requests SET void = true FROM j WHERE requests.job_id = j.id AND target = 'human' AND response IS NULL),
logged AS (
  INSERT INTO events (job_id, rev, kind, detail) SELECT id, rev, %(event)s, jsonb_build_object('message', %(error)s::jsonb) FROM j
  ON CONFLICT DO NOTHING)
SELECT id FROM j
"""


def set_aside(db: Database, job_id: UUID, error: Exception, *, during: Term) -> bool:
    """End the job as failed, with the cause on the job and in quarantine. False: it had ended before. Safe to repeat."""
    reason = " ".join(str(error).split())[:500]
    says = say(
        "fleet.error.set_aside", during=during, error=name(type(error).__name__), reason=passage(reason),
        replay=code(f"bullpen replay {job_id}"), fork=code(f"bullpen fork {job_id}"),
    )  # fmt: skip
    message = text_of(says, DEFAULT_LANGUAGE)
    if db.row(_SET_ASIDE, {"job_id": job_id, "error": jsonb(as_stored(says)), "event": EventKind.JOB_SET_ASIDE.value}) is None:
        return False
    log.error("job_set_aside", job_id=str(job_id), during=during.code, error=type(error).__name__, reason=reason)
    quarantine.put(db, source="sweep", cause=type(error).__name__, message=message, body=f'{{"job_id":"{job_id}"}}'.encode(), job_id=job_id)
    return True
