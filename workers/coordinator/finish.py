"""The end of a step and the boss's answer to it, written together: what a worker does that advances its jobs itself.

The board came with the claim. While nobody else moves it - in most jobs nobody does - what the report will make of it is
known before it is written: the boss decides on that, and one statement writes both, in one commit instead of two and
without reading the board again. It writes all or nothing. When it cannot be, the report goes first, alone, as always.
See docs/adr/0003.
"""

from dataclasses import replace
from typing import LiteralString
from uuid import UUID

from contracts.jobs import StepStatus
from workers.blackboard.board import Board, Deliverable
from workers.blackboard.board_rows import Statements
from workers.blackboard.steps import ENDED, MADE, Claim, StepResult, report_values
from workers.coordinator.advance import DECIDED, Advanced, StepLimits, is_quiet, moves_of, queued_in
from workers.coordinator.decide import decide
from workers.coordinator.follow import FreeSlot, next_of
from workers.loggers import get_logger

log = get_logger(__name__)

_FINISH: LiteralString = f"""
WITH seen AS MATERIALIZED (SELECT id, rev FROM jobs WHERE id = %(job_id)s AND rev = %(rev)s FOR NO KEY UPDATE),
done AS (
  UPDATE steps SET {ENDED} ended_rev = seen.rev + 1
    FROM seen WHERE steps.id = %(step_id)s AND steps.status = 'running' AND steps.token = %(token)s
  RETURNING steps.id, steps.job_id, steps.stage, steps.made_from, seen.rev + 1 AS rev),
{MADE},
j AS (
  UPDATE jobs SET rev = done.rev + %(raised)s, decided_rev = done.rev + %(raised)s, {DECIDED}
    FROM done WHERE jobs.id = done.job_id RETURNING jobs.id, jobs.rev),
logged AS (
  INSERT INTO events (job_id, rev, kind, stage, step_id, detail)
  SELECT job_id, rev, %(event)s, stage, id, %(detail)s FROM done
  UNION ALL SELECT id, rev, 'job_decided', NULL, NULL, %(decided)s FROM j WHERE %(raised)s = 1),
written AS (
  INSERT INTO decisions (job_id, rev, rule, status, moves, release)
  SELECT job_id, rev, %(rule)s, %(job_status)s, %(moves)s, %(release)s FROM done)
"""  # noqa: S608  made of constants
"""Locks the job first, as everywhere, then the step. If another process has taken the step over meanwhile, `done` is empty, and so is
everything after it."""


def finish(db: Statements, held: Claim, result: StepResult, limits: StepLimits, slot: FreeSlot | None = None) -> Advanced | None:
    """Report and advance in one transaction. The caller publishes the queued steps. Returns None if nothing was written, because the step
    asks something, its claim did not include the board, or others have changed the board or the step.

    `slot`: begins the next step, if it can; the caller then runs what was `begun`."""
    if held.board is None or result.requests:
        return None
    board = reported(held.board, held.step_id, result)
    try:
        decision = decide(board)
    except Exception as error:  # the role's work must not be lost with it
        log.exception("decision_failed", job_id=str(held.job_id), error=type(error).__name__)
        return None
    following = next_of(board, decision, slot)
    moves, values = moves_of(board, decision, limits, begun=following.values(result) if following is not None else None)
    values |= report_values(held, result) | {"rev": held.board.rev, "raised": 0 if is_quiet(board, decision) else 1}
    rows = db.statement(_FINISH + moves, values)
    if rows and following is not None:
        return Advanced(decision, begun=following.claim(held, replace(board, status=decision.status), result, rows[0], limits))
    queued = queued_in(board, rows)
    return None if queued is None else Advanced(decision, queued)


def reported(board: Board, step_id: UUID, result: StepResult) -> Board:
    """The board at the next revision, after this step reported this result without a request, and nothing else happened.

    Deliverables of different stages may be in another order than in `read_board`, which makes no difference.
    """
    rev = board.rev + 1
    step = next(step for step in board.steps if step.id == step_id)
    ended = replace(step, status=StepStatus(result.status), error=None if result.error is None else result.error.message)
    deliverables = board.deliverables
    if result.deliverable_id is not None:
        version = 1 + max((item.version for item in deliverables if item.stage == step.stage), default=0)
        made = Deliverable(
            result.deliverable_id, step.stage, version, step.made_from, result.content_hash or "", effects=result.effects, rev=rev
        )
        deliverables = (*deliverables, made)
    return replace(board, rev=rev, steps=tuple(ended if item is step else item for item in board.steps), deliverables=deliverables)
