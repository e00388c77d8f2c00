"""What the boss itself asks, word for word, and what is recorded of a decision: the human and later releases read both."""

from dataclasses import replace
from uuid import UUID, uuid4

import pytest
from pydantic import BaseModel

from contracts.jobs import JobStatus, StepStatus
from contracts.roles import RoleName
from contracts.stages import INPUT
from tests.support.results import delegates, done, objects, stage
from tests.support.simulation import Simulation, drive
from workers.blackboard.board import OPERATOR, Board, Stage, Step
from workers.coordinator.decide import MAX_STAGES, decide
from workers.coordinator.decision import Ask, Decision, Dispatch
from workers.coordinator.playbooks import Playbook
from workers.coordinator.questions import MAX_DISPATCHES_A_JOB, MAX_DISPATCHES_A_STAGE, used_up_cap
from workers.coordinator.want import StageView
from workers.saying.content import in_words


def reviewed() -> Simulation:
    return Simulation.of(stage("design"), stage("review", "design", role=RoleName.REVIEWER))


def the_question(sim: Simulation) -> Ask:
    (ask,) = decide(sim.board()).ask
    return ask


def test_an_objection_in_the_third_round_is_put_to_the_human_with_both_stages() -> None:
    sim = reviewed()
    for _ in range(3):
        sim.run("design", done("same"))
        sim.finish("review", objects("design"))
        if len(sim.requests) < 3:
            sim.decided()

    ask = the_question(sim)

    held = list(sim.requests.values())[-1]
    text = "review objects to design again. Keep design as it is, or have it redone?"
    assert in_words(ask.payload, "en") == {
        "kind": "escalation",
        "stage": "design",
        "reviewer": "review",
        "text": text,
        "choices": ["redo", "keep"],
    }
    assert (ask.asker, ask.about) == ("review", held.id)
    sim.decided()
    assert ask.made_from == sim.view().stages["review"].base_want


def test_an_objection_to_the_input_leaves_only_to_keep_it() -> None:
    sim = Simulation.of(stage("review", role=RoleName.REVIEWER))
    sim.finish("review", objects(INPUT))

    text = "review objects to the input. Keep it, or revise it."
    assert in_words(the_question(sim).payload, "en") == {
        "kind": "escalation",
        "stage": INPUT,
        "reviewer": "review",
        "text": text,
        "choices": ["keep"],
    }


def test_an_instruction_to_a_pinned_stage_is_put_back_to_who_gave_it() -> None:
    sim = reviewed()
    drive(sim)
    sim.revise("design", "by hand")
    drive(sim)
    sim.instruct("shorter", "design")

    ask = the_question(sim)

    text = "design is pinned. Keep it as it is, or have it redone as you said?"
    assert in_words(ask.payload, "en") == {
        "kind": "escalation",
        "stage": "design",
        "reviewer": OPERATOR,
        "text": text,
        "choices": ["redo", "keep"],
    }
    assert (ask.asker, ask.made_from) == (OPERATOR, None)


def test_an_instruction_without_a_stage_is_asked_about_once_with_every_stage_as_a_choice() -> None:
    sim = reviewed()
    sim.decided()
    sim.instruct("shorter")

    ask = the_question(sim)

    (instruction,) = sim.requests
    text = "Which stage is your instruction meant for?"
    assert worded(ask) == Ask(OPERATOR, {"kind": "instruction", "text": text, "choices": ["design", "review", "ignore"]}, None, instruction)
    sim.decided()
    sim.rev += 1
    assert decide(sim.board()).ask == ()


def worded(ask: Ask | None) -> Ask | None:
    """The question with its texts in English."""
    return None if ask is None else replace(ask, payload=in_words(ask.payload, "en"))


def ready(*names: str) -> list[StageView]:
    return [StageView(Stage(name, "analyst", "noop"), want=f"want of {name}") for name in names]


