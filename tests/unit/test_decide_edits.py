"""What the boss decides after an edit or a replay, and about steps that these supersede."""

import pytest

from contracts.stages import INPUT
from tests.support.decisions import (
    SUCCEEDED,
    Expected,
    Table,
    chain,
    check_decision,
    check_that_nothing_is_left,
    diamond,
    name_of,
    reviewed,
    settled,
)
from tests.support.results import done, stage
from tests.support.simulation import Simulation, drive

TABLE = Table()
leads_to = TABLE.leads_to


@leads_to("ready", dispatch=["review"])
def an_edit_redoes_what_is_downstream() -> Simulation:
    sim = settled(reviewed())
    sim.revise("design", "by hand")
    return sim


@leads_to("final", SUCCEEDED)
def an_edit_that_changes_nothing_redoes_nothing() -> Simulation:
    sim = settled(reviewed(), {"design": [done("same")]})
    sim.revise("design", "same")
    return sim


@leads_to("final", SUCCEEDED)
def an_edit_that_is_taken_back_brings_the_old_versions_back() -> Simulation:
    sim = settled(reviewed(), {"design": [done("the first")]})
    sim.revise("design", "by hand")
    drive(sim)
    sim.revise("design", "the first")
    return sim


@leads_to("ready", dispatch=["review"])
def a_drifted_pin_stays_and_its_consumers_follow_the_rest() -> Simulation:
    sim = Simulation.of(stage("design"), stage("review", INPUT, "design"))
    settled(sim)
    sim.revise("design", "by hand")
    drive(sim)
    sim.revise(INPUT, "another request")
    assert sim.view().stages["design"].drifted
    return sim


@leads_to("ready", dispatch=["first"], superseded=["first"])
def a_live_step_made_from_what_is_no_longer_so_is_superseded() -> Simulation:
    sim = chain()
    sim.decided()
    sim.revise(INPUT, "another request")
    return sim


@leads_to("wait", superseded=["left"])
def a_live_step_of_a_stage_that_a_human_wrote_is_superseded() -> Simulation:
    sim = diamond()
    sim.run("plan", done())
    sim.revise("left", "by hand")
    return sim


@leads_to("ready", dispatch=["first"])
def a_replay_asks_for_a_new_answer_of_a_succeeded_stage() -> Simulation:
    """F7."""
    sim = settled(chain())
    sim.replay("first")
    return sim


@leads_to("ready", dispatch=["first"])
def a_replay_reopens_a_cancelled_job() -> Simulation:
    """F7: the cancelled step is queued again under a new want."""
    sim = chain()
    sim.decided()
    sim.cancel()
    sim.replay("first")
    return sim


@pytest.mark.parametrize("case", TABLE.cases, ids=name_of)
def test_the_boss_decides_that(case: Expected) -> None:
    check_decision(case)


@pytest.mark.parametrize("case", TABLE.cases, ids=name_of)
def test_a_decision_once_applied_leaves_nothing_to_decide(case: Expected) -> None:
    check_that_nothing_is_left(case)
