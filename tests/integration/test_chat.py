"""The seam of models: the same promises over written answers and over LangChain against a server on the wire."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from structlog.testing import CapturedCall, CapturingLogger

from contracts.reports import Usage
from tests.support.openai_server import COMPLETION_TOKENS, PROMPT_TOKENS, OpenAIServer, Say, good, openai_server
from tests.support.weather import EXPECTED, PROMPT, RAINY, Weather
from workers import tracing
from workers.errors import (
    BullpenError,
    ModelAnswerUnusable,
    ModelRequestRefused,
    ModelUnavailable,
    StepCancelled,
)
from workers.llm import Answer
from workers.llm.backend import Reply
from workers.llm.chat import Chat, ChatLimits
from workers.llm.langchain_chat import LangChainBackend
from workers.llm.scripted import ScriptedChat, Written

KEY = "sk-test-0123456789"
REPORT = "the-report-nobody-logs"
QUICK = ChatLimits(timeout_s=60.0, retries=0)
USED = Usage(input_tokens=PROMPT_TOKENS, output_tokens=COMPLETION_TOKENS)


OPENED: list[LangChainBackend] = []


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while OPENED:
        OPENED.pop().close()


@pytest.fixture
def server(_closed: None) -> Iterator[OpenAIServer]:
    with openai_server() as running:
        yield running


@dataclass
class Seam:
    """A chat whose model says what it is told to, and how often it was called."""

    make: Callable[..., Chat]
    calls: Callable[[], int]
    last_turn: Callable[[], str]


def as_written(say: Say) -> Written:
    """What a server's order is for a scripted model."""
    if say.status >= 500 or say.status == 429 or say.disconnect:
        return ModelUnavailable("as ordered", retry_after_s=float(say.headers["retry-after"]) if "retry-after" in say.headers else None)
    if say.status >= 400:
        return ModelRequestRefused("as ordered")
    return Reply(say.content or "", say.refusal, (say.tool,) if say.tool else (), say.finish == "length", USED if say.usage else None)


@pytest.fixture(params=["scripted", "server", "streamed"])
def seam(request: pytest.FixtureRequest, _closed: None) -> Iterator[Seam]:
    if request.param == "scripted":
        made: list[ScriptedChat] = []

        def scripted(*says: Say, limits: ChatLimits = QUICK, **more: Any) -> Chat:
            made.append(ScriptedChat(*map(as_written, says), limits=limits, model="test-model", **more))
            return made[-1]

        yield Seam(scripted, lambda: len(made[-1].asked), lambda: made[-1].asked[-1].turns[-1].text)
        return
    with openai_server() as server:

        def over_http(*says: Say, limits: ChatLimits = QUICK, **more: Any) -> Chat:
            server.will(*says)
            return Chat([backend(server, stream=request.param == "streamed")], limits=limits, **more)

        yield Seam(over_http, lambda: len(server.asked), lambda: server.asked[-1].body["messages"][-1]["content"])


def backend(server: OpenAIServer, model: str = "test-model", **more: Any) -> LangChainBackend:
    return opened(LangChainBackend(model, base_url=server.base_url, **{"api_key": KEY, **more}))


def opened(made: LangChainBackend) -> LangChainBackend:
    OPENED.append(made)
    return made


def ask(chat: Chat, report: str = REPORT) -> Answer[Weather]:
    return chat.ask(Weather, prompt=PROMPT, report=report, hints=None)


WRONG = [
    ("broken json", Say('{"sky": "rain", "degrees": ')),
    ("wrong schema", good({"sky": "snow", "degrees": 3})),
    ("nan", Say('{"sky": "rain", "degrees": NaN}')),
    ("empty", Say("")),
    ("prose", Say("It rains, I think.")),
    ("cut off", Say('{"sky": "ra', finish="length")),
    ("two answers", Say('{"sky": "rain", "degrees": 1} {"sky": "sun", "degrees": 1}')),
    ("reasoning only", Say("<think>hm, hm")),
]
ON_THE_WIRE_ONLY_WHOLE = [("refusal", Say(refusal="I will not.")), ("tool call", Say(tool="read_file"))]


