"""A job's board in memory: what `decide` reads and what its decisions, the workers' reports and the humans' actions do to it.

It keeps to the statements that do the same in Postgres, as `tests/integration/test_simulation.py` sees to. Time, leases and
contents are left out; a content is represented by its hash.
"""

from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any
from uuid import UUID

from contracts.base import Json, content_hash
from contracts.jobs import FINISHED, JobStatus, StepStatus
from contracts.stages import INPUT, StageSpec
from tests.support.results import Result, done, fails
from workers.blackboard.board import HUMAN, OPERATOR, UNROUTED, Board, Deliverable, Request, Stage, Step
from workers.coordinator.decide import IGNORE, KEEP, REDO, STOP, Decision, Dispatch, decide
from workers.coordinator.freshness import View, look
from workers.coordinator.plan import as_stage
from workers.coordinator.want import BY_HUMAN
from workers.errors import AlreadyAnswered, Conflict, NotFound


@dataclass(frozen=True, slots=True)
class Run:
    """A claimed step: the fence token under which it may report."""

    step_id: UUID
    token: int
    order: Dispatch

    @property
    def stage(self) -> str:
        """The stage it runs for."""
        return self.order.stage


@dataclass
class Simulation:
    """One job, changing. `board()` is what the boss sees of it now."""

    stages: tuple[Stage, ...]
    kind: str = "simulated"
    status: JobStatus = JobStatus.ACCEPTED
    rev: int = 1
    decided_rev: int = 0
    human_rev: int = 1
    chooser: str | None = None
    result: str | None = None
    exceeded: str | None = None
    admitted: bool = True
    steps: dict[UUID, Step] = field(default_factory=dict[UUID, Step])
    deliverables: list[Deliverable] = field(default_factory=list[Deliverable])
    requests: dict[UUID, Request] = field(default_factory=dict[UUID, Request])
    contents: dict[UUID, Any] = field(default_factory=dict[UUID, Any])
    payloads: dict[UUID, Json] = field(default_factory=dict[UUID, Json])
    answers: dict[UUID, str] = field(default_factory=dict[UUID, str])
    orders: dict[UUID, Dispatch] = field(default_factory=dict[UUID, Dispatch])
    tokens: dict[UUID, int] = field(default_factory=dict[UUID, int])
    decisions: list[Decision] = field(default_factory=list[Decision])
    _numbers: "count[int]" = field(default_factory=lambda: count(1))

    @classmethod
    def of(cls, *specs: StageSpec, chooser: str | None = None, result: str | None = None, request: Any = "request") -> "Simulation":
        """A job as intake writes it: the playbook's stages and the input, which is pinned."""
        sim = cls((Stage(INPUT, None, ""), *(as_stage(spec) for spec in specs)), chooser=chooser, result=result)
        sim._deliver(INPUT, content_hash(request), request, pinned=True)
        return sim

    # What the boss sees and does

    def board(self) -> Board:
        """The board at this moment."""
        return Board(
            job_id=UUID(int=0),
            kind=self.kind,
            rev=self.rev,
            status=self.status,
            stages=self.stages,
            steps=tuple(self.steps.values()),
            deliverables=tuple(sorted(self.deliverables, key=lambda d: (d.stage, d.version))),
            requests=tuple(self.requests.values()),
            decided_rev=self.decided_rev,
            human_rev=self.human_rev,
            exceeded=self.exceeded,
            chooser=self.chooser,
            result=self.result,
            admitted=self.admitted,
        )

    def view(self) -> View:
        """The board, understood."""
        return look(self.board())

    def advance(self) -> Decision | None:
        """Decide and apply. None: this revision was decided before."""
        if self.rev == self.decided_rev:
            return None
        board = self.board()
        decision = decide(board)
        self.apply(decision, board)
        return decision

    def apply(self, decision: Decision, seen: Board) -> bool:
        """Write a decision made of `seen`. False: the board has moved since; nothing was written."""
        if self.rev != seen.rev:
            return False
        self.decisions.append(decision)
        if decision.moves() or decision.status != self.status:
            self.rev += 1
            self.status = decision.status
            for order in decision.dispatch:
                self._queue(order)
            for step_id in decision.supersede:
                self._end(step_id, StepStatus.CANCELLED)
            for ask in decision.ask:
                self._request(ask.asker, HUMAN, "question", ask.payload, made_from=ask.made_from, about=ask.about)
            for request_id, target in decision.route:
                self._change(request_id, target=target)
            for request_id in decision.hold:
                self._change(request_id, held=True)
            for request_id in decision.void:
                self._change(request_id, void=True)
            for request_id in decision.revive:
                self._change(request_id, void=False)
        self.decided_rev = self.rev
        return True

    # What the workers do

    def live(self) -> list[Step]:
        """Steps that are queued or running."""
        return [step for step in self.steps.values() if step.live]

    def claim(self, step_id: UUID) -> Run | None:
        """Take a queued step. None: it is done, cancelled or another's; the message is dropped."""
        if self.steps[step_id].status != StepStatus.QUEUED:
            return None
        self.steps[step_id] = replace(self.steps[step_id], status=StepStatus.RUNNING)
        self.tokens[step_id] = next(self._numbers)
        return Run(step_id, self.tokens[step_id], self.orders[step_id])

    def report(self, run: Run, result: Result) -> bool:
        """Write the end of a run. False: it was no longer ours; nothing was written."""
        if self.tokens.get(run.step_id) != run.token:
            return False
        if result.asks and not run.order.may_ask:
            result = fails("AskedTooOften")
        self.rev += 1
        made_from, asker = self.steps[run.step_id].made_from, run.stage
        if result.error is not None:
            self._end(run.step_id, StepStatus.FAILED, result.error)
            return True
        self._end(run.step_id, StepStatus.SUCCEEDED)
        if result.content is not None:
            effects: Json = {"stages": [spec.to_json() for spec in result.stages]} if result.stages else {}
            effects |= {"move": result.move} if result.move else {}
            self._deliver(asker, made_from, result.content, effects=effects or None)
        for target in (*result.remarks, *result.also, *([result.delegate_to] if result.delegate_to else [])):
            if target not in run.order.ancestors:
                raise ValueError(f"{asker} may not turn to {target}")
        for target in result.remarks:
            self._request(asker, target, "remark", {"text": "do better"}, made_from=made_from)
        if result.question is not None:
            self._request(asker, HUMAN, "question", {"text": result.question}, made_from=made_from, also=result.also)
        if result.delegate_to is not None:
            self._request(asker, result.delegate_to, "delegation", {"text": "look again"}, made_from=made_from)
        if result.delegate_role is not None:
            nth = 1 + sum(1 for r in self.requests.values() if r.asker == asker and r.role is not None)
            more: Json = {"role": result.delegate_role.value, "task": "help"}
            self._request(asker, f"{asker}/{nth}", "delegation", {"text": "help"}, made_from=made_from, **more)
        return True

    def crash(self, run: Run) -> None:
        """A worker died: its lease ran out, and the sweep queued the step again."""
        if self.tokens.get(run.step_id) == run.token:
            del self.tokens[run.step_id]
            self.steps[run.step_id] = replace(self.steps[run.step_id], status=StepStatus.QUEUED)

    def finish(self, name: str, result: Result) -> None:
        """The step of a stage from claim to report, after what was still to be decided; the boss has not seen the report."""
        self.advance()
        step = next((step for step in self.live() if step.stage == name), None)
        run = step and self.claim(step.id)
        if run is None:
            raise ValueError(f"no step of {name} is queued: {self.live()}")
        self.report(run, result)

    def run(self, name: str, result: Result) -> Decision:
        """`finish`, and the boss's answer to it, applied."""
        self.finish(name, result)
        return self.decided()

    def decided(self) -> Decision:
        """What the boss says to the board as it stands, applied."""
        return self.advance() or self.decisions[-1]

    # What humans and the sweep do

    def open_questions(self) -> list[Request]:
        """Questions that a human is shown: not answered, not void as of the last decision."""
        return [r for r in self.requests.values() if r.target == HUMAN and r.response_hash is None and not r.void]

    def answer(self, text: str, request_id: UUID | None = None) -> None:
        """Answer a question (the only open one, or the one named). The first answer wins."""
        if request_id is None:
            (request_id,) = (r.id for r in self.open_questions())
        question = self.requests[request_id]
        if question.response_hash is not None:
            if self.answers[request_id] != text:
                raise AlreadyAnswered(self.answers[request_id])
            return
        if question.void:
            raise Conflict("no longer needed")
        self._human_word(reopen=False)
        self._change(request_id, response_hash=content_hash({"text": text}))
        self.answers[request_id] = text
        self._follow_choice(question, self.payloads[request_id], text)

    def _follow_choice(self, question: Request, payload: Json, text: str) -> None:
        if payload.get("kind") not in ("escalation", "cap", "instruction") or text == KEEP:
            return
        if text not in payload["choices"]:
            raise Conflict(f"{text} is not in {payload['choices']}")
        if text == REDO:
            self._unpin(payload["stage"])
            self._request(OPERATOR, payload["stage"], "remark", {"text": "as the reviewer says"})
        elif text == STOP:
            self._cancel()
        elif question.about is not None and text == IGNORE:
            self._change(question.about, held=True)
        elif question.about is not None and self.requests[question.about].target == UNROUTED:
            self._change(question.about, target=text)

    def revise(self, name: str, content: Any) -> None:
        """Write a pinned version of a stage. What the stage added to the plan stays in it."""
        seen = self.view().stages[name]
        self._human_word()
        self._unpin(name)
        effects = seen.current.effects if seen.current is not None else None
        self._deliver(name, f"{BY_HUMAN}{seen.want}", content, pinned=True, effects=effects)

    def unpin(self, name: str) -> None:
        """Let the rule decide again which version is current."""
        if name == INPUT or not any(d.pinned for d in self.deliverables if d.stage == name):
            raise Conflict(f"{name} has no pinned version")
        self._human_word()
        self._unpin(name)

    def instruct(self, text: str, name: str | None = None) -> None:
        """An instruction in mid-job, to a stage or to whom it may concern."""
        self._human_word()
        self._request(OPERATOR, name or UNROUTED, "remark", {"text": text})

    def replay(self, name: str) -> None:
        """Have a stage done again even if its inputs are unchanged."""
        self._human_word()
        self._request(OPERATOR, name, "replay", {"nonce": next(self._numbers)})

    def cancel(self) -> None:
        """End the job, its live steps and its open questions."""
        if self.status not in FINISHED:
            self.rev += 1
            self._cancel()

    def exceed(self, reason: str = "BudgetExceeded") -> None:
        """The sweep writes the fact that a budget is used up."""
        self.rev += 1
        self.exceeded = reason

    def admit(self) -> None:
        """The sweep lets the job in: its owner has room again."""
        self.rev += 1
        self.admitted = True

    def fork(self, name: str) -> "Simulation":
        """A new job with everything that is neither the stage nor below it, in which the stage is done again."""
        view = self.view()
        if name not in view.stages or view.stages[name].stage.role is None:
            raise NotFound(f"no stage {name} to fork from")
        copied = set(view.stages) - {name} - view.below(name)
        new = Simulation(self.stages, kind=self.kind, chooser=self.chooser, result=self.result)
        for item in self.deliverables:
            if item.stage in copied:
                new.deliverables.append(replace(item, id=new._id(), rev=1))
                new.contents[new.deliverables[-1].id] = self.contents[item.id]
        ids: dict[UUID, UUID] = {}
        for request in self.requests.values():
            made_it = request.role is not None and f"{name}/".startswith(f"{request.target}/")
            if request.target in copied or request.asker in copied or copied & set(request.also) or made_it:
                ids[request.id] = new._id()
                about = ids.get(request.about) if request.about else None
                new.requests[ids[request.id]] = replace(request, id=ids[request.id], about=about, rev=1)
                new.payloads[ids[request.id]] = self.payloads[request.id]
                if request.id in self.answers:
                    new.answers[ids[request.id]] = self.answers[request.id]
        new._request(OPERATOR, name, "replay", {"nonce": "fork"})
        return new

    # Rows

    def _id(self) -> UUID:
        return UUID(int=next(self._numbers))

    def _queue(self, order: Dispatch) -> None:
        known = next((s for s in self.steps.values() if (s.stage, s.made_from) == (order.stage, order.made_from)), None)
        if known is None:
            known = Step(self._id(), order.stage, StepStatus.QUEUED, order.made_from, self.rev)
        elif known.status == StepStatus.CANCELLED:
            dispatches = known.dispatches + 1 if known.dispatch_rev > self.human_rev else 1
            known = replace(known, status=StepStatus.QUEUED, dispatch_rev=self.rev, dispatches=dispatches)
        else:
            return  # UNIQUE (job, stage, made_from)
        self.steps[known.id] = known
        self.orders[known.id] = order

    def _end(self, step_id: UUID, status: StepStatus, error: str | None = None) -> None:
        if self.steps[step_id].live:
            self.tokens.pop(step_id, None)
            self.steps[step_id] = replace(self.steps[step_id], status=status, error=error)

    def _deliver(self, name: str, made_from: str, content: Any, *, pinned: bool = False, effects: Json | None = None) -> None:
        version = 1 + sum(1 for d in self.deliverables if d.stage == name)
        item = Deliverable(self._id(), name, version, made_from, content_hash(content), pinned, effects, self.rev)
        self.deliverables.append(item)
        self.contents[item.id] = content

    def _request(self, asker: str, target: str, kind: str, payload: Json, **more: Any) -> None:
        request_id = self._id()
        self.requests[request_id] = Request(request_id, asker, target, kind, content_hash(payload), rev=self.rev, **more)
        self.payloads[request_id] = payload

    def _change(self, request_id: UUID, **values: Any) -> None:
        self.requests[request_id] = replace(self.requests[request_id], **values)

    def _unpin(self, name: str) -> None:
        self.deliverables = [replace(d, pinned=False) if d.stage == name else d for d in self.deliverables]

    def _human_word(self, *, reopen: bool = True) -> None:
        if self.status in FINISHED:
            if not reopen:
                raise Conflict(f"the job is {self.status}")
            self.status = JobStatus.RUNNING
        self.rev += 1
        self.human_rev = self.rev
        self.exceeded = None

    def _cancel(self) -> None:
        self.status = JobStatus.CANCELLED
        for step in self.live():
            self._end(step.id, StepStatus.CANCELLED)
        for question in self.open_questions():
            self._change(question.id, void=True)
        self.decided_rev = self.rev


def drive(sim: Simulation, results: dict[str, list[Result]] | None = None, *, limit: int = 500) -> Decision:
    """Let everything run until nothing is live. Each stage yields its `results` in turn, and then a content that follows
    from its inputs, as a deterministic role's does. The last decision."""
    left = {name: iter(items) for name, items in (results or {}).items()}
    decision = sim.decided()
    for _ in range(limit):
        if not sim.live():
            return decision
        step = sim.live()[0]
        decision = sim.run(step.stage, next(left.get(step.stage, iter(())), done(step.made_from)))
    raise AssertionError(f"nothing has settled after {limit} steps")
