"""What a role hands back is checked before it is written."""

from typing import Any
from uuid import uuid4

import pytest

from contracts.base import Contract
from contracts.reports import Delegation, Outcome, Question, Remark, Report, asks, completed, delegates
from contracts.roles import RoleName
from contracts.stages import StageSpec
from workers.app.report_rows import as_result
from workers.app.run_step import backoff_s
from workers.blackboard.steps import Claim
from workers.errors import AskedTooOften, InvalidReport


class Made(Contract):
    text: str = "x"


def held(stage: str = "review", ancestors: tuple[str, ...] = ("input", "design"), *, may_ask: bool = True, optional: bool = False) -> Claim:
    return Claim(
        uuid4(),
        uuid4(),
        uuid4(),
        stage,
        RoleName.REVIEWER,
        "noop",
        "noop",
        ancestors=frozenset(ancestors),
        may_ask=may_ask,
        optional=optional,
    )


def spec(name: str, *needs: str) -> StageSpec:
    return StageSpec(name=name, role=RoleName.ANALYST, task="noop", needs=needs)


def test_a_deliverable_is_hashed_by_its_content_alone() -> None:
    one, two = as_result(completed(Made()), held()), as_result(completed(Made()), held("other"))

    assert one.content == {"text": "x"}
    assert one.content_hash == two.content_hash
    assert one.deliverable_id != two.deliverable_id


def test_completed_without_a_deliverable_is_refused() -> None:
    with pytest.raises(InvalidReport, match="without a deliverable"):
        as_result(Report[Any](outcome=Outcome.COMPLETED), held())


def test_a_deliverable_over_the_limit_is_refused() -> None:
    with pytest.raises(InvalidReport, match="larger than"):
        as_result(completed(Made(text="x" * 1_100_000)), held())


def test_what_postgres_cannot_hold_is_replaced() -> None:
    assert as_result(completed(Made(text="a\x00b\ud800")), held()).content == {"text": "a\ufffdb\ufffd"}


@pytest.mark.parametrize(
    "report",
    [asks(Question(text="?")), delegates(Delegation(payload={}, stage="design"))],
    ids=["question", "delegation"],
)
def test_a_role_that_may_not_ask_any_more_and_does_so_fails(report: Report[Any]) -> None:
    with pytest.raises(AskedTooOften):
        as_result(report, held(may_ask=False))


def test_remarks_and_questions_become_requests_with_hashes() -> None:
    """E18."""
    remark = as_result(completed(Made(), remarks=(Remark(text="no key", stage="design"),)), held()).requests[0]
    question = as_result(asks(Question(text="which?", also=("design",), payload={"kind": "phenomena"})), held()).requests[0]

    assert (remark["kind"], remark["target"], remark["payload"]["text"]) == ("remark", "design", "no key")
    assert (question["kind"], question["target"], question["also"]) == ("question", "human", ["design"])
    assert question["payload"]["kind"] == "phenomena"
    assert len(remark["payload_hash"]) == 64


@pytest.mark.parametrize(
    "report",
    [
        completed(Made(), remarks=(Remark(text="x", stage="below"),)),
        asks(Question(text="?", also=("below",))),
        delegates(Delegation(payload={}, stage="below")),
    ],
    ids=["remark", "also", "delegation"],
)
def test_requests_go_upwards_only(report: Report[Any]) -> None:
    with pytest.raises(InvalidReport, match="stages above it"):
        as_result(report, held())


def test_a_delegation_to_a_role_names_its_task() -> None:
    result = as_result(delegates(Delegation(payload={"find": "x"}, role=RoleName.RETRIEVER, task="tickets.retrieve")), held())

    assert (result.requests[0]["role"], result.requests[0]["task"]) == ("retriever", "tickets.retrieve")
    with pytest.raises(InvalidReport, match="neither a stage nor a role"):
        as_result(delegates(Delegation(payload={}, role=RoleName.RETRIEVER)), held())


def test_a_plan_adds_its_tool_and_its_next_step() -> None:
    held_plan = held("plan/1", ("input",))

    result = as_result(completed(Made(), stages=(spec("plan/2", "plan/1", "tool/1"), spec("tool/1", "input"))), held_plan)

    assert result.effects is not None
    assert [stage["name"] for stage in result.effects["stages"]] == ["plan/2", "tool/1"]


@pytest.mark.parametrize(
    "wrong", [spec("design/1", "input"), spec("plan/2", "elsewhere"), spec("plan", "input"), spec("plan/1", "input")], ids=str
)
def test_a_stage_in_anothers_name_or_with_other_needs_is_refused(wrong: StageSpec) -> None:
    with pytest.raises(InvalidReport, match="may add stages"):
        as_result(completed(Made(), stages=(wrong,)), held("plan/1", ("input", "design")))


@pytest.mark.parametrize("outcome", [Outcome.NEEDS_CLARIFICATION, Outcome.NEEDS_DELEGATION])
def test_needing_something_without_saying_what_is_refused(outcome: Outcome) -> None:
    with pytest.raises(InvalidReport, match="does not say what it needs"):
        as_result(Report[Any](outcome=outcome), held())


@pytest.mark.parametrize("attempt", [1, 2, 5, 50])
def test_the_pause_before_an_attempt_doubles_with_jitter_and_is_bounded(attempt: int) -> None:
    whole = min(30.0, 0.5 * 2 ** (attempt - 1))
    pauses = [backoff_s(attempt, 0.5, 30.0) for _ in range(200)]

    assert all(whole / 2 <= pause <= whole for pause in pauses)
    assert len(set(pauses)) > 100
