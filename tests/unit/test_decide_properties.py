"""What must hold of the boss whatever happens to a job: random plans, outcomes, crashes, late reports and human actions.

`pytest --hypothesis-profile=long tests/unit/test_decide_properties.py` looks for as long as it takes.
"""

import copy
from collections import Counter
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from contracts.jobs import FINISHED, JobStatus, StepStatus
from contracts.stages import INPUT, StageSpec, is_family, is_member
from tests.support.outcomes import plans, results
from tests.support.results import Result, done, objects, stage
from tests.support.simulation import Run, Simulation
from workers.blackboard.board import OPERATOR, Board
from workers.coordinator.decide import Decision, Dispatch, decide
from workers.coordinator.freshness import look
from workers.coordinator.questions import MAX_DISPATCHES_A_JOB, MAX_DISPATCHES_A_STAGE, MAX_REMARKS_A_STAGE


class Job(RuleBasedStateMachine):
    """A job to which anything happens; every decision on the way is held against the promises."""

    @initialize(plan=plans(), chooser=st.sampled_from([None, "classifier"]), result=st.sampled_from([None, "s0", "s0/*", "s1/*"]))
    def submit(self, plan: list[StageSpec], chooser: str | None, result: str | None) -> None:
        self.sim = Simulation.of(*plan, chooser=chooser, result=result)
        self.runs: list[Run] = []
        self.lost: list[Run] = []
        self.stale: Board | None = None
        self.used: Counter[str] = Counter()
        self.finished: set[tuple[str, str]] = set()
        self.human_rev = self.sim.human_rev
        self.broken = False

    # The fleet

    @rule()
    def the_boss_decides(self) -> None:
        """E19, E20."""
        if self.sim.rev != self.sim.decided_rev:
            board = self.sim.board()
            decision = self.judged(board)
            assert self.sim.apply(decision, board)
            again = decide(self.sim.board())
            assert (again.moves(), again.status) == ({}, decision.status), "a decision leaves nothing to decide"
            self.applied(decision)

    @precondition(lambda self: self.sim.live())
    @rule(data=st.data())
    def a_worker_takes_a_step(self, data: st.DataObject) -> None:
        step = data.draw(st.sampled_from(self.sim.live()), "step")
        run = self.sim.claim(step.id)
        assert (run is None) == (step.status == StepStatus.RUNNING), "only a queued step can be taken"
        if run is not None:
            self.runs.append(run)

    @precondition(lambda self: self.runs)
    @rule(data=st.data())
    def a_worker_reports(self, data: st.DataObject) -> None:
        run = self.runs.pop(data.draw(st.integers(0, len(self.runs) - 1), "run"))
        result = data.draw(results(run), "result")
        if self.sim.report(run, result):
            self.broken |= any(spec.needs in (("gone",), (spec.name,)) for spec in result.stages)
            if result.error is None:
                self.finished.add((run.stage, run.order.made_from))
        else:
            assert self.sim.steps[run.step_id].status != StepStatus.RUNNING or self.sim.tokens[run.step_id] != run.token

    @rule(data=st.data(), rounds=st.integers(4, 12))
    def the_fleet_goes_on(self, data: st.DataObject, rounds: int) -> None:
        for _ in range(rounds):
            self.the_boss_decides()
            queued = [step for step in self.sim.live() if step.status == StepStatus.QUEUED]
            if queued:
                run = self.sim.claim(queued[0].id)
                assert run is not None
                self.runs.append(run)
            if self.runs:
                self.a_worker_reports(data)

    @precondition(lambda self: self.runs)
    @rule(data=st.data())
    def a_worker_dies(self, data: st.DataObject) -> None:
        run = data.draw(st.sampled_from(self.runs), "run")
        self.runs.remove(run)
        self.lost.append(run)
        self.sim.crash(run)

    @precondition(lambda self: self.lost)
    @rule(data=st.data())
    def a_late_report_changes_nothing(self, data: st.DataObject) -> None:
        """E14: who lost the step cannot report it."""
        before = self.sim.board()
        assert not self.sim.report(data.draw(st.sampled_from(self.lost), "run"), done("late"))
        assert self.sim.board() == before

    @precondition(lambda self: self.sim.steps)
    @rule(data=st.data())
    def a_message_comes_twice(self, data: st.DataObject) -> None:
        step = data.draw(st.sampled_from(list(self.sim.steps.values())), "step")
        before = self.sim.board()
        if step.status != StepStatus.QUEUED:
            assert self.sim.claim(step.id) is None
            assert self.sim.board() == before

    @rule()
    def another_coordinator_reads_the_board(self) -> None:
        self.stale = self.sim.board()

    @precondition(lambda self: self.stale is not None and self.stale.rev != self.sim.rev)
    @rule()
    def and_decides_too_late(self) -> None:
        before = self.sim.board()
        assert self.stale is not None
        assert not self.sim.apply(decide(self.stale), self.stale)
        assert self.sim.board() == before

    # Humans and the sweep

    @rule(data=st.data(), rounds=st.integers(0, 4))
    def a_human_answers(self, data: st.DataObject, rounds: int) -> None:
        """E18."""
        self.the_fleet_goes_on(data, rounds)
        if not self.sim.open_questions() or self.sim.status in FINISHED:
            return
        question = data.draw(st.sampled_from(self.sim.open_questions()), "question")
        payload = self.sim.payloads[question.id]
        self.sim.answer(data.draw(st.sampled_from(payload.get("choices") or ["this one", "that one"]), "answer"), question.id)

    @rule(data=st.data(), rounds=st.integers(0, 4), text=st.sampled_from(["shorter", "longer"]))
    def a_human_instructs(self, data: st.DataObject, rounds: int, text: str) -> None:
        self.the_fleet_goes_on(data, rounds)
        names = [None, *self.sim.view().stages]
        self.sim.instruct(text, data.draw(st.sampled_from(names), "stage"))

    @rule(data=st.data(), rounds=st.integers(0, 4), content=st.sampled_from(["mine", "same", 0]))
    def a_human_revises(self, data: st.DataObject, rounds: int, content: Any) -> None:
        self.the_fleet_goes_on(data, rounds)
        self.sim.revise(data.draw(st.sampled_from(list(self.sim.view().stages)), "stage"), content)

    @rule(data=st.data(), rounds=st.integers(0, 4))
    def a_human_unpins(self, data: st.DataObject, rounds: int) -> None:
        self.the_fleet_goes_on(data, rounds)
        pinned = [d.stage for d in self.sim.deliverables if d.pinned and d.stage != INPUT]
        if pinned:
            self.sim.unpin(data.draw(st.sampled_from(pinned), "stage"))

    @rule(data=st.data(), rounds=st.integers(0, 4))
    def a_human_replays(self, data: st.DataObject, rounds: int) -> None:
        """F7."""
        self.the_fleet_goes_on(data, rounds)
        able = [name for name, seen in self.sim.view().stages.items() if seen.stage.role is not None]
        self.sim.replay(data.draw(st.sampled_from(able), "stage"))

    @rule()
    def a_human_cancels(self) -> None:
        self.sim.cancel()
        assert self.sim.status in FINISHED
        assert not self.sim.live() or self.sim.status != JobStatus.CANCELLED

    @rule(data=st.data(), rounds=st.integers(0, 4))
    def a_human_forks_and_goes_on_with_the_fork(self, data: st.DataObject, rounds: int) -> None:
        self.the_fleet_goes_on(data, rounds)
        able = [name for name, seen in self.sim.view().stages.items() if seen.stage.role is not None]
        self.sim = self.sim.fork(data.draw(st.sampled_from(able), "stage"))
        self.runs, self.lost, self.stale, self.finished = [], [], None, set()
        self.used.clear()

    @precondition(lambda self: self.sim.status == JobStatus.RUNNING)
    @rule()
    def a_budget_is_used_up(self) -> None:
        self.sim.exceed()

    # The promises

    def judged(self, board: Board) -> Decision:
        """The decision for a board, held against what it must and must not do."""
        before = copy.deepcopy(board)
        decision = decide(board)
        note(f"{board.rev}: {decision.rule} {decision.moves()}")
        assert decide(before) == decision, "equal boards give equal decisions"
        assert board == before, "the board is not touched"

        view = self.sim.view()
        known = {(step.stage, step.made_from): step for step in board.steps}
        if self.human_rev != self.sim.human_rev:
            self.used.clear()
            self.human_rev = self.sim.human_rev
        standing = [r for r in self.sim.open_questions() if r.id not in decision.void]
        standing += [self.sim.requests[request_id] for request_id in decision.revive]
        assert not (decision.dispatch and (standing or decision.ask)), "nothing is dispatched while a question is open"
        for order in decision.dispatch:
            key = (order.stage, order.made_from)
            assert key not in self.finished, "what was finished is never run again"
            assert key not in known or known[key].status == StepStatus.CANCELLED
            if not decision.route:
                assert not view.stages[order.stage].fresh, "a fresh stage is never dispatched"
            assert not any(d.stage == order.stage and d.pinned for d in board.deliverables), "an edit is never overwritten"
            self.used[order.stage] += 1
            assert self.used[order.stage] <= MAX_DISPATCHES_A_STAGE
        assert self.used.total() <= MAX_DISPATCHES_A_JOB
        assert decision.rule != "stuck", decision.error
        assert decision.rule != "invalid plan" or self.broken, decision.error
        if decision.status == JobStatus.WAITING_HUMAN:
            assert decision.ask or standing
        if decision.rule == "human" and all(seen.fresh for seen in view.stages.values()):
            assert {self.sim.requests[r.id].asker for r in standing} == {OPERATOR}, "what is fresh needs no answer"
        if decision.status in FINISHED:
            assert set(decision.supersede) == {step.id for step in board.steps if step.live}
        if decision.rule == "final":
            self.passed(board)
        return decision

    def applied(self, decision: Decision) -> None:
        """What holds of the board right after a decision."""
        view = self.sim.view()
        for step in self.sim.live():
            seen = view.stages[step.stage]
            assert seen.want == step.made_from, "what is live is still wanted"
            assert not seen.fresh
        for order in decision.dispatch:
            self.given_all_it_needs(order)
            told = [self.sim.requests[request_id] for request_id in order.request_ids]
            rounds = {r.rev for r in told if r.kind == "remark" and r.target == order.stage and r.asker != OPERATOR}
            assert len({rev for rev in rounds if rev > self.sim.human_rev}) <= MAX_REMARKS_A_STAGE, "the third round is the human's"
            for request in self.sim.requests.values():
                if request.asker == order.stage and not request.held and request.target in view.ancestors(order.stage):
                    assert view.stages[request.target].fresh, "who asked waits for the result"

    def given_all_it_needs(self, order: Dispatch) -> None:
        """Every need of a step is fresh, a family with each of its members, and their contents are what it is given."""
        view = self.sim.view()
        needs = view.stages[order.stage].stage.needs
        members = {name for need in needs if is_family(need) for name in view.stages if is_member(name, need)}
        needed = members.union(need for need in needs if not is_family(need))
        current = {name: view.stages[name].current for name in needed}
        assert None not in current.values(), "nothing is dispatched before its needs are fresh"
        assert {item.id for item in current.values() if item is not None} <= set(order.need_ids)

    def passed(self, board: Board) -> None:
        """Every stage is fresh, and no current version of a role's objects to anything."""
        for name, seen in look(board).stages.items():
            assert seen.current is not None
            if not seen.current.pinned:
                made_from = seen.current.made_from
                objections = [r for r in board.requests if (r.kind, r.asker, r.made_from) == ("remark", name, made_from)]
                assert all(r.id in look(board).void for r in objections), "but to what the human kept"

    @invariant()
    def a_pinned_version_is_the_current_one(self) -> None:
        if hasattr(self, "sim"):
            view = self.sim.view()
            for item in self.sim.deliverables:
                if item.pinned and item.stage in view.stages:
                    assert view.stages[item.stage].current == item

    @invariant()
    def the_result_is_current_and_of_the_stage_that_the_playbook_names(self) -> None:
        if hasattr(self, "sim"):
            view, named = self.sim.view(), self.sim.result or self.sim.stages[-1].name
            if is_family(named):
                members = [name for name in view.stages if is_member(name, named)]
                assert view.result is None or view.result.stage in members
                assert view.result is not None or not members or not all(view.stages[name].fresh for name in members)
            else:
                seen = view.stages.get(named)
                assert view.result == (seen and seen.current)

    def teardown(self) -> None:
        """From wherever it stands, a job whose roles do their work and whose human answers comes to an end."""
        if not hasattr(self, "sim") or self.sim.status == JobStatus.CANCELLED:
            return
        for run in self.runs:
            self.sim.crash(run)
        for _ in range(60):
            self.the_boss_decides()
            for step in self.sim.live():
                run = self.sim.claim(step.id)
                if run is not None and self.sim.report(run, done(step.made_from, move="s0")):
                    self.finished.add((step.stage, step.made_from))
            for question in self.sim.open_questions()[:1]:
                if self.sim.status not in FINISHED:
                    self.sim.answer((self.sim.payloads[question.id].get("choices") or ["this one"])[0], question.id)
            if self.sim.status in FINISHED and self.sim.rev == self.sim.decided_rev:
                return
        raise AssertionError(f"no end: {self.sim.decided()}")


