"""The boss: `decide(board) -> Decision`, a pure function. No clock, no randomness, no model; time and budgets are facts.

Order of the rules: a used-up budget ends the job; an open question to the human stops new dispatches; what a delegation
waits for goes first; then everything that is missing or stale and has its needs fresh; what the rules leave open goes to
a chooser stage or to the human. When nothing is left to do the job has succeeded, or says per stage why it is stuck.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from contracts.base import Json
from contracts.jobs import JobStatus, StepStatus
from workers.blackboard.board import OPERATOR, Board, Request
from workers.coordinator.freshness import StageView, View, chooser_of, look
from workers.errors import InvalidPlan

MAX_DISPATCHES_A_STAGE = 8
MAX_DISPATCHES_A_JOB = 60
MAX_STAGES = 40
MAX_REQUESTS_AN_ASKER = 5
MAX_REMARKS_A_STAGE = 2
"""Caps since the last human word. The third remark on a stage goes to the human."""

KEEP, REDO, IGNORE, CONTINUE, STOP = "keep", "redo", "ignore", "continue", "stop"
"""Choices of the questions that the boss itself asks."""


@dataclass(frozen=True, slots=True)
class Dispatch:
    """A step to be queued."""

    stage: str
    role: str
    task: str
    params: Json
    made_from: str
    need_ids: tuple[UUID, ...]
    request_ids: tuple[UUID, ...]
    ancestors: tuple[str, ...]
    may_ask: bool


@dataclass(frozen=True, slots=True)
class Ask:
    """A question of the boss itself to the human. `about`: the remark or instruction that it decides."""

    asker: str
    payload: Json
    made_from: str | None
    about: UUID | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do next, and the rule that said so."""

    rule: str
    status: JobStatus
    dispatch: tuple[Dispatch, ...] = ()
    supersede: tuple[UUID, ...] = ()
    ask: tuple[Ask, ...] = ()
    hold: tuple[UUID, ...] = ()
    """Remarks that wait for the human's word."""
    route: tuple[tuple[UUID, str], ...] = ()
    """Instructions whose stage was found."""
    void: tuple[UUID, ...] = ()
    revive: tuple[UUID, ...] = ()
    """Questions that are no longer needed, and those that are needed again."""
    error: str | None = None
    reasons: dict[str, str] = field(default_factory=dict[str, str])
    """Stage → why it is not fresh."""

    def moves(self) -> Json:
        """What is recorded of this decision."""
        moves: dict[str, Any] = {
            "dispatch": [item.stage for item in self.dispatch],
            "supersede": [str(item) for item in self.supersede],
            "ask": [item.payload for item in self.ask],
            "hold": [str(item) for item in self.hold],
            "route": [[str(item), stage] for item, stage in self.route],
            "void": [str(item) for item in self.void],
            "revive": [str(item) for item in self.revive],
        }
        return {key: value for key, value in moves.items() if value}


def decide(board: Board) -> Decision:
    """The next moves for a board. Equal boards give equal decisions."""
    if board.status == JobStatus.CANCELLED:
        return Decision("cancelled", JobStatus.CANCELLED, supersede=tuple(s.id for s in board.steps if s.live))
    if not board.admitted:
        return Decision("owner cap", JobStatus.ACCEPTED)
    live = tuple(s.id for s in board.steps if s.live)
    if board.exceeded is not None:
        return Decision("budget", JobStatus.FAILED, supersede=live, error=board.exceeded)
    try:
        view = look(board)
    except InvalidPlan as error:
        return Decision("invalid plan", JobStatus.FAILED, supersede=live, error=str(error))
    if len(view.stages) > MAX_STAGES:
        error = f"The plan grew to {len(view.stages)} stages; {MAX_STAGES} are allowed."
        return Decision("too many stages", JobStatus.FAILED, supersede=live, error=error)
    housekeeping: dict[str, Any] = {
        "supersede": tuple(s.id for s in board.steps if s.live and not _wanted(s.stage, s.made_from, view)),
        "void": tuple(r.id for r in board.requests if r.id in view.void and not r.void),
        "revive": tuple(r.id for r in board.requests if r.void and r.id not in view.void),
        "reasons": _reasons(board, view),
    }
    working = any(s.live and s.id not in housekeeping["supersede"] for s in board.steps)

    route, undecided = _route(board, view)
    if route:
        targets = dict(route)
        at_stage = tuple(replace(r, target=targets.get(r.id, r.target)) for r in board.requests)
        return replace(decide(replace(board, requests=at_stage)), route=route)
    held, questions = _escalate(board, view)
    questions += [_which_stage(r, board) for r in undecided if not _asked_about(r, board)]
    if questions:
        return Decision("ask", _waiting(working), ask=tuple(questions), hold=held, **housekeeping)
    if view.open_human:
        return Decision("human", _waiting(working), **housekeeping)

    ready, failed = _ready(board, view)
    capped = _capped(ready, board)
    if capped is not None:
        return Decision("cap", _waiting(working), ask=(capped,), **housekeeping)
    urgent = {r.target for r in view.open_delegations}
    for name in tuple(urgent):
        urgent |= view.ancestors(name)
    ready.sort(key=lambda seen: seen.stage.name not in urgent)
    dispatch = tuple(_dispatch(seen, board, view) for seen in ready)
    if dispatch:
        rule = "delegation" if ready[0].stage.name in urgent else "ready"
        return Decision(rule, JobStatus.RUNNING, dispatch=dispatch, **housekeeping)
    if working:
        return Decision("wait", JobStatus.RUNNING, **housekeeping)
    if all(seen.fresh for seen in view.stages.values()):
        return Decision("final", JobStatus.SUCCEEDED, **housekeeping)
    if failed:
        error = "; ".join(f"{name}: {message}" for name, message in failed.items())
        return Decision("failed", JobStatus.FAILED, error=error, **housekeeping)
    stuck = "; ".join(f"{name}: {why}" for name, why in housekeeping["reasons"].items())
    return Decision("stuck", JobStatus.FAILED, error=f"stuck: {stuck}", **housekeeping)