@pytest.mark.parametrize("wrong", [say for _, say in WRONG], ids=[name for name, _ in WRONG])
def test_a_wrong_answer_goes_back_with_its_fault_and_the_repaired_one_counts(seam: Seam, wrong: Say) -> None:
    chat = seam.make(wrong, good(RAINY))

    answer = ask(chat)

    assert answer.value == EXPECTED
    assert answer.model == chat.answered_by == "test-model"
    assert seam.calls() == 2
    assert "That answer cannot be used." in seam.last_turn()
    assert answer.usage == Usage(input_tokens=2 * PROMPT_TOKENS, output_tokens=2 * COMPLETION_TOKENS, model_calls=2)


@pytest.mark.parametrize("wrong", [say for _, say in ON_THE_WIRE_ONLY_WHOLE], ids=[name for name, _ in ON_THE_WIRE_ONLY_WHOLE])
def test_a_refusal_and_a_tool_call_are_wrong_answers(server: OpenAIServer, wrong: Say) -> None:
    for chat in (ScriptedChat(as_written(wrong), RAINY), Chat([backend(server)], limits=QUICK)):
        server.will(wrong, good(RAINY))

        assert ask(chat).value == EXPECTED
        assert chat.usage.model_calls == 2


@pytest.mark.parametrize("wrong", [say for _, say in WRONG], ids=[name for name, _ in WRONG])
def test_a_model_that_never_gets_it_right_is_asked_four_times_and_no_more(seam: Seam, wrong: Say) -> None:
    """S28, C12: validation errors are sent back at most 3 times."""
    chat = seam.make(*[wrong] * 9)

    with pytest.raises(ModelAnswerUnusable, match=r"invalid 4 times\. The last error"):
        ask(chat)

    assert seam.calls() == 4
    assert chat.usage == Usage(input_tokens=4 * PROMPT_TOKENS, output_tokens=4 * COMPLETION_TOKENS, model_calls=4)
    assert chat.answered_by is None


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_fault_of_the_server_is_tried_again_and_then_it_is_unavailable(seam: Seam, status: int) -> None:
    failing = Say(status=status, headers={"retry-after": "0"})
    limits = replace(QUICK, retries=2)

    assert ask(seam.make(failing, failing, good(RAINY), limits=limits)).value == EXPECTED
    assert seam.calls() == 3
    with pytest.raises(ModelUnavailable) as caught:
        ask(seam.make(failing, failing, failing, limits=limits))
    assert caught.value.retryable


def test_a_server_that_breaks_off_in_the_middle_is_tried_again(seam: Seam) -> None:
    chat = seam.make(Say(json.dumps(RAINY), disconnect=True), good(RAINY), limits=replace(QUICK, retries=1))

    assert ask(chat).value == EXPECTED


def test_a_wait_that_the_server_asks_for_is_kept_when_short_and_refused_when_long(seam: Seam) -> None:
    limits = replace(QUICK, retries=1)
    started = time.monotonic()
    ask(seam.make(Say(status=429, headers={"retry-after": "0.4"}), good(RAINY), limits=limits))
    assert time.monotonic() - started >= 0.4

    with pytest.raises(ModelUnavailable) as caught:  # nobody waits for an hour: the test would be ended
        ask(seam.make(Say(status=429, headers={"retry-after": "3600"}), good(RAINY), limits=limits))
    assert caught.value.retry_after_s == 3600


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_request_that_the_server_refuses_is_not_repeated(seam: Seam, status: int) -> None:
    chat = seam.make(Say(status=status), good(RAINY), limits=replace(QUICK, retries=2))

    with pytest.raises(ModelRequestRefused) as caught:
        ask(chat)

    assert seam.calls() == 1
    assert not caught.value.retryable


