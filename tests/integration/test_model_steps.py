"""Steps that ask a model, through the fleet's own machinery: who reasoned, what it cost, and what happens when it fails."""

import json
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import pytest

import tests.support.forecast  # noqa: F401  registers the kinds
from contracts.jobs import Budget, SubmitJob
from tests.support.forecast import BY_RULES
from tests.support.openai_server import COMPLETION_TOKENS, PROMPT_TOKENS, OpenAIServer, Say, good, openai_server
from tests.support.said import kept
from tests.support.weather import RAINY
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.app.submissions import take_submission
from workers.coordinator.intake import accept
from workers.errors import InvalidSubmission
from workers.settings import Settings

Make = Callable[..., ProcessServices]
ONE_CALL = {"input_tokens": PROMPT_TOKENS, "output_tokens": COMPLETION_TOKENS, "model_calls": 1}


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        yield running


@pytest.fixture
def services(database_url: str, broker_url: str, server: OpenAIServer) -> Iterator[Make]:
    made: list[ProcessServices] = []

    def make(**more: Any) -> ProcessServices:
        given: dict[str, Any] = {
            "model": "test-model", "model_base_url": server.base_url, "model_retries": 0, "model_timeout_s": 10.0,
            "retry_base_s": 0.01, "retry_max_s": 0.01, **more,
        }  # fmt: skip
        made.append(ProcessServices(Settings(database_url=database_url, broker_url=broker_url, **given)))
        return made[-1]

    yield make
    for each in made:
        each.close()


def run(services: ProcessServices, kind: str = "forecast", engine: str = "auto", budget: Budget | None = None) -> dict[str, Any]:
    """Run a job to its end; its status, and its step as it stands on the board."""
    submission = SubmitJob(job={"kind": kind}, engine=engine, budget=budget or Budget())
    job_id = accept(services.database, submission, owner_cap=10, has_model=services.settings.has_model).job_id
    while run_all(services):
        services.database.statement("UPDATE steps SET due_at = now() WHERE status = 'queued'")
    return board(services, job_id)


def board(services: ProcessServices, job_id: UUID) -> dict[str, Any]:
    row = services.database.row(
        "SELECT j.status AS job, j.error AS job_error, s.status, s.engine, s.usage, s.notes, s.error, s.attempt, d.content "
        "FROM jobs j JOIN steps s ON s.job_id = j.id LEFT JOIN deliverables d ON d.step_id = s.id WHERE j.id = %(id)s",
        {"id": job_id},
    )
    assert row is not None
    return row


@pytest.mark.parametrize("engine", ["auto", "llm"])
@pytest.mark.parametrize("kind", ["forecast", "forecast_unsaid"])
def test_usage_cost_and_the_model_s_name_stand_on_the_step(services: Make, server: OpenAIServer, kind: str, engine: str) -> None:
    server.will(Say("nonsense"), good(RAINY))

    step = run(services(model_prices={"test-model": (1.0, 2.0)}), kind, engine)

    assert (step["job"], step["engine"], step["notes"]) == ("succeeded", "test-model", None)
    assert step["content"]["sky"] == "rain"
    cost = 2 * (PROMPT_TOKENS + 2 * COMPLETION_TOKENS) / 1e6
    twice = {name: 2 * figure for name, figure in ONE_CALL.items()}
    assert step["usage"] == {**twice, "cost_usd": pytest.approx(cost), "priced_calls": twice["model_calls"]}
    assert "test-model" not in json.dumps(step["content"])


def test_rules_ask_no_model_although_there_is_one(services: Make, server: OpenAIServer) -> None:
    step = run(services(), engine="rules")

    assert (step["job"], step["engine"], step["usage"]) == ("succeeded", "rules", None)
    assert server.heard == []


@pytest.mark.parametrize(
    ("job", "deployment", "reasons"),
    [("auto", "auto", "test-model"), ("auto", "rules", "rules"), ("rules", "llm", "rules"), ("llm", "rules", "test-model")],
)
def test_the_job_s_choice_of_engine_comes_before_the_deployment_s(
    services: Make, server: OpenAIServer, job: str, deployment: str, reasons: str
) -> None:
    server.will(good(RAINY))

    assert run(services(engine=deployment), engine=job)["engine"] == reasons


FAULTS = [Say(status=500), Say(status=401), Say("nonsense"), Say(json.dumps(RAINY), disconnect=True), Say(refusal="no")]


@pytest.mark.parametrize("fault", FAULTS, ids=range(len(FAULTS)))
def test_auto_goes_by_the_rules_when_the_model_fails_and_says_so(services: Make, server: OpenAIServer, fault: Say) -> None:
    server.will(fault)

    step = run(services())

    assert (step["job"], step["engine"], step["attempt"]) == ("succeeded", "rules", 1)
    assert step["content"] == BY_RULES.to_json()
    assert "test-model did not help, so the rules were used" in step["notes"][0]
    assert step["usage"]["model_calls"] == len(server.asked)


