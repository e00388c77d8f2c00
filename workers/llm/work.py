"""The bounded loop of a model that works with tools: it calls tools until it gives the final value.

Bounds: 10 calls; the same call with the same arguments twice; two calls that alternate; wrong arguments three times in a row. The
first three end the calls, and the model may still answer from what it has; the last ends the work. Before each call the step's
deadline, budget and cancellation are checked. Each call of a message is answered.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Generic, Protocol, TypeVar

from contracts.base import Contract, canonical_json
from contracts.statements import name as identifier
from contracts.statements import passage, say
from contracts.tools import CallOutcome, ToolAnswer, ToolCall, ToolOffer
from workers.errors import ToolFailed, ToolLoopEnded
from workers.llm.backend import Reply, Turn
from workers.llm.client import Tools
from workers.llm.prompts import fenced, standing_text
from workers.llm.schema import AnswerSchema
from workers.llm.token_count import cut_to_tokens, estimate_tokens
from workers.llm.tool_steps import NATIVE_TEXT, Calls, Final, native_schema, read_step, step_schema, tools_text

MOST_CALLS = 10
"""Calls of one piece of work, refused ones included."""
MOST_EQUAL = 2
"""Times that the same call with the same arguments is made."""
MOST_FAULTS = 3
"""Times in a row that wrong arguments are answered with their fault."""
_RESULT_SHARE = 6
"""A result takes at most one part in this number of the prompt's room."""
_FULL = 0.8
"""Share of the room above which the oldest results are shortened."""
_SHORT_TOKENS = 60
"""Length of a shortened result: enough to recognise it."""

C = TypeVar("C", bound=Contract)
S = TypeVar("S")


class AskUntil(Protocol):
    """Asks the model until the answer can be read."""

    def __call__(self, read: Callable[[Reply], S], schema: AnswerSchema, turns: Sequence[Turn], /) -> S:
        """What `read` made of the first valid answer."""
        ...


