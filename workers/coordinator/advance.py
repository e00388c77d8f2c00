"""`advance(job)`: read the board, decide, and write the decision if the board has not changed meanwhile.

The compare-and-set on `jobs.rev` makes any number of runners safe: the coordinator task, a worker right after its report
(`BULLPEN_ADVANCE=inline`), the sweeper. A runner that loses the race reads again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, LiteralString
from uuid import UUID

from contracts.base import content_hash
from contracts.jobs import FINISHED, JobStatus
from contracts.statements import as_stored
from workers.blackboard.board import Board
from workers.blackboard.board_rows import read_board
from workers.blackboard.engine import Database, Row, jsonb
from workers.blackboard.ids import new_id
from workers.blackboard.steps import Claim
from workers.coordinator.decide import Ask, Decision, Dispatch, decide
from workers.failpoints import failpoint
from workers.loggers import get_logger
from workers.release import RELEASE

log = get_logger(__name__)

MAX_TRIES = 5

# One statement writes a decision. It is put together of the parts that the decision needs: nearly all only queue steps,
# and a part costs Postgres as much when it has nothing to do.

DECIDED: LiteralString = """
  status = %(job_status)s, error = %(job_error)s, updated_at = now(),
  work_since = CASE WHEN %(job_status)s = 'running' THEN COALESCE(work_since, now()) END,
  finished_at = CASE WHEN %(job_finished)s THEN COALESCE(finished_at, now()) END
"""
"""The columns of the job's row that a decision sets, besides `rev` and `decided_rev`."""

_RAISE: LiteralString = f"""
WITH j AS (
  UPDATE jobs SET rev = rev + 1, decided_rev = rev + 1, {DECIDED} WHERE id = %(job_id)s AND rev = %(rev)s RETURNING id, rev),
logged AS (
  INSERT INTO events (job_id, rev, kind, detail) SELECT id, rev, 'job_decided', %(decided)s FROM j),
written AS (
  INSERT INTO decisions (job_id, rev, rule, status, moves, release)
  SELECT id, %(rev)s, %(rule)s, %(job_status)s, %(moves)s, %(release)s FROM j ON CONFLICT DO NOTHING)
"""  # noqa: S608  made of constants

STEP_COLUMNS: LiteralString = """id, job_id, stage, role, task, made_from, params, may_ask, optional, need_ids, request_ids, ancestors,
         priority, max_attempts, timeout_s, dispatch_rev, status"""
STEP_VALUES: LiteralString = """s.id, j.id, s.stage, s.role, s.task, s.made_from, s.params, s.may_ask, s.optional, s.need_ids,
         s.request_ids, s.ancestors"""
STEP_TYPES: LiteralString = """id uuid, stage text, role text, task text, made_from text, params jsonb, may_ask boolean, optional boolean,
         need_ids uuid[], request_ids uuid[], ancestors text[]"""
"""What a step is queued with: the columns, where their values come from (`j`: the job, `s`: the step in JSON), and the types in JSON."""

_QUEUE: LiteralString = f""", queued AS (
  INSERT INTO steps ({STEP_COLUMNS})
  SELECT {STEP_VALUES}, %(priority)s, %(max_attempts)s, %(timeout_s)s, j.rev, 'queued'
    FROM j, jsonb_to_recordset(%(dispatch)s) AS s({STEP_TYPES})
  ON CONFLICT (job_id, stage, made_from) DO UPDATE
     SET status = 'queued', finished_at = NULL, ended_rev = NULL, due_at = now(), sent_at = now(), sends = 1, attempt = 0,
         lost = CASE WHEN steps.dispatch_rev > %(human_rev)s THEN steps.lost ELSE 0 END,
         dispatches = CASE WHEN steps.dispatch_rev > %(human_rev)s THEN steps.dispatches + 1 ELSE 1 END,
         dispatch_rev = EXCLUDED.dispatch_rev, need_ids = EXCLUDED.need_ids, request_ids = EXCLUDED.request_ids,
         ancestors = EXCLUDED.ancestors, may_ask = EXCLUDED.may_ask, optional = EXCLUDED.optional
   WHERE steps.status = 'cancelled'
  RETURNING id, stage, role)
"""  # noqa: S608  made of constants

