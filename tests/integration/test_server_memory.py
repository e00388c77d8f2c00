"""What a server refuses is known to the whole fleet: neither another worker nor a restart pays for it again."""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from tests.integration.test_tool_loop import Box
from tests.support.openai_server import Heard, OpenAIServer, Say, good
from tests.support.weather import EXPECTED, PROMPT, RAINY, Weather
from workers.blackboard.engine import Database
from workers.errors import ModelRequestRefused, ModelUnavailable
from workers.llm.chat import Chat
from workers.llm.langchain_chat import LangChainBackend
from workers.llm.models import Models
from workers.llm.probing import takes_native_calls
from workers.llm.server_memory import ServerMemory
from workers.settings import Settings

WRONG = {
    "max_tokens": "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "temperature": "Unsupported value: 'temperature' does not support 0.5 with this model.",
    "response_format": "response_format is not supported",
}
UNCLEAR = Say(status=400, error="what is asked for is unclear")


@pytest.fixture
def make(server: OpenAIServer, database: Database) -> Iterator[Callable[..., Models]]:
    """A process of the fleet."""
    made: list[Models] = []

    def models(**settings: Any) -> Models:
        known = {"model": "test-model", "model_temperature": 0.5, "model_retries": 0, **settings}
        made.append(Models(Settings(model_base_url=server.base_url, **known), lambda: database))
        return made[-1]

    yield models
    for process in made:
        process.close()


def ask(models: Models) -> None:
    models.without_job("diagnoser").ask(Weather, prompt=PROMPT, report="rain all day", hints=[])


def refusing(*fields: str) -> Callable[[Heard], Say]:
    def answer(heard: Heard) -> Say:
        wrong = next((field for field in fields if field in heard.body), None)
        return good(RAINY) if wrong is None else Say(status=400, error=WRONG[wrong])

    return answer


def test_a_restart_and_another_worker_pay_no_refused_request_again(server: OpenAIServer, make: Callable[..., Models]) -> None:
    server.by_prompt = refusing(*WRONG)
    ask(make())
    paid = len(server.asked)

    ask(make())
    ask(make())

    assert paid > len(WRONG)
    assert len(server.asked) == paid + 2


def test_a_lesson_that_led_to_no_answer_is_not_kept(server: OpenAIServer, make: Callable[..., Models], database: Database) -> None:
    server.by_prompt = lambda heard: Say(status=400, error=WRONG["temperature"]) if "temperature" in heard.body else Say(status=503)

    with pytest.raises(ModelUnavailable):
        ask(make())

    assert len(server.asked) == 2
    assert not database.statement("SELECT learnt FROM model_servers")


def test_that_a_model_reasons_is_known_to_the_fleet(server: OpenAIServer, make: Callable[..., Models]) -> None:
    server.will(Say('{"sky": "rain", "degrees": 3}', reasoning_tokens=40), good(RAINY))
    wanted = {"model_output_tokens": 500, "model_reasoning_tokens": 2_000}
    ask(make(**wanted))

    ask(make(**wanted))

    assert [heard.body["max_tokens"] for heard in server.asked] == [500, 2_500]


def test_a_lesson_is_forgotten_after_thirty_days(server: OpenAIServer, make: Callable[..., Models], database: Database) -> None:
    server.by_prompt = refusing("temperature")
    ask(make())
    server.by_prompt = None
    database.statement("UPDATE model_servers SET learnt_at = now() - interval '31 days'")

    ask(make())

    assert server.asked[-1].body["temperature"] == 0.5


def test_a_server_that_has_changed_is_learnt_again(server: OpenAIServer, make: Callable[..., Models]) -> None:
    """It refuses what it took, and names nothing that could be left out."""
    server.by_prompt = refusing("max_tokens", "response_format")
    ask(make())

    server.by_prompt = lambda heard: (
        good(RAINY) if "response_format" in heard.body else Say(status=400, error="what is asked for is unclear")
    )
    ask(make())
    paid = len(server.asked)
    ask(make())

    assert len(server.asked) == paid + 1, "and that is known too"
    assert "response_format" in server.asked[-1].body


def test_what_no_lesson_explains_is_refused_as_before(server: OpenAIServer, make: Callable[..., Models]) -> None:
    server.by_prompt = refusing("temperature")
    ask(make())
    server.by_prompt = lambda heard: UNCLEAR
    before = len(server.asked)

    with pytest.raises(ModelRequestRefused, match="unclear"):
        ask(make())

    assert len(server.asked) <= before + 6, "with what was learnt, without it, and in each form of an answer"


def test_what_was_learnt_under_other_settings_does_not_count(server: OpenAIServer, make: Callable[..., Models]) -> None:
    server.by_prompt = refusing("response_format")
    ask(make())
    server.by_prompt = None

    ask(make(model_structured="json_object"))

    assert server.asked[-1].body["response_format"] == {"type": "json_object"}


def test_a_lesson_and_the_probe_of_native_calls_share_a_row(server: OpenAIServer, make: Callable[..., Models], database: Database) -> None:
    server.by_prompt = refusing("temperature")
    server.takes_native_calls = True
    first = make()
    ask(first)

    backend = first._backend("test-model")  # pyright: ignore[reportPrivateUsage]  what a step would ask
    assert takes_native_calls(database, backend)
    assert takes_native_calls(database, backend)

    assert server.probes == 1
    rows = database.statement("SELECT takes_native_calls, learnt FROM model_servers")
    assert [(row["takes_native_calls"], row["learnt"]["lessons"]) for row in rows] == [(True, {"temperature": False})]


def test_a_server_that_takes_no_native_calls_any_more_is_asked_again(server: OpenAIServer, database: Database) -> None:
    """vLLM that was started again without its parser: each step was refused for thirty days."""
    server.takes_native_calls = True
    memory = ServerMemory(lambda: database, server.base_url, "test-model")
    with closing(LangChainBackend("test-model", base_url=server.base_url, memory=memory)) as backend:
        chat = Chat([backend], native_tools=lambda: takes_native_calls(database, backend))
        assert takes_native_calls(database, backend)
        server.takes_native_calls = False
        server.by_prompt = lambda heard: (
            Say(status=400, error="auto tool choice needs a parser") if heard.body.get("tools") else good(RAINY)
        )

        with pytest.raises(ModelRequestRefused, match="BULLPEN_MODEL_TOOLS=structured"):
            chat.work(Weather, tools=Box(), prompt=PROMPT, report="rain", hints=[])

        assert chat.work(Weather, tools=Box(), prompt=PROMPT, report="rain", hints=[]).value == EXPECTED
    assert server.probes == 2
