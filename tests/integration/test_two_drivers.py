"""The two drivers of a loop: equal answers of a model give equal conversations, whichever form its calls are sent in."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain.agents.middleware import AgentMiddleware
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.tracers.context import register_configure_hook

from contracts.base import Json
from contracts.tools import CallOutcome, ToolAnswer
from tests.integration.test_tool_loop import Box
from tests.support.openai_server import OpenAIServer, openai_server
from tests.support.weather import EXPECTED, PROMPT, RAINY, Weather
from workers import kinds
from workers.blackboard.engine import Database
from workers.errors import BullpenError, ConfigurationError, ToolLoopEnded, TransientError
from workers.llm import add_prompts, native
from workers.llm.backend import NativeCall, Reply, Turn
from workers.llm.langchain_chat import LangChainBackend
from workers.llm.probing import takes_native_calls
from workers.llm.scripted import Asked, ScriptedChat, Written
from workers.llm.tool_steps import FINAL_FUNCTION

REPORT: Json = {"report": "rain", "hints": []}

Message = tuple[tuple[str, Json], ...]
"""Calls of one message; a call of `final` gives the final value."""

CALLS = st.tuples(
    st.sampled_from(["temperature", "wind", "nothing", "broken", "dead"]),
    st.one_of(
        st.fixed_dictionaries({"city": st.sampled_from(["Bern", "Genf"])}),
        st.just({"town": "Bern"}),
        st.fixed_dictionaries({"city": st.text(max_size=8)}),
    ),
)
FINALS = st.sampled_from([("final", RAINY), ("final", {"sky": "green"})])
MESSAGES = st.one_of(  # a text that says a step twice means it once
    st.lists(CALLS, min_size=1, max_size=3, unique_by=str).map(tuple),
    FINALS.map(lambda final: (final,)),
)
TALKS = st.lists(MESSAGES, min_size=1, max_size=14)


def box() -> Box:
    failed = ToolAnswer(number=9, tool="broken", outcome=CallOutcome.FAILED, message="No such station.")
    return Box("temperature", "wind", "broken", "dead", answers={"broken": failed, "dead": TransientError("dead")})


def structured(message: Message) -> Written:
    steps = [{"step": {"final": made}} if tool == "final" else {"step": {"tool": tool, "arguments": made}} for tool, made in message]
    return "\n".join(json.dumps(step) for step in steps)


def as_native(message: Message) -> Written:
    names = [FINAL_FUNCTION if tool == "final" else tool for tool, _ in message]
    calls = [NativeCall(f"c{place}", name, json.dumps(made[1])) for place, (name, made) in enumerate(zip(names, message, strict=True))]
    return Reply(calls=tuple(calls))


def in_order(talk: list[Message], say: Any) -> Any:
    """The messages in turn; the last one again and again."""
    said: list[int] = []

    def script(asked: Asked) -> Written:
        said.append(1)
        return say(talk[min(len(said), len(talk)) - 1])

    return script


def outcome_of(chat: ScriptedChat, tools: Box, *, must_call: bool) -> tuple[Any, list[Any], list[str]]:
    """What came of it, which calls were made, and what the model was told after its messages."""
    try:
        made: Any = chat.work(Weather, tools=tools, prompt=PROMPT, must_call=must_call, **REPORT)
        made = (made.value, [(answer.tool, answer.outcome) for answer in made.calls])
    except BullpenError as error:
        made = (type(error).__name__, str(error).replace(FINAL_FUNCTION, "final"))
    return made, tools.made, [told(asked.turns) for asked in chat.asked]


def told(turns: tuple[Turn, ...]) -> str:
    """The texts that answered the model's calls, in either form. A repair differs in the words for the form alone, and is left out."""
    said = turns[2:-2] if turns[-1].text.startswith("That answer cannot be used") else turns[2:]
    return "\n".join(turn.text for turn in said if turn.speaker in ("user", "tool"))


@given(talk=TALKS, must_call=st.booleans())
def test_equal_answers_give_equal_conversations(talk: list[Message], must_call: bool) -> None:
    first = outcome_of(ScriptedChat(by=in_order(talk, structured)), box(), must_call=must_call)
    second = outcome_of(ScriptedChat(by=in_order(talk, as_native), native_tools=True), box(), must_call=must_call)

    if isinstance(first[0][0], str) and first[0][0] == "ModelAnswerUnusable":  # the words of a fault name the form
        assert second[0][0] == "ModelAnswerUnusable"
    else:
        assert first[0] == second[0]
    assert first[1:] == second[1:]


