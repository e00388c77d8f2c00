"""Ownership of an attempt: claim, renew, report and retry. Each is one statement that is safe to repeat.

The fence is a random token: only its holder can renew, report or retry. A claim may be taken over when its lease has
expired. A late report of the former holder then only adds an entry to the event log.
Every statement locks the job's row first, so that two statements cannot deadlock.
"""

from dataclasses import dataclass, field
from typing import Any, LiteralString
from uuid import UUID

import psycopg

from contracts.base import Json
from contracts.jobs import EngineChoice
from contracts.reports import ErrorInfo
from contracts.roles import RoleName
from workers.blackboard.board import Board
from workers.blackboard.board_rows import BOARD_COLUMNS, Statements, as_board
from workers.blackboard.engine import Database, Row, jsonb

MOST_LOST = 3
"""Processes that a step may take down; after that it is poisonous, and nothing but an operator has it run again. SQL has it below."""

PROCESS_GONE: LiteralString = "COALESCE(lease_until < deadline, false)"
"""Of a running step whose lease ran out: its process died, hung, or was cut off from the database. One that only takes too long has its
lease renewed up to its deadline."""

MAY_TAKE_OVER: LiteralString = f"(attempt < max_attempts AND (lost + 1 < 3 OR NOT {PROCESS_GONE}))"
"""Of a running step whose lease ran out: whether it gets another attempt."""

_CLAIM: LiteralString = f"""
WITH lazily AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
mine AS (
  UPDATE steps SET status = 'running', token = %(token)s, worker = %(worker)s, started_at = now(),
         lease_until = now() + make_interval(secs => %(lease_s)s), deadline = now() + make_interval(secs => timeout_s),
         attempt = attempt + (token IS DISTINCT FROM %(token)s)::int,
         lost = lost + (status = 'running' AND token IS DISTINCT FROM %(token)s AND {PROCESS_GONE})::int
    FROM lazily
   WHERE id = %(step_id)s
     AND ((status = 'running' AND token = %(token)s)
       OR (attempt < max_attempts AND due_at <= now() AND (%(alone)s OR lost = 0)
           AND (status = 'queued'
             OR (status = 'running' AND lease_until < now() AND {MAY_TAKE_OVER} AND (%(alone)s OR NOT {PROCESS_GONE})))))
  RETURNING id, job_id, stage, role, task, params, may_ask, optional, need_ids, request_ids, ancestors, attempt, max_attempts,
            lost, timeout_s, usage)
SELECT mine.id, mine.job_id, mine.stage, mine.role, mine.task, mine.params, mine.may_ask, mine.optional, mine.ancestors, mine.attempt,
       mine.max_attempts, mine.lost, mine.timeout_s, mine.usage, j.engine, j.session_id, j.owner, j.language,
  (SELECT json_object_agg(d.stage, d.content) FROM deliverables d WHERE d.id = ANY (mine.need_ids)) AS needs,
  CASE WHEN cardinality(mine.request_ids) > 0 THEN
    (SELECT json_agg(json_build_object('asker', r.asker, 'target', r.target, 'kind', r.kind, 'payload', r.payload,
                                       'response', r.response, 'held', r.held) ORDER BY r.id)
       FROM requests r WHERE r.id = ANY (mine.request_ids)) END AS heard,
  (SELECT p.draft FROM steps p WHERE p.job_id = mine.job_id AND p.stage = mine.stage AND p.draft IS NOT NULL
    ORDER BY p.id DESC LIMIT 1) AS draft,
  (SELECT d.content FROM deliverables d WHERE d.job_id = mine.job_id AND d.stage = mine.stage
    ORDER BY d.version DESC LIMIT 1) AS previous,
"""  # noqa: S608  made of constants
_OF_JOB: LiteralString = " FROM mine JOIN jobs j ON j.id = mine.job_id"

_RENEW = """
UPDATE steps SET lease_until = now() + make_interval(secs => %(lease_s)s)
 WHERE token = ANY (%(tokens)s) AND status = 'running' AND now() < deadline RETURNING token
"""

_RETRY = """
UPDATE steps SET status = 'queued', token = NULL, lease_until = NULL, sent_at = now(), error = %(error)s,
       usage = COALESCE(%(usage)s, usage), due_at = now() + make_interval(secs => %(delay_s)s)
 WHERE id = %(step_id)s AND token = %(token)s AND status = 'running' AND attempt < max_attempts RETURNING id
"""

ENDED: LiteralString = """
  status = %(status)s, outcome = %(outcome)s, token = NULL, reported_by = %(token)s, lease_until = NULL, summary = %(summary)s,
  draft = %(draft)s, error = %(error)s, usage = %(usage)s, engine = %(engine)s, notes = %(notes)s, finished_at = now(),
"""
"""The columns that a report sets in the row of its step, except `ended_rev`."""

