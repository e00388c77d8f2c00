"""Retention: deletes finished jobs with all their rows, settled quarantine entries and unused facts after a time. Live rows are kept.

Each batch is one statement, in the order of the ids, which is the order of time. A purge may stop at any point and holds no lock for
long. A job that is reopened at the same moment is kept.
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
WITH old AS MATERIALIZED (
  SELECT id, session_id FROM jobs
   WHERE id > %(after)s AND status IN ('succeeded', 'failed', 'cancelled') AND finished_at < %(before)s
   ORDER BY id LIMIT %(batch)s FOR UPDATE SKIP LOCKED),
old_events AS (DELETE FROM events WHERE job_id IN (SELECT id FROM old) RETURNING 1),
old_decisions AS (DELETE FROM decisions WHERE job_id IN (SELECT id FROM old) RETURNING 1),
gone AS (DELETE FROM jobs WHERE id IN (SELECT id FROM old) RETURNING id)
SELECT (SELECT count(*) FROM gone) AS jobs, (SELECT count(*) FROM old_events) AS events, (SELECT count(*) FROM old_decisions) AS decisions,
       (SELECT id FROM old ORDER BY id DESC LIMIT 1) AS last,
       (SELECT array_agg(DISTINCT session_id) FROM old WHERE session_id IS NOT NULL) AS sessions
"""
"""Stages, steps, deliverables and requests are deleted with their job by foreign keys."""

_PURGE_SESSIONS = """
DELETE FROM sessions s WHERE s.id = ANY (%(ids)s) AND s.created_at < %(before)s AND NOT EXISTS (SELECT 1 FROM jobs WHERE session_id = s.id)
RETURNING s.id
"""

_PURGE_QUARANTINE = """
WITH chosen AS MATERIALIZED (
  SELECT id FROM quarantine WHERE state <> 'new' AND updated_at < %(before)s ORDER BY id LIMIT %(batch)s FOR UPDATE SKIP LOCKED)
DELETE FROM quarantine WHERE id IN (SELECT id FROM chosen) RETURNING id
"""


_PURGE_FACTS = """
WITH chosen AS MATERIALIZED (
  SELECT ctid AS place FROM artefact_facts WHERE used_at < %(before)s ORDER BY used_at LIMIT %(batch)s FOR UPDATE SKIP LOCKED)
DELETE FROM artefact_facts WHERE ctid = ANY (ARRAY(SELECT place FROM chosen)) RETURNING 1
"""

_PURGE_SKILLS = """
WITH chosen AS MATERIALIZED (
  SELECT hash FROM skill_versions WHERE used_at < %(before)s ORDER BY used_at LIMIT %(batch)s FOR UPDATE SKIP LOCKED)
DELETE FROM skill_versions WHERE hash IN (SELECT hash FROM chosen) RETURNING 1
"""


@dataclass(slots=True)
class Purged:
    """Numbers of deleted rows, or of rows that a purge would delete. The rows that belong to a job are counted as one job."""

    before: datetime
    jobs: int = 0
    events: int = 0
    decisions: int = 0
    sessions: int = 0
    quarantine: int = 0
    facts: int = 0
    """Facts of artefacts, kept so that the artefacts need not be read again."""
    skills: int = 0
    """Versions of skills that jobs followed."""


def count_old(db: Database, age: timedelta) -> Purged:
    """Count the finished jobs and the settled quarantine entries that a purge would delete."""
    before = datetime.now(UTC) - age
    row = db.row(_OLD_JOBS, {"before": before}) or {"jobs": 0, "quarantine": 0}
    return Purged(before, jobs=row["jobs"], quarantine=row["quarantine"])


def purge(db: Database, age: timedelta, *, batch: int = BATCH, progress: Callable[[Purged], None] | None = None) -> Purged:
    """Delete jobs that finished more than `age` ago and sessions that then have no jobs, quarantine entries settled more than `age` ago,
    and facts and versions of skills last used more than `age` ago."""
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
    while gone := len(db.statement(_PURGE_SKILLS, {"before": done.before, "batch": batch})):
        done.skills += gone
    return done