def call(tool: str, call_id: str = "c", **arguments: Any) -> Reply:
    return Reply(calls=(NativeCall(call_id, tool, json.dumps(arguments)),))


FINAL = Reply(calls=(NativeCall("f", FINAL_FUNCTION, json.dumps(RAINY)),))


def test_an_endless_model_is_ended_by_the_bounds_of_the_loop() -> None:
    endless = ScriptedChat(by=lambda asked: call("wind", city=str(len(asked.turns))), native_tools=True)

    with pytest.raises(BullpenError, match="No tool can be called any more"):
        endless.work(Weather, tools=box(), prompt=PROMPT, **REPORT)

    assert len(endless.asked) < 20


@pytest.mark.parametrize("silent", [Reply(), Reply(text=""), Reply(text="I am done."), Reply(text='{"sky": ', cut_off=True)])
def test_a_model_that_ends_without_a_word_is_asked_again(silent: Reply) -> None:
    chat = ScriptedChat(call("wind", city="Bern"), silent, FINAL, native_tools=True)

    assert chat.work(Weather, tools=box(), prompt=PROMPT, **REPORT).value == EXPECTED
    assert len(chat.asked) == 3


def test_calls_with_one_id_or_none_are_answered_each() -> None:
    both = Reply(calls=(NativeCall("call", "wind", '{"city": "Bern"}'), NativeCall("call", "temperature", '{"city": "Bern"}')))
    chat = ScriptedChat(both, FINAL, native_tools=True)

    chat.work(Weather, tools=box(), prompt=PROMPT, **REPORT)

    turns = chat.asked[1].turns
    assert [call.id for call in turns[2].calls] == ["call", "call_1"]
    assert [turn.answers for turn in turns[3:]] == ["call", "call_1"]


def test_a_tool_that_is_hidden_is_refused_when_it_is_called_all_the_same() -> None:
    tools = box()
    chat = ScriptedChat(call("drop_table", city="Bern"), FINAL, native_tools=True)

    done = chat.work(Weather, tools=tools, prompt=PROMPT, **REPORT)

    assert [answer.outcome for answer in done.calls] == [CallOutcome.REFUSED]


