"""What the boss decides about plans that grow: contributed stages and families."""

from dataclasses import replace

import pytest

from contracts.roles import RoleName
from tests.support.decisions import (
    FAILED,
    PLAN,
    SUCCEEDED,
    Expected,
    Table,
    ask,
    check_decision,
    check_that_nothing_is_left,
    growing,
    name_of,
    planned,
    settled,
)
from tests.support.results import asks, delegates, done, stage
from tests.support.simulation import Simulation, drive
from workers.coordinator.decide import MAX_STAGES, decide

TABLE = Table()
leads_to = TABLE.leads_to


# Contributed stages


@leads_to("ready", dispatch=["tool/1"], reasons={"tool/1": "ready to be dispatched", "plan/2": "needs tool/1"})
def a_deliverable_adds_stages() -> Simulation:
    sim = ask()
    sim.finish("plan/1", done(stages=PLAN))
    return sim


@leads_to("ready", dispatch=["right/1"])
def a_deliverable_adds_stages_while_the_stage_before_it_is_at_work() -> Simulation:
    sim = Simulation.of(stage("left"), stage("right"), stage("end", "left", "right"))
    sim.finish("right", done(stages=(stage("right/1", "right"),)))
    return sim


@leads_to("ready", dispatch=["plan/2"])
def the_next_plan_sees_what_the_tool_found() -> Simulation:
    sim = ask()
    sim.run("plan/1", done(stages=PLAN))
    sim.finish("tool/1", done())
    return sim


@leads_to("final", SUCCEEDED)
def the_job_ends_when_a_plan_adds_nothing() -> Simulation:
    return settled(ask(), {"plan/1": [done(stages=PLAN)]})


@leads_to("ready", dispatch=["plan/1"], superseded=["tool/1"])
def contributed_stages_go_with_the_version_that_added_them() -> Simulation:
    sim = ask()
    sim.run("plan/1", done(stages=PLAN))
    sim.replay("plan/1")
    return sim


@leads_to("invalid plan", FAILED, error="The stages tool/1 need each other in a circle, or a stage that does not exist.")
def a_contributed_stage_with_an_unknown_need_is_no_plan() -> Simulation:
    return planned(stage("tool/1", "tool/7"))


@leads_to("invalid plan", FAILED, error="The stages tool/1, tool/2 need each other in a circle, or a stage that does not exist.")
def contributed_stages_in_a_circle_are_no_plan() -> Simulation:
    return planned(stage("tool/1", "tool/2"), stage("tool/2", "tool/1"))


@leads_to("invalid plan", FAILED, error="Two stages are called plan/1; the second was added by plan/1.")
def a_stage_that_adds_itself_is_no_plan() -> Simulation:
    return planned(stage("plan/1"))


@leads_to("invalid plan", FAILED, superseded=["other"], error="Version 1 of plan/1 adds an invalid stage: Field required.")
def what_is_no_stage_is_no_plan() -> Simulation:
    sim = Simulation.of(stage("plan/1"), stage("other"))
    sim.finish("plan/1", done())
    sim.deliverables[-1] = replace(sim.deliverables[-1], effects={"stages": [{"name": "tool/1", "role": "analyst"}]})
    return sim


@leads_to("ready", dispatch=["plan/1"])
def a_replay_of_its_maker_mends_a_plan() -> Simulation:
    """F7."""
    sim = planned(stage("tool/1", "tool/7"))
    sim.decided()
    sim.replay("plan/1")
    return sim


@leads_to("too many stages", FAILED, error=f"The plan grew to {MAX_STAGES + 1} stages; {MAX_STAGES} are allowed.")
def a_plan_has_at_most_forty_stages() -> Simulation:
    return planned(*(stage(f"tool/{n}", "plan/1") for n in range(MAX_STAGES - 1)))


@leads_to("ready", dispatch=[f"tool/{n}" for n in range(MAX_STAGES - 2)])
def forty_stages_are_a_plan() -> Simulation:
    return planned(*(stage(f"tool/{n}", "plan/1") for n in range(MAX_STAGES - 2)))


# Families


@leads_to(
    "ready", dispatch=["cache"], reasons={"cache": "ready to be dispatched", "answer": "needs cache, plan/1", "plan/1": "step is queued"}
)
def a_stage_waits_for_the_members_of_a_family_that_it_needs() -> Simulation:
    sim = Simulation.of(stage("plan/1"), stage("cache"), stage("answer", "cache", "plan/*"))
    sim.decided()
    sim.steps = {key: step for key, step in sim.steps.items() if step.stage != "cache"}
    sim.rev += 1
    return sim