MADE: LiteralString = """made AS (
  INSERT INTO deliverables (id, job_id, stage, version, made_from, content_hash, content, effects, origin, step_id, rev)
  SELECT %(deliverable_id)s::uuid, done.job_id, done.stage,
         1 + COALESCE((SELECT max(version) FROM deliverables d WHERE d.job_id = done.job_id AND d.stage = done.stage), 0),
         done.made_from, %(content_hash)s, %(content)s::jsonb, %(effects)s::jsonb, 'role', done.id, done.rev
    FROM done WHERE %(deliverable_id)s::uuid IS NOT NULL)"""
"""The part of a statement that writes the deliverable of the step in `done` (id, job_id, stage, made_from, rev)."""

_REPORT: LiteralString = f"""
WITH j AS (
  UPDATE jobs SET rev = rev + 1, updated_at = now()
   WHERE id = %(job_id)s
     AND EXISTS (SELECT 1 FROM steps WHERE id = %(step_id)s AND status = 'running' AND token = %(token)s)
  RETURNING id, rev),
done AS (
  UPDATE steps SET {ENDED} ended_rev = j.rev
    FROM j WHERE steps.id = %(step_id)s AND steps.status = 'running' AND steps.token = %(token)s
  RETURNING steps.id, steps.job_id, steps.stage, steps.made_from, j.rev),
{MADE},
logged AS (
  INSERT INTO events (job_id, rev, kind, stage, step_id, detail)
  SELECT j.id, j.rev, CASE WHEN done.id IS NULL THEN 'late_report_ignored' ELSE %(event)s END, %(stage)s, %(step_id)s, %(detail)s
    FROM j LEFT JOIN done ON true)
"""  # noqa: S608  made of constants
"""If the step was lost between the check and the update, `j` has raised the revision and `done` is empty. Then only the
event `late_report_ignored` is written. `_ASKED` is added only to reports with requests."""

_ASKED: LiteralString = """, asked AS (
  INSERT INTO requests (id, job_id, asker, target, also, kind, payload, payload_hash, role, task, made_from, step_id, rev)
  SELECT r.id, done.job_id, done.stage,
         CASE WHEN r.role IS NULL THEN r.target ELSE done.stage || '/' ||
           (1 + (SELECT count(*) FROM requests q WHERE q.job_id = done.job_id AND q.asker = done.stage AND q.role IS NOT NULL)) END,
         r.also, r.kind, r.payload, r.payload_hash, r.role, r.task, done.made_from, done.id, done.rev
    FROM done, jsonb_to_recordset(%(requests)s)
      AS r(id uuid, target text, also text[], kind text, payload jsonb, payload_hash text, role text, task text))
"""

_TAKEN: LiteralString = "SELECT j.rev, done.id IS NOT NULL AS taken FROM j LEFT JOIN done ON true"

_MINE: LiteralString = "SELECT 1 AS yes FROM steps WHERE id = %(step_id)s AND reported_by = %(token)s"