class Heard(BaseCallbackHandler):
    """A user's callback."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def on_chat_model_start(self, serialized: Any, messages: Any, **more: Any) -> None:
        self.told.append("model")

    def on_tool_start(self, serialized: Any, input_str: str, **more: Any) -> None:
        self.told.append(serialized["name"])

    def on_tool_end(self, output: Any, **more: Any) -> None:
        self.told.append(f"end {output.name}")


def test_callbacks_of_langchain_hear_of_models_and_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    from contextvars import ContextVar

    heard = Heard()
    current: ContextVar[Heard | None] = ContextVar("heard", default=None)
    register_configure_hook(current, inheritable=True)
    mark = current.set(heard)
    chat = ScriptedChat(call("wind", city="Bern"), FINAL, native_tools=True)

    chat.work(Weather, tools=box(), prompt=PROMPT, **REPORT)
    current.reset(mark)

    assert heard.told == ["model", "wind", "end wind", "model"]


def test_a_middleware_of_an_extension_sees_the_conversation_and_widens_no_grant(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    class Counts(AgentMiddleware[Any, Any]):
        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            seen.append(len(request.messages))
            return handler(request)

    monkeypatch.setattr(native, "_middleware", [])
    native.add_middleware(Counts())
    chat = ScriptedChat(call("wind", city="Bern"), FINAL, native_tools=True)

    chat.work(Weather, tools=box(), prompt=PROMPT, **REPORT)

    assert seen == [1, 3]


def test_langsmith_is_sent_nothing_unless_the_operator_allows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from langsmith import utils as langsmith_utils

    utils: Any = langsmith_utils
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    utils.get_env_var.cache_clear()
    inside: list[Any] = []

    def script(asked: Asked) -> Written:
        inside.append(utils.tracing_is_enabled())
        return FINAL

    ScriptedChat(by=script, native_tools=True).work(Weather, tools=box(), prompt=PROMPT, **REPORT)
    utils.get_env_var.cache_clear()

    assert inside == [False]


def test_a_middleware_that_ends_the_work_early_gives_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    class Ends(AgentMiddleware[Any, Any]):
        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            from langchain_core.messages import AIMessage

            return AIMessage("enough")

    monkeypatch.setattr(native, "_middleware", [Ends()])

    with pytest.raises(ToolLoopEnded):
        ScriptedChat(FINAL, native_tools=True).work(Weather, tools=box(), prompt=PROMPT, **REPORT)


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        yield running


@pytest.fixture
def backend_of(server: OpenAIServer) -> Iterator[Callable[[str], LangChainBackend]]:
    with ExitStack() as opened:
        yield lambda model: opened.enter_context(closing(LangChainBackend(model, base_url=server.base_url)))


@pytest.mark.parametrize("takes", [True, False])
def test_a_server_is_asked_once_whether_it_takes_native_calls(
    database: Database, server: OpenAIServer, backend_of: Callable[[str], LangChainBackend], takes: bool
) -> None:
    server.takes_native_calls = takes

    found = [takes_native_calls(database, backend_of("test-model")) for _ in range(3)]
    takes_native_calls(database, backend_of("second-model"))

    assert (found, server.probes) == ([takes] * 3, 2)


def test_a_server_that_does_not_answer_is_asked_again_later(
    database: Database, server: OpenAIServer, backend_of: Callable[[str], LangChainBackend]
) -> None:
    backend = backend_of("test-model")
    server.close()

    assert not takes_native_calls(database, backend)
    assert database.statement("SELECT 1 FROM model_servers") == []


def test_a_step_of_a_server_that_takes_native_calls_works_with_them(
    database_url: str, broker_url: str, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    import tests.support.ten_calls as ten_calls
    from contracts.jobs import EngineChoice, SubmitJob
    from workers.app.in_process import run_all
    from workers.app.services import ProcessServices
    from workers.coordinator.intake import accept
    from workers.settings import Settings

    monkeypatch.setenv("TEN_CALLS", str(tmp_path))
    server.takes_native_calls = True
    server.by_prompt = ten_calls.native_trip_answer
    services = ProcessServices(
        Settings(database_url=database_url, broker_url=broker_url, model="test-model", model_base_url=server.base_url, embeddings="none")
    )
    submitted = SubmitJob(job={"kind": "trip"}, engine=EngineChoice.LLM)
    job_id = accept(services.database, submitted, owner_cap=10, has_model=True).job_id
    run_all(services)

    row = services.database.row("SELECT content FROM deliverables WHERE job_id = %(id)s AND stage = 'trip'", {"id": job_id})
    services.close()
    assert row is not None
    assert row["content"]["days"][2:-1] == [
        tool.replace("test.nothing", "test__nothing") for message in ten_calls.STEPS for tool, _ in message
    ]
    assert "tools" in server.asked[2].body
    assert server.probes == 1


WORKED_ON = {"developer/sql", "developer/etl", "analyst/etl", "architect/etl", "reviewer/etl", "analyst/follow"}
"""The prompts of `ChatClient.work`."""


def test_a_prompt_that_is_worked_on_with_tools_names_the_form_of_its_driver_alone() -> None:
    """Native calls are not to be given as JSON texts, nor the other way round. A template says nothing of the form itself."""
    seen: set[str] = set()
    for template in Path(kinds.__file__).parent.glob("*/prompts/*/*.j2"):
        prompt = f"{template.parent.name}/{template.stem}"
        if "how_to_answer" in template.read_text("utf-8"):
            seen.add(prompt)
            add_prompts(template.parents[1])
            as_calls, as_json = first_prompt(prompt, is_native=True), first_prompt(prompt, is_native=False)
            assert "JSON" not in as_calls
            assert FINAL_FUNCTION in as_calls
            assert FINAL_FUNCTION not in as_json
            assert '"final"' in as_json
    assert seen == WORKED_ON


def first_prompt(prompt: str, *, is_native: bool) -> str:
    """What a model is asked first, with data that are empty."""
    answer = FINAL if is_native else structured((("final", RAINY),))
    chat, data = ScriptedChat(by=lambda asked: answer, native_tools=is_native), dict[str, Any]()
    while True:
        try:
            chat.work(Weather, tools=box(), prompt=prompt, **data)
        except ConfigurationError as error:
            data[str(error).split("'")[1]] = ""
        else:
            return "\n".join(turn.text for turn in chat.asked[0].turns)


def test_a_native_call_that_does_not_fit_goes_back_as_a_call_with_what_was_sent() -> None:
    wrong = Reply(calls=(NativeCall("f", FINAL_FUNCTION, '{"sky": "green"}'),))
    chat = ScriptedChat(wrong, FINAL, native_tools=True)

    chat.work(Weather, tools=box(), prompt=PROMPT, **REPORT)

    said, told_again = (turn.text for turn in chat.asked[1].turns[-2:])
    assert said == 'final_answer({"sky": "green"})'
    assert "The arguments of final_answer do not fit" in told_again
    assert "JSON" not in told_again
