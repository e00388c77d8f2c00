"""The boss: `decide(board) -> Decision`, a pure function. No clock, no randomness, no model; time and budgets are facts.

Order of the rules: a used-up budget ends the job; an open question to the human stops new dispatches; what a delegation
waits for goes first; then everything that is missing or stale and has its needs fresh; what the rules leave open goes to
a chooser stage or to the human. When nothing is left to do the job has succeeded, or says per stage why it is stuck.

A decision is a fixed point: once it is applied, deciding again moves nothing. Nobody would do it, until the board moves.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from contracts.jobs import JobStatus, StepStatus
from contracts.stages import MAX_STAGES
from contracts.statements import Join, Listing, Sayable, Statement, as_value, count, listing, member_term, name, say
from workers.blackboard.board import Board, Step
from workers.coordinator.decision import CONTINUE, IGNORE, KEEP, REDO, STOP, Ask, Decision, Dispatch
from workers.coordinator.freshness import View, look
from workers.coordinator.questions import (
    MAX_REQUESTS_AN_ASKER,
    escalations,
    place_instructions,
    remarks_to_hold,
    used_up_cap,
    which_stage,
)
from workers.coordinator.want import StageView

__all__ = ["CONTINUE", "IGNORE", "KEEP", "MAX_STAGES", "REDO", "STOP", "Ask", "Decision", "Dispatch", "decide"]


def decide(board: Board) -> Decision:
    """The next moves for a board. Equal boards give equal decisions."""
    live = tuple(step.id for step in board.steps if step.live)
    if board.status == JobStatus.CANCELLED:
        return Decision("cancelled", JobStatus.CANCELLED, supersede=live)
    if not board.admitted:
        return Decision("owner cap", board.status)
    if board.exceeded is not None:
        return Decision("budget", JobStatus.FAILED, supersede=live, error=board.exceeded)
    view = look(board)
    placed, undecided = place_instructions(board, view)
    if placed:
        board = _with_targets(board, dict(placed))
        view = look(board)
    held = remarks_to_hold(board, view)
    if held:
        board = _with_held(board, {remark.id for remark in held})
        view = look(board)
    if view.fault is not None:
        return Decision("invalid plan", JobStatus.FAILED, supersede=live, error=view.fault)
    if len(view.stages) > MAX_STAGES:
        error = say("fleet.error.too_many_stages", stages=count(len(view.stages), exact=True), most=count(MAX_STAGES, exact=True))
        return Decision("too many stages", JobStatus.FAILED, supersede=live, error=error)
    asks = [*escalations(held, view), *which_stage(undecided, board)]
    return replace(_next_moves(board, view, asks), route=tuple(placed), hold=tuple(remark.id for remark in held))


def _with_targets(board: Board, targets: dict[UUID, str]) -> Board:
    return replace(board, requests=tuple(replace(r, target=targets[r.id]) if r.id in targets else r for r in board.requests))


def _with_held(board: Board, held: set[UUID]) -> Board:
    return replace(board, requests=tuple(replace(r, held=True) if r.id in held else r for r in board.requests))


def _next_moves(board: Board, view: View, asks: list[Ask]) -> Decision:
    """The rules in their order, for a board on which every instruction is placed and every objection held that can be."""
    superseded = tuple(s.id for s in board.steps if s.live and not _wanted(s.stage, s.made_from, view))
    housekeeping: dict[str, Any] = {
        "supersede": superseded,
        "void": tuple(r.id for r in board.requests if r.id in view.void and not r.void),
        "revive": tuple(r.id for r in board.requests if r.void and r.id not in view.void),
        "reasons": _reasons(board, view),
    }
    working = any(s.live and s.id not in superseded for s in board.steps)
    waiting = JobStatus.RUNNING if working else JobStatus.WAITING_HUMAN

    if asks:
        return Decision("ask", waiting, ask=tuple(asks), **housekeeping)
    if view.open_human:
        return Decision("human", waiting, **housekeeping)

    ready, failed = _ready(board, view)
    cap = used_up_cap(ready, board)
    if cap is not None:
        return Decision("cap", waiting, ask=(cap,), **housekeeping)
    if ready:
        urgent = _urgent(view)
        ready.sort(key=lambda seen: seen.stage.name not in urgent)
        rule = "delegation" if ready[0].stage.name in urgent else "ready"
        return Decision(rule, JobStatus.RUNNING, dispatch=tuple(_dispatch(seen, board, view) for seen in ready), **housekeeping)
    if working:
        return Decision("wait", JobStatus.RUNNING, **housekeeping)
    if all(seen.fresh for seen in view.stages.values()):
        return Decision("final", JobStatus.SUCCEEDED, **housekeeping)
    if failed:
        return Decision("failed", JobStatus.FAILED, error=say("fleet.error.stages", stages=_by_stage(failed)), **housekeeping)
    stuck = say("fleet.error.stuck", stages=_by_stage(housekeeping["reasons"]))
    return Decision("stuck", JobStatus.FAILED, error=stuck, **housekeeping)


def _by_stage(reasons: Mapping[str, Sayable]) -> Listing:
    """Each stage with what is said of it."""
    reasons_by_stage = (say("fleet.error.of_stage", stage=name(stage), reason=as_value(why)) for stage, why in reasons.items())
    return listing(*reasons_by_stage, join=Join.REASONS)


def _wanted(stage: str, made_from: str, view: View) -> bool:
    seen = view.stages.get(stage)
    return seen is not None and seen.want == made_from and not seen.fresh


def _ready(board: Board, view: View) -> tuple[list[StageView], dict[str, Sayable]]:
    """Stages to dispatch, in order of their needs, and the ones that failed with their messages."""
    done = {(s.stage, s.made_from): s for s in board.steps}
    ready: list[StageView] = []
    failed: dict[str, Sayable] = {}
    for stage, seen in view.stages.items():
        if seen.fresh or seen.want is None or seen.stage.role is None:
            continue
        step = done.get((stage, seen.want))
        if step is None or step.status == StepStatus.CANCELLED:
            ready.append(seen)
        elif step.status == StepStatus.FAILED:
            failed[stage] = step.error or say("fleet.why.failed_silently")
    return ready, failed


def _urgent(view: View) -> set[str]:
    """The stages that an open delegation waits for."""
    targets = {r.target for r in view.open_delegations}
    return targets.union(*(view.ancestors(name) for name in targets))


def _dispatch(seen: StageView, board: Board, view: View) -> Dispatch:
    stage = seen.stage
    asked = sum(1 for r in board.requests if r.asker == stage.name and r.rev > board.human_rev and r.kind in ("question", "delegation"))
    return Dispatch(
        stage=stage.name,
        role=stage.role or "",
        task=stage.task,
        params=stage.params,
        made_from=seen.want or "",
        need_ids=seen.need_ids,
        request_ids=seen.request_ids,
        ancestors=tuple(sorted(view.ancestors(stage.name))),
        may_ask=asked < MAX_REQUESTS_AN_ASKER,
        optional=stage.optional,
    )


def _reasons(board: Board, view: View) -> dict[str, Statement]:
    at_work = {(s.stage, s.made_from): s for s in board.steps}
    reasons: dict[str, Statement] = {}
    for stage, seen in view.stages.items():
        if seen.fresh:
            continue
        reasons[stage] = seen.why or _reason(seen, at_work.get((stage, seen.want or "")))
    return reasons


def _reason(seen: StageView, step: Step | None) -> Statement:
    """Why a stage that has all it needs is not fresh, by the step that works on it."""
    if step is None or step.status == StepStatus.CANCELLED:
        return say("fleet.why.ready") if seen.stage.role else say("fleet.why.no_content")
    if step.status == StepStatus.FAILED:
        return say("fleet.why.failed", error=as_value(step.error)) if step.error else say("fleet.why.failed_silently")
    return say("fleet.why.at_work", status=member_term("fleet.status", step.status))
