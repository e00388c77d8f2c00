"""Plans: which stages there are and which of them a playbook may have; families; what the rule makes of a board without a job."""

from typing import Literal
from uuid import UUID

import pytest

from contracts.base import Contract
from contracts.jobs import JobStatus
from contracts.roles import RoleName
from contracts.stages import INPUT, Nothing, StageSpec, is_member, read_nothing
from contracts.statements import say
from tests.support.context import step_context
from tests.support.results import asks, done, objects, stage
from tests.support.simulation import Simulation
from tests.support.spoken import english
from workers.blackboard.board import Board
from workers.coordinator.freshness import look
from workers.coordinator.playbooks import Playbook, check_stages, find_playbook, kinds, register_playbook
from workers.errors import InvalidInput, InvalidPlan, InvalidSubmission


class Asked(Contract):
    kind: Literal["planned"] = "planned"
    text: str = "a request"


class Made(Contract):
    value: int


def playbook(*stages: StageSpec, kind: str = "planned", result: str = "") -> Playbook:
    return Playbook(kind, Asked, stages, result)


@pytest.mark.parametrize(
    ("name", "family", "belongs"),
    [
        ("plan/2", "plan/*", True),
        ("plan/draft", "plan/*", True),
        ("plan/2/1", "plan/*", False),
        ("plan/2/1", "plan/2/*", True),
        ("plan", "plan/*", False),
        ("planner/1", "plan/*", False),
        ("plan/2", "plan", False),
        ("plan/2", "plan/2", False),
    ],
)
def test_a_family_is_what_is_named_directly_under_it(name: str, family: str, belongs: bool) -> None:
    assert is_member(name, family) is belongs


@pytest.mark.parametrize(
    "stages",
    [
        (stage("one"), stage("two", "one")),
        (stage("plan/1"), stage("answer", "plan/*")),
        (stage("maker"), stage("answer", "maker", "maker/*")),
        (stage("plan/1"), stage("answer", "plan/*", "tool/*")),
        (stage("plan/1"), stage("plan/2", "plan/1")),
        (),
    ],
    ids=["chain", "family", "what a need adds", "what a family adds", "siblings", "nothing"],
)
def test_a_playbook_may_have_these_stages(stages: tuple[StageSpec, ...]) -> None:
    check_stages(stages)


@pytest.mark.parametrize(
    ("stages", "fault"),
    [
        ((stage("two", "one"), stage("one")), "Stage two needs one, which must come before it."),
        ((stage("one"), stage("one")), "Two stages are called one."),
        ((stage(INPUT),), "Two stages are called input."),
        ((stage("answer", "plan/*"),), r"Stage answer needs plan/\*, which must come before it."),
        ((stage("answer", INPUT, "plan/*"),), r"Stage answer needs plan/\*, which must come before it."),
        ((stage("plan/1"), stage("plan/2", "plan/*")), r"Stage plan/2 needs plan/\*, to which it belongs."),
        ((stage("answer", "gone", "plan/*"),), r"Stage answer needs gone, plan/\*, which must come before it."),
    ],
)
def test_a_playbook_may_not_have_these(stages: tuple[StageSpec, ...], fault: str) -> None:
    with pytest.raises(InvalidPlan, match=fault):
        check_stages(stages)


def test_the_result_of_a_playbook_is_its_last_stage_unless_it_says_otherwise() -> None:
    stages = (stage("one"), stage("two", "one"))

    assert playbook(*stages).result == "two"
    assert playbook(*stages, result="one").result == "one"
    assert playbook().result == INPUT


def test_a_playbook_whose_result_is_not_among_its_stages_is_refused() -> None:
    with pytest.raises(InvalidPlan, match="result of playbook 'strange' is gone, which is not one of: input, one"):
        register_playbook(playbook(stage("one"), kind="strange", result="gone"))
    with pytest.raises(InvalidSubmission, match="No kind of job is called 'strange'"):
        find_playbook("strange")


def test_a_playbook_whose_stages_form_no_plan_is_not_registered() -> None:
    with pytest.raises(InvalidPlan):
        register_playbook(playbook(stage("one", "two"), stage("two", "one"), kind="circular"))
    with pytest.raises(InvalidSubmission):
        find_playbook("circular")


@pytest.mark.parametrize(
    ("request_", "language"),
    [
        ({"text": "why is it slow"}, "en"),
        ({"text": "为什么这么慢"}, "zh"),
        ({"text": "why is it slow", "language": "zh"}, "zh"),
        ({"text": "为什么这么慢", "language": None}, "zh"),
        ({"text": ""}, None),
        ({}, None),
    ],
)
def test_the_language_of_a_job_is_chosen_or_that_of_the_users_words(request_: dict[str, str], language: str | None) -> None:
    assert Playbook("spoken", Asked, (stage("one"),), words="text").language_of(request_) == language


def test_a_playbook_is_found_by_its_kind_once_and_only_by_that() -> None:
    known = playbook(stage("one"), kind="planned")
    register_playbook(known)
    register_playbook(playbook(stage("one"), kind="planned"))
    register_playbook(playbook(stage("plan/1"), kind="planned_family", result="plan/*"))

    assert find_playbook("planned") == known
    assert {"planned", "planned_family"} <= set(kinds())
    assert kinds() == sorted(kinds())
    assert known.read_request({"text": "x"}) == {"kind": "planned", "text": "x"}
    with pytest.raises(InvalidPlan, match=r"Two playbooks for kind 'planned'\. Rename one\."):
        register_playbook(playbook(stage("two"), kind="planned"))
    with pytest.raises(InvalidSubmission, match=r"called '7'\. This release knows: .*planned, planned_family"):
        find_playbook(7)


