"""Servers with the quirks of real ones: what is refused is left out and remembered, and what they say reaches the user."""

import json
import time
from collections.abc import Callable, Iterator
from email.utils import formatdate
from typing import Any

import pytest

from tests.support.openai_server import Heard, OpenAIServer, Say, good
from tests.support.weather import EXPECTED, PROMPT, RAINY, Weather
from workers.errors import DatabaseUnavailable, ModelRequestRefused, ModelUnavailable
from workers.llm.models import Models
from workers.settings import Settings

GOOD = json.dumps(RAINY)


_MADE: list[Models] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Each test's models are closed after it, so that no connection is left to the next test."""
    yield
    while _MADE:
        _MADE.pop().close()


@pytest.fixture
def models(server: OpenAIServer) -> Models:
    return _models(server)


def _models(server: OpenAIServer, **settings: Any) -> Models:
    asked = {"model_retries": 1, "model_temperature": 0.0, "model_base_url": server.base_url, **settings}
    known = Settings(model="test-model", **asked)

    def no_database() -> Any:
        raise DatabaseUnavailable("a conversation without a job works without a database")

    _MADE.append(Models(known, no_database))
    return _MADE[-1]


def ask(models: Models) -> Weather:
    return models.without_job("diagnoser").ask(Weather, prompt=PROMPT, report="rain all day", hints=[]).value


def refusing(wrong: Callable[[dict[str, Any]], bool], error: str) -> Callable[[Heard], Say]:
    return lambda heard: Say(status=400, error=error) if wrong(heard.body) else good(RAINY)


QUIRKS: dict[str, tuple[Callable[[dict[str, Any]], bool], str]] = {
    "max_tokens": (
        lambda body: "max_tokens" in body,
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    ),
    "temperature": (
        lambda body: "temperature" in body,
        "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) value is supported.",
    ),
    "system role": (
        lambda body: any(message["role"] == "system" for message in body["messages"]),
        "Conversation roles must alternate user/assistant/user/assistant/... system role not supported",
    ),
    "json_schema": (
        lambda body: (body.get("response_format") or {}).get("type") == "json_schema",
        "This response_format type is unavailable now",
    ),
    "any response_format": (lambda body: "response_format" in body, "response_format is not supported"),
    "all of them": (
        lambda body: "max_tokens" in body or "temperature" in body,
        "'max_tokens' is not supported, use 'max_completion_tokens'; 'temperature' is not supported",
    ),
}


@pytest.mark.parametrize("quirk", QUIRKS)
def test_what_a_server_refuses_is_left_out_and_not_sent_again(server: OpenAIServer, models: Models, quirk: str) -> None:
    wrong, error = QUIRKS[quirk]
    server.by_prompt = refusing(wrong, error)

    assert ask(models) == Weather.model_validate(RAINY)
    before = len(server.asked)
    assert ask(models) == Weather.model_validate(RAINY)

    assert len(server.asked) == before + 1, "it is remembered"
    assert before > 1
    assert "rain all day" in json.dumps(server.asked[-1].body["messages"])
    assert "JSON" in json.dumps(server.asked[-1].body["messages"]), "and what the system's turn says is said all the same"


@pytest.mark.parametrize(
    "error",
    [
        "This model's maximum context length is 8192 tokens. However, you requested 12500 tokens (8500 in the messages).",
        "This endpoint's maximum context length is 8192 tokens.",
    ],
)
def test_a_prompt_that_does_not_fit_names_the_setting_of_the_window_and_the_server_s_words(
    server: OpenAIServer, models: Models, error: str
) -> None:
    server.will(Say(status=400, error=error, code="context_length_exceeded"))

    with pytest.raises(ModelRequestRefused) as caught:
        ask(models)

    assert "maximum context length is 8192" in str(caught.value)
    assert "BULLPEN_MODEL_CONTEXT_TOKENS" in str(caught.value)
    assert "response_format" not in str(caught.value)
    assert models.without_job("diagnoser").context_tokens < 8192, "the window is known from then on"


def test_a_window_that_the_server_names_leaves_less_room_for_the_answer(server: OpenAIServer, models: Models) -> None:
    error = "This model's maximum context length is 4096 tokens. However, you requested 4500 tokens (500 in the messages)."
    server.by_prompt = refusing(lambda body: body["max_tokens"] > 3900, error)

    assert ask(models) == Weather.model_validate(RAINY)