class ToolLoop(Generic[C]):
    """One piece of work."""

    def __init__(
        self,
        contract: type[C],
        tools: Tools,
        ask: AskUntil,
        check: Callable[[], None],
        *,
        room: int,
        must_call: bool = False,
        native: bool = False,
    ) -> None:
        """`check` is called before each call and raises when none may be made. `room`: tokens of the prompt. `must_call`: the value is
        taken only after a call was answered, as long as calls can be made. `native`: tools are called in the server's own form."""
        self.answers: list[ToolAnswer] = []
        """The answers to all calls, in order."""
        self._contract = contract
        self._tools = tools
        self._ask = ask
        self._check = check
        self._room = room
        self._must_call = must_call
        self._native = native
        self._made: list[str] = []
        self._faults = 0
        self._closed: str | None = None
        """Why no further call is made."""
        self._ended: Exception | None = None
        """What a call raised that ended the work."""

    def offers(self) -> tuple[ToolOffer, ...]:
        """The tools that may be called now."""
        return () if self._closed is not None else self._tools.offers()

    @property
    def closing(self) -> str | None:
        """What the model reads once no further call is made."""
        return None if self._closed is None else f"No further call is made: {self._closed} Give the final value from what you have."

    def run(self, request: str) -> C:
        """The final value, asked for step by step in structured answers. Raises `ToolLoopEnded`, `ToolFailed`, and what `ask`, `check`
        and the tools raise."""
        talk = [Turn("user", request)]
        while True:
            step = self.next_step(talk)
            if isinstance(step, Final):
                return step.value
            replies = [self.answer(call) for call in step.calls]
            texts = [text for text in (*replies, self.closing) if text is not None]
            talk += [Turn("assistant", _as_steps(step.calls)), Turn("user", "\n".join(texts))]

    def next_step(self, talk: Sequence[Turn]) -> Final[C] | Calls:
        """What the model does next in this conversation, which begins with the request."""
        offers = self.offers()
        may_finish = not (self._must_call and offers) or any(answer.outcome is CallOutcome.ANSWERED for answer in self.answers)
        make_schema = native_schema if self._native else step_schema
        schema = make_schema(self._contract, offers, may_finish=may_finish)
        system = NATIVE_TEXT if self._native else f"{standing_text(schema)}\n\n{tools_text(offers)}"
        turns = [Turn("system", system), *talk]
        may_call = self._closed is None

        def read(reply: Reply) -> Final[C] | Calls:
            return read_step(reply, self._contract, offers, may_call=may_call, may_finish=may_finish, turns=len(talk))

        return self._ask(read, schema, self._fitted(turns))

    def answer(self, call: ToolCall) -> str:
        """Make a call, or say why it is not made. The text for the model. After a call that ended the work none is made."""
        if self._ended is not None:
            raise self._ended
        try:
            return self._answer(call)
        except Exception as error:
            self._ended = error
            raise

    def _answer(self, call: ToolCall) -> str:
        self._closed = self._closed or self._reason_to_close(call)
        if self._closed is not None:
            return f"{call.tool[:64]}: not called."
        self._check()
        self._made.append(_fingerprint(call))
        answer = self._tools.call(call.tool, call.arguments)
        self.answers.append(answer)
        if answer.outcome is CallOutcome.FAILED:
            raise ToolFailed.of(say("refused.tool.failed", tool=identifier(answer.tool), message=passage(answer.message)))
        self._count_faults(answer)
        if answer.outcome is not CallOutcome.ANSWERED:
            return fenced(f"{answer.outcome}: {answer.message}", f"answer to the call of {answer.tool}")
        text = json.dumps(answer.result, ensure_ascii=False)
        shown = cut_to_tokens(text, max(_SHORT_TOKENS, self._room // _RESULT_SHARE))
        note = "" if len(shown) == len(text) else f"\n(cut: {len(shown)} of {len(text)} characters are shown)"
        return fenced(shown, f"result of {answer.tool}") + note

    def _count_faults(self, answer: ToolAnswer) -> None:
        if answer.outcome is CallOutcome.ANSWERED:
            self._faults = 0
        elif answer.outcome is CallOutcome.INVALID:
            self._faults += 1
            if self._faults > MOST_FAULTS:
                raise ToolLoopEnded(
                    f"The model called tools with wrong arguments {self._faults} times in a row. The last: {answer.tool}: {answer.message}"
                )

    def _reason_to_close(self, call: ToolCall) -> str | None:
        mark = _fingerprint(call)
        if len(self._made) >= MOST_CALLS:
            return f"all {MOST_CALLS} calls are used."
        if Counter(self._made)[mark] >= MOST_EQUAL:
            return f"{call.tool[:64]} was called {MOST_EQUAL} times with these arguments."
        last = self._made[-3:]
        if len(last) == 3 and last[0] == last[2] and last[1] == mark and last[0] != mark:
            return "two calls alternate."
        return None

    def _fitted(self, turns: list[Turn]) -> list[Turn]:
        """The conversation within the window: the oldest results are shortened first, the last message stays."""
        limit = int(self._room * _FULL)
        fitted = list(turns)
        for place, turn in enumerate(fitted[:-1]):
            if sum(estimate_tokens(item.text) for item in fitted) <= limit:
                break
            if place > 1 and turn.speaker in ("user", "tool"):
                short = cut_to_tokens(turn.text, _SHORT_TOKENS)
                fitted[place] = replace(turn, text=fenced(short, "beginning of an earlier result"))
        return fitted


def _fingerprint(call: ToolCall) -> str:
    return f"{call.tool} {canonical_json(call.arguments)}"


def _as_steps(calls: Sequence[ToolCall]) -> str:
    """The calls as the model should have written them."""
    return "\n".join(json.dumps({"step": call.to_json()}, ensure_ascii=False) for call in calls)