_SUPERSEDE: LiteralString = """, superseded AS (
  UPDATE steps SET status = 'cancelled', token = NULL, lease_until = NULL, finished_at = now(), ended_rev = j.rev
    FROM j WHERE steps.id = ANY (%(supersede)s) AND steps.status IN ('queued', 'running'))
"""

_ASK: LiteralString = """, asked AS (
  INSERT INTO requests (id, job_id, asker, target, kind, payload, payload_hash, made_from, about, rev)
  SELECT r.id, j.id, r.asker, 'human', 'question', r.payload, r.payload_hash, r.made_from, r.about, j.rev
    FROM j, jsonb_to_recordset(%(ask)s) AS r(id uuid, asker text, payload jsonb, payload_hash text, made_from text, about uuid))
"""

_MARK: LiteralString = """, marked AS (
  UPDATE requests SET held = held OR id = ANY (%(hold)s), void = CASE WHEN id = ANY (%(void)s) THEN true
                      WHEN id = ANY (%(revive)s) THEN false ELSE void END,
                      target = COALESCE(%(route)s::jsonb ->> id::text, target)
   WHERE job_id = (SELECT id FROM j) AND id = ANY (%(touched)s))
"""

_BEGIN: LiteralString = f""", queued AS (
  INSERT INTO steps ({STEP_COLUMNS}, attempt, token, worker, started_at, lease_until, deadline)
  SELECT {STEP_VALUES}, %(priority)s, %(max_attempts)s, %(timeout_s)s, j.rev, 'running', 1, %(next_token)s, %(worker)s, now(),
         now() + make_interval(secs => %(lease_s)s), now() + make_interval(secs => %(timeout_s)s)
    FROM j, jsonb_to_recordset(%(dispatch)s) AS s({STEP_TYPES})
  RETURNING id, stage, role)
SELECT j.rev, queued.id, queued.stage, queued.role,
       (SELECT json_object_agg(d.stage, d.content) FROM deliverables d WHERE d.id = ANY (%(read)s)) AS needs
  FROM j JOIN queued ON true
"""  # noqa: S608  made of constants
"""The one step of a decision, queued and claimed at once."""

_QUEUED: LiteralString = "SELECT j.rev, queued.id, queued.stage, queued.role FROM j LEFT JOIN queued ON true"
_DONE: LiteralString = "SELECT j.rev, NULL::uuid AS id FROM j"

_NOTHING: LiteralString = """
WITH j AS (UPDATE jobs SET decided_rev = rev WHERE id = %(job_id)s AND rev = %(rev)s RETURNING id, rev)
INSERT INTO decisions (job_id, rev, rule, status, moves, release)
SELECT id, rev, %(rule)s, %(status)s, '{}', %(release)s FROM j ON CONFLICT (job_id, rev) DO UPDATE SET rule = EXCLUDED.rule
RETURNING rev
"""


@dataclass(frozen=True, slots=True)
class QueuedStep:
    """A step that is queued on the board, so that its message may be sent."""

    id: UUID
    job_id: UUID
    stage: str
    role: str
    priority: int
    attempt: int = field(default=1, compare=False)
    """The attempt that its message asks for, as Flower shows it; the claim decides."""


@dataclass(frozen=True, slots=True)
class StepLimits:
    """What every new step is given."""

    max_attempts: int
    timeout_s: float


@dataclass(frozen=True, slots=True)
class Advanced:
    """What an advance did. `decision` None: others kept moving the board; the sweeper will look at it."""

    decision: Decision | None
    queued: tuple[QueuedStep, ...] = ()
    begun: Claim | None = None
    """The next step, which this worker has claimed; it is not among `queued`."""

    @property
    def gave_room(self) -> bool:
        """With this decision the job ended or waits for a human: another of its owner may begin."""
        return self.decision is not None and (self.decision.status in FINISHED or self.decision.status == JobStatus.WAITING_HUMAN)


def advance(db: Database, job_id: UUID, limits: StepLimits) -> Advanced:
    """Bring one job as far as the rules allow now. The caller publishes `queued`. Raises `NotFound`."""
    for _ in range(MAX_TRIES):
        board = read_board(db, job_id)
        if board.rev == board.decided_rev:
            return Advanced(None)
        decision = decide(board)
        queued = write_decision(db, board, decision, limits)
        if queued is not None:
            failpoint("after_advance")
            return Advanced(decision, queued)
    log.warning("advance_gave_way", job_id=str(job_id), tries=MAX_TRIES)
    return Advanced(None)


