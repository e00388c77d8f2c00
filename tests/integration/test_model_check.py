"""`bullpen doctor` on the models: not configured, away, locked, unknown by name, or all well."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.openai_server import OpenAIServer, Say, good, openai_server
from tests.support.spoken import english
from workers.blackboard.engine import Database
from workers.cli.model_check import check_model, check_workers_models, try_models
from workers.errors import DatabaseUnavailable, ModelRequestRefused, ModelUnavailable
from workers.llm.server_models import list_models
from workers.settings import Settings


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        yield running


def found(**settings: object) -> tuple[str, str]:
    (check,) = check_model(Settings(**settings))
    return check.state, f"{english(check.finding)} {english(check.next_move)}"


def test_no_model_is_all_well() -> None:
    assert found() == ("ok", "none: every role works by its rules ")


@pytest.mark.parametrize(
    ("own", "of_workers", "said"),
    [
        ({}, ("big",), [("ok", "of the workers: big; these settings name none ")]),
        ({"model": "m"}, (), [("warn", "no worker has a model, though these settings name m set BULLPEN_MODEL where")]),
        ({"model": "m"}, ("big",), []),
        ({"model": "m"}, None, []),
    ],
)
def test_the_models_of_the_workers_are_what_counts(own: dict[str, str], of_workers: tuple[str, ...] | None, said: list[Any]) -> None:
    checks = check_workers_models(Settings(**own), of_workers)

    found = [(check.state, f"{english(check.finding)} {english(check.next_move)}") for check in checks]
    assert [(state, text[: len(words)]) for (state, text), (_, words) in zip(found, said, strict=True)] == said


def test_a_model_that_the_server_lists_is_all_well(server: OpenAIServer) -> None:
    state, text = found(model="test-model", model_fallback="second-model", model_base_url=server.base_url, model_api_key="sk-1")

    assert (state, "second-model, test-model at http://127.0.0.1" in text) == ("ok", True)
    assert server.heard[0].headers["authorization"] == "Bearer sk-1"


@pytest.mark.parametrize("listed", ["test-model:latest", "models/test-model"])
def test_a_name_that_the_server_takes_for_a_listed_one_is_all_well(server: OpenAIServer, listed: str) -> None:
    """Ollama and Gemini list more than the name that they take."""
    server.models = [listed]

    assert found(model="test-model", model_base_url=server.base_url, model_api_key="sk-1")[0] == "ok"


def test_a_name_that_the_server_does_not_list_is_told(server: OpenAIServer) -> None:
    state, text = found(model_roles={"diagnoser": "gone"}, model_base_url=server.base_url)

    assert state == "warn"
    assert "does not list gone" in text
    assert "second-model, test-model" in text


def test_a_server_that_is_away_fails() -> None:
    state, text = found(model="m", model_base_url="http://me:hush@127.0.0.1:9/v1")

    assert state == "fail"
    assert "does not answer" in text
    assert "hush" not in text


def test_openai_without_a_key_is_not_even_called() -> None:
    assert found(model="m")[0] == "fail"


def test_what_is_no_list_of_models_is_told_apart(server: OpenAIServer) -> None:
    with pytest.raises(ModelRequestRefused, match="answered 404"):
        list_models(server.base_url + "/nothing", None, timeout_s=5)
    with pytest.raises(ModelUnavailable):
        list_models("http://127.0.0.1:9/v1", None, timeout_s=5)


@pytest.mark.parametrize(
    ("answer", "state", "words"),
    [
        pytest.param(good({"ready": True}), "ok", "test-model answers, after", id="as it should"),
        pytest.param(Say("Sure! I am ready."), "warn", "BULLPEN_MODEL_STRUCTURED", id="in other words"),
        pytest.param(Say(status=401, error="Incorrect API key provided"), "fail", "Incorrect API key provided", id="a wrong key"),
    ],
)
def test_a_call_shows_whether_a_model_answers(server: OpenAIServer, answer: Say, state: str, words: str) -> None:
    """A server may list its models to everybody."""
    server.will(answer)

    def away() -> Database:
        raise DatabaseUnavailable("a call outside of any job works without a database")

    (check,) = try_models(Settings(model="test-model", model_base_url=server.base_url, model_api_key="sk-1"), away)

    assert check.state == state
    assert words in f"{english(check.finding)} {english(check.next_move)}"
