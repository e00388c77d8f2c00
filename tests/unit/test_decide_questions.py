"""What the boss decides about questions to the human, and about delegations."""

from dataclasses import replace

import pytest

from contracts.roles import RoleName
from contracts.stages import INPUT
from tests.support.decisions import (
    PLAN,
    RUNNING,
    SUCCEEDED,
    WAITING,
    Expected,
    Table,
    ask,
    chain,
    check_decision,
    check_that_nothing_is_left,
    diagnose,
    diamond,
    name_of,
)
from tests.support.results import asks, delegates, done, stage
from tests.support.simulation import Simulation, drive

TABLE = Table()
leads_to = TABLE.leads_to


# Questions to the human


@leads_to(
    "human", RUNNING, reasons={"left": "asked the human and waits for the answer", "right": "step is queued", "review": "needs left, right"}
)
def an_open_question_stops_dispatch_while_a_running_step_finishes() -> Simulation:
    """E2, E18: human first."""
    sim = diamond()
    sim.run("plan", done())
    sim.finish("left", asks())
    return sim


@leads_to("human", WAITING)
def a_question_with_nothing_live_makes_the_job_wait() -> Simulation:
    """E18: nobody is dispatched, no worker is held."""
    sim = diamond()
    sim.run("plan", done())
    sim.run("left", asks())
    sim.finish("right", done())
    return sim


@leads_to("ready", dispatch=["diagnosis"])
def an_answer_dispatches_the_asker_again() -> Simulation:
    """E14: a job resumes after its human."""
    sim = diagnose()
    drive(sim, {"diagnosis": [asks()]})
    sim.answer("since yesterday")
    return sim


@leads_to("ready", dispatch=["tickets"])
def an_answer_that_others_must_hear_redoes_them_first() -> Simulation:
    """A question with `also`: retrieval hears the answer too."""
    sim = diagnose()
    drive(sim, {"diagnosis": [asks(also=("tickets",))]})
    sim.answer("since yesterday")
    return sim


@leads_to("ready", dispatch=["diagnosis"])
def and_then_the_asker_though_they_found_nothing_new() -> Simulation:
    sim = diagnose()
    drive(sim, {"tickets": [done("same")], "diagnosis": [asks(also=("tickets",))]})
    sim.answer("since yesterday")
    sim.finish("tickets", done("same"))
    return sim


@leads_to("ready", dispatch=["tickets"], void=1)
def a_question_is_void_when_its_inputs_change() -> Simulation:
    sim = diagnose()
    drive(sim, {"diagnosis": [asks()]})
    sim.revise(INPUT, "another request")
    return sim


@leads_to("human", WAITING, superseded=["tickets"], revive=1)
def and_stands_again_when_they_return() -> Simulation:
    sim = diagnose()
    drive(sim, {"diagnosis": [asks()]})
    sim.revise(INPUT, "another request")
    sim.decided()
    sim.revise(INPUT, "request")
    return sim


@leads_to("ready", dispatch=["second"], void=1)
def a_question_of_a_stage_that_a_human_wrote_is_void() -> Simulation:
    """Everything that is asked for stands there already: final means that every stage is fresh, and a pinned one is."""
    sim = chain()
    drive(sim, {"first": [asks()]})
    sim.revise("first", "what the answer would have led to")
    return sim


@leads_to("final", SUCCEEDED, void=1)
def a_question_of_a_stage_that_left_the_plan_is_void() -> Simulation:
    sim = ask()
    drive(sim, {"plan/1": [done(stages=PLAN)], "tool/1": [asks()]})
    sim.replay("plan/1")
    sim.finish("plan/1", done("the answer is known"))
    sim.requests = {key: replace(r, void=False) for key, r in sim.requests.items()}
    return sim


# Delegation


@leads_to("delegation", dispatch=["tickets"], reasons={"tickets": "ready to be dispatched", "diagnosis": "needs tickets"})
def a_delegation_to_a_stage_above_redoes_it() -> Simulation:
    """E2: delegate before deterministic progress."""
    sim = diagnose()
    sim.run("tickets", done("same"))
    sim.finish("diagnosis", delegates(to="tickets"))
    return sim


@leads_to("ready", dispatch=["diagnosis"])
def nothing_new_found_still_lets_the_asker_go_on() -> Simulation:
    sim = diagnose()
    sim.run("tickets", done("same"))
    sim.run("diagnosis", delegates(to="tickets"))
    sim.finish("tickets", done("same"))
    return sim


@leads_to("delegation", dispatch=["diagnosis/1"], reasons={"diagnosis": "needs diagnosis/1", "diagnosis/1": "ready to be dispatched"})
def a_delegation_to_a_role_adds_a_stage_that_the_asker_then_needs() -> Simulation:
    sim = diagnose()
    sim.run("tickets", done())
    sim.finish("diagnosis", delegates(role=RoleName.DEVELOPER))
    return sim


@leads_to("ready", dispatch=["diagnosis"])
def and_the_asker_runs_again_with_what_it_yields() -> Simulation:
    sim = diagnose()
    sim.run("tickets", done())
    sim.run("diagnosis", delegates(role=RoleName.DEVELOPER))
    sim.finish("diagnosis/1", done())
    return sim


@leads_to("delegation", dispatch=["left", "other"])
def what_a_delegation_waits_for_is_dispatched_first() -> Simulation:
    """E2: delegate before deterministic progress."""
    sim = Simulation.of(stage("other"), stage("left"), stage("asker", "left"))
    sim.run("left", done())
    sim.finish("asker", delegates(to="left"))
    sim.revise(INPUT, "another request")
    sim.steps = {key: s for key, s in sim.steps.items() if s.stage != "other"}
    return sim


@leads_to("final", SUCCEEDED)
def a_delegation_of_a_stage_that_left_the_plan_is_forgotten() -> Simulation:
    sim = ask()
    sim.run("plan/1", done(stages=PLAN))
    sim.run("tool/1", delegates(role=RoleName.RETRIEVER))
    sim.replay("plan/1")
    sim.finish("plan/1", done("the answer is known"))
    return sim


@pytest.mark.parametrize("case", TABLE.cases, ids=name_of)
def test_the_boss_decides_that(case: Expected) -> None:
    check_decision(case)


@pytest.mark.parametrize("case", TABLE.cases, ids=name_of)
def test_a_decision_once_applied_leaves_nothing_to_decide(case: Expected) -> None:
    check_that_nothing_is_left(case)
