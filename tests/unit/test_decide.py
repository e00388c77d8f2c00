"""`decide` as tables: what happened to a job, and what the boss then decides. Each case's name is the sentence it promises. Here: who
can work, failures, limits and cancelling."""

from dataclasses import replace

import pytest

from contracts.jobs import JobStatus
from contracts.reports import refused_in, refuses
from contracts.stages import INPUT, Nothing
from contracts.statements import Sayable
from tests.support.decisions import (
    FAILED,
    SUCCEEDED,
    WAITING,
    Expected,
    Table,
    chain,
    check_decision,
    check_that_nothing_is_left,
    delegated_times,
    diagnose,
    diamond,
    english,
    instructed,
    name_of,
    ninth_dispatch,
    remark_on_pinned,
    settled,
    sixty_and_one_more,
)
from tests.support.results import asks, delegates, done, fails, objects, stage
from tests.support.said import said
from tests.support.simulation import Simulation, drive
from workers.blackboard.board import HUMAN, OPERATOR
from workers.coordinator.decide import decide

TABLE = Table()
leads_to = TABLE.leads_to


# Ready, wait, final


@leads_to("final", SUCCEEDED)
def a_job_without_stages_is_final() -> Simulation:
    return Simulation.of()


@leads_to("ready", dispatch=["first"], reasons={"first": "ready to be dispatched", "second": "needs first"})
def a_chain_begins_with_its_first_stage() -> Simulation:
    """E1, E3: the boss hands the job to the first who can work."""
    return chain()


@leads_to("wait", reasons={"first": "step is running", "second": "needs first"})
def a_running_step_is_waited_for() -> Simulation:
    sim = chain()
    sim.decided()
    sim.claim(sim.live()[0].id)
    sim.rev += 1
    return sim


@leads_to("ready", dispatch=["second"])
def a_finished_stage_lets_the_next_one_go() -> Simulation:
    """E19: report, deterministic progress, next dispatch."""
    sim = chain()
    sim.finish("first", done())
    return sim


@leads_to("ready", dispatch=["left", "right"])
def independent_stages_are_dispatched_at_once() -> Simulation:
    sim = diamond()
    sim.finish("plan", done())
    return sim


@leads_to("final", SUCCEEDED, reasons={})
def everything_fresh_is_final() -> Simulation:
    """E19: until finalize."""
    return settled(diamond())


@leads_to("final", SUCCEEDED)
def an_optional_stage_that_does_not_apply_counts_like_any_other() -> Simulation:
    sim = Simulation.of(stage("cache", optional=True), stage("answer", "cache"))
    return settled(sim, {"cache": [done(Nothing(nothing="no cache configured").to_json())]})


@leads_to("owner cap", JobStatus.ACCEPTED)
def a_job_that_is_not_admitted_waits_for_its_owner_to_have_room() -> Simulation:
    sim = chain()
    sim.admitted = False
    return sim


@leads_to("ready", dispatch=["first"])
def an_admitted_job_begins() -> Simulation:
    sim = chain()
    sim.admitted = False
    sim.decided()
    sim.admit()
    return sim


# Failure


@leads_to("wait", reasons={"left": "failed: no such table", "right": "step is queued", "review": "needs left, right"})
def the_siblings_of_a_failed_stage_go_on() -> Simulation:
    sim = diamond()
    sim.run("plan", done())
    sim.finish("left", fails("no such table"))
    return sim


@leads_to("failed", FAILED, error="left: no such table; right: no such column")
def all_that_failed_is_named() -> Simulation:
    sim = diamond()
    sim.run("plan", done())
    sim.run("left", fails("no such table"))
    sim.finish("right", fails("no such column"))
    return sim


@leads_to("failed", FAILED, error="left: no such table", reasons={"left": "failed: no such table", "review": "needs left"})
def a_failed_stage_fails_the_job_when_nothing_is_left_to_do() -> Simulation:
    sim = diamond()
    sim.run("plan", done())
    sim.run("left", fails("no such table"))
    sim.finish("right", done())
    return sim