def test_a_server_that_does_not_tell_its_usage_is_not_free(seam: Seam) -> None:
    chat = seam.make(Say(json.dumps(RAINY), usage=False))

    usage = ask(chat).usage

    assert usage.input_tokens > 100
    assert usage.output_tokens > 5


def test_what_is_used_has_its_price(seam: Seam) -> None:
    chat = seam.make(Say("nonsense"), good(RAINY), prices={"test-model": (2.0, 10.0)})

    assert ask(chat).usage.cost_usd == pytest.approx(2 * (PROMPT_TOKENS * 2 + COMPLETION_TOKENS * 10) / 1e6)


def test_a_step_that_is_not_wanted_any_more_calls_no_model(seam: Seam) -> None:
    def stopped() -> None:
        raise StepCancelled("as ordered")

    with pytest.raises(StepCancelled):
        ask(seam.make(good(RAINY), check_stopped=stopped))

    assert seam.calls() == 0


def test_past_the_deadline_no_call_is_begun(seam: Seam) -> None:
    chat = seam.make(good(RAINY), limits=replace(QUICK, deadline=time.monotonic() + 0.2))

    with pytest.raises(ModelUnavailable, match="deadline leaves no time"):
        ask(chat)

    assert seam.calls() == 0


def test_a_prompt_larger_than_the_window_is_not_sent(seam: Seam) -> None:
    chat = seam.make(good(RAINY), limits=replace(QUICK, context_tokens=2_048, output_tokens=500))

    with pytest.raises(ModelRequestRefused, match="BULLPEN_MODEL_CONTEXT_TOKENS"):
        ask(chat, report="word " * 4_000)

    assert seam.calls() == 0


