"""Retention: finished jobs with all their rows, settled quarantine and unused facts leave after a time. What is live never does.

Batches of one statement each, in the order of the ids, which is that of time: a purge may stop anywhere, holds no lock for
long, and a job that is reopened in the same moment stays.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from workers.blackboard.engine import Database

BATCH = 500

_OLD_JOBS = """
SELECT count(*) AS jobs,
       (SELECT count(*) FROM quarantine WHERE state <> 'new' AND updated_at < %(before)s) AS quarantine
  FROM jobs WHERE status IN ('succeeded', 'failed', 'cancelled') AND finished_at < %(before)s
"""

_PURGE_JOBS = """
WITH old AS (
  SELECT id, session_id FROM jobs
   WHERE id > %(after)s AND status IN ('succeeded', 'failed', 'cancelled') AND finished_at < %(before)s
   ORDER BY id LIMIT %(batch)s FOR UPDATE SKIP LOCKED),
told AS (DELETE FROM events WHERE job_id IN (SELECT id FROM old) RETURNING 1),
decided AS (DELETE FROM decisions WHERE job_id IN (SELECT id FROM old) RETURNING 1),
gone AS (DELETE FROM jobs WHERE id IN (SELECT id FROM old) RETURNING id)
SELECT (SELECT count(*) FROM gone) AS jobs, (SELECT count(*) FROM told) AS events, (SELECT count(*) FROM decided) AS decisions,
       (SELECT id FROM old ORDER BY id DESC LIMIT 1) AS last,
       (SELECT array_agg(DISTINCT session_id) FROM old WHERE session_id IS NOT NULL) AS sessions
"""
"""Stages, steps, deliverables and requests go with their job by its foreign keys."""

_PURGE_SESSIONS = """
DELETE FROM sessions s WHERE s.id = ANY (%(ids)s) AND s.created_at < %(before)s AND NOT EXISTS (SELECT 1 FROM jobs WHERE session_id = s.id)
RETURNING s.id
"""

_PURGE_QUARANTINE = """
DELETE FROM quarantine WHERE id IN (
  SELECT id FROM quarantine WHERE state <> 'new' AND updated_at < %(before)s ORDER BY id LIMIT %(batch)s FOR UPDATE SKIP LOCKED)
RETURNING id
"""


_PURGE_FACTS = """
DELETE FROM artefact_facts WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM artefact_facts WHERE used_at < %(before)s ORDER BY used_at LIMIT %(batch)s FOR UPDATE SKIP LOCKED))
RETURNING 1
"""


@dataclass(slots=True)
class Purged:
    """How many rows went, or would go. `jobs` counts for all their stages, steps, deliverables and requests."""

    before: datetime
    jobs: int = 0
    events: int = 0
    decisions: int = 0
    sessions: int = 0
    quarantine: int = 0
    facts: int = 0
    """Of artefacts, kept to save reading them again."""


def count_old(db: Database, age: timedelta) -> Purged:
    """What a purge would delete: finished jobs and settled quarantine."""
    before = datetime.now(UTC) - age
    row = db.row(_OLD_JOBS, {"before": before}) or {"jobs": 0, "quarantine": 0}
    return Purged(before, jobs=row["jobs"], quarantine=row["quarantine"])


def purge(db: Database, age: timedelta, *, batch: int = BATCH, progress: Callable[[Purged], None] | None = None) -> Purged:
    """Delete jobs that finished longer than `age` ago, the sessions left empty by it, quarantine settled and facts used as long ago."""
    done = Purged(datetime.now(UTC) - age)
    after = UUID(int=0)
    while True:
        row = db.row(_PURGE_JOBS, {"before": done.before, "after": after, "batch": batch})
        if row is None or row["last"] is None:
            break
        after = row["last"]
        done.jobs += row["jobs"]
        done.events += row["events"]
        done.decisions += row["decisions"]
        if row["sessions"]:
            done.sessions += len(db.statement(_PURGE_SESSIONS, {"ids": row["sessions"], "before": done.before}))
        if progress is not None:
            progress(done)
    while gone := len(db.statement(_PURGE_QUARANTINE, {"before": done.before, "batch": batch})):
        done.quarantine += gone
    while gone := len(db.statement(_PURGE_FACTS, {"before": done.before, "batch": batch})):
        done.facts += gone
    return done
