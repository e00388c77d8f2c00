"""What earlier jobs of a session left: pointers to their results, and the content behind one."""

from uuid import UUID

from contracts.base import Json
from contracts.jobs import JobStatus
from contracts.sessions import EarlierResult
from contracts.statements import name, say
from workers.blackboard.board_rows import read_board
from workers.blackboard.engine import Database
from workers.coordinator.freshness import look
from workers.errors import NotFound

MOST_EARLIER = 20
"""Pointers at most: a session of more jobs is a conversation whose beginning nobody means any more."""

_EARLIER = """
SELECT id, kind, finished_at FROM jobs
 WHERE session_id = %(session_id)s AND owner = %(owner)s AND status = %(succeeded)s AND id <> %(job_id)s
   AND finished_at > COALESCE((SELECT (memory ->> 'since')::timestamptz FROM sessions s WHERE s.id = %(session_id)s), '-infinity')
 ORDER BY finished_at DESC LIMIT %(most)s
"""

_SUMMARY = """
SELECT s.summary FROM deliverables d JOIN steps s ON s.id = d.step_id WHERE d.id = %(id)s
"""


def earlier_results(db: Database, session_id: UUID, owner: str, job_id: UUID) -> tuple[EarlierResult, ...]:
    """Pointers to the results of the session's other jobs that succeeded, the newest first. Only the owner's own count."""
    values = {"session_id": session_id, "owner": owner, "succeeded": JobStatus.SUCCEEDED, "job_id": job_id, "most": MOST_EARLIER}
    found: list[EarlierResult] = []
    for row in db.statement(_EARLIER, values):
        result = look(read_board(db, row["id"])).result
        if result is None:
            continue
        step = db.row(_SUMMARY, {"id": result.id}) or {}
        found.append(
            EarlierResult(
                job_id=row["id"],
                kind=row["kind"],
                stage=result.stage,
                deliverable_id=result.id,
                content_hash=result.content_hash,
                summary=step.get("summary") or "",
                finished_at=row["finished_at"],
            )
        )
    return tuple(found)


def read_earlier(db: Database, earlier: EarlierResult) -> Json:
    """The content of an earlier result. Raises `NotFound`."""
    row = db.row("SELECT content FROM deliverables WHERE id = %(id)s", {"id": earlier.deliverable_id})
    if row is None:
        raise NotFound.of(say("refused.result_gone", job=name(earlier.job_id)))
    return row["content"]