def test_llm_fails_clearly_when_the_answers_are_of_no_use(services: Make, server: OpenAIServer) -> None:
    server.will(Say("nonsense"))

    step = run(services(), engine="llm")

    assert (step["job"], step["status"], step["attempt"]) == ("failed", "failed", 1)
    assert step["error"]["type"] == "ModelAnswerUnusable"
    assert "no JSON object" in kept(step["error"]["message"])
    assert step["usage"] == {name: 4 * figure for name, figure in ONE_CALL.items()}


def test_llm_is_tried_again_as_a_step_when_the_server_is_away_and_all_attempts_count(services: Make, server: OpenAIServer) -> None:
    server.will(Say("nonsense"), Say(status=503), good(RAINY))

    step = run(services(), engine="llm")

    assert (step["job"], step["attempt"], step["engine"]) == ("succeeded", 2, "test-model")
    assert step["usage"] == {"input_tokens": 2 * PROMPT_TOKENS, "output_tokens": 2 * COMPLETION_TOKENS, "model_calls": 3}


def test_llm_fails_clearly_when_the_server_stays_away(services: Make, server: OpenAIServer) -> None:
    server.will(Say(status=503))

    step = run(services(max_attempts=2), engine="llm")

    assert (step["job"], step["attempt"]) == ("failed", 2)
    assert step["error"]["type"] == "ModelUnavailable"
    assert len(server.asked) == 2


def test_the_fallback_s_answer_is_told_from_the_first_model_s(services: Make, server: OpenAIServer) -> None:
    server.will(Say(status=404), model="test-model")
    server.will(good(RAINY), model="second-model")

    step = run(services(model_fallback="second-model"))

    assert step["engine"] == "second-model"
    assert step["notes"][0].startswith("The model test-model failed, and second-model answered instead: ")
    assert "404" in step["notes"][0], "the note gives the reason"


def test_a_role_is_asked_by_its_own_model(services: Make, server: OpenAIServer) -> None:
    """S3: a small model for the router, another for the diagnoser."""
    server.will(good(RAINY))

    assert run(services(model=None, model_roles={"classifier": "small"}))["engine"] == "small"
    assert run(services(model=None, model_roles={"diagnoser": "big"}))["engine"] == "rules"
    step = run(services(model=None, model_roles={"diagnoser": "big"}), engine="llm")
    assert (step["job"], step["error"]["type"]) == ("failed", "ConfigurationError")


def test_a_job_that_insists_on_a_model_is_refused_where_there_is_none(services: Make) -> None:
    without = services(model=None)

    with pytest.raises(InvalidSubmission, match="the fleet has none"):
        accept(without.database, SubmitJob(job={"kind": "forecast"}, engine="llm"), owner_cap=10)
    body = json.dumps({"job": {"kind": "forecast"}, "engine": "llm"}).encode()
    assert take_submission(without, body, source="test").kind == "submission_refused"
    assert take_submission(services(), body, source="test").kind == "submission_accepted"


def test_a_budget_of_tokens_ends_a_job_that_insists_and_lets_auto_go_on_by_the_rules(services: Make, server: OpenAIServer) -> None:
    server.will(Say("nonsense"))
    tight = Budget(tokens=600)

    step = run(services(), engine="llm", budget=tight)
    assert (step["job"], step["error"]["type"]) == ("failed", "BudgetExceeded")
    assert "of 600 tokens are left" in kept(step["error"]["message"])
    assert step["usage"]["input_tokens"] + step["usage"]["output_tokens"] <= 600

    step = run(services(), engine="auto", budget=tight)
    assert (step["job"], step["engine"]) == ("succeeded", "rules")
    assert "budget does not allow" in step["notes"][0]


def test_the_deployment_s_budget_holds_for_a_job_that_names_none(services: Make, server: OpenAIServer) -> None:
    server.will(good(RAINY))
    prices = {"test-model": (1_000.0, 1_000.0)}

    broke = run(services(job_cost_usd=0.01, model_prices=prices), engine="llm")
    assert broke["error"]["type"] == "BudgetExceeded"
    assert "of 0.01 USD are left" in kept(broke["error"]["message"])
    assert server.asked == []
    assert run(services(job_cost_usd=0.01, model_prices=prices), engine="llm", budget=Budget(cost_usd=5.0))["job"] == "succeeded"


def test_the_talk_of_one_job_is_grouped_by_its_session(services: Make, server: OpenAIServer) -> None:
    """S30: prompt cache key per session; only servers that are known to take it are sent it, which a local one is not."""
    server.will(good(RAINY))

    run(services())

    assert "prompt_cache_key" not in server.asked[0].body
