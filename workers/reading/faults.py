"""The fleet's faults: one that needs a remedy, and those that were solved, with what helped."""

from typing import Any, LiteralString
from uuid import UUID

from contracts.faults import Fault, FixKind, SolvedFault
from contracts.statements import read_stored
from workers.blackboard.quarantine import get_entry
from workers.reading.snapshot import Reader
from workers.saying import text_of
from workers.saying.catalogues import DEFAULT_LANGUAGE

MOST_SOLVED = 2_000
"""The newest solved faults that advice looks at: what helped years ago was another release."""

_ENTRIES: LiteralString = """
SELECT q.id::text AS id, COALESCE(s.role, q.source) AS place, q.cause AS error, q.message, s.stage, j.kind, q.note, q.updated_at AS at
  FROM quarantine q LEFT JOIN steps s ON s.id = q.step_id LEFT JOIN jobs j ON j.id = q.job_id
 WHERE (q.note IS NOT NULL OR (q.state = 'replayed' AND (j.id IS NULL OR j.status = 'succeeded')))
   AND (%(owner)s::text IS NULL OR j.owner = %(owner)s)
 ORDER BY q.updated_at DESC LIMIT %(most)s
"""

_STEPS: LiteralString = """
SELECT f.id::text AS id, f.role AS place, f.error->>'type' AS error, f.error->'message' AS message, f.stage, j.kind,
       done.finished_at AS at,
       done.params <> f.params OR EXISTS (SELECT FROM requests r WHERE r.job_id = f.job_id AND r.kind = 'remark'
              AND r.created_at BETWEEN f.finished_at AND done.created_at) AS is_changed
  FROM steps f JOIN jobs j ON j.id = f.job_id
  JOIN LATERAL (SELECT s.created_at, s.finished_at, s.params FROM steps s
                 WHERE s.job_id = f.job_id AND s.stage = f.stage AND s.status = 'succeeded' AND s.id > f.id
                 ORDER BY s.id LIMIT 1) done ON true
 WHERE f.status = 'failed' AND f.error IS NOT NULL AND (%(owner)s::text IS NULL OR j.owner = %(owner)s)
 ORDER BY f.id DESC LIMIT %(most)s
"""

_FAILED: LiteralString = """
SELECT s.id::text AS id, s.role AS place, s.error->>'type' AS error, s.error->'message' AS message, s.stage, j.kind
  FROM steps s JOIN jobs j ON j.id = s.job_id
 WHERE s.job_id = %(job_id)s AND s.status = 'failed' AND s.error IS NOT NULL ORDER BY s.id DESC LIMIT 5
"""


def read_entry_fault(read: Any, entry: UUID) -> Fault:
    """The fault behind an entry of the quarantine. Raises `NotFound`."""
    row = get_entry(read, entry)
    step = read.row("SELECT role, stage FROM steps WHERE id = %(id)s", {"id": row["step_id"]}) if row["step_id"] else None
    where = step["role"] if step else row["source"]
    return Fault(id=str(entry), where=where, error=row["cause"], message=row["message"][:4_000], stage=step["stage"] if step else None)


def read_failed(read: Reader, job_id: UUID) -> list[Fault]:
    """The steps of a job that failed, the latest first."""
    return [Fault(**_facts(row)) for row in read.statement(_FAILED, {"job_id": job_id})]


def read_solved(read: Reader, *, owner: str | None) -> list[SolvedFault]:
    """Faults with what helped, the latest first: entries with an operator's note or a replay that went through, and failed steps whose
    stage succeeded later. `owner`: only those of their jobs; None: of all, and entries without a job."""
    of = {"owner": owner, "most": MOST_SOLVED}
    entries = [
        SolvedFault(**_facts(row), fix=FixKind.REPLAYED if row["note"] is None else FixKind.NOTE, note=row["note"], at=row["at"])
        for row in read.statement(_ENTRIES, of)
    ]
    steps = [
        SolvedFault(**_facts(row), fix=FixKind.CHANGED if row["is_changed"] else FixKind.AGAIN, at=row["at"])
        for row in read.statement(_STEPS, of)
    ]
    return sorted([*entries, *steps], key=lambda fault: fault.at, reverse=True)[:MOST_SOLVED]


def _facts(row: Any) -> dict[str, Any]:
    message = text_of(read_stored(row["message"] or ""), DEFAULT_LANGUAGE)[:4_000]
    return {
        "id": row["id"],
        "where": row["place"],
        "error": row["error"] or "?",
        "message": message,
        "stage": row["stage"],
        "kind": row["kind"],
    }