@dataclass(frozen=True, slots=True)
class Heard:
    """A request that concerns a step, with its payload and response."""

    asker: str
    target: str
    kind: str
    payload: Json
    response: Json | None = None
    held: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """A step that this worker has claimed, with everything that its role is given."""

    token: UUID
    step_id: UUID
    job_id: UUID
    stage: str
    role: RoleName
    task: str
    kind: str
    """From the job, like `priority`, `engine`, `owner`, `session_id` and `language`."""
    params: Json = field(default_factory=dict[str, Any])
    needs: dict[str, Json] = field(default_factory=dict[str, Json])
    """Stage → the content of its deliverable that the step was given."""
    heard: tuple[Heard, ...] = ()
    ancestors: frozenset[str] = frozenset()
    """The stages to which the step may send remarks and delegations."""
    may_ask: bool = True
    optional: bool = False
    """Whether the step may yield `Nothing`."""
    attempt: int = 1
    max_attempts: int = 1
    lost: int = 0
    """Processes that ended, or hung, while they ran this step: it may be the cause."""
    timeout_s: float = 0.0
    used: Json = field(default_factory=dict[str, Any])
    """Usage of earlier attempts."""
    draft: Json | None = None
    """The draft that an earlier run of the stage saved when it asked a question."""
    previous: Json | None = None
    """The newest version of the stage, whether or not it was ever current."""
    priority: int = 5
    engine: EngineChoice = EngineChoice.AUTO
    owner: str = ""
    session_id: UUID | None = None
    language: str | None = None
    board: Board | None = None
    """The board before the claim. None if it was not requested."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """A report in its stored form. `requests` are rows of the table `requests` without the columns that come from the step."""

    status: str
    outcome: str | None
    event: str
    summary: str = ""
    deliverable_id: UUID | None = None
    content: Any = None
    content_hash: str | None = None
    effects: dict[str, Any] | None = None
    requests: tuple[dict[str, Any], ...] = ()
    draft: dict[str, Any] | None = None
    error: ErrorInfo | None = None
    usage: dict[str, Any] | None = None
    engine: str | None = None
    notes: tuple[str, ...] = ()
    detail: dict[str, Any] | None = None


def claim(
    db: Statements, step_id: UUID, *, token: UUID, lease_s: float, worker: str, with_board: bool = False, alone: bool = True
) -> Claim | None:
    """Claim a step. None if it is done, cancelled, not due, or claimed by another worker; then the message can be dropped.

    `alone`: the only claim of its process that may be for a step that has lost a process before. Without it such a step is refused.
    `with_board`: also read the board. It shows the step as it was before the claim, which makes no difference to the boss.
    """
    sql = _CLAIM + (BOARD_COLUMNS if with_board else "j.kind, j.priority") + _OF_JOB
    row = _first(db, sql, {"step_id": step_id, "token": token, "lease_s": lease_s, "worker": worker, "alone": alone})
    if row is None:
        return None
    return _as_claim(token, row, as_board(row["job_id"], row) if with_board else None)


def _first(db: Statements, sql: LiteralString, values: dict[str, Any]) -> Row | None:
    rows = db.statement(sql, values)
    return rows[0] if rows else None


def _as_claim(token: UUID, row: Row, board: Board | None) -> Claim:
    return Claim(
        token=token,
        step_id=row["id"],
        job_id=row["job_id"],
        stage=row["stage"],
        role=RoleName(row["role"]),
        task=row["task"],
        kind=row["kind"],
        params=row["params"],
        needs=row["needs"] or {},
        heard=tuple(Heard(**item) for item in row["heard"] or ()),
        ancestors=frozenset(row["ancestors"]),
        may_ask=row["may_ask"],
        optional=row["optional"],
        attempt=row["attempt"],
        max_attempts=row["max_attempts"],
        lost=row["lost"],
        timeout_s=row["timeout_s"],
        used=row["usage"] or {},
        draft=row["draft"],
        previous=row["previous"],
        priority=row["priority"],
        engine=EngineChoice(row["engine"]),
        owner=row["owner"],
        session_id=row["session_id"],
        language=row["language"],
        board=board,
    )


def role_that_waits(db: Database, step_id: UUID) -> str | None:
    """The role of a step that is due and has lost a process. None for any other step."""
    row = db.row("SELECT role FROM steps WHERE id = %(id)s AND status = 'queued' AND lost > 0 AND due_at <= now()", {"id": step_id})
    return None if row is None else row["role"]


def renew(db: Database, tokens: list[UUID], *, lease_s: float) -> set[UUID]:
    """Extend the leases of these tokens, and return the tokens that are still valid. The step of a missing token must stop."""
    return {row["token"] for row in db.statement(_RENEW, {"tokens": tokens, "lease_s": lease_s})}


def report_values(held: Claim, result: StepResult) -> dict[str, Any]:
    """The parameters of a report."""
    return {
        "job_id": held.job_id,
        "step_id": held.step_id,
        "token": held.token,
        "stage": held.stage,
        "status": result.status,
        "outcome": result.outcome,
        "event": result.event,
        "summary": result.summary,
        "deliverable_id": result.deliverable_id,
        "content": None if result.deliverable_id is None else jsonb(result.content),
        "content_hash": result.content_hash,
        "effects": None if result.effects is None else jsonb(result.effects),
        "draft": None if result.draft is None else jsonb(result.draft),
        "error": None if result.error is None else jsonb(result.error.to_json()),
        "usage": None if result.usage is None else jsonb(result.usage),
        "engine": result.engine,
        "notes": jsonb(list(result.notes)) if result.notes else None,
        "detail": jsonb(result.detail or {}),
    }


def report(db: Statements, held: Claim, result: StepResult) -> bool:
    """Write the end of a step: state, deliverable, requests and event, all or nothing. False if the step belongs to another worker now."""
    values = report_values(held, result)
    sql = _REPORT
    if result.requests:
        sql += _ASKED
        values["requests"] = jsonb(list(result.requests))
    sql += _TAKEN
    try:
        row = _first(db, sql, values)
    except psycopg.errors.UniqueViolation:  # a human revised this stage at the same moment and took the version number
        row = _first(db, sql, values)
    if row is not None:
        return row["taken"]
    return _first(db, _MINE, values) is not None  # the first try was committed, and only its answer was lost


def retry(db: Database, held: Claim, *, delay_s: float, error: ErrorInfo, usage: dict[str, Any] | None = None) -> bool:
    """Return the step to the queue, to be tried again after `delay_s` seconds. False if no attempt is left, or the step is not ours.

    `usage` covers all attempts so far, so that failed attempts count."""
    values = {
        "step_id": held.step_id,
        "token": held.token,
        "delay_s": delay_s,
        "error": jsonb(error.to_json()),
        "usage": jsonb(usage) if usage else None,
    }
    return db.row(_RETRY, values) is not None