@leads_to("ready", dispatch=["tool/1"], reasons={"tool/1": "ready to be dispatched", "plan/2": "needs tool/1", "answer": "needs plan/2"})
def a_member_that_was_added_is_waited_for() -> Simulation:
    sim = growing()
    sim.finish("plan/1", done(stages=PLAN))
    return sim


@leads_to("ready", dispatch=["answer"])
def when_every_member_is_fresh_the_family_is_complete() -> Simulation:
    sim = growing()
    sim.run("plan/1", done(stages=PLAN))
    sim.run("tool/1", done())
    sim.finish("plan/2", done())
    return sim


@leads_to("ready", dispatch=["answer"])
def a_family_may_be_empty() -> Simulation:
    sim = Simulation.of(stage("maker"), stage("answer", "maker", "maker/*"))
    sim.finish("maker", done())
    return sim


@leads_to("ready", dispatch=["answer"])
def a_member_that_leaves_makes_its_consumers_stale() -> Simulation:
    sim = Simulation.of(stage("maker"), stage("answer", "maker", "maker/*"))
    drive(sim, {"maker": [done("same", stages=(stage("maker/1", "maker"),))]})
    sim.replay("maker")
    sim.finish("maker", done("same"))
    return sim


@leads_to("ready", dispatch=["answer"])
def a_question_of_a_stage_whose_family_grew_is_void() -> Simulation:
    sim = Simulation.of(stage("maker"), stage("answer", "maker", "maker/*"))
    sim.run("maker", done("same"))
    sim.run("answer", asks())
    sim.replay("maker")
    sim.decided()
    sim.finish("maker", done("same", stages=(stage("maker/1", "maker"),)))
    sim.finish("maker/1", done())
    assert not sim.open_questions()
    return sim


@leads_to("ready", dispatch=["last"])
def stages_that_need_each_other_s_families_are_judged_in_the_plan_s_order() -> Simulation:
    """What `first` adds to the family of `last` is there before `last` is judged."""
    sim = Simulation.of(stage("s/1"), stage("t/1"), stage("first", "s/*"), stage("last", "t/*"))
    sim.run("s/1", done())
    sim.run("t/1", done())
    sim.run("last", done())
    sim.run("first", done(stages=(stage("t/2", "first"),)))
    sim.finish("t/2", done())
    return sim


@leads_to("invalid plan", FAILED, error="Stage answer may not add plan/2: answer needs plan/* and does not come after answer.")
def a_stage_that_adds_to_the_family_that_it_needs_is_no_plan() -> Simulation:
    """It would be made from what it adds, which would be there only while it is not."""
    sim = growing()
    sim.run("plan/1", done())
    sim.finish("answer", done(stages=(stage("plan/2"),)))
    return sim


@leads_to("invalid plan", FAILED, error="Stage late may not add plan/2: answer needs plan/* and does not come after late.")
def a_member_that_is_added_behind_its_consumer_is_no_plan() -> Simulation:
    sim = Simulation.of(stage("plan/1"), stage("other"), stage("answer", "plan/*"), stage("late", "other", "other/*"))
    sim.run("plan/1", done())
    sim.run("answer", done())
    sim.run("other", done())
    sim.finish("late", done(stages=(stage("plan/2"),)))
    return sim


@leads_to("invalid plan", FAILED, error="The stages plan/2 need each other in a circle, or a stage that does not exist.")
def a_member_that_needs_its_own_family_is_no_plan() -> Simulation:
    sim = ask()
    sim.finish("plan/1", done(stages=(stage("plan/2", "plan/*"),)))
    return sim


@leads_to("delegation", dispatch=["answer/1"])
def the_stage_of_a_delegation_needs_the_family_that_its_asker_needs() -> Simulation:
    sim = growing()
    sim.run("plan/1", done())
    sim.finish("answer", delegates(role=RoleName.DEVELOPER))
    (order,) = decide(sim.board()).dispatch
    current = {item.id: item.stage for item in sim.deliverables}
    assert (order.task, order.role, [current[item] for item in order.need_ids]) == ("help", "developer", ["plan/1"])
    return sim


@pytest.mark.parametrize("case", TABLE.cases, ids=name_of)
def test_the_boss_decides_that(case: Expected) -> None:
    check_decision(case)


@pytest.mark.parametrize("case", TABLE.cases, ids=name_of)
def test_a_decision_once_applied_leaves_nothing_to_decide(case: Expected) -> None:
    check_that_nothing_is_left(case)