@leads_to("ready", dispatch=["left"])
def a_replay_tries_a_failed_stage_again_and_only_it() -> Simulation:
    """F7: what was finished is not run twice."""
    sim = diamond()
    drive(sim, {"left": [fails()]})
    sim.replay("left")
    return sim


@leads_to("ready", dispatch=["left"])
def so_does_an_instruction() -> Simulation:
    sim = diamond()
    drive(sim, {"left": [fails()]})
    sim.instruct("use the other table", "left")
    return sim


@leads_to(
    "stuck",
    FAILED,
    error="stuck: first: step is succeeded; second: needs first",
    reasons={"first": "step is succeeded", "second": "needs first"},
)
def a_role_that_yields_nothing_leaves_the_job_stuck_with_reasons() -> Simulation:
    sim = chain()
    sim.finish("first", done(content=None))
    return sim


# Caps, budget, cancel


ASKERS = {f"asker{number}": f"needs asker{number - 1}" for number in range(1, 8)}


@leads_to("cap", WAITING, ask=["cap: continue, stop"], reasons={"first": "ready to be dispatched", "asker0": "needs first", **ASKERS})
def the_ninth_dispatch_of_a_stage_needs_a_human_word() -> Simulation:
    return ninth_dispatch()


@leads_to("delegation", dispatch=["first"])
def continue_restarts_the_caps() -> Simulation:
    sim = ninth_dispatch()
    sim.decided()
    sim.answer("continue")
    return sim


@leads_to("cancelled", JobStatus.CANCELLED)
def stop_cancels_the_job() -> Simulation:
    sim = ninth_dispatch()
    sim.decided()
    sim.answer("stop")
    return sim


@leads_to("cap", WAITING, ask=["cap: continue, stop"])
def the_sixty_first_dispatch_of_a_job_needs_a_human_word() -> Simulation:
    return sixty_and_one_more()


@leads_to("ready", dispatch=["first"])
def an_asker_may_ask_until_the_cap() -> Simulation:
    sim = delegated_times(4)
    assert decide(sim.board()).dispatch[0].may_ask
    return sim


@leads_to("ready", dispatch=["first"])
def after_five_requests_it_runs_without_leave_to_ask() -> Simulation:
    sim = delegated_times(5)
    assert not decide(sim.board()).dispatch[0].may_ask
    return sim


@leads_to("failed", FAILED, error="first: AskedTooOften", reasons={"first": "failed: AskedTooOften"})
def and_asking_again_fails() -> Simulation:
    sim = delegated_times(5)
    sim.finish("first", delegates(to="zero"))
    return sim


@leads_to("budget", FAILED, superseded=["left", "right"], error="BudgetExceeded: 100 tokens of 50")
def a_used_up_budget_ends_the_job() -> Simulation:
    sim = diamond()
    sim.run("plan", done())
    sim.exceed("BudgetExceeded: 100 tokens of 50")
    return sim


@leads_to("ready", dispatch=["left", "right"])
def a_human_word_after_that_goes_on_where_it_stood() -> Simulation:
    """F7: cancelled steps are queued again, the finished one is not."""
    sim = diamond()
    sim.run("plan", done())
    sim.exceed()
    sim.decided()
    sim.revise(INPUT, "request")
    return sim


@leads_to("cancelled", JobStatus.CANCELLED)
def a_cancelled_job_stays_so() -> Simulation:
    sim = diamond()
    sim.decided()
    sim.cancel()
    sim.rev += 1
    return sim


@leads_to("ready", dispatch=["first"])
def a_human_word_lets_an_asker_ask_again() -> Simulation:
    """The caps count since the last human word."""
    sim = delegated_times(5)
    sim.instruct("think", "first")
    assert decide(sim.board()).dispatch[0].may_ask
    return sim


