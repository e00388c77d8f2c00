"""`decide` as one table: what happened to a job, and what the boss then says. Each case's name is the sentence it promises."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import pytest

from contracts.jobs import JobStatus
from contracts.roles import RoleName
from contracts.stages import INPUT, Nothing, StageSpec
from tests.support.results import Result, asks, delegates, done, fails, objects, stage
from tests.support.simulation import Simulation, drive
from tests.support.spoken import english
from workers.blackboard.board import HUMAN, OPERATOR
from workers.coordinator.decide import MAX_STAGES, decide

RUNNING, WAITING, SUCCEEDED, FAILED = JobStatus.RUNNING, JobStatus.WAITING_HUMAN, JobStatus.SUCCEEDED, JobStatus.FAILED


@dataclass(frozen=True)
class Expected:
    """A case: what happened, and the decision it leads to. Stages in dispatch order; questions by kind and choices."""

    happened: Callable[[], Simulation]
    rule: str
    status: JobStatus
    dispatch: tuple[str, ...]
    superseded: tuple[str, ...]
    ask: tuple[str, ...]
    hold: int
    route: tuple[str, ...]
    void: int
    revive: int
    error: str | None
    reasons: dict[str, str] | None


CASES: list[Expected] = []


def leads_to(
    rule: str,
    status: JobStatus = RUNNING,
    *,
    dispatch: Iterable[str] = (),
    superseded: Iterable[str] = (),
    ask: Iterable[str] = (),
    hold: int = 0,
    route: Iterable[str] = (),
    void: int = 0,
    revive: int = 0,
    error: str | None = None,
    reasons: dict[str, str] | None = None,
) -> Callable[[Callable[[], Simulation]], Callable[[], Simulation]]:
    """Put a case into the table."""

    def add(happened: Callable[[], Simulation]) -> Callable[[], Simulation]:
        row = (tuple(dispatch), tuple(superseded), tuple(ask), hold, tuple(route), void, revive, error, reasons)
        CASES.append(Expected(happened, rule, status, *row))
        return happened

    return add


def chain() -> Simulation:
    return Simulation.of(stage("first"), stage("second", "first"))


def diamond() -> Simulation:
    return Simulation.of(
        stage("plan"), stage("left", "plan"), stage("right", "plan"), stage("review", "left", "right", role=RoleName.REVIEWER)
    )


def reviewed() -> Simulation:
    return Simulation.of(stage("design"), stage("review", "design", role=RoleName.REVIEWER))


def diagnose() -> Simulation:
    return Simulation.of(stage("tickets"), stage("diagnosis", INPUT, "tickets"))


def ask() -> Simulation:
    return Simulation.of(stage("plan/1", role=RoleName.CLASSIFIER))


PLAN = (stage("tool/1", "plan/1", role=RoleName.DEVELOPER), stage("plan/2", "plan/1", "tool/1", role=RoleName.CLASSIFIER))


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


# Review


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


# Edits, superseded steps, replay


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


# Failure


@leads_to("wait", reasons={"left": "failed: no such table", "right": "step is queued", "review": "needs left, right"})
def the_siblings_of_a_failed_stage_go_on() -> Simulation:
    sim = diamond()
    sim.run("plan", done())
    sim.finish("left", fails("no such table"))
    return sim


@leads_to("failed", FAILED, error="left: no such table")
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


# Contributed stages


@leads_to("ready", dispatch=["tool/1"], reasons={"tool/1": "ready to be dispatched", "plan/2": "needs tool/1"})
def a_deliverable_adds_stages() -> Simulation:
    sim = ask()
    sim.finish("plan/1", done(stages=PLAN))
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


# Caps, budget, cancel


@leads_to("cap", WAITING, ask=["cap: continue, stop"])
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


@leads_to("failed", FAILED, error="first: AskedTooOften")
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


# Instructions in mid-job


@leads_to("ready", dispatch=["choose/5"])
def a_chooser_finds_the_stage_of_an_instruction() -> Simulation:
    """E2: a model's choice where the rule leaves one open. It hears the instruction, and may name a stage of the playbook."""
    sim = instructed(chooser="classifier")
    (order,) = decide(sim.board()).dispatch
    assert order.request_ids == tuple(sim.requests)
    assert (order.task, order.role, [move["stage"] for move in order.params["moves"]]) == ("choose", "classifier", ["first", "second"])
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


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.happened.__name__)
def test_the_boss_decides_that(case: Expected) -> None:
    sim = case.happened()
    board = sim.board()

    decision = decide(board)

    assert (decision.rule, decision.status) == (case.rule, case.status)
    assert tuple(item.stage for item in decision.dispatch) == case.dispatch
    assert tuple(sim.steps[step_id].stage for step_id in decision.supersede) == case.superseded
    assert tuple(f"{item.payload['kind']}: {', '.join(item.payload['choices'])}" for item in decision.ask) == case.ask
    assert (len(decision.hold), len(decision.void), len(decision.revive)) == (case.hold, case.void, case.revive)
    assert tuple(target for _, target in decision.route) == case.route
    assert decision.error == case.error
    assert case.reasons is None or {stage: english(why) for stage, why in decision.reasons.items()} == case.reasons


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.happened.__name__)
def test_a_decision_once_applied_leaves_nothing_to_decide(case: Expected) -> None:
    """Nobody decides again until the board moves, so nothing may be left for a second look."""
    sim = case.happened()
    first = decide(sim.board())
    sim.apply(first, sim.board())

    again = decide(sim.board())

    assert (again.moves(), again.status) == ({}, first.status)


