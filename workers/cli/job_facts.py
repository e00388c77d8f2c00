"""What stands on the blackboard of a job, as plain values for `show`, `watch` and `why`."""

from dataclasses import asdict
from functools import reduce
from typing import Any
from uuid import UUID

from contracts.base import Json
from contracts.events import EventKind
from contracts.reports import Usage
from workers.blackboard.board import Board
from workers.blackboard.board_rows import read_board
from workers.blackboard.engine import Database, Row
from workers.coordinator.freshness import View, look
from workers.coordinator.results import read_results
from workers.errors import NotFound
from workers.llm.pricing import added
from workers.telemetry import redact_url

_JOB = """
SELECT id, kind, status, owner, session_id, priority, engine, rev, decided_rev, admitted, exceeded, error, budget, idempotency_key,
       correlation_id, reply_to, forked_from, created_at, updated_at, finished_at
  FROM jobs WHERE id = %(id)s
"""

_STEPS = """
SELECT id, stage, role, task, status, outcome, attempt, max_attempts, dispatches, dispatch_rev, ended_rev, engine, worker,
       summary, error, usage, notes, created_at, due_at, sent_at, started_at, finished_at, lease_until,
       extract(epoch FROM CASE WHEN status = 'running' THEN now() ELSE finished_at END - started_at)::float AS duration_s
  FROM steps WHERE job_id = %(id)s ORDER BY id
"""

_QUESTIONS = """
SELECT id AS request_id, asker, step_id, payload, response, void, created_at, answered_at FROM requests
 WHERE job_id = %(id)s AND target = 'human' ORDER BY id
"""

_ORIGINS = "SELECT id, origin, created_at FROM deliverables WHERE job_id = %(id)s"

_CONTENT = """
SELECT stage, version, origin, pinned, content_hash, step_id, created_at, content FROM deliverables
 WHERE job_id = %(id)s AND stage = %(stage)s AND (%(version)s::int IS NULL OR version = %(version)s)
 ORDER BY pinned DESC, version DESC LIMIT 1
"""

_DECISIONS = "SELECT rev, rule, status, moves, release, created_at FROM decisions WHERE job_id = %(id)s ORDER BY rev"

_FEEDBACK = "SELECT detail, at FROM events WHERE job_id = %(id)s AND kind = %(kind)s ORDER BY rev DESC LIMIT 1"

_LIST = """
SELECT j.id, j.kind, j.status, j.owner, j.priority, j.error, j.created_at, j.updated_at, j.finished_at, i.content AS input,
       (SELECT count(*) FROM requests r WHERE r.job_id = j.id AND r.target = 'human' AND r.response IS NULL AND NOT r.void) AS questions
  FROM jobs j LEFT JOIN deliverables i ON i.job_id = j.id AND i.stage = 'input' AND i.pinned
 WHERE (%(status)s::text IS NULL OR j.status = %(status)s) AND (%(kind)s::text IS NULL OR j.kind = %(kind)s)
   AND (%(owner)s::text IS NULL OR j.owner = %(owner)s)
 ORDER BY j.id DESC LIMIT %(limit)s
"""


def list_jobs(db: Database, *, status: str | None, kind: str | None, owner: str | None, limit: int) -> list[Row]:
    """The newest jobs; `about` is the beginning of what was asked."""
    rows = db.statement(_LIST, {"status": status, "kind": kind, "owner": owner, "limit": limit})
    for row in rows:
        asked: Json = row.pop("input") or {}
        row["about"] = " ".join(str(asked.get("description") or asked.get("text") or "").split())[:200]
    return rows


def read_job(db: Database, job_id: UUID) -> Row:
    """The job's row. Raises `NotFound`."""
    row = db.row(_JOB, {"id": job_id})
    if row is None:
        raise NotFound(f"There is no job {job_id}. `bullpen jobs` lists them.")
    row["reply_to"] = redact_url(row["reply_to"]) if row["reply_to"] else None
    return row


def read_steps(db: Database, job_id: UUID) -> list[Row]:
    """Every step of a job, oldest first."""
    return db.statement(_STEPS, {"id": job_id})