@leads_to("ready", dispatch=["first"])
def remarks_do_not_count_as_asking() -> Simulation:
    sim = Simulation.of(stage("zero"), stage("first", "zero"))
    sim.run("zero", done("same"))
    for _ in range(4):
        sim.run("first", delegates(to="zero"))
        sim.run("zero", done("same"))
    sim.finish("first", objects("zero"))
    sim.finish("zero", done("same"))
    assert decide(sim.board()).dispatch[0].may_ask
    return sim


@pytest.mark.parametrize("case", TABLE.cases, ids=name_of)
def test_the_boss_decides_that(case: Expected) -> None:
    check_decision(case)


@pytest.mark.parametrize("case", TABLE.cases, ids=name_of)
def test_a_decision_once_applied_leaves_nothing_to_decide(case: Expected) -> None:
    check_that_nothing_is_left(case)


def test_a_dispatch_says_all_that_its_step_is_given() -> None:
    """E5, E10, E11: the board's inputs are references, never content."""
    sim = diagnose()
    drive(sim, {"diagnosis": [asks()]})
    sim.answer("since yesterday")

    (order,) = decide(sim.board()).dispatch

    current = {item.stage: item.id for item in sim.deliverables}
    assert (order.stage, order.role, order.task) == ("diagnosis", "analyst", "noop")
    assert order.need_ids == (current[INPUT], current["tickets"])
    assert order.request_ids == tuple(r.id for r in sim.requests.values() if r.target == HUMAN)
    assert order.ancestors == (INPUT, "tickets")


def test_requests_of_the_revision_of_the_humans_word_were_made_before_it() -> None:
    board = delegated_times(5).board()
    first = min(request.rev for request in board.requests)

    assert not decide(replace(board, human_rev=first - 1)).dispatch[0].may_ask
    assert decide(replace(board, human_rev=first)).dispatch[0].may_ask


def test_questions_to_the_human_count_as_asking() -> None:
    board = delegated_times(5).board()

    asked = replace(board, requests=tuple(replace(request, kind="question") for request in board.requests))

    assert not decide(asked).dispatch[0].may_ask


def test_a_step_that_failed_without_a_word_fails_the_job_all_the_same() -> None:
    sim = chain()
    sim.finish("first", fails())
    board = sim.board()

    decision = decide(replace(board, steps=tuple(replace(step, error=None) for step in board.steps)))

    assert (decision.rule, said(decision.error)) == ("failed", "first: failed, no reason given")
    assert english(decision.reasons["first"]) == "failed, no reason given"


def test_a_job_that_was_refused_says_only_what_was_wrong_with_what_was_handed_in() -> None:
    sim = chain()
    sim.finish("first", fails())
    board, refused = sim.board(), refuses("WrongText", "Line 3: no such column")

    def error(*messages: Sayable) -> Sayable | None:
        steps = [replace(step, error=message) for step, message in zip(board.steps, messages, strict=False)]
        return decide(replace(board, steps=tuple(steps))).error

    assert refused.error is not None
    assert said(refused_in(error(refused.error.message))) == "Line 3: no such column"
    assert refused_in(error("the disk is full")) is None
    assert refused_in(None) is None


def test_an_input_without_content_is_what_a_job_is_stuck_for() -> None:
    decision = decide(replace(chain().board(), deliverables=()))

    assert decision.rule == "stuck"
    assert english(decision.reasons[INPUT]) == "has no content"


def test_a_decision_is_recorded_with_its_moves_only() -> None:
    sim = remark_on_pinned()
    decision = decide(sim.board())

    moves = decision.moves()

    assert set(moves) == {"ask", "hold"}
    assert moves["ask"][0]["stage"] == "design"


def test_an_instruction_stands_on_the_board_as_the_operators_remark() -> None:
    sim = instructed(chooser=None)

    (request,) = sim.requests.values()

    assert (request.asker, request.kind) == (OPERATOR, "remark")


def test_what_still_lives_in_a_cancelled_job_is_ended() -> None:
    sim = diamond()
    sim.run("plan", done())
    sim.decided()
    board = replace(sim.board(), status=JobStatus.CANCELLED)
    live = {step.id for step in board.steps if step.live}

    assert live
    assert set(decide(board).supersede) == live
