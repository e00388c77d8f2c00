"""The one rule: a deliverable is fresh while what it was made from is still what it would be made from now.

`look(board)` works it out for every stage, contributed stages included. It is a pure function of the board:

- `want(s)` is a hash of the stage's own definition, the content hashes of its needs, the payloads of the requests to it,
  and the questions it asked (or must hear) with their responses. It exists only when every need is fresh and nothing
  that the stage asked is open.
- `current(s)` is the pinned version, else the newest one made from `want(s)`. A stage is fresh when it has one.
- A question to the human is void unless its asker would ask it again now: `want(s)` without it is what it was made from,
  and no human has pinned a version of `s` meanwhile.
- A remark is void when the human has decided against it before: they kept this very version of the stage although its
  author objected to it. It then counts for nobody, its author included.
- Nothing else is hashed: no ids, no prompt, no model, no release, no state of the knowledge base.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from contracts.base import content_hash
from contracts.stages import INPUT, StageSpec
from workers.blackboard.board import HUMAN, OPERATOR, UNROUTED, Board, Deliverable, Request, Stage
from workers.errors import InvalidPlan

BY_HUMAN = "human:"
"""Before the want in `made_from` of a version that a human wrote: it is current only while it is pinned, so that unpinning
brings the role's own version back."""

CHOOSE = "choose"
"""Task, and first part of the name, of the stages that route an instruction."""


@dataclass(slots=True)
class StageView:
    """What the rule says of one stage. `want` None: a need is stale or something it asked is open; `why` tells which."""

    stage: Stage
    needs: tuple[str, ...] = ()
    want: str | None = None
    current: Deliverable | None = None
    drifted: bool = False
    """Pinned although its want has moved."""
    why: str = ""
    base_want: str | None = None
    """`want` as if no question to a human were open: what a question must still match, or it is void."""
    request_ids: tuple[UUID, ...] = ()
    """What its next step hears: requests to it, those it asked that are answered, and answers it must hear."""
    need_ids: tuple[UUID, ...] = ()
    """The current deliverables of its needs."""

    @property
    def fresh(self) -> bool:
        """Nothing to do here."""
        return self.current is not None


@dataclass(slots=True)
class View:
    """The board, understood. `stages` is in dispatch order: needs before their consumers."""

    stages: dict[str, StageView] = field(default_factory=dict[str, StageView])
    void: set[UUID] = field(default_factory=set[UUID])
    """Questions that nobody needs answered any more, and remarks that the human has decided against."""
    open_human: list[Request] = field(default_factory=list[Request])
    open_delegations: list[Request] = field(default_factory=list[Request])
    unrouted: list[Request] = field(default_factory=list[Request])
    """Instructions of which it is not known what stage they are meant for."""
    fault: str | None = None
    """Why the stages do not form a plan: a circle, an unknown need, two of one name, or what is no stage at all."""

    def ancestors(self, name: str) -> set[str]:
        """Every stage that `name` needs, directly or not."""
        seen: set[str] = set()
        left = list(self.stages[name].needs) if name in self.stages else []
        while left:
            need = left.pop()
            if need not in seen and need in self.stages:
                seen.add(need)
                left.extend(self.stages[need].needs)
        return seen

    def below(self, name: str) -> set[str]:
        """Every stage that needs `name`, directly or not."""
        return {other for other in self.stages if name in self.ancestors(other)}


class _Indexed:
    """The board's rows by the stage they concern."""

    def __init__(self, board: Board, overruled: set[UUID]) -> None:
        self.pinned: dict[str, Deliverable] = {}
        self.made: dict[tuple[str, str], Deliverable] = {}
        for item in board.deliverables:
            self.made[item.stage, item.made_from] = item  # version order: the newest stays
            if item.pinned:
                self.pinned[item.stage] = item
        self.to: dict[str, list[Request]] = {}
        self.by: dict[str, list[Request]] = {}
        self.heard: dict[str, list[Request]] = {}
        for request in board.requests:
            if request.id in overruled:
                continue
            if not request.held:
                self.to.setdefault(request.target, []).append(request)
            self.by.setdefault(request.asker, []).append(request)
            for other in request.also:
                self.heard.setdefault(other, []).append(request)


def look(board: Board) -> View:
    """Apply the rule to a board. Never raises: of stages that do not form a plan, `fault` tells what is wrong with them,
    and the others are judged, so that a human can still see, revise and replay the one that added them."""
    view = View(void=_overruled(board))
    rows = _Indexed(board, view.void)
    delegated: dict[str, list[Request]] = {}
    for request in board.requests:
        if request.kind == "delegation" and request.role is not None:
            delegated.setdefault(request.asker, []).append(request)
    pending: dict[str, Stage] = {}

    def add(stage: Stage) -> None:
        """With the stages `asker/n` of its delegations, which have the asker's needs and which the asker then needs."""
        if stage.name in pending or stage.name in view.stages:
            view.fault = view.fault or f"Two stages are called {stage.name}; the second was added by {stage.maker}."
            return
        pending[stage.name] = stage
        for request in delegated.get(stage.name, ()):
            add(Stage(request.target, request.role, request.task or "", stage.needs, maker=stage.name))

    for stage in board.stages:
        add(stage)
    _add_choosers(board, view, rows, add)
    while pending:
        needs_of = {name: (*stage.needs, *(r.target for r in delegated.get(name, ()))) for name, stage in pending.items()}
        ready = [stage for name, stage in pending.items() if all(need in view.stages for need in needs_of[name])]
        if not ready:
            names = ", ".join(sorted(pending))
            view.fault = view.fault or f"The stages {names} need each other in a circle, or a stage that does not exist."
            break
        for stage in ready:
            del pending[stage.name]
            seen = _judge(stage, needs_of[stage.name], view, rows)
            view.stages[stage.name] = seen
            if seen.current is not None:
                try:
                    more = contributed(stage.name, seen.current)
                except InvalidPlan as error:
                    view.fault = view.fault or str(error)
                    continue
                for added in more:
                    add(added)
    _sort_requests(board, view)
    return view