TestJob = Job.TestCase
TestJob.settings = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def play(sim: Simulation, result: Callable[[Run], Result] | None = None) -> list[str]:
    """Let the fleet work until nothing is live; the stages that ran. Unless told, a content follows from the inputs."""
    ran: list[str] = []
    sim.decided()
    while sim.live():
        run = sim.claim(sim.live()[0].id)
        assert run is not None
        sim.report(run, result(run) if result else done(run.order.made_from))
        sim.decided()
        ran.append(run.stage)
        assert len(ran) <= MAX_DISPATCHES_A_JOB, "the caps end every loop"
    return ran


def finished_job(plan: list[StageSpec], data: st.DataObject) -> Simulation:
    """A job that succeeded after some detours."""
    sim, detours = Simulation.of(*plan), iter(range(data.draw(st.integers(0, 12), "detours")))

    def result(run: Run) -> Result:
        if next(detours, None) is None:
            return done(run.order.made_from)
        return data.draw(results(run, wild=False), run.stage)

    for _ in range(40):
        play(sim, result)
        if not sim.open_questions():
            break
        question = sim.open_questions()[0]
        sim.answer((sim.payloads[question.id].get("choices") or ["this one"])[0], question.id)
    assume(sim.status == JobStatus.SUCCEEDED)
    return sim


