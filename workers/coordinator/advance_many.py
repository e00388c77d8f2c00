"""Several jobs brought on in one round: their boards read in one statement, the decisions written in one.

What most advances do is one of three things: queue steps that were never queued, end the job, or change its status. These are written
together. A decision with any other move (a question, steps taken back or queued again) is written by itself, and so is all that cannot be
written together. One transaction then holds several jobs; their rows are locked in the order of their ids.
"""

from collections.abc import Collection, Sequence
from typing import Any, LiteralString
from uuid import UUID

from contracts.jobs import FINISHED
from contracts.statements import as_stored
from workers.blackboard.board import Board
from workers.blackboard.board_rows import read_boards
from workers.blackboard.engine import Database, jsonb
from workers.coordinator.advance import (
    DECIDED,
    STEP_COLUMNS,
    STEP_TYPES,
    STEP_VALUES,
    Advanced,
    QueuedStep,
    StepLimits,
    advance,
    detail_of,
    is_quiet,
    step_row,
)
from workers.coordinator.decide import decide
from workers.coordinator.decision import Decision
from workers.errors import DatabaseUnavailable
from workers.failpoints import failpoint
from workers.loggers import get_logger
from workers.release import RELEASE

log = get_logger(__name__)

_DECIDED: LiteralString = DECIDED.replace("%(", "g.").replace(")s", "")
"""The same columns, each job's values from its row in `g`."""

_WRITE: LiteralString = f"""
WITH given AS MATERIALIZED (
  SELECT * FROM jsonb_to_recordset(%(decisions)s)
    AS g(job_id uuid, old_rev bigint, job_status text, job_finished boolean, job_error jsonb, decided jsonb, rule text, moves jsonb)),
seen AS MATERIALIZED (
  SELECT jobs.id FROM given g JOIN jobs ON jobs.id = g.job_id AND jobs.rev = g.old_rev ORDER BY jobs.id FOR NO KEY UPDATE OF jobs),
j AS (
  UPDATE jobs SET rev = rev + 1, decided_rev = rev + 1, {_DECIDED}
    FROM seen JOIN given g ON g.job_id = seen.id WHERE jobs.id = seen.id AND jobs.rev = g.old_rev
  RETURNING jobs.id, jobs.rev, jobs.priority, g.old_rev, g.job_status, g.decided, g.rule, g.moves),
logged AS (
  INSERT INTO events (job_id, rev, kind, detail) SELECT id, rev, 'job_decided', decided FROM j),
written AS (
  INSERT INTO decisions (job_id, rev, rule, status, moves, release)
  SELECT id, old_rev, rule, job_status, moves, %(release)s FROM j ON CONFLICT DO NOTHING),
queued AS (
  INSERT INTO steps ({STEP_COLUMNS})
  SELECT {STEP_VALUES}, j.priority, %(max_attempts)s, %(timeout_s)s, j.rev, 'queued'
    FROM jsonb_to_recordset(%(dispatch)s) AS s(job_id uuid, {STEP_TYPES}) JOIN j ON j.id = s.job_id
  RETURNING job_id, id, stage, role)
SELECT j.id AS job_id, j.priority, queued.id, queued.stage, queued.role FROM j LEFT JOIN queued ON queued.job_id = j.id
"""  # noqa: S608  made of constants
"""A job that has moved since its board was read is not in `seen`, and nothing is written of it."""


def advance_many(db: Database, job_ids: Collection[UUID], limits: StepLimits) -> dict[UUID, Advanced | Exception]:
    """Bring each job as far as the rules allow now; what was done, or the error that `advance` would raise for it. The caller publishes."""
    done: dict[UUID, Advanced | Exception] = {}
    together: list[tuple[Board, Decision]] = []
    for job_id, board in read_boards(db, job_ids).items():
        if board.rev == board.decided_rev:
            done[job_id] = Advanced(None)
            continue
        try:
            decision = decide(board)
        except Exception as error:  # this job's alone
            done[job_id] = error
            continue
        if _is_plain(board, decision):
            together.append((board, decision))
    done |= _write(db, together, limits)
    return done | {job_id: _alone(db, job_id, limits) for job_id in job_ids if job_id not in done}


def _alone(db: Database, job_id: UUID, limits: StepLimits) -> Advanced | Exception:
    try:
        return advance(db, job_id, limits)
    except Exception as error:
        return error


def _is_plain(board: Board, decision: Decision) -> bool:
    """Whether a decision only queues steps that the board does not have yet, or changes the job's status."""
    if not decision.only_queues or is_quiet(board, decision):
        return False
    had = {(step.stage, step.made_from) for step in board.steps}
    return not any((item.stage, item.made_from) in had for item in decision.dispatch)


def _write(db: Database, together: Sequence[tuple[Board, Decision]], limits: StepLimits) -> dict[UUID, Advanced | Exception]:
    """Write these decisions. A job that is missing in the answer has to be advanced by itself."""
    if len(together) < 2:
        return {}
    values = {
        "decisions": jsonb([_decision_row(board, decision) for board, decision in together]),
        "dispatch": jsonb([{"job_id": str(board.job_id)} | step_row(item) for board, decision in together for item in decision.dispatch]),
        "release": RELEASE,
        "max_attempts": limits.max_attempts,
        "timeout_s": limits.timeout_s,
    }
    try:
        rows = db.statement(_WRITE, values)
    except DatabaseUnavailable:
        raise
    except Exception as error:  # one of them cannot be written: each by itself then, so that it is the only one
        log.warning("round_not_written", jobs=len(together), error=type(error).__name__, reason=str(error)[:200])
        return {}
    failpoint("after_advance")
    queued: dict[UUID, list[QueuedStep]] = {}
    for row in rows:
        steps = queued.setdefault(row["job_id"], [])
        if row["id"] is not None:
            steps.append(QueuedStep(row["id"], row["job_id"], row["stage"], row["role"], row["priority"]))
    return {board.job_id: Advanced(decision, tuple(queued[board.job_id])) for board, decision in together if board.job_id in queued}


def _decision_row(board: Board, decision: Decision) -> dict[str, Any]:
    return {
        "job_id": str(board.job_id),
        "old_rev": board.rev,
        "job_status": decision.status.value,
        "job_finished": decision.status in FINISHED,
        "job_error": None if decision.error is None else as_stored(decision.error),
        "decided": detail_of(board, decision),
        "rule": decision.rule,
        "moves": decision.moves(),
    }