def is_quiet(board: Board, decision: Decision) -> bool:
    """Whether a decision changes nothing but that it was made."""
    return not decision.moves() and decision.status == board.status


def write_decision(db: Database, board: Board, decision: Decision, limits: StepLimits) -> tuple[QueuedStep, ...] | None:
    """Write a decision made of `board`. None: the board has moved since; nothing was written."""
    if is_quiet(board, decision):
        values = {"job_id": board.job_id, "rev": board.rev, "rule": decision.rule, "status": decision.status, "release": RELEASE}
        return None if db.row(_NOTHING, values) is None else ()
    moves, values = moves_of(board, decision, limits)
    return queued_in(board, db.statement(_RAISE + moves, values | {"job_id": board.job_id, "rev": board.rev}))


def moves_of(
    board: Board, decision: Decision, limits: StepLimits, *, begun: dict[str, Any] | None = None
) -> tuple[LiteralString, dict[str, Any]]:
    """What a statement that raised the job in `j` (id, rev) goes on with to write the moves of a decision, to its very end,
    and the values of all that is written of it. `begun`: the decision only queues one step, which is claimed with these values."""
    sql: LiteralString = ""
    values: dict[str, Any] = {
        "job_status": decision.status.value,
        "job_finished": decision.status in FINISHED,
        "job_error": None if decision.error is None else jsonb(as_stored(decision.error)),
        "decided": jsonb(detail_of(board, decision)),
        "rule": decision.rule,
        "moves": jsonb(decision.moves()),
        "release": RELEASE,
    }
    if decision.supersede:
        sql += _SUPERSEDE
        values |= {"supersede": list(decision.supersede)}
    if decision.ask:
        sql += _ASK
        values |= {"ask": jsonb([_ask_row(item) for item in decision.ask])}
    touched = [*decision.hold, *decision.void, *decision.revive, *(request_id for request_id, _ in decision.route)]
    if touched:
        sql += _MARK
        values |= {
            "hold": list(decision.hold),
            "void": list(decision.void),
            "revive": list(decision.revive),
            "route": jsonb({str(request_id): stage for request_id, stage in decision.route}),
            "touched": touched,
        }
    if not decision.dispatch:
        return sql + _DONE, values
    values |= {
        "dispatch": jsonb([step_row(item) for item in decision.dispatch]),
        "priority": board.priority,
        "human_rev": board.human_rev,
        "max_attempts": limits.max_attempts,
        "timeout_s": limits.timeout_s,
    }
    if begun is not None:
        return sql + _BEGIN, values | begun
    return sql + _QUEUE + _QUEUED, values


def queued_in(board: Board, rows: Sequence[Row]) -> tuple[QueuedStep, ...] | None:
    """The steps that the statement queued. None: it wrote nothing."""
    if not rows:
        return None
    return tuple(QueuedStep(row["id"], board.job_id, row["stage"], row["role"], board.priority) for row in rows if row["id"] is not None)


def step_row(item: Dispatch) -> dict[str, Any]:
    """A step to be queued, in JSON."""
    return {
        "id": str(new_id()),
        "stage": item.stage,
        "role": item.role,
        "task": item.task,
        "made_from": item.made_from,
        "params": item.params,
        "may_ask": item.may_ask,
        "optional": item.optional,
        "need_ids": [str(need) for need in item.need_ids],
        "request_ids": [str(request) for request in item.request_ids],
        "ancestors": item.ancestors,
    }


def _ask_row(item: Ask) -> dict[str, Any]:
    return {
        "id": str(new_id()),
        "asker": item.asker,
        "payload": item.payload,
        "payload_hash": content_hash(item.payload),
        "made_from": item.made_from,
        "about": None if item.about is None else str(item.about),
    }


def detail_of(board: Board, decision: Decision) -> dict[str, Any]:
    """What the event log says of a decision."""
    detail: dict[str, Any] = {"rule": decision.rule, "dispatched": [item.stage for item in decision.dispatch]}
    if decision.supersede:
        detail["superseded"] = len(decision.supersede)
    if decision.status != board.status:
        detail["status"] = decision.status.value
    if decision.error:
        detail["error"] = as_stored(decision.error)
    return detail
