"""What the boss decides about an instruction that names no stage."""

from dataclasses import replace

import pytest

from contracts.stages import INPUT
from tests.support.decisions import (
    RUNNING,
    Expected,
    Table,
    check_decision,
    check_that_nothing_is_left,
    instructed,
    name_of,
)
from tests.support.results import done, fails
from tests.support.simulation import Simulation
from workers.coordinator.decide import decide

TABLE = Table()
leads_to = TABLE.leads_to


@leads_to("ready", dispatch=["choose/5"])
def a_chooser_finds_the_stage_of_an_instruction() -> Simulation:
    """E2: a model's choice where the rule leaves one open. It hears the instruction, and may name a stage of the playbook."""
    sim = instructed(chooser="classifier")
    (order,) = decide(sim.board()).dispatch
    assert order.request_ids == tuple(sim.requests)
    assert (order.task, order.role) == ("choose", "classifier")
    assert order.params["moves"] == [
        {"stage": stage.name, "role": stage.role, "task": stage.task} for stage in sim.board().stages if stage.role
    ]
    return sim


@leads_to("ready", dispatch=["first"], superseded=["second"], route=["first"])
def the_stage_it_chose_hears_the_instruction() -> Simulation:
    sim = instructed(chooser="classifier")
    sim.finish("choose/5", done("chosen", move="first"))
    return sim


@leads_to("ask", RUNNING, ask=["instruction: first, second, ignore"])
def without_a_chooser_the_human_is_asked() -> Simulation:
    """E2, E20: rules first, then the fallback."""
    return instructed(chooser=None)


@leads_to("ask", RUNNING, ask=["instruction: first, second, ignore"])
def so_it_is_when_the_chooser_names_no_stage() -> Simulation:
    sim = instructed(chooser="classifier")
    sim.finish("choose/5", done("chosen", move=INPUT))
    return sim


@leads_to("ask", RUNNING, ask=["instruction: first, second, ignore"])
def so_it_is_when_the_chooser_fails() -> Simulation:
    sim = instructed(chooser="classifier")
    sim.finish("choose/5", fails())
    return sim


@leads_to("ready", dispatch=["first"], superseded=["second"])
def the_human_names_the_stage() -> Simulation:
    sim = instructed(chooser=None)
    sim.decided()
    sim.answer("first")
    return sim


@leads_to("wait")
def or_ignores_the_instruction() -> Simulation:
    sim = instructed(chooser="classifier")
    sim.run("choose/5", fails())
    sim.answer("ignore")
    return sim


@leads_to("ready", dispatch=["first"], superseded=["second"], route=["first"], void=1)
def a_chooser_that_finds_it_after_all_spares_the_human_the_question() -> Simulation:
    sim = instructed(chooser="classifier")
    sim.run("choose/5", done("chosen", move="nowhere"))
    chosen = sim.deliverables[-1]
    sim.rev += 1
    sim.deliverables[-1] = replace(chosen, effects={"move": "first"})
    return sim


@pytest.mark.parametrize("case", TABLE.cases, ids=name_of)
def test_the_boss_decides_that(case: Expected) -> None:
    check_decision(case)


@pytest.mark.parametrize("case", TABLE.cases, ids=name_of)
def test_a_decision_once_applied_leaves_nothing_to_decide(case: Expected) -> None:
    check_that_nothing_is_left(case)