def any_stage(sim: Simulation, data: st.DataObject) -> str:
    """A stage that a role fills."""
    return data.draw(st.sampled_from([name for name, seen in sim.view().stages.items() if seen.stage.role]), "stage")


lenient = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much])


@lenient
@given(plan=plans(), data=st.data())
def test_without_a_human_word_every_job_comes_to_rest_within_its_caps(plan: list[StageSpec], data: st.DataObject) -> None:
    """E20: whatever roles do, no loop is endless."""
    sim = Simulation.of(*plan)

    ran = play(sim, lambda run: data.draw(results(run)))

    assert sim.status in {JobStatus.WAITING_HUMAN, JobStatus.SUCCEEDED, JobStatus.FAILED}
    assert max(Counter(ran).values()) <= MAX_DISPATCHES_A_STAGE


@lenient
@given(plan=plans(), data=st.data())
def test_an_edit_redoes_exactly_what_is_below_it_and_taking_it_back_redoes_nothing(plan: list[StageSpec], data: st.DataObject) -> None:
    sim = finished_job(plan, data)
    name = any_stage(sim, data)
    before = sim.view().stages[name].current
    below = sim.view().below(name)
    assert before is not None

    sim.revise(name, "an edit")
    edited = play(sim)
    left = below & set(sim.view().stages)  # stages that were added by what was done anew are gone
    sim.unpin(name)
    unpinned = play(sim)
    sim.revise(name, sim.contents[before.id])
    taken_back = play(sim)

    assert sorted(edited) == sorted(left)
    assert (unpinned, taken_back) == ([], [])
    assert sim.decisions[-1].rule == "final"