def test_a_dispatch_says_all_that_its_step_is_given() -> None:
    """E5: inputs stand as references, never as content."""
    sim = diagnose()
    drive(sim, {"diagnosis": [asks()]})
    sim.answer("since yesterday")

    (order,) = decide(sim.board()).dispatch

    current = {item.stage: item.id for item in sim.deliverables}
    assert (order.stage, order.role, order.task) == ("diagnosis", "analyst", "noop")
    assert order.need_ids == (current[INPUT], current["tickets"])
    assert order.request_ids == tuple(r.id for r in sim.requests.values() if r.target == HUMAN)
    assert order.ancestors == (INPUT, "tickets")


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


# What the cases have in common


def settled(sim: Simulation, results: dict[str, list[Result]] | None = None) -> Simulation:
    """All done, and asked once more."""
    drive(sim, results)
    sim.rev += 1
    return sim


def third_round() -> Simulation:
    sim = reviewed()
    for _ in range(2):
        sim.run("design", done("same"))
        sim.run("review", objects("design"))
    sim.run("design", done("same"))
    sim.finish("review", objects("design"))
    return sim


def remark_on_pinned() -> Simulation:
    sim = settled(reviewed())
    sim.revise("design", "by hand")
    sim.finish("review", objects("design"))
    return sim


def growing() -> Simulation:
    """A plan that may grow, and a stage behind all of it."""
    return Simulation.of(stage("plan/1", role=RoleName.CLASSIFIER), stage("answer", "plan/*"))


def planned(*stages: StageSpec) -> Simulation:
    sim = ask()
    sim.finish("plan/1", done(stages=stages))
    return sim


def ninth_dispatch() -> Simulation:
    """One stage above that eight others send back to work, one after the other."""
    sim = Simulation.of(stage("first"), *(stage(f"asker{n}", "first" if n == 0 else f"asker{n - 1}") for n in range(8)))
    sim.run("first", done("same"))
    for n in range(7):
        sim.run(f"asker{n}", delegates(to="first"))
        sim.run("first", done("same"))
        sim.run(f"asker{n}", done())
    sim.finish("asker7", delegates(to="first"))
    return sim


def sixty_and_one_more() -> Simulation:
    """Twice a review has all of the twenty stages before it redone."""
    middle = [f"s{n}" for n in range(19)]
    sim = Simulation.of(stage("zero"), *(stage(name, "zero") for name in middle), stage("review", *middle))
    for version in range(2):
        sim.run("zero", done(version))
        for name in middle:
            sim.run(name, done(version))
        sim.run("review", objects("zero"))
    sim.finish("zero", done("once more"))
    return sim


def delegated_times(times: int) -> Simulation:
    sim = Simulation.of(stage("zero"), stage("first", "zero"))
    sim.run("zero", done("same"))
    for n in range(times):
        sim.run("first", delegates(to="zero"))
        if n < times - 1:
            sim.run("zero", done("same"))
    sim.finish("zero", done("same"))
    return sim


def instructed(*, chooser: str | None) -> Simulation:
    """An instruction without a stage, while the second stage is at work."""
    sim = Simulation.of(stage("first"), stage("second", "first"), chooser=chooser)
    sim.run("first", done())
    sim.instruct("only the last week")
    return sim