def test_members_are_in_the_order_of_their_numbers_and_those_without_come_first() -> None:
    names = ["plan/10", "plan/b", "plan/2", "plan/a", "plan/1"]
    sim = Simulation.of(*(stage(name) for name in names), stage("answer", "plan/*"), result="plan/*")

    assert sim.view().stages["answer"].needs == ("plan/b", "plan/a", "plan/1", "plan/2", "plan/10")


def test_the_result_is_the_current_version_of_the_stage_that_is_named() -> None:
    sim = Simulation.of(stage("one"), stage("two", "one"), result="one")
    assert sim.view().result is None

    sim.run("one", done("first"))

    result = sim.view().result
    assert result is not None
    assert (result.stage, sim.contents[result.id]) == ("one", "first")


def test_the_result_of_a_family_is_its_last_member_s_and_of_none_while_that_is_stale() -> None:
    sim = Simulation.of(stage("plan/1"), result="plan/*")
    sim.run("plan/1", done(1, stages=(stage("plan/2", "plan/1"),)))
    assert sim.view().result is None, "not the first plan's, which is fresh"

    sim.run("plan/2", done(2))

    result = sim.view().result
    assert result is not None
    assert result.stage == "plan/2"


def test_a_board_without_stages_has_no_result_and_no_fault() -> None:
    view = look(Board(UUID(int=1), "x", 1, JobStatus.ACCEPTED, ()))

    assert (view.result, view.fault, view.stages) == (None, None, {})


def test_what_is_above_and_below_a_stage_counts_families_by_their_members() -> None:
    sim = Simulation.of(stage("zero"), stage("plan/1", "zero"), stage("other"), stage("answer", "plan/*"), stage("last", "answer"))
    view = sim.view()

    assert view.ancestors("last") == {"answer", "plan/1", "zero", INPUT}
    assert view.below("zero") == {"plan/1", "answer", "last"}
    assert view.below("last") == set()


def test_a_question_of_a_stage_is_open_until_it_is_answered_and_then_heard() -> None:
    sim = Simulation.of(stage("one"))
    sim.run("one", asks())
    seen = sim.view().stages["one"]
    (question,) = sim.open_questions()
    assert (seen.questions, seen.want, english(seen.why)) == (frozenset({question.id}), None, "asked the human and waits for the answer")
    assert question.id not in seen.request_ids

    sim.answer("that one")

    seen = sim.view().stages["one"]
    assert (seen.questions, seen.why, seen.request_ids) == (frozenset(), None, (question.id,))


def test_the_wants_of_the_last_release_are_those_of_this_one() -> None:
    """A deploy makes nothing stale: these are the hashes that 0.1.0 gives."""
    sim = Simulation.of(stage("design"), stage("review", "design", role=RoleName.REVIEWER, params={"strict": True}))
    assert sim.view().stages["design"].want == "69da786e2df12ae91126050efc16da3fa3dc1e2575f70bf4d904f6b747b638b8"

    sim.run("design", done("a design"))
    sim.run("review", asks())
    sim.answer("yes")
    sim.decided()
    sim.run("review", objects("design"))
    assert sim.view().stages["design"].want == "3c6eba29838554eba41dbfc764dcfdca1a19f8d4d1eb1c6676d7c269a4015dca"

    sim.run("design", done("another"))
    assert sim.view().stages["review"].want == "0f75914fa466005326bdf43fc60c07be4faa17d321abe58ca84fdc8057888a78"


def test_a_deliverable_that_only_speaks_of_nothing_is_something() -> None:
    assert read_nothing({"nothing": "no cache"}) == Nothing(nothing="no cache")
    assert read_nothing({"nothing": "no cache", "value": 1}) is None
    assert Nothing(nothing="no cache").to_json() == {"nothing": "no cache"}, "as earlier releases read it"
    reasoned = Nothing(nothing="no cache", says=say("cache.none"))
    assert read_nothing(reasoned.to_json()) == reasoned
    assert read_nothing({}) is None
    assert read_nothing("nothing") is None


def test_a_step_reads_a_need_a_family_and_what_does_not_apply() -> None:
    ctx = step_context(
        needs={"one": {"value": 1}, "cache": {"nothing": "no cache is configured."}, "plan/10": {"value": 10}, "plan/9": {"value": 9},
               "plan/8": {"nothing": "skipped"}},
    )  # fmt: skip

    assert ctx.need(Made, "one") == ctx.need_or_nothing(Made, "one") == Made(value=1)
    assert ctx.need_or_nothing(Made, "cache") == ctx.need(Nothing, "cache") == Nothing(nothing="no cache is configured.")
    assert list(ctx.family(Made, "plan/*").items()) == [("plan/9", Made(value=9)), ("plan/10", Made(value=10))]
    with pytest.raises(InvalidInput, match="needs cache, which yields nothing: no cache is configured"):
        ctx.need(Made, "cache")
    for read in (ctx.need, ctx.need_or_nothing):
        with pytest.raises(InvalidInput, match="is not given 'gone'"):
            read(Made, "gone")


def test_a_step_of_the_playbook_is_told_whether_it_may_yield_nothing() -> None:
    sim = Simulation.of(stage("cache", optional=True), stage("other", role=RoleName.DEVELOPER))

    orders = sim.decided().dispatch

    assert [(order.stage, order.role, order.optional) for order in orders] == [("cache", "analyst", True), ("other", "developer", False)]