def _overruled(board: Board) -> set[UUID]:
    """Remarks on a version that the human kept when the same objector had objected to it. Once void they stay so: what comes
    after them is another version."""
    objections = {r.id: r for r in board.requests if r.kind == "remark" and r.asker != OPERATOR}
    kept: dict[tuple[str, str], int] = {}
    for question in board.requests:
        about = objections.get(question.about) if question.about else None
        if about is not None and question.response_hash is not None:
            kept[about.asker, about.target] = question.rev
    void = {r.id for r in objections.values() if r.void}
    for remark in objections.values():
        since = kept.get((remark.asker, remark.target), remark.rev)
        if since < remark.rev and not any(d.stage == remark.target and since < d.rev < remark.rev for d in board.deliverables):
            void.add(remark.id)
    return void


def contributed(maker: str, deliverable: Deliverable) -> list[Stage]:
    """The stages that a deliverable adds to the plan. Raises `InvalidPlan` when one of them is no stage."""
    specs: list[dict[str, Any]] = (deliverable.effects or {}).get("stages", [])
    try:
        return [as_stage(StageSpec.model_validate(spec), maker) for spec in specs]
    except ValidationError as error:
        raise InvalidPlan(f"Version {deliverable.version} of {maker} adds what is no stage: {error.errors()[0]['msg']}.") from None


def as_stage(spec: StageSpec, maker: str | None = None) -> Stage:
    """A contract's stage as the board's."""
    return Stage(spec.name, spec.role.value, spec.task, spec.needs, spec.optional, spec.params, maker)


def _add_choosers(board: Board, view: View, rows: _Indexed, add: Callable[[Stage], None]) -> None:
    """An instruction in mid-job belongs to no stage yet; with a chooser, a stage `choose/n` finds the one it is meant for."""
    view.unrouted = rows.to.get(UNROUTED, [])
    if board.chooser is None:
        return
    moves = [stage.name for stage in board.stages if stage.role is not None]
    for request in view.unrouted:
        name = chooser_of(request)
        rows.to.setdefault(name, []).append(request)
        add(Stage(name, board.chooser, CHOOSE, (INPUT,), params={"moves": moves}))


def chooser_of(request: Request) -> str:
    """The stage that finds out what stage an instruction is meant for."""
    return f"{CHOOSE}/{request.rev}"


def _judge(stage: Stage, needs: tuple[str, ...], view: View, rows: _Indexed) -> StageView:
    seen = StageView(stage, needs)
    pinned = rows.pinned.get(stage.name)
    if stage.role is None:
        seen.current = pinned
        seen.want = pinned.made_from if pinned else None
        return seen
    stale = [need for need in needs if not view.stages[need].fresh]
    asked = rows.by.get(stage.name, [])
    waiting = [r for r in asked if r.target != HUMAN and not r.held and r.target in view.stages and not view.stages[r.target].fresh]
    questions = [r for r in asked if r.target == HUMAN and r.response_hash is None]
    heard = [r for r in rows.heard.get(stage.name, []) if r.response_hash is not None]
    open_ids = {r.id for r in questions}
    said = sorted({r.id: r for r in (*asked, *heard) if r.id not in open_ids}.values(), key=lambda r: r.id)
    told = rows.to.get(stage.name, [])
    currents = [(need, current) for need in needs if (current := view.stages[need].current) is not None]
    seen.request_ids = tuple(r.id for r in (*told, *said))
    seen.need_ids = tuple(current.id for _, current in currents)
    if stale:
        seen.why = f"needs {', '.join(stale)}"
    elif waiting:
        seen.why = f"asked {', '.join(r.target for r in waiting)} and waits for the result"
    else:
        seen.base_want = content_hash(
            {
                "stage": [stage.name, stage.role, stage.task, stage.params],
                "needs": [[need, current.content_hash] for need, current in currents],
                "told": [r.payload_hash for r in told],
                "said": [[r.payload_hash, r.response_hash] for r in said],
            }
        )
    standing = [r for r in questions if pinned is None and seen.base_want is not None and r.made_from == seen.base_want]
    view.void.update(r.id for r in questions if r not in standing)
    if standing:
        seen.why = "asked the human and waits for the answer"
    else:
        seen.want = seen.base_want
    if pinned is not None:
        seen.current = pinned
        seen.drifted = seen.want is not None and seen.want != pinned.made_from.removeprefix(BY_HUMAN)
    elif seen.want is not None:
        seen.current = rows.made.get((stage.name, seen.want))
    return seen


def _sort_requests(board: Board, view: View) -> None:
    unplaced = {r.id for r in board.requests if r.held or r.target == UNROUTED}
    for request in board.requests:
        if request.target == HUMAN and request.response_hash is None:
            if request.asker not in view.stages and not (request.asker == OPERATOR and request.about in unplaced):
                view.void.add(request.id)  # the stage that asked has left the plan, or the instruction was placed meanwhile
            if request.id not in view.void:
                view.open_human.append(request)
        elif request.kind == "delegation" and request.target in view.stages and not view.stages[request.target].fresh:
            view.open_delegations.append(request)