@lenient
@given(plan=plans(), data=st.data())
def test_a_fork_runs_exactly_its_stage_and_what_is_below(plan: list[StageSpec], data: st.DataObject) -> None:
    """F7."""
    sim = finished_job(plan, data)
    name = any_stage(sim, data)
    below = sim.view().below(name)

    fork = sim.fork(name)
    ran = play(fork)

    assert sorted(ran) == sorted({name, *below} & set(fork.view().stages))
    assert fork.decisions[-1].rule == "final"


@lenient
@given(plan=plans(), data=st.data())
def test_a_replay_runs_its_stage_and_what_is_below(plan: list[StageSpec], data: st.DataObject) -> None:
    """F7."""
    sim = finished_job(plan, data)
    name = any_stage(sim, data)
    below = sim.view().below(name)

    sim.replay(name)
    ran = play(sim)

    assert sorted(ran) == sorted({name, *below} & set(sim.view().stages))


@given(plan=plans(), data=st.data())
def test_a_redo_that_changes_nothing_is_reviewed_again_and_nothing_else_is(plan: list[StageSpec], data: st.DataObject) -> None:
    sim = Simulation.of(*plan)
    reviews = [name for name in sim.view().stages if sim.view().ancestors(name) - {INPUT}]
    assume(reviews)
    review = data.draw(st.sampled_from(reviews), "review")
    target = data.draw(st.sampled_from(sorted(sim.view().ancestors(review) - {INPUT})), "target")
    objections = iter([objects(target, content="same")])

    ran = play(sim, lambda run: next(objections, done("same")) if run.stage == review else done("same"))

    assert Counter(ran) == Counter([*(spec.name for spec in plan), target, review])