def test_a_used_up_quota_is_not_tried_again(server: OpenAIServer, models: Models) -> None:
    server.will(Say(status=429, error="You exceeded your current quota, please check your plan.", code="insufficient_quota"))

    with pytest.raises(ModelRequestRefused, match=r"exceeded your current quota.*quota of this account"):
        ask(models)

    assert len(server.asked) == 1


def test_a_date_in_retry_after_is_waited_for(server: OpenAIServer, models: Models) -> None:
    server.will(Say(status=429, headers={"Retry-After": formatdate(time.time() + 2.9, usegmt=True)}), good(RAINY))
    began = time.time()

    assert ask(models) == Weather.model_validate(RAINY)

    assert time.time() - began > 1.5
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("body", "error", "tries"),
    [
        ({"error": {"message": "model is loading", "code": 503}}, ModelUnavailable, 2),
        ({"error": {"message": "model is loading"}}, ModelUnavailable, 2),
        ({"error": "model is loading"}, ModelUnavailable, 2),
        ({"error": {"message": "model is loading, forbidden", "code": 403}}, ModelRequestRefused, 1),
    ],
)
def test_an_error_in_an_answer_of_status_200_is_told_in_the_server_s_words(
    server: OpenAIServer, models: Models, body: Any, error: type[Exception], tries: int
) -> None:
    server.will(Say(raw=json.dumps(body).encode()))

    with pytest.raises(error, match="model is loading"):
        ask(models)

    assert len(server.asked) == tries


def test_an_error_within_a_stream_is_told_in_the_server_s_words(server: OpenAIServer) -> None:
    event = b'data: {"error": {"message": "Internal error of the vendor", "code": 500}}\n\n'
    server.will(Say(raw=event, content_type="text/event-stream"))
    models = _models(server, model_stream=True)

    with pytest.raises(ModelUnavailable, match="Internal error of the vendor"):
        ask(models)

    assert len(server.asked) == 2


@pytest.mark.parametrize(
    "choice",
    [
        {"message": {"content": GOOD}},
        {"index": None, "message": {"role": None, "content": GOOD}, "finish_reason": None},
        {"message": {"role": "assistant", "content": [{"type": "text", "text": GOOD}]}},
        {"message": {"role": "assistant", "content": None, "reasoning_content": GOOD}},
        {"message": {"role": "assistant", "content": "", "reasoning": GOOD}},
        {"message": {"role": "assistant", "content": GOOD, "reasoning_content": 'I think {"sky": "blue"}'}},
    ],
)
@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": "10", "completion_tokens": None}, {"prompt_tokens": [], "total": "x"}])
def test_a_loose_answer_is_read(server: OpenAIServer, models: Models, choice: Any, usage: Any) -> None:
    server.will(Say(raw=json.dumps({"id": None, "model": None, "choices": [choice], "usage": usage}).encode()))

    assert ask(models) == Weather.model_validate(RAINY)


@pytest.mark.parametrize("page", [b"<html><h1>502 Bad Gateway</h1></html>", b'{"choices": null}', b"[]", b"null"])
def test_what_is_no_answer_names_the_setting_of_the_address(server: OpenAIServer, models: Models, page: bytes) -> None:
    server.will(Say(raw=page, content_type="text/html" if page.startswith(b"<") else "application/json"))

    with pytest.raises(ModelUnavailable, match="BULLPEN_MODEL_BASE_URL"):
        ask(models)


def test_an_answer_without_choices_is_not_blamed_on_the_address(server: OpenAIServer, models: Models) -> None:
    server.will(Say(raw=b'{"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 0}}'))

    with pytest.raises(ModelUnavailable, match="no choices") as refused:
        ask(models)

    assert "BULLPEN_MODEL_BASE_URL" not in str(refused.value)


STREAMS_ONLY = {
    "DashScope": "parameter.enable_thinking must be set to false for non-streaming calls",
    "ModelScope": "enable thinking can not be support when `stream=False`.",
}


@pytest.mark.parametrize("vendor", STREAMS_ONLY)
def test_a_model_that_answers_in_pieces_only_is_asked_for_pieces(server: OpenAIServer, models: Models, vendor: str) -> None:
    server.by_prompt = refusing(lambda body: not body.get("stream"), STREAMS_ONLY[vendor])

    assert ask(models) == ask(models) == EXPECTED

    assert [bool(heard.body.get("stream")) for heard in server.asked] == [False, True, True]


