"""A model that reasons has room for that beside its answer: given once it was seen, and given at once where an answer was cut off."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.openai_server import PROMPT_TOKENS, Heard, OpenAIServer, Say, good
from tests.support.weather import EXPECTED, PROMPT, RAINY, Weather
from workers.errors import DatabaseUnavailable, ModelAnswerUnusable
from workers.llm.models import Models
from workers.settings import Settings

ANSWER, REASONING = 500, 3_000


@pytest.fixture
def make(server: OpenAIServer) -> Iterator[Callable[..., Models]]:
    made: list[Models] = []

    def no_database() -> Any:
        raise DatabaseUnavailable("a conversation without a job works without a database")

    def models(**settings: Any) -> Models:
        known = {"model_output_tokens": ANSWER, "model_reasoning_tokens": REASONING, "model_retries": 0, **settings}
        made.append(Models(Settings(model="test-model", model_base_url=server.base_url, **known), no_database))
        return made[-1]

    yield models
    for one in made:
        one.close()


def ask(models: Models) -> Weather:
    return models.without_job("diagnoser").ask(Weather, prompt=PROMPT, report="rain all day", hints=[]).value


def rooms(server: OpenAIServer) -> list[int]:
    return [heard.body["max_tokens"] for heard in server.asked]


def thinks_long(needed: int, cut: Say) -> Callable[[Heard], Say]:
    """A model whose reasoning and answer take `needed` tokens together."""
    return lambda heard: good(RAINY) if heard.body["max_tokens"] >= needed else cut


CUT_OFF = {
    "reasoning is hidden": Say("", finish="length"),
    "reasoning is counted": Say("", finish="length", reasoning_tokens=500),
    "reasoning has its field": Say("", finish="length", reasoning="The report says that ..."),
    "reasoning is in the text": Say("<think>The report says", finish="length"),
    "the answer began": Say(json.dumps(RAINY)[:9], finish="length", reasoning_tokens=490),
}


def test_no_temperature_is_sent_unless_one_is_set(server: OpenAIServer, make: Callable[..., Models]) -> None:
    ask(make())
    ask(make(model_temperature=0.3))

    assert [heard.body.get("temperature") for heard in server.asked] == [None, 0.3]
    assert "temperature" not in server.asked[0].body


def test_a_model_that_does_not_reason_is_given_the_room_of_an_answer(server: OpenAIServer, make: Callable[..., Models]) -> None:
    models = make()

    ask(models)
    ask(models)

    assert rooms(server) == [ANSWER, ANSWER]


@pytest.mark.parametrize("is_streamed", [False, True])
@pytest.mark.parametrize("cut", CUT_OFF)
def test_an_answer_that_reasoning_cut_off_is_asked_for_with_more_room(
    server: OpenAIServer, make: Callable[..., Models], cut: str, is_streamed: bool
) -> None:
    server.by_prompt = thinks_long(2_000, CUT_OFF[cut])

    assert ask(make(model_stream=is_streamed)) == EXPECTED

    assert rooms(server) == [ANSWER, ANSWER + REASONING]
    assert len(server.asked[1].body["messages"]) == len(server.asked[0].body["messages"]), "the same request, and no reproach"


SEEN = {
    "counted": Say(json.dumps(RAINY), reasoning_tokens=7),
    "field": Say(json.dumps(RAINY), reasoning="It rains."),
    "text": Say("<think>It rains.</think>" + json.dumps(RAINY)),
}


@pytest.mark.parametrize("seen", SEEN)
def test_a_model_that_was_seen_to_reason_has_the_room_from_then_on(server: OpenAIServer, make: Callable[..., Models], seen: str) -> None:
    server.will(SEEN[seen], good(RAINY))
    models = make()

    ask(models)
    ask(models)

    assert rooms(server) == [ANSWER, ANSWER + REASONING]


def test_more_room_is_given_once_and_then_the_model_is_told_to_reason_less(server: OpenAIServer, make: Callable[..., Models]) -> None:
    server.will(CUT_OFF["reasoning is counted"])

    with pytest.raises(ModelAnswerUnusable, match="Reason less"):
        ask(make())

    # four answers, each asked for twice: the room grows once more when it is known that the model reasons
    assert rooms(server) == [ANSWER, ANSWER + REASONING, *[ANSWER + REASONING, ANSWER + 2 * REASONING] * 3]


def test_the_room_stays_within_the_window(server: OpenAIServer, make: Callable[..., Models]) -> None:
    server.by_prompt = thinks_long(1_000, CUT_OFF["reasoning is counted"])

    assert ask(make(model_context_tokens=2_048)) == EXPECTED

    assert rooms(server)[0] == ANSWER
    assert 1_000 < rooms(server)[1] < 2_048


def test_both_calls_are_paid(server: OpenAIServer, make: Callable[..., Models]) -> None:
    server.will(CUT_OFF["reasoning is counted"], good(RAINY))
    chat = make().without_job("diagnoser")

    chat.ask(Weather, prompt=PROMPT, report="rain all day", hints=[])

    assert chat.usage.model_calls == 2
    assert chat.usage.input_tokens == 2 * PROMPT_TOKENS


LIMITS = {
    "OpenAI": "max_tokens is too large: 3500. This model supports at most 1024 completion tokens, whereas you provided 3500.",
    "DeepSeek": "Invalid max_tokens value, the valid range of max_tokens is [1, 1024]",
    "Qwen": "<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 1024]",
}


@pytest.mark.parametrize("vendor", LIMITS)
def test_a_server_s_limit_of_an_answer_is_kept(server: OpenAIServer, make: Callable[..., Models], vendor: str) -> None:
    says = LIMITS[vendor]
    is_cut = iter([True])

    def answer(heard: Heard) -> Say:
        if heard.body["max_tokens"] > 1_024:
            return Say(status=400, error=says)
        return CUT_OFF["reasoning is counted"] if next(is_cut, False) else good(RAINY)

    server.by_prompt = answer
    models = make()

    assert ask(models) == EXPECTED
    assert ask(models) == EXPECTED

    assert rooms(server) == [ANSWER, ANSWER + REASONING, 1_024, 1_024]
