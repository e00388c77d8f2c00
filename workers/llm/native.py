"""The native driver of a loop: LangChain's `create_agent`, so that callbacks, tracing and middleware apply as users of LangChain expect.

The agent is the frame. What decides is the loop's: the model below the agent is a conversation of `Chat` (journal, budget, rate limit,
retries, repair, fallback), each call of a tool goes through the loop's bounds and the step's grants. So both drivers have one set of
bounds, and equal answers give equal conversations. Importing the agent takes a second, so this module is imported with its first use.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

from langchain.agents import create_agent  # pyright: ignore[reportUnknownVariableType] LangChain's types
from langchain.agents.middleware import AgentMiddleware
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool
from langgraph.errors import GraphRecursionError
from pydantic import PrivateAttr

from contracts.base import Contract
from contracts.tools import ToolCall
from workers.errors import ToolLoopEnded
from workers.llm.backend import NativeCall, Turn
from workers.llm.langsmith_guard import untraced
from workers.llm.tool_steps import NATIVE_TEXT, Final, function_name
from workers.llm.work import MOST_CALLS, ToolLoop

MOST_GRAPH_STEPS = 10 * MOST_CALLS
"""Steps of the agent's graph, which no conversation within the loop's bounds comes near to. LangGraph's own default is 9,999."""

C = TypeVar("C", bound=Contract)

_middleware: list[AgentMiddleware[Any, Any]] = []


def add_middleware(middleware: AgentMiddleware[Any, Any]) -> None:
    """Have a middleware of an extension around each loop of this process. It comes inside of the fleet's own: it may watch, add messages
    or shorten the conversation; it cannot make a tool run that the step was not granted."""
    _middleware.append(middleware)


def run_native(loop: ToolLoop[C], request: str, *, model: str, may_trace: bool) -> C:
    """The final value. Raises what `ToolLoop.run` raises. `may_trace`: LangSmith may be sent the conversation, if the environment says
    so."""
    driven = _Driven(loop, model)
    tools = [_LoopTool.of(driven, function_name(offer.name), offer.description) for offer in loop.offers()]
    agent: Any = create_agent(driven.chat, tools=tools, system_prompt=NATIVE_TEXT, middleware=[_Calls(driven), *_middleware])  # pyright: ignore[reportUnknownVariableType] LangChain's types
    try:
        with untraced(may_trace):
            agent.invoke(
                {"messages": [HumanMessage(request)]},
                {"max_concurrency": 1, "recursion_limit": MOST_GRAPH_STEPS, "run_name": "bullpen loop"},
            )
    except GraphRecursionError:
        raise ToolLoopEnded(f"The model came to no answer in {MOST_GRAPH_STEPS} steps of the agent.") from None
    if driven.final is None:
        raise ToolLoopEnded("The work with tools ended without a final value: a middleware ended it.")
    return driven.final.value


class _Driven:
    """A loop, the agent's model over it, and the calls of its last message."""

    def __init__(self, loop: ToolLoop[Any], model: str) -> None:
        self.loop = loop
        self.final: Final[Any] | None = None
        self.calls: dict[str, ToolCall] = {}
        self.sent: dict[str, NativeCall] = {}
        self.chat = _LoopModel.of(self, model)

    def say(self, messages: Sequence[BaseMessage]) -> AIMessage:
        """The model's next message: calls, or the final value."""
        talk = [turn for message in messages if (turn := _as_turn(message)) is not None]
        if self.loop.closing is not None:
            talk.append(Turn("user", self.loop.closing))
        step = self.loop.next_step(talk)
        if isinstance(step, Final):
            self.final = step
            return AIMessage(step.value.model_dump_json())
        self.calls = {sent.id: call for sent, call in zip(step.native, step.calls, strict=True)}
        calls = [{"name": sent.name, "args": call.arguments, "id": sent.id} for sent, call in zip(step.native, step.calls, strict=True)]
        kept = [{"id": sent.id, "name": sent.name, "arguments": sent.arguments} for sent in step.native]
        return AIMessage("", tool_calls=calls, response_metadata={"as_sent": kept, "reasoning": step.reasoning})

    def answer(self, call_id: str) -> str:
        """The answer to a call of the last message."""
        return self.loop.answer(self.calls[call_id])


class _LoopModel(BaseChatModel):
    """The model as the agent sees it."""

    model_name: str
    _driven: Any = PrivateAttr()

    @classmethod
    def of(cls, driven: _Driven, model: str) -> "_LoopModel":
        made = cls(model_name=model)
        made._driven = driven
        return made

    @property
    def _llm_type(self) -> str:
        return "bullpen"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": self.model_name}

    def bind_tools(self, tools: Any, **more: Any) -> Any:
        """The loop says itself which tools are offered, at each call."""
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **more: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._driven.say(messages))])


class _LoopTool(BaseTool):
    """A tool as the agent sees it: a name under which callbacks hear of the call."""

    _driven: Any = PrivateAttr()

    @classmethod
    def of(cls, driven: _Driven, name: str, description: str) -> "_LoopTool":
        made = cls(name=name, description=description)
        made._driven = driven
        return made

    def _run(self, call_id: str, arguments: Any = None) -> str:
        return self._driven.answer(call_id)


class _Calls(AgentMiddleware[Any, Any]):
    """Sends each call through the loop: also one of a tool that is not offered, or not any more, which the step's grants refuse."""

    def __init__(self, driven: _Driven) -> None:
        super().__init__()
        self._driven = driven

    def wrap_tool_call(self, request: Any, handler: Any) -> ToolMessage:
        """See `AgentMiddleware`."""
        made = request.tool_call
        tool = _LoopTool.of(self._driven, made["name"] or "none", "A tool of the step.")
        given = {"call_id": made["id"], "arguments": made["args"]}
        return tool.invoke({"name": made["name"], "args": given, "id": made["id"], "type": "tool_call"})


def _as_turn(message: BaseMessage) -> Turn | None:
    """A message of the agent as a turn. The system prompt is the loop's own."""
    untyped: Any = message
    text = untyped.content if isinstance(untyped.content, str) else str(untyped.text)
    if isinstance(message, SystemMessage):
        return None
    if isinstance(message, AIMessage):
        about: Any = message.response_metadata
        sent = tuple(NativeCall(**call) for call in about.get("as_sent", ()))
        return Turn("assistant", text, calls=sent, reasoning=about.get("reasoning", ""))
    if isinstance(message, ToolMessage):
        return Turn("tool", text, answers=message.tool_call_id)
    return Turn("user", text)