def test_what_the_server_itself_finds_to_be_no_json_is_asked_for_again(server: OpenAIServer, models: Models) -> None:
    """Groq: 400 with the text that the model wrote. It is no reason to give up `response_format`."""
    wrong = {"message": "Failed to generate JSON.", "code": "json_validate_failed", "failed_generation": '{"sky": '}
    server.will(Say(status=400, raw=json.dumps({"error": wrong}).encode()), good(RAINY))

    assert ask(models) == EXPECTED

    assert ["response_format" in heard.body for heard in server.asked] == [True, True]
    first, second = (heard.body["messages"] for heard in server.asked)
    assert first != second, "the second says what was wrong"


def test_a_prompt_that_the_vendors_filter_refuses_is_not_sent_again(server: OpenAIServer, models: Models) -> None:
    server.will(Say(status=400, code="content_filter", error="The response was filtered due to the prompt."))

    with pytest.raises(ModelRequestRefused, match=r"was filtered.* The vendor's filter refused the prompt") as refused:
        ask(models)

    assert "STRUCTURED" not in str(refused.value)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "words", ["the request exceeds the available context size", "Requested tokens (2285) exceed context window of 256"]
)
def test_a_prompt_that_is_too_long_is_no_outage_whatever_its_status(server: OpenAIServer, models: Models, words: str) -> None:
    server.will(Say(status=500, code="500", error=words))

    with pytest.raises(ModelRequestRefused, match="BULLPEN_MODEL_CONTEXT_TOKENS"):
        ask(models)

    assert len(server.asked) == 1


def test_an_address_without_v1_is_said_to_lack_it(server: OpenAIServer) -> None:
    models = _models(server, model_base_url=server.base_url.removesuffix("/v1"))

    with pytest.raises(ModelRequestRefused, match=r"set BULLPEN_MODEL_BASE_URL=http://127.0.0.1:\d+/v1"):
        ask(models)


def test_a_proxy_that_gave_up_waiting_is_named_with_what_helps(server: OpenAIServer, models: Models) -> None:
    server.will(Say(status=504, raw=b"<html><h1>504 Gateway Time-out</h1></html>", content_type="text/html"))

    with pytest.raises(ModelUnavailable, match=r"answered 504\. .*timeout of the proxy.* BULLPEN_MODEL_STREAM=true"):
        ask(models)


UNREAD_SCHEMAS = {
    "llama.cpp": {"error": {"code": 400, "message": "Failed to initialize samplers: failed to parse grammar"}},
    "vLLM": {"object": "error", "message": "The provided JSON schema contains features not supported by xgrammar.", "code": 400},
    "Gemini": [{"error": {"code": 400, "message": "Unknown name at 'response_format.json_schema.schema'", "status": "INVALID_ARGUMENT"}}],
}


@pytest.mark.parametrize("vendor", UNREAD_SCHEMAS)
def test_a_schema_that_a_server_cannot_follow_is_left_out_whatever_its_words(server: OpenAIServer, models: Models, vendor: str) -> None:
    refusal = Say(status=400, raw=json.dumps(UNREAD_SCHEMAS[vendor]).encode())
    server.by_prompt = lambda heard: refusal if "json_schema" in heard.raw else good(RAINY)

    assert ask(models) == Weather.model_validate(RAINY)
    assert ask(models) == Weather.model_validate(RAINY)
    before = len(server.asked)
    assert ask(models) == Weather.model_validate(RAINY)
    assert len(server.asked) == before + 1, "it is remembered"


def test_one_refusal_that_names_nothing_costs_no_form_for_ever(server: OpenAIServer, models: Models) -> None:
    """A gateway's hiccup."""
    server.will(Say(status=400, error="upstream hiccup"), good(RAINY))

    assert ask(models) == Weather.model_validate(RAINY)
    assert ask(models) == Weather.model_validate(RAINY)
    assert [heard.body["response_format"]["type"] for heard in server.asked] == ["json_schema", "json_object", "json_schema"]


def test_an_outage_while_another_form_is_tried_is_an_outage(server: OpenAIServer, models: Models) -> None:
    server.will(Say(status=400, error="failed to parse grammar"), Say(status=503))

    with pytest.raises(ModelUnavailable, match="503"):
        ask(models)