@given(plan=plans(), data=st.data())
def test_crashes_and_doubled_messages_run_nothing_twice(plan: list[StageSpec], data: st.DataObject) -> None:
    """E14: every stage yields its one deliverable, however often its worker died."""
    sim = Simulation.of(*plan)
    zombies: list[Run] = []
    sim.decided()
    while sim.live():
        step = data.draw(st.sampled_from(sim.live()), "step")
        run = sim.claim(step.id)
        assert run is not None
        assert sim.claim(step.id) is None
        if data.draw(st.booleans(), "dies") and len(zombies) < 20:
            zombies.append(run)
            sim.crash(run)
            continue
        sim.report(run, done(run.order.made_from))
        assert not any(sim.report(late, done("late")) for late in zombies if late.step_id == step.id)
        sim.decided()

    dispatched = [order.stage for decision in sim.decisions for order in decision.dispatch]
    assert sorted(dispatched) == sorted(spec.name for spec in plan)
    assert sorted(item.stage for item in sim.deliverables) == sorted([INPUT, *dispatched])
    assert sim.status == JobStatus.SUCCEEDED


@given(plan=plans(families=False), needs=st.lists(st.sampled_from(["s0/a", "s0/b", "s1", "gone", INPUT, "s0"]), min_size=1, max_size=3))
def test_whatever_a_deliverable_adds_the_boss_says_something(plan: list[StageSpec], needs: list[str]) -> None:
    """A circle or an unknown need ends the job with a reason, never with an exception."""
    sim = Simulation.of(*plan)
    added = (stage("s0/a", *needs), stage("s0/b", "s0/a"))

    play(sim, lambda run: done(stages=added if run.stage == "s0" else ()))

    last = sim.decisions[-1]
    known = {INPUT, *(spec.name for spec in plan)}
    assert last.rule == ("final" if set(needs) <= known else "invalid plan")
    assert last.error is None or "s0/a" in last.error
