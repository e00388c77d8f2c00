"""What the rule of freshness cannot decide, so that the human must: objections, instructions without a stage, used-up caps.

Pure functions of the board. A question that would be void at once is not asked,
because there is no further decision until the board changes.
"""

from collections import Counter
from uuid import UUID

from contracts.jobs import StepStatus
from contracts.stages import INPUT
from contracts.statements import Statement, count, name, say
from workers.blackboard.board import OPERATOR, Board, Request
from workers.coordinator.by_stage import chooser_of
from workers.coordinator.decision import CONTINUE, IGNORE, KEEP, REDO, STOP, Ask
from workers.coordinator.freshness import View
from workers.coordinator.want import StageView

MAX_DISPATCHES_A_STAGE = 8
MAX_DISPATCHES_A_JOB = 60
MAX_REQUESTS_AN_ASKER = 5
MAX_REMARKS_A_STAGE = 2
"""A cap that counts from the last input of a human. The third round of remarks on a stage goes to the human."""


def remarks_to_hold(board: Board, view: View) -> list[Request]:
    """Remarks that may not take effect without the human: those of the third round on a stage, and those on a pinned version.

    A round is all remarks of one report on a stage. An operator's remarks do not count in any round; but on a pinned version they
    are held like all others. They would be lost otherwise, because a pinned version is fresh independent of remarks.
    """
    remarks = [r for r in board.requests if r.kind == "remark" and not r.held and r.id not in view.void and r.target in view.stages]
    rounds: dict[str, set[int]] = {}
    for remark in remarks:
        if remark.asker != OPERATOR and remark.rev > board.human_rev:
            rounds.setdefault(remark.target, set()).add(remark.rev)
    late = {target: sorted(revs)[MAX_REMARKS_A_STAGE:] for target, revs in rounds.items()}
    held: list[Request] = []
    for remark in remarks:
        current = view.stages[remark.target].current
        on_pinned = current is not None and current.pinned and remark.rev > current.rev
        if on_pinned or (remark.asker != OPERATOR and remark.rev in late.get(remark.target, ())):
            held.append(remark)
    return held


def escalations(held: list[Request], view: View) -> list[Ask]:
    """One question per objector and stage, about remarks that `view` sees held already.

    None where the objector has to look again anyway (its want has moved, it was revised, it is gone): an objection that
    still holds then comes back.
    """
    first = {(r.asker, r.target): r for r in reversed(held)}
    return [_escalation(remark, view) for _, remark in sorted(first.items()) if _looks_no_more(remark.asker, view)]


def _looks_no_more(asker: str, view: View) -> bool:
    if asker == OPERATOR:
        return True
    seen = view.stages.get(asker)
    return seen is not None and seen.base_want is not None and (seen.current is None or not seen.current.pinned)


def _escalation(remark: Request, view: View) -> Ask:
    asker, target = remark.asker, remark.target
    if target == INPUT:  # nobody can redo what the human gave
        text, choices = say("fleet.ask.input", reviewer=name(asker)), [KEEP]
    elif asker == OPERATOR:
        text, choices = say("fleet.ask.pinned", stage=name(target)), [REDO, KEEP]
    else:
        text, choices = say("fleet.ask.again", reviewer=name(asker), stage=name(target)), [REDO, KEEP]
    payload = {"kind": "escalation", "stage": target, "reviewer": asker, "text": text.to_json(), "choices": choices}
    return Ask(asker, payload, view.stages[asker].base_want if asker in view.stages else None, remark.id)


def place_instructions(board: Board, view: View) -> tuple[list[tuple[UUID, str]], list[Request]]:
    """Instructions whose stage a chooser found, and those that only the human can place."""
    names = {stage.name for stage in board.stages if stage.role is not None}
    failed = {(s.stage, s.made_from) for s in board.steps if s.status == StepStatus.FAILED}
    placed: list[tuple[UUID, str]] = []
    undecided: list[Request] = []
    for request in view.unrouted:
        seen = view.stages.get(chooser_of(request))
        if seen is None or (seen.stage.name, seen.want) in failed:
            undecided.append(request)
        elif seen.current is not None:
            move = (seen.current.effects or {}).get("move")
            if move in names:
                placed.append((request.id, move))
            else:
                undecided.append(request)
    return placed, undecided


def which_stage(undecided: list[Request], board: Board) -> list[Ask]:
    """Ask once about each instruction that nobody could place."""
    asked = {r.about for r in board.requests if r.kind == "question"}
    choices = [*(stage.name for stage in board.stages if stage.role is not None), IGNORE]
    payload = {"kind": "instruction", "text": say("fleet.ask.which_stage").to_json(), "choices": choices}
    return [Ask(OPERATOR, payload, None, request.id) for request in undecided if request.id not in asked]


def used_up_cap(ready: list[StageView], board: Board) -> Ask | None:
    """The question that a stage or the job has to ask before it may be dispatched once more."""
    used: Counter[str] = Counter()
    for step in board.steps:
        if step.dispatch_rev > board.human_rev:
            used[step.stage] += step.dispatches
    for seen in ready:
        if used[seen.stage.name] >= MAX_DISPATCHES_A_STAGE:
            return _cap(seen, say("fleet.ask.stage_cap", stage=name(seen.stage.name), dispatches=count(used[seen.stage.name])))
    if ready and used.total() + len(ready) > MAX_DISPATCHES_A_JOB:
        return _cap(ready[0], say("fleet.ask.job_cap", dispatches=count(used.total())))
    return None


def _cap(seen: StageView, text: Statement) -> Ask:
    payload = {"kind": "cap", "stage": seen.stage.name, "text": text.to_json(), "choices": [CONTINUE, STOP]}
    return Ask(seen.stage.name, payload, seen.want)