def read_questions(db: Database, job_id: UUID) -> list[Json]:
    """Every question to the human, oldest first; `state` is open, answered or void."""
    questions: list[Json] = []
    for row in db.statement(_QUESTIONS, {"id": job_id}):
        payload: Json = row.pop("payload")
        response: Json | None = row.pop("response")
        state = "answered" if response is not None else "void" if row.pop("void") else "open"
        row.pop("void", None)
        questions.append({**row, "state": state, "payload": payload, "answer": None if response is None else response.get("text")})
    return questions


def describe(db: Database, job_id: UUID) -> Json:
    """Everything `bullpen show` tells: the job, its stages by the rule of freshness, steps, questions and the result."""
    job = read_job(db, job_id)
    board = read_board(db, job_id)
    steps = read_steps(db, job_id)
    view = look(board)
    described: Json = {**job, "plan_fault": view.fault or None, "stages": _stages(db, board, view, steps), "steps": steps}
    described["usage"] = _total_usage(steps)
    described |= {"questions": read_questions(db, job_id), "result": None, "feedback": read_feedback(db, job_id)}
    result = read_results(db, [board]).get(job_id)
    return described if result is None else {**described, "result": asdict(result)}


def _total_usage(steps: list[Row]) -> Json | None:
    """What the steps used of models, all together; None: none was asked."""
    used = [Usage.model_validate(step["usage"]) for step in steps if step["usage"]]
    return reduce(added, used).to_json() if used else None


def read_feedback(db: Database, job_id: UUID) -> Json | None:
    """The last word of a human on the finished job."""
    row = db.row(_FEEDBACK, {"id": job_id, "kind": EventKind.FEEDBACK_GIVEN.value})
    return None if row is None else {**row["detail"], "at": row["at"]}


def _stages(db: Database, board: Board, view: View, steps: list[Row]) -> list[Json]:
    origins = {row["id"]: row["origin"] for row in db.statement(_ORIGINS, {"id": board.job_id})}
    newest = {step["stage"]: step for step in steps}
    told: list[Json] = []
    for name, seen in view.stages.items():
        current, step = seen.current, newest.get(name)
        told.append(
            {
                "name": name,
                "role": seen.stage.role,
                "task": seen.stage.task,
                "needs": list(seen.needs),
                "fresh": seen.fresh,
                "version": current.version if current else None,
                "versions": sum(1 for item in board.deliverables if item.stage == name),
                "origin": origins.get(current.id) if current else None,
                "pinned": bool(current and current.pinned),
                "drifted": seen.drifted,
                "why": seen.why or None,
                "step": None if step is None else step["status"],
            }
        )
    return told


def read_content(db: Database, job_id: UUID, stage: str, version: int | None = None) -> Row:
    """One deliverable with its content: the pinned one or else the newest, when no version is named. Raises `NotFound`."""
    row = db.row(_CONTENT, {"id": job_id, "stage": stage, "version": version})
    if row is None:
        read_job(db, job_id)
        there = db.statement("SELECT stage, max(version) AS newest FROM deliverables WHERE job_id = %(id)s GROUP BY stage", {"id": job_id})
        listed = ", ".join(f"{item['stage']} (1 to {item['newest']})" if item["newest"] > 1 else item["stage"] for item in there)
        wanted = stage if version is None else f"{stage} version {version}"
        raise NotFound(f"Job {job_id} has no deliverable {wanted}. It has: {listed or 'none'}.")
    return row


def read_current(db: Database, job_id: UUID, stage: str) -> Row:
    """The current deliverable of a stage by the rule; the newest when none is current. Raises `NotFound`."""
    seen = look(read_board(db, job_id)).stages.get(stage)
    row = read_content(db, job_id, stage, seen.current.version if seen and seen.current else None)
    row["current"] = bool(seen and seen.current and seen.current.version == row["version"])
    return row


def read_decisions(db: Database, job_id: UUID) -> list[Row]:
    """Every decision, oldest first: the revision it saw, the rule that fired, the moves."""
    return db.statement(_DECISIONS, {"id": job_id})


def question_text(question: Json) -> str:
    """The words of a question."""
    payload: dict[str, Any] = question["payload"]
    return str(payload.get("text") or payload)


def answer_command(job_id: UUID, question: Json, several: bool) -> str:
    """The command that answers this question."""
    choices: list[str] = question["payload"].get("choices") or []
    example = choices[0] if choices else "..."
    named = f" --request {question['request_id']}" if several else ""
    return f'bullpen answer {job_id} "{example}"{named}'
