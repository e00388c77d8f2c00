"""Words and answers of real servers, after public reports: each leads to an answer, or to an error that says what to do."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from tests.integration.test_tool_loop import REPORT, Box, native
from tests.support.openai_server import Heard, OpenAIServer, Say, good
from tests.support.weather import EXPECTED, PROMPT, RAINY, Weather
from workers.errors import ModelAnswerUnusable, ModelRequestRefused, ModelUnavailable
from workers.llm.backend import Reply
from workers.llm.chat import Chat, ChatLimits
from workers.llm.langchain_chat import LangChainBackend
from workers.llm.reading import WrongAnswer, read_reply

BERN = {"city": "Bern"}
FINAL = native(("final_answer", RAINY))


@pytest.fixture
def chat(server: OpenAIServer) -> Iterator[Chat]:
    with closing(LangChainBackend("test-model", base_url=server.base_url)) as backend:
        yield Chat([backend], limits=ChatLimits(timeout_s=60.0, retries=1), native_tools=True)


def ask(chat: Chat) -> Weather:
    return chat.ask(Weather, prompt=PROMPT, **REPORT).value


def work(chat: Chat, box: Box) -> Weather:
    return chat.work(Weather, tools=box, prompt=PROMPT, **REPORT).value


def refusing(wrong: Callable[[dict[str, Any]], bool], words: Any, status: int = 400) -> Callable[[Heard], Say]:
    refusal = Say(status=status, raw=json.dumps(words).encode())
    return lambda heard: refusal if wrong(heard.body) else good(RAINY)


def has_system(body: dict[str, Any]) -> bool:
    return any(message["role"] == "system" for message in body["messages"])


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ({"error": "Error rendering prompt with jinja template: Only user and assistant roles are supported!"}, 400),
        ({"error": {"code": 500, "message": "Jinja Exception: System role not supported"}}, 500),
        (
            {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": '{"error": "system role not supported"}'}}},
            400,
        ),
    ],
)
def test_a_template_without_a_system_role_is_learnt_in_whatever_words_and_status(
    server: OpenAIServer, chat: Chat, words: Any, status: int
) -> None:
    """LM Studio, llama.cpp, and a router that passes on what the server behind it said."""
    server.by_prompt = refusing(has_system, words, status)

    assert ask(chat) == ask(chat) == EXPECTED
    assert [has_system(heard.body) for heard in server.asked] == [True, False, False]


def test_a_fault_of_the_wire_costs_no_way_of_asking(server: OpenAIServer, chat: Chat) -> None:
    server.will(Say(status=500, error="stream error: stream ID 7; INTERNAL_ERROR; received from peer"), good(RAINY))

    assert ask(chat) == EXPECTED
    assert not any(heard.body.get("stream") for heard in server.asked)


@pytest.mark.parametrize(
    "words", ['relation: role "litellm" does not exist', "SamplingParams(temperature=0.0, max_tokens=4096, min_p 2048): engine died"]
)
def test_a_fault_of_the_server_teaches_nothing_of_the_request(server: OpenAIServer, chat: Chat, words: str) -> None:
    server.will(Say(status=500, error=words), good(RAINY))

    assert ask(chat) == EXPECTED
    first, second = (heard.body for heard in server.asked)
    assert first == second


@pytest.mark.filterwarnings("ignore:Invalid schema for OpenAI")  # LangChain warns of a method that is not used here
@pytest.mark.parametrize(
    "words",
    [
        "Invalid schema for response_format 'answer': In context=('properties', 'role'), 'required' is required",
        "Invalid schema for function 'ask': property 'role' is a system keyword",
        "The user role is missing",
    ],
)
def test_a_refusal_of_another_thing_that_is_called_a_role_keeps_the_system_s_turn(server: OpenAIServer, chat: Chat, words: str) -> None:
    def is_strict(body: dict[str, Any]) -> bool:
        return body.get("response_format", {}).get("type") == "json_schema"

    server.by_prompt = refusing(is_strict, {"error": {"message": words}})

    assert ask(chat) == EXPECTED
    assert all(has_system(heard.body) for heard in server.asked)


@pytest.mark.parametrize(
    "words",
    [
        "Invalid grammar: unexpected token at line 12 column 345",
        "Failed to parse tool call at token 15 of 300",
        "Input token ids must be in [10, 32000]",
        "The number of stop tokens 20 exceeds maximum 16",
        "API token limit of 50 requests per 60 seconds",
    ],
)
def test_two_numbers_beside_the_word_token_are_no_window(server: OpenAIServer, chat: Chat, words: str) -> None:
    server.by_prompt = refusing(lambda body: "response_format" in body, {"error": {"message": words}})

    assert ask(chat) == EXPECTED, "another form of the answer is tried"


@pytest.mark.parametrize(
    ("words", "window"),
    [
        ("Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 509178 tokens.", 272000),
        ("prompt is too long: 212345 tokens > 200000 maximum", 200000),
        ("input length and `max_tokens` exceed context limit: 200848 + 4000 > 204648, decrease input length or `max_tokens`", 204648),
    ],
)
def test_a_prompt_that_is_counted_as_too_long_names_the_window_whatever_the_words(
    server: OpenAIServer, chat: Chat, words: str, window: int
) -> None:
    server.will(Say(status=400, error=words))

    with pytest.raises(ModelRequestRefused, match=rf"BULLPEN_MODEL_CONTEXT_TOKENS to the window of the model \({window}\)"):
        ask(chat)

    assert len(server.asked) == 1, "no other form of the answer is tried"


@pytest.mark.parametrize(
    "words", ["max_tokens is too large: 4000. This model supports at most 2048 completion tokens.", "max_tokens 4000 not in [16, 2048]"]
)
def test_a_limit_of_the_answer_is_not_taken_for_a_window(server: OpenAIServer, chat: Chat, words: str) -> None:
    server.by_prompt = refusing(lambda body: body["max_tokens"] > 2048, {"error": {"message": words}})

    assert ask(chat) == EXPECTED


def test_what_the_server_behind_a_router_said_reaches_the_user(server: OpenAIServer, chat: Chat) -> None:
    about = {"message": "Provider returned error", "code": 429, "metadata": {"raw": "glm is rate-limited upstream."}}
    server.will(Say(status=429, raw=json.dumps({"error": about}).encode()))

    with pytest.raises(ModelUnavailable, match=r"Provider returned error \(glm is rate-limited upstream\.\)"):
        ask(chat)


def broken_off(reason: str, text: str, **more: Any) -> Say:
    choice = {"index": 0, "finish_reason": reason, "message": {"role": "assistant", "content": text}, **more}
    return Say(raw=json.dumps({"id": "1", "object": "chat.completion", "model": "x", "choices": [choice]}).encode())


SUNNY = json.dumps({**RAINY, "sky": "sun"})


@pytest.mark.parametrize(
    "broken",
    [
        broken_off("error", SUNNY, error={"code": 502, "message": "Upstream idle timeout"}),
        broken_off("insufficient_system_resource", SUNNY),
        Say(SUNNY, finish="error"),
    ],
)
def test_an_answer_that_the_model_did_not_end_is_no_answer(server: OpenAIServer, chat: Chat, broken: Say) -> None:
    """OpenRouter and DeepSeek, with status 200: what there is of it may be read as an object."""
    server.will(broken, good(RAINY))

    assert ask(chat) == EXPECTED


def test_a_part_that_says_that_the_stream_failed_is_an_error(server: OpenAIServer) -> None:
    server.will(Say(SUNNY, finish="error"))
    backend = LangChainBackend("test-model", base_url=server.base_url, stream=True)

    with closing(backend), pytest.raises(ModelUnavailable, match="broken off"):
        ask(Chat([backend], limits=ChatLimits(timeout_s=60.0, retries=0)))


def test_a_server_that_takes_no_choice_of_a_tool_is_sent_none(server: OpenAIServer, chat: Chat) -> None:
    """DeepSeek, in thinking mode: neither `required` nor `auto`."""

    def say(heard: Heard) -> Say:
        if "tool_choice" in heard.body:
            return Say(status=400, error="Thinking mode does not support this tool_choice")
        return FINAL if heard.body["messages"][-1]["role"] == "tool" else native(("temperature", BERN))

    server.by_prompt = say
    box = Box()

    assert work(chat, box) == EXPECTED
    assert box.made == [("temperature", BERN)]


def test_a_refusal_of_tools_names_the_setting_of_tools(server: OpenAIServer, chat: Chat) -> None:
    """vLLM, started again without its parser."""
    server.will(Say(status=400, error='"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'))

    with pytest.raises(ModelRequestRefused, match="BULLPEN_MODEL_TOOLS=structured"):
        work(chat, Box())


def test_the_channels_of_a_model_are_not_its_answer(server: OpenAIServer, chat: Chat) -> None:
    """gpt-oss, behind a server that does not know its form; without the last channel there is no answer."""
    thought = f"<|channel|>analysis<|message|>perhaps {SUNNY}<|end|>"
    server.will(Say(thought), Say(f"{thought}<|start|>assistant<|channel|>final<|message|>{json.dumps(RAINY)}"))

    assert ask(chat) == EXPECTED
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    "header",
    ["final <|constrain|>json", "final json", "commentary to=functions.final_answer <|constrain|>json", "commentary<|constrain|>json"],
)
def test_the_header_of_a_channel_may_say_more_than_its_name(server: OpenAIServer, chat: Chat, header: str) -> None:
    thought = f"<|channel|>analysis<|message|>perhaps {SUNNY}<|end|>"
    server.will(Say(f"{thought}<|start|>assistant<|channel|>{header}<|message|>{json.dumps(RAINY)}"))

    assert ask(chat) == EXPECTED
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "part", ["<|channel|>final ", "<|channel|>final<|constrain|>", "<|constrain|>", f"<|channel|>commentary{' ' * 180}"]
)
def test_headers_without_an_end_are_read_in_no_time(part: str) -> None:
    text = "<|channel|>final" + part * (20_000 // len(part))
    began = time.process_time()

    with pytest.raises(WrongAnswer):
        read_reply(Reply(text=text), Weather)

    assert time.process_time() - began < 0.5


def test_an_answer_after_a_header_without_an_end_is_not_that_channel_s(server: OpenAIServer, chat: Chat) -> None:
    server.will(Say(f"<|channel|>final<|end|><|start|>assistant<|channel|>analysis<|message|>perhaps {SUNNY}"), good(RAINY))

    assert ask(chat) == EXPECTED


def test_a_name_of_a_tool_that_is_no_text_is_a_wrong_answer(server: OpenAIServer, chat: Chat) -> None:
    server.will(Say('{"name": ["temperature"], "parameters": {}}'), FINAL)

    assert work(chat, Box()) == EXPECTED


def test_an_answer_that_a_filter_holds_back_is_not_blamed_on_the_model(server: OpenAIServer, chat: Chat) -> None:
    server.will(Say(None, finish="content_filter"))

    with pytest.raises(ModelAnswerUnusable, match="filter of contents held the answer back"):
        ask(chat)


def test_what_a_model_reasoned_before_its_calls_goes_back_where_the_server_wants_it(server: OpenAIServer, chat: Chat) -> None:
    """DeepSeek, Kimi and others refuse a conversation whose calls have lost it."""

    def say(heard: Heard) -> Say:
        called = [message for message in heard.body["messages"] if message.get("tool_calls")]
        if any(message.get("reasoning_content") != "How warm is it?" for message in called):
            return Say(status=400, error="The `reasoning_content` in the thinking mode must be passed back to the API.")
        return FINAL if called else Say(calls=(("temperature", json.dumps(BERN)),), reasoning="How warm is it?")

    server.by_prompt = say
    box = Box()

    assert work(chat, box) == work(chat, box) == EXPECTED
    assert box.made == [("temperature", BERN)] * 2
    assert len(server.asked) == 5, "refused once, and remembered"


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>\n{"name": "temperature", "arguments": {"city": "Bern"}}\n</tool_call>',
        '{"name": "temperature", "arguments": "{\\"city\\": \\"Bern\\"}"}',
        '{"name": "temperature", "parameters": {"city": "Bern"}}',
        '{"type": "function", "function": {"name": "temperature", "parameters": {"city": "Bern"}}}',
        '{"step": {"tool": "temperature", "arguments": {"city": "Bern"}}}',
    ],
)
def test_a_native_call_that_a_server_leaves_in_the_text_is_made(server: OpenAIServer, chat: Chat, text: str) -> None:
    """vLLM without its parser, Ollama, and others. It ended the step."""
    server.will(Say(text), Say(text), FINAL)
    box = Box()

    assert work(chat, box) == EXPECTED
    assert box.made == [("temperature", BERN)] * 2
    sent = server.asked[-1].body["messages"]
    ids = [call["id"] for message in sent for call in message.get("tool_calls", ())]
    assert len(set(ids)) == 2
    assert [message["tool_call_id"] for message in sent if message["role"] == "tool"] == ids