def board(steps: dict[str, int], *, human_rev: int = 0, rev: int = 1) -> Board:
    """Stage → how often it was dispatched, at a revision."""
    made = tuple(Step(uuid4(), name, StepStatus.SUCCEEDED, "", rev, dispatches) for name, dispatches in steps.items())
    return Board(UUID(int=0), "x", 9, JobStatus.RUNNING, (), steps=made, human_rev=human_rev)


def test_a_stage_may_be_dispatched_up_to_its_cap() -> None:
    assert used_up_cap(ready("one"), board({"one": MAX_DISPATCHES_A_STAGE - 1})) is None
    text = f"Stage two was dispatched {MAX_DISPATCHES_A_STAGE} times since you last spoke. Go on?"
    payload = {"kind": "cap", "stage": "two", "text": text, "choices": ["continue", "stop"]}
    assert worded(used_up_cap(ready("one", "two"), board({"two": MAX_DISPATCHES_A_STAGE}))) == Ask("two", payload, "want of two")
    assert used_up_cap(ready("one"), board({"one": 100}, human_rev=1)) is None, "the human spoke after that"
    assert used_up_cap(ready("one"), board({"one": 100}, human_rev=1, rev=2)) is not None


def test_a_job_may_make_dispatches_up_to_its_cap() -> None:
    six_each = {f"s{n}": 6 for n in range(MAX_DISPATCHES_A_JOB // 6)}
    one_less = {**six_each, "s0": 5}

    assert used_up_cap(ready("one"), board(one_less)) is None
    assert used_up_cap([], board(six_each)) is None, "nothing is to be dispatched"
    text = f"The job made {MAX_DISPATCHES_A_JOB - 1} dispatches since you last spoke. Go on?"
    payload = {"kind": "cap", "stage": "one", "text": text, "choices": ["continue", "stop"]}
    assert worded(used_up_cap(ready("one", "two"), board(one_less))) == Ask("one", payload, "want of one")


def test_what_is_recorded_of_a_decision_has_each_move_by_its_name() -> None:
    step, held, placed, void, revived = (uuid4() for _ in range(5))
    order = Dispatch("one", "analyst", "noop", {}, "want", (), (), (), may_ask=True, optional=False)
    decision = Decision(
        "ready", JobStatus.RUNNING, dispatch=(order,), supersede=(step,), ask=(Ask("one", {"kind": "cap"}, None),), hold=(held,),
        route=((placed, "one"),), void=(void,), revive=(revived,),
    )  # fmt: skip

    assert decision.moves() == {
        "dispatch": ["one"], "supersede": [str(step)], "ask": [{"kind": "cap"}], "hold": [str(held)], "route": [[str(placed), "one"]],
        "void": [str(void)], "revive": [str(revived)],
    }  # fmt: skip
    assert Decision("wait", JobStatus.RUNNING).moves() == {}


@pytest.mark.parametrize("count", [MAX_STAGES - 2, MAX_STAGES - 1])
def test_what_is_live_is_superseded_when_a_plan_grows_too_large(count: int) -> None:
    sim = Simulation.of(stage("plan/1"), stage("other"))
    sim.decided()
    sim.finish("plan/1", done(stages=tuple(stage(f"tool/{n}", "plan/1") for n in range(count))))

    decision = decide(sim.board())

    assert decision.rule == "too many stages"
    assert [sim.steps[step_id].stage for step_id in decision.supersede] == ["other"]


def test_a_second_stage_of_one_name_is_a_fault_that_names_who_added_it() -> None:
    sim = Simulation.of(stage("one/1"), stage("one"))
    sim.run("one/1", done())
    sim.finish("one", delegates(role=RoleName.DEVELOPER))

    assert decide(sim.board()).error == "Two stages are called one/1; the second was added by one."


def test_a_request_is_kept_as_plain_json() -> None:
    class Asked(BaseModel):
        id: UUID = UUID(int=7)

    assert Playbook("x", Asked, ()).read_request({}) == {"id": str(UUID(int=7))}