def test_a_form_that_was_only_a_guess_is_not_remembered(server: OpenAIServer, models: Models) -> None:
    """A wrong name of a model is no reason to give up the schema."""
    server.will(Say(status=400, raw=b'{"code": 20012, "message": "Model does not exist."}'))
    with pytest.raises(ModelRequestRefused, match="Model does not exist"):
        ask(models)
    assert len(server.asked) == 3, "once in each form of an answer: by a schema, as any JSON, in the words of the prompt"
    server.will(good(RAINY))

    ask(models)

    assert server.asked[-1].body["response_format"]["type"] == "json_schema"


ELSEWHERE = {
    "a list": [{"error": {"code": 400, "message": "API key not valid."}}],
    "a list of errors": {"success": False, "errors": [{"code": 7009, "message": "API key not valid."}]},
    "an error that is a text": {"error": "API key not valid.", "error_type": "validation"},
}


@pytest.mark.parametrize("form", ELSEWHERE)
def test_the_words_of_a_server_are_found_wherever_it_puts_them(server: OpenAIServer, models: Models, form: str) -> None:
    server.will(Say(status=400, raw=json.dumps(ELSEWHERE[form]).encode()))

    with pytest.raises(ModelRequestRefused, match=r"API key not valid\."):
        ask(models)


def test_a_window_in_a_text_alone_is_read(server: OpenAIServer, models: Models) -> None:
    words = "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 8000 `inputs` tokens"
    server.will(Say(status=422, raw=json.dumps({"error": words}).encode()))

    with pytest.raises(ModelRequestRefused, match=r"BULLPEN_MODEL_CONTEXT_TOKENS to the window of the model \(8193\)"):
        ask(models)


def test_events_in_the_place_of_a_whole_answer_are_asked_for(server: OpenAIServer, models: Models) -> None:
    """A gateway that streams whatever is asked."""
    chunk = {"id": "1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "x"}}]}
    events = Say(raw=f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode(), content_type="text/event-stream")
    server.by_prompt = lambda heard: good(RAINY) if heard.body.get("stream") else events

    assert ask(models) == Weather.model_validate(RAINY)
    assert len(server.asked) == 2


WINDOWS: dict[str, dict[str, Any]] = {
    "vLLM": {"/v1/models": {"data": [{"id": "test-model", "max_model_len": 6000}]}},
    "llama.cpp": {"/props": {"default_generation_settings": {"n_ctx": 6000}}},
    "Ollama": {"/api/version": {"version": "0.9"}, "/api/show": {"parameters": 'stop "<|im_end|>"\nnum_ctx                        6000'}},
    "Ollama, loaded": {
        "/api/version": {"version": "0.13"},
        "/api/ps": {"models": [{"name": "other", "context_length": 90_000}, {"name": "test-model:latest", "context_length": 6000}]},
        "/api/show": {"parameters": "num_ctx 90000"},
    },
}


@pytest.mark.parametrize("vendor", WINDOWS)
def test_the_window_is_the_one_that_the_server_tells(server: OpenAIServer, models: Models, vendor: str) -> None:
    server.pages = WINDOWS[vendor]

    assert models.without_job("diagnoser").context_tokens < 6000
    asked = len(server.heard)
    assert models.without_job("diagnoser").context_tokens < 6000
    assert len(server.heard) == asked, "it is asked once"


def test_a_model_that_is_not_loaded_is_loaded_for_its_window(server: OpenAIServer) -> None:
    """Ollama decides it then: its default, or the operator's setting of the server. It cut longer prompts without a word."""
    server.pages = {"/api/version": {"version": "0.13"}, "/api/show": {}, "/api/ps": {"models": []}}

    def load(request: Heard) -> dict[str, Any]:
        server.pages["/api/ps"] = {"models": [{"model": request.body["model"], "context_length": 4096}]}
        return {"done": True, "done_reason": "load"}

    server.pages["/api/generate"] = load

    assert _models(server).without_job("diagnoser").context_tokens < 4096


def test_a_window_that_is_set_is_used_and_none_is_asked_for(server: OpenAIServer) -> None:
    server.pages = WINDOWS["vLLM"]

    assert _models(server, model_context_tokens=50_000).without_job("diagnoser").context_tokens > 20_000
    assert server.heard == []


def test_a_server_that_does_not_tell_or_is_away_leaves_the_default(server: OpenAIServer) -> None:
    models = _models(server)
    assert models.without_job("diagnoser").context_tokens > 20_000
    server.close()

    assert _models(server).without_job("diagnoser").context_tokens > 20_000