def _wanted(stage: str, made_from: str, view: View) -> bool:
    seen = view.stages.get(stage)
    return seen is not None and seen.want == made_from and not seen.fresh


def _waiting(working: bool) -> JobStatus:
    return JobStatus.RUNNING if working else JobStatus.WAITING_HUMAN


def _ready(board: Board, view: View) -> tuple[list[StageView], dict[str, str]]:
    """Stages to dispatch, in order of their needs, and the ones that failed with their messages."""
    done = {(s.stage, s.made_from): s for s in board.steps}
    ready: list[StageView] = []
    failed: dict[str, str] = {}
    for name, seen in view.stages.items():
        if seen.fresh or seen.want is None or seen.stage.role is None:
            continue
        step = done.get((name, seen.want))
        if step is None or step.status == StepStatus.CANCELLED:
            ready.append(seen)
        elif step.status == StepStatus.FAILED:
            failed[name] = step.error or "failed"
    return ready, failed


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
    )


def _capped(ready: list[StageView], board: Board) -> Ask | None:
    """The question that a stage or the job has to ask before it may be dispatched once more."""
    used: Counter[str] = Counter()
    for step in board.steps:
        if step.dispatch_rev > board.human_rev:
            used[step.stage] += step.dispatches
    for seen in ready:
        if used[seen.stage.name] >= MAX_DISPATCHES_A_STAGE:
            return _cap_question(seen, f"Stage {seen.stage.name} was dispatched {used[seen.stage.name]} times since you last spoke.")
    if ready and used.total() + len(ready) > MAX_DISPATCHES_A_JOB:
        return _cap_question(ready[0], f"The job made {used.total()} dispatches since you last spoke.")
    return None


def _cap_question(seen: StageView, text: str) -> Ask:
    payload = {"kind": "cap", "stage": seen.stage.name, "text": f"{text} Go on?", "choices": [CONTINUE, STOP]}
    return Ask(seen.stage.name, payload, seen.want)


def _escalate(board: Board, view: View) -> tuple[tuple[UUID, ...], list[Ask]]:
    """Remarks that may not take effect without the human: the third round on a stage, or one on a pinned version."""
    rounds: dict[str, set[int]] = {}
    remarks = [r for r in board.requests if r.kind == "remark" and not r.held and r.asker != OPERATOR and r.target in view.stages]
    for remark in remarks:
        if remark.rev > board.human_rev:
            rounds.setdefault(remark.target, set()).add(remark.rev)
    held: list[Request] = []
    for remark in remarks:
        current = view.stages[remark.target].current
        late = remark.rev in sorted(rounds.get(remark.target, ()))[MAX_REMARKS_A_STAGE:]
        on_pinned = current is not None and current.pinned and remark.rev > current.rev
        if late or on_pinned:
            held.append(remark)
    if not held:
        return (), []
    ids = {r.id for r in held}
    after = look(replace(board, requests=tuple(replace(r, held=True) if r.id in ids else r for r in board.requests)))
    first = {(r.asker, r.target): r for r in reversed(held)}
    asks: list[Ask] = []
    for (asker, target), remark in sorted(first.items()):
        payload = {
            "kind": "escalation",
            "stage": target,
            "reviewer": asker,
            "text": f"{asker} objects to {target} again. Keep {target} as it is, or have it redone?",
            "choices": [REDO, KEEP],
        }
        asks.append(Ask(asker, payload, after.stages[asker].base_want if asker in after.stages else None, remark.id))
    return tuple(r.id for r in held), asks


def _route(board: Board, view: View) -> tuple[tuple[tuple[UUID, str], ...], list[Request]]:
    """Instructions whose stage a chooser found, and those that only the human can place."""
    names = {stage.name for stage in board.stages}
    failed = {(s.stage, s.made_from) for s in board.steps if s.status == StepStatus.FAILED}
    routed: list[tuple[UUID, str]] = []
    undecided: list[Request] = []
    for request in view.unrouted:
        seen = view.stages.get(chooser_of(request))
        if seen is None or (seen.stage.name, seen.want) in failed:
            undecided.append(request)
        elif seen.current is not None:
            move = (seen.current.effects or {}).get("move")
            if move in names:
                routed.append((request.id, move))
            else:
                undecided.append(request)
    return tuple(routed), undecided


def _asked_about(request: Request, board: Board) -> bool:
    return any(r.about == request.id and r.kind == "question" for r in board.requests)


def _which_stage(request: Request, board: Board) -> Ask:
    choices = [*(stage.name for stage in board.stages), IGNORE]
    payload = {"kind": "instruction", "text": "Which stage is your instruction meant for?", "choices": choices}
    return Ask(OPERATOR, payload, None, request.id)


def _reasons(board: Board, view: View) -> dict[str, str]:
    at_work = {(s.stage, s.made_from): s for s in board.steps}
    reasons: dict[str, str] = {}
    for name, seen in view.stages.items():
        if seen.fresh:
            continue
        step = at_work.get((name, seen.want or ""))
        if seen.why:
            reasons[name] = seen.why
        elif step is None or step.status == StepStatus.CANCELLED:
            reasons[name] = "ready to be dispatched" if seen.stage.role else "has no content"
        elif step.status == StepStatus.FAILED:
            reasons[name] = f"failed: {step.error or 'no reason given'}"
        else:
            reasons[name] = f"step is {step.status}"
    return reasons
