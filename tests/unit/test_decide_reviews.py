"""What the boss decides after a review: objections, rounds, pinned versions."""

import pytest

from contracts.roles import RoleName
from contracts.stages import INPUT
from tests.support.decisions import (
    SUCCEEDED,
    WAITING,
    Expected,
    Table,
    check_decision,
    check_that_nothing_is_left,
    name_of,
    remark_on_pinned,
    reviewed,
    settled,
    third_round,
)
from tests.support.results import done, objects, stage
from tests.support.simulation import Simulation, drive

TABLE = Table()
leads_to = TABLE.leads_to


@leads_to("ready", dispatch=["design"], reasons={"design": "ready to be dispatched", "review": "needs design"})
def a_remark_has_the_stage_redone() -> Simulation:
    """E3, E20: a review that does not pass sends the work back."""
    sim = reviewed()
    sim.run("design", done())
    sim.finish("review", objects("design"))
    return sim


@leads_to("ready", dispatch=["review"])
def the_review_looks_again_also_when_the_redo_changed_nothing() -> Simulation:
    sim = reviewed()
    sim.run("design", done("same"))
    sim.run("review", objects("design"))
    sim.finish("design", done("same"))
    return sim


@leads_to("ready", dispatch=["design"], reasons={"design": "ready to be dispatched", "review": "asked design and waits for the result"})
def a_review_waits_for_the_redo_also_behind_a_pinned_stage() -> Simulation:
    sim = Simulation.of(stage("design"), stage("code", "design"), stage("review", "code"))
    sim.run("design", done())
    sim.revise("code", "by hand")
    sim.finish("review", objects("design"))
    return sim


@leads_to("final", SUCCEEDED)
def a_review_without_a_remark_has_passed() -> Simulation:
    return settled(reviewed(), {"review": [objects("design"), objects("design")]})


@leads_to("ask", WAITING, ask=["escalation: redo, keep"], hold=1)
def the_third_round_of_remarks_goes_to_the_human() -> Simulation:
    """E20: every loop has an end; the human chooses."""
    return third_round()


@leads_to("ready", dispatch=["review"])
def keep_lets_the_review_look_again_with_the_remark_held() -> Simulation:
    sim = third_round()
    sim.decided()
    sim.answer("keep")
    return sim


@leads_to("ready", dispatch=["design"])
def redo_has_the_stage_redone() -> Simulation:
    sim = third_round()
    sim.decided()
    sim.answer("redo")
    return sim


@leads_to("final", SUCCEEDED, void=1)
def what_the_human_keeps_stays_though_the_review_objects_again() -> Simulation:
    """The human's word binds the reviewer; the objection stays on the board, void."""
    sim = third_round()
    sim.decided()
    sim.answer("keep")
    sim.finish("review", objects("design"))
    return sim


@leads_to("ready", dispatch=["design"])
def a_new_version_may_be_objected_to_again() -> Simulation:
    sim = third_round()
    sim.decided()
    sim.answer("keep")
    sim.run("review", objects("design"))
    sim.replay("design")
    sim.run("design", done("another"))
    sim.finish("review", objects("design"))
    return sim


@leads_to("ready", dispatch=["design"])
def a_human_word_begins_the_rounds_anew() -> Simulation:
    sim = third_round()
    sim.decided()
    sim.answer("redo")
    sim.run("design", done())
    sim.finish("review", objects("design"))
    return sim


@leads_to("ready", dispatch=["plan"], hold=1)
def an_objector_that_has_to_look_again_anyway_is_not_escalated() -> Simulation:
    """Its question would be void at once, and nobody would decide again."""
    sim = Simulation.of(stage("plan"), stage("design", "plan"), stage("review", "plan", "design"))
    sim.run("plan", done())
    for _ in range(2):
        sim.run("design", done())
        sim.run("review", objects("design"))
    sim.run("design", done())
    sim.finish("review", objects("design", "plan"))
    return sim


@leads_to("ask", WAITING, ask=["escalation: redo, keep"], hold=1)
def a_remark_on_a_pinned_version_becomes_a_question() -> Simulation:
    """Never a silent overwrite."""
    return remark_on_pinned()


@leads_to("ready", dispatch=["review"])
def keep_leaves_the_pinned_version() -> Simulation:
    sim = remark_on_pinned()
    sim.decided()
    sim.answer("keep")
    return sim


@leads_to("final", SUCCEEDED, void=1)
def a_pinned_version_that_was_kept_is_not_asked_about_again() -> Simulation:
    sim = remark_on_pinned()
    sim.decided()
    sim.answer("keep")
    sim.finish("review", objects("design"))
    return sim


@leads_to("ready", dispatch=["design"])
def redo_lets_go_of_the_pinned_version() -> Simulation:
    sim = remark_on_pinned()
    sim.decided()
    sim.answer("redo")
    return sim


@leads_to("ask", WAITING, ask=["escalation: keep"], hold=1)
def nobody_can_redo_the_input_so_an_objection_to_it_is_the_humans() -> Simulation:
    sim = Simulation.of(stage("review", role=RoleName.REVIEWER))
    sim.finish("review", objects(INPUT))
    return sim


@leads_to("ready", dispatch=["review"], void=1)
def and_revising_the_input_settles_it() -> Simulation:
    sim = Simulation.of(stage("review", role=RoleName.REVIEWER))
    sim.run("review", objects(INPUT))
    sim.revise(INPUT, "a better request")
    return sim


@leads_to("ask", WAITING, ask=["escalation: redo, keep"], hold=1)
def an_instruction_to_a_pinned_stage_becomes_a_question_too() -> Simulation:
    """Else it would be lost: a pinned version is fresh whatever it is told."""
    sim = settled(reviewed())
    sim.revise("design", "by hand")
    drive(sim)
    sim.instruct("shorter", "design")
    return sim


@pytest.mark.parametrize("case", TABLE.cases, ids=name_of)
def test_the_boss_decides_that(case: Expected) -> None:
    check_decision(case)


@pytest.mark.parametrize("case", TABLE.cases, ids=name_of)
def test_a_decision_once_applied_leaves_nothing_to_decide(case: Expected) -> None:
    check_that_nothing_is_left(case)
