"""The simulation keeps to Postgres: one random script, played by both, leaves the same board after each of its acts.

So what the property tests find to hold of the simulated board holds of the real one. Here too: a report and the boss's
answer written in one statement leave what the two written one after the other leave, and a step that is claimed with them is given what
a claim of its own would be given.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, Literal
from uuid import UUID, uuid4

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.base import Contract, canonical_json
from contracts.jobs import FINISHED, StepStatus, SubmitJob
from contracts.reports import Delegation, ErrorInfo, Outcome, Question, Remark, Report, asks, completed, delegates
from contracts.stages import INPUT, StageSpec
from tests.support.campaign import TIMES
from tests.support.outcomes import plans, results
from tests.support.results import Result, done, fails
from tests.support.simulation import Run, Simulation
from workers.app.report_rows import as_result
from workers.blackboard import steps
from workers.blackboard.board import Board
from workers.blackboard.board_rows import read_board
from workers.blackboard.engine import Database
from workers.blackboard.steps import Claim
from workers.coordinator import actions, sweeper
from workers.coordinator.advance import Advanced, StepLimits, advance
from workers.coordinator.advance_many import advance_many
from workers.coordinator.finish import finish, reported
from workers.coordinator.follow import FreeSlot
from workers.coordinator.freshness import look
from workers.coordinator.intake import accept
from workers.coordinator.playbooks import Playbook, register_playbook
from workers.coordinator.replay import replay_stage
from workers.errors import BullpenError, Conflict

LIMITS = StepLimits(max_attempts=1000, timeout_s=60)
LEASE_S = 60.0

_numbers = count(1)


class Asked(Contract):
    """A request of a kind of job that one example has."""

    kind: str
    text: str = "request"


class Made(Contract):
    """What a stage yields."""

    content: Any


class Twins:
    """One job, simulated and real."""

    def __init__(self, db: Database, plan: Sequence[StageSpec], result: str) -> None:
        kind = f"twin{next(_numbers)}"
        register_playbook(Playbook(kind, Asked, tuple(plan), result))
        self.db = db
        self.kind = kind
        self.sim = Simulation.of(*plan, result=result)
        self.job_id = accept(db, SubmitJob(job={"kind": kind}), owner_cap=10_000).job_id
        self.runs: list[tuple[Run, Claim]] = []
        self.lost: list[tuple[Run, Claim]] = []

    @property
    def board(self) -> Board:
        return read_board(self.db, self.job_id)

    def same(self) -> None:
        board, simulated = self.board, self.sim.board()
        assert _shape(board) == _shape(simulated)
        assert _result(board) == _result(simulated)

    def real_request(self, request_id: UUID) -> UUID:
        """The id in Postgres of a simulated request: both keep them in the order in which they were made."""
        place = list(self.sim.requests).index(request_id)
        return self.board.requests[place].id

    def advance(self, *, in_company: bool = False) -> None:
        """`in_company`: in one round with another job, so that both decisions are written together where that can be."""
        self.sim.advance()
        if not in_company:
            advance(self.db, self.job_id, LIMITS)
            return
        other = accept(self.db, SubmitJob(job={"kind": self.kind}), owner_cap=10_000).job_id
        done = advance_many(self.db, [self.job_id, other], LIMITS)
        theirs = done[other]
        assert isinstance(done[self.job_id], Advanced)
        assert isinstance(theirs, Advanced)
        assert [step.job_id for step in theirs.queued] == [other] * len(theirs.queued)

    def take(self, choose: Callable[[Sequence[Any]], Any]) -> None:
        queued = [step for step in self.sim.live() if step.status == StepStatus.QUEUED]
        if queued:
            step = choose(queued)
            run = self.sim.claim(step.id)
            (real,) = (s for s in self.board.steps if s.stage == step.stage and s.status == StepStatus.QUEUED)
            held = steps.claim(self.db, real.id, token=uuid4(), lease_s=LEASE_S, worker="test:1", with_board=True)
            assert run is not None
            assert held is not None
            given = {item.stage for item in self.sim.deliverables if item.id in run.order.need_ids}
            assert (set(held.needs), held.ancestors, held.may_ask) == (given, set(run.order.ancestors), run.order.may_ask)
            self.runs.append((run, held))

    def go_on(self, begun: Claim) -> None:
        """What was claimed with the report is what a claim of its own would have been given."""
        (step,) = (s for s in self.sim.live() if s.stage == begun.stage and s.status == StepStatus.QUEUED)
        run = self.sim.claim(step.id)
        assert run is not None
        claimed = steps.claim(self.db, begun.step_id, token=begun.token, lease_s=LEASE_S, worker="test:1", with_board=True)
        assert claimed is not None
        assert claimed.board is not None
        assert begun.board is not None
        assert replace(begun, board=None) == replace(claimed, board=None)
        queued = tuple(replace(s, status=StepStatus.QUEUED) if s.id == begun.step_id else s for s in claimed.board.steps)
        assert _set(begun.board) == _set(replace(claimed.board, steps=queued))
        assert _shape(begun.board)["job"] == _shape(claimed.board)["job"]
        assert replace(begun.board, steps=(), deliverables=()) == replace(claimed.board, steps=(), deliverables=())
        self.runs.append((run, begun))

    def report(self, run: Run, held: Claim, result: Result, *, at_once: bool, goes_on: bool = False) -> None:
        try:
            written = as_result(_report(result), held)
        except BullpenError as error:  # it may not ask any more, or names a stage that cannot be
            result = fails(str(error))
            written = as_result(_report(result), held)
        before = self.board
        slot = FreeSlot("test:1", LEASE_S, lambda _role, _priority: True) if goes_on else None
        advanced = finish(self.db, held, written, LIMITS, slot) if at_once else None
        ours = self.sim.report(run, result)
        if advanced is not None:
            assert ours
            assert held.board is not None
            assert held.board.rev == before.rev, "the board has not moved since the claim"
            assert not written.requests
            decision = self.sim.advance()
            assert decision is not None
            assert advanced.decision is not None
            assert (advanced.decision.rule, advanced.decision.status) == (decision.rule, decision.status)
            if advanced.begun is not None:
                assert not advanced.queued
                self.go_on(advanced.begun)
            elif goes_on and len(decision.dispatch) == 1:
                assert set(decision.moves()) != {"dispatch"} or self.knew(before, decision.dispatch[0].stage), "nothing was in its way"
            return
        if at_once:
            assert written.requests or held.board is None or held.board.rev != before.rev or not ours, "nothing was in its way"
        assert steps.report(self.db, held, written) == ours
        if ours and not written.requests:
            assert _set(self.board) == _set(reported(before, held.step_id, written))

    def knew(self, before: Board, stage: str) -> bool:
        """Whether a stage had a step, a version or a request already."""
        return any(item.stage == stage for item in (*before.steps, *before.deliverables)) or any(
            stage in (request.asker, request.target, *request.also) for request in before.requests
        )

    def die(self, run: Run, held: Claim) -> None:
        self.lost.append((run, held))
        self.sim.crash(run)
        self.db.statement("UPDATE steps SET lease_until = now() - interval '1 s' WHERE token = %(token)s", {"token": held.token})
        sweeper.take_back_expired(self.db)

    def answer(self, text: str, request_id: UUID) -> None:
        real = self.real_request(request_id)
        self.sim.answer(text, request_id)
        actions.answer(self.db, self.job_id, text, request_id=real)

    def revise(self, name: str, content: Any) -> None:
        self.sim.revise(name, content)
        actions.revise(self.db, self.job_id, name, {"text": content} if name == INPUT else {"content": content})


def _report(result: Result) -> Report[Any]:
    if result.error is not None:
        return Report(outcome=Outcome.FAILED, error=ErrorInfo(type="Broken", message=result.error))
    if result.question is not None:
        return asks(Question(text=result.question, also=result.also))
    if result.delegate_to is not None:
        return delegates(Delegation(payload={"text": "look again"}, stage=result.delegate_to))
    if result.delegate_role is not None:
        return delegates(Delegation(payload={"text": "help"}, role=result.delegate_role, task="help"))
    remarks = tuple(Remark(text="do better", stage=target) for target in result.remarks)
    return completed(Made(content=result.content), stages=result.stages, move=result.move, remarks=remarks)


def _set(board: Board) -> tuple[Any, ...]:
    return board.rev, board.status, board.steps, {d.id: d for d in board.deliverables}, board.requests


def _result(board: Board) -> tuple[str, int] | None:
    result = look(board).result
    return None if result is None else (result.stage, result.version)


def _shape(board: Board) -> dict[str, Any]:
    """A board without what must differ: ids and hashes."""
    requests = {request.id: place for place, request in enumerate(board.requests)}
    return {
        "job": (board.rev, board.decided_rev, board.human_rev, board.status),
        "steps": sorted((s.stage, s.status, s.dispatch_rev, s.dispatches, s.error is None) for s in board.steps),
        "deliverables": sorted((d.stage, d.version, d.pinned, d.rev, canonical_json(d.effects)) for d in board.deliverables),
        "requests": [
            (r.asker, r.target, r.kind, r.response_hash is None, r.also, r.held, r.void, r.role, r.rev, r.about and requests[r.about])
            for r in board.requests
        ],
    }


Act = Literal["advance", "take", "work", "report", "die", "late", "answer", "instruct", "revise", "unpin", "replay", "cancel"]
ACTS: tuple[Act, ...] = (
    *("advance",) * 3, *("take",) * 5, *("work",) * 8, *("report",) * 4, "die", "late",
    *("answer",) * 3, "instruct", "revise", "unpin", "replay", "cancel",
)  # fmt: skip

BY_THE_FLEET = {"advance", "take", "work", "report", "die", "late"}


@settings(
    max_examples=40 * TIMES, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(plan=plans(largest=5), result=st.sampled_from(["s1", "s0/*", ""]), data=st.data())
def test_one_script_leaves_the_same_board_in_memory_and_in_postgres(
    database: Database, plan: list[StageSpec], result: str, data: st.DataObject
) -> None:
    twins = Twins(database, plan, result)
    twins.advance()
    for _ in range(data.draw(st.integers(5, 25), "acts")):
        act(twins, data)
        twins.same()


def act(twins: Twins, data: st.DataObject) -> None:
    """Something happens to both, if it can."""
    drawn = data.draw(st.sampled_from(ACTS), "act")
    if drawn in BY_THE_FLEET:
        by_the_fleet(twins, drawn, data)
    else:
        by_a_human(twins, drawn, data)


def by_the_fleet(twins: Twins, drawn: Act, data: st.DataObject) -> None:
    def choose(items: Sequence[Any]) -> Any:
        return data.draw(st.sampled_from(items))

    match drawn:
        case "advance":
            twins.advance(in_company=data.draw(st.booleans(), "in company"))
        case "take":
            twins.take(choose)
        case "work":
            twins.take(choose)
            if twins.runs:
                twins.report(*twins.runs.pop(), done(choose([1, 2])), at_once=True, goes_on=data.draw(st.booleans(), "goes on"))
        case "report" if twins.runs:
            run, held = twins.runs.pop(data.draw(st.integers(0, len(twins.runs) - 1)))
            result = data.draw(st.one_of(results(run, wild=False), st.just(fails())), "result")
            at_once = data.draw(st.booleans(), "at once")
            twins.report(run, held, result, at_once=at_once, goes_on=data.draw(st.booleans(), "goes on"))
        case "die" if twins.runs:
            twins.die(*twins.runs.pop())
        case "late" if twins.lost:
            twins.report(*twins.lost.pop(), done("late"), at_once=data.draw(st.booleans(), "at once"))
        case _:
            pass


def by_a_human(twins: Twins, drawn: Act, data: st.DataObject) -> None:
    sim = twins.sim

    def choose(items: Sequence[Any]) -> Any:
        return data.draw(st.sampled_from(items))

    match drawn:
        case "answer" if sim.open_questions() and sim.status not in FINISHED:
            question = choose(sim.open_questions())
            twins.answer(choose(sim.payloads[question.id].get("choices") or ["this one", "that one"]), question.id)
        case "instruct" if sim.status not in FINISHED:
            name = choose([None, *sim.view().stages])
            sim.instruct("shorter", name)
            actions.instruct(twins.db, twins.job_id, "shorter", stage=name)
        case "revise":
            twins.revise(choose(list(sim.view().stages)), choose(["mine", "same"]))
        case "unpin":
            _unpin(twins, choose(list(sim.view().stages)))
        case "replay":
            name = choose([name for name, seen in sim.view().stages.items() if seen.stage.role is not None])
            if not any(d.pinned for d in sim.deliverables if d.stage == name):
                sim.replay(name)
                replay_stage(twins.db, twins.job_id, name)
        case "cancel":
            sim.cancel()
            actions.cancel(twins.db, twins.job_id)
        case _:
            pass


def _unpin(twins: Twins, name: str) -> None:
    try:
        twins.sim.unpin(name)
    except Conflict:
        return
    actions.unpin(twins.db, twins.job_id, name)