def test_a_chat_may_be_shared_by_threads(seam: Seam) -> None:
    chat = seam.make(*[good(RAINY)] * 12)
    values: list[Any] = []

    threads = [threading.Thread(target=lambda: values.append(ask(chat).value)) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert values == [EXPECTED] * 12
    assert chat.usage.model_calls == 12


FAULTS = [say for _, say in WRONG] + [Say(status=status) for status in (500, 401)]


@pytest.mark.parametrize("fault", FAULTS, ids=range(len(FAULTS)))
def test_the_fallback_is_asked_when_the_first_model_fails(server: OpenAIServer, fault: Say) -> None:
    server.will(fault, model="test-model")
    server.will(good(RAINY), model="second-model")
    chat = Chat([backend(server), backend(server, "second-model")], limits=QUICK, prices={"second-model": (1, 1)})

    answer = ask(chat)

    assert answer.value == EXPECTED
    assert answer.model == chat.answered_by == "second-model"
    assert answer.usage == chat.usage
    assert chat.usage.model_calls == len(server.asked)
    assert chat.usage.cost_usd == pytest.approx((PROMPT_TOKENS + COMPLETION_TOKENS) / 1e6)
    with pytest.raises(BullpenError):
        ask(Chat([backend(server), backend(server, "test-model")], limits=QUICK))


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """What is traced, kept in this process."""
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr(tracing, "_tracer", provider.get_tracer("test"))
    return kept


def test_a_span_holds_prompt_and_answer_where_the_operator_wants_them(
    server: OpenAIServer, spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(tracing.CAPTURE, "true")
    server.will(good(RAINY))

    ask(Chat([backend(server)], limits=QUICK))

    (span,) = spans.get_finished_spans()
    found = dict(span.attributes or {})
    assert "user" in str(found["gen_ai.input.messages"])
    assert "rain" in str(found["gen_ai.output.messages"])


@pytest.mark.parametrize("stream", [False, True])
def test_a_call_is_a_span_with_its_model_and_what_it_used_and_no_text(
    server: OpenAIServer, spans: InMemorySpanExporter, stream: bool
) -> None:
    server.will(good(RAINY), Say(status=500))
    chat = Chat([backend(server, stream=stream)], limits=QUICK)

    ask(chat)
    with pytest.raises(ModelUnavailable):
        ask(chat)
    answered, failed = (dict(span.attributes or {}) for span in spans.get_finished_spans())

    assert answered["gen_ai.operation.name"] == failed["gen_ai.operation.name"] == "chat"
    assert answered["gen_ai.request.model"] == "test-model"
    assert str(answered["server.address"]) in server.base_url
    assert (answered["gen_ai.usage.input_tokens"], answered["gen_ai.usage.output_tokens"]) == (PROMPT_TOKENS, COMPLETION_TOKENS)
    assert answered["bullpen.outcome"] != failed["bullpen.outcome"]
    assert not [value for span in (answered, failed) for value in span.values() if KEY in str(value) or "rain" in str(value).lower()]


SLOW = [
    ("no first byte", Say(json.dumps(RAINY), sleep_s=30)),
    ("a byte now and then", Say(json.dumps(RAINY), trickle_s=0.2)),
    ("a header now and then", Say(json.dumps(RAINY), headers_trickle_s=0.2)),
]


@pytest.mark.parametrize("slow", [say for _, say in SLOW], ids=[name for name, _ in SLOW])
@pytest.mark.parametrize("stream", [False, True])
def test_a_slow_server_does_not_hold_a_worker(server: OpenAIServer, slow: Say, stream: bool) -> None:
    """Whoever waits for this server gets an answer in the end, and no error."""
    server.will(slow)

    with pytest.raises(ModelUnavailable, match="did not answer in time"):
        ask(Chat([backend(server, stream=stream)], limits=replace(QUICK, timeout_s=1.0)))


def test_the_deadline_of_the_step_bounds_a_call(server: OpenAIServer) -> None:
    """Whoever waits for this server gets an answer in the end, and no error."""
    server.will(Say(json.dumps(RAINY), sleep_s=30))

    with pytest.raises(ModelUnavailable):
        ask(Chat([backend(server)], limits=ChatLimits(timeout_s=3_600, retries=5, deadline=time.monotonic() + 2)))


STRANGE = [
    ("html", Say(raw=b"<html>Welcome to the proxy</html>", content_type="text/html")),
    ("html called json", Say(raw=b"<html>Welcome to the proxy</html>")),
    ("nothing", Say(raw=b"")),
    ("null", Say(raw=b"null")),
    ("a list", Say(raw=b"[]")),
    ("no choices", Say(raw=b'{"id": "1", "object": "chat.completion"}')),
    ("null choices", Say(raw=b'{"id": "1", "choices": null}')),
    ("empty choices", Say(raw=b'{"id": "1", "choices": []}')),
    ("an error with status 200", Say(raw=b'{"error": {"message": "overloaded"}}')),
    ("strange types", Say(raw=b'{"choices": [{"message": {"role": "assistant", "content": {"a": 1}}}]}')),
    ("no bytes of text", Say(raw=b"\xff\xfe\x00\x01", content_type="application/octet-stream")),
    ("a bomb of brackets", Say(raw=b"[" * 200_000)),
    ("very large", Say(raw=b'{"id": "' + b"x" * 9_000_000 + b'"}')),
    ("redirect", Say(status=302, headers={"location": "http://127.0.0.1:9/v1/chat/completions"})),
]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("strange", [say for _, say in STRANGE], ids=[name for name, _ in STRANGE])
def test_what_is_no_answer_of_the_protocol_ends_in_an_error_of_ours(server: OpenAIServer, strange: Say, stream: bool) -> None:
    server.will(strange)

    with pytest.raises((ModelUnavailable, ModelAnswerUnusable, ModelRequestRefused)) as caught:
        ask(Chat([backend(server, stream=stream)], limits=QUICK))

    assert REPORT not in str(caught.value)


def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    nowhere = opened(LangChainBackend("m", base_url="http://me:hush@127.0.0.1:9/v1"))

    with pytest.raises(ModelUnavailable, match="BULLPEN_MODEL_BASE_URL") as caught:
        ask(Chat([nowhere], limits=QUICK))

    assert "hush" not in str(caught.value)


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> list[CapturedCall]:
    """What the seam logs."""
    logger = CapturingLogger()
    monkeypatch.setattr("workers.llm.chat.log", logger)
    return logger.calls


def test_the_key_is_sent_as_bearer_and_stands_nowhere_else(
    server: OpenAIServer, lines: list[CapturedCall], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-program")
    server.will(Say(status=500), Say("nonsense"), Say(status=401, error=f"Incorrect API key provided: {KEY}"))
    with pytest.raises(ModelRequestRefused) as caught:
        ask(Chat([backend(server)], limits=replace(QUICK, retries=1)))

    assert [request.headers["authorization"] for request in server.asked] == [f"Bearer {KEY}"] * 3
    for request in server.asked:
        assert KEY not in request.raw
        assert [name for name, value in request.headers.items() if KEY in value] == ["authorization"]
    assert KEY not in str(caught.value)
    assert KEY not in repr(lines)
    assert caught.value.__cause__ is None
    server.will(good(RAINY))
    ask(Chat([backend(server, api_key=None)], limits=QUICK))
    assert "sk-of-another-program" not in server.asked[-1].headers["authorization"]


def test_logs_tell_what_a_call_cost_and_never_what_was_said(server: OpenAIServer, lines: list[CapturedCall]) -> None:
    server.will(Say("an-answer-nobody-logs"), good(RAINY))

    ask(Chat([backend(server)], limits=QUICK, prices={"test-model": (1, 1)}))

    told = [line.kwargs for line in lines if line.args == ("model_called",)]
    assert [(line["model"], line["outcome"], line["input_tokens"]) for line in told] == [("test-model", "answered", PROMPT_TOKENS)] * 2
    assert all(line["duration_s"] >= 0 and line["cost_usd"] > 0 for line in told)
    assert "nobody-logs" not in repr(lines)


@pytest.mark.parametrize("structured", ["json_schema", "json_object", "prompt"])
def test_the_form_of_the_answer_is_told_as_the_server_takes_it(server: OpenAIServer, structured: str) -> None:
    server.will(good(RAINY))

    ask(Chat([backend(server, structured=structured, temperature=0.0)], limits=QUICK))

    body = server.asked[0].body
    form = body.get("response_format")
    assert (form or {}).get("type") == (None if structured == "prompt" else structured)
    if structured == "json_schema":
        assert form["json_schema"]["strict"] is True
        assert form["json_schema"]["schema"]["required"] == ["sky", "degrees", "words"]
    assert '"degrees"' in body["messages"][0]["content"]
    assert body["temperature"] == 0.0
    assert 0 < body["max_tokens"] <= QUICK.output_tokens
    assert "prompt_cache_key" not in body
    assert "tools" not in body


def test_a_model_that_takes_no_temperature_is_sent_none(server: OpenAIServer) -> None:
    server.will(good(RAINY))

    ask(Chat([backend(server, temperature=None)], limits=QUICK))

    assert "temperature" not in server.asked[0].body


def test_only_openai_is_sent_a_cache_key() -> None:
    """S30: the key is the session's."""
    from workers.llm.schema import answer_schema

    def body(base_url: str) -> dict[str, Any]:
        backend = LangChainBackend("m", base_url=base_url)
        return backend._body(backend._dialect, answer_schema(Weather), 10, "session")

    assert body("https://api.openai.com/v1")["prompt_cache_key"] == "session"
    assert "prompt_cache_key" not in body("https://api.openai.com.evil.example/v1")


def test_a_script_that_has_run_out_fails_the_test_and_not_the_model() -> None:
    chat = ScriptedChat(RAINY)
    ask(chat)

    with pytest.raises(LookupError):
        ask(chat)


def test_a_scripted_chat_answers_by_what_is_asked_and_records_it() -> None:
    chat = ScriptedChat(by=lambda asked: {"sky": "sun", "degrees": len(asked.data["report"])})

    assert ask(chat, report="abc").value.degrees == 3
    assert (chat.asked[0].contract, chat.asked[0].prompt) == (Weather, PROMPT)
    assert "abc" in chat.asked[0].text
