"""`ScriptedChat`: a model with prepared answers. It takes the same path as a real model, without a server."""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from contracts.base import Contract, Json
from contracts.reports import Usage
from workers.llm.backend import Reply, Turn
from workers.llm.chat import Chat, ChatLimits
from workers.llm.client import Answer, Tools, Worked
from workers.llm.schema import AnswerSchema
from workers.llm.token_count import estimate_tokens

C = TypeVar("C", bound=Contract)

Written = str | Json | Contract | Reply | Exception
"""The model's next answer: text as it is, an object, a complete reply, or the error that the call raises."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One call: the contract, the prompt's name, its data, and the whole conversation as the model sees it."""

    contract: type[Contract]
    prompt: str
    data: dict[str, Any]
    turns: tuple[Turn, ...]

    @property
    def text(self) -> str:
        """The rendered prompt."""
        return self.turns[1].text


Script = Callable[[Asked], Written]


class ScriptedChat(Chat):
    """Gives prepared answers in order, or computes each from the call. `asked` records every call, repairs included.

    A call after the last answer raises `LookupError`. No role treats that as a model failure, so the test fails.
    """

    def __init__(self, *written: Written, by: Script | None = None, model: str = "scripted", limits: ChatLimits | None = None, **more: Any):
        """`more`: the keyword arguments of `Chat`."""
        self.asked: list[Asked] = []
        self._script = by or _in_order(iter(written))
        self._now = threading.local()
        super().__init__([_ScriptedBackend(model, self._answer)], limits=limits or ChatLimits(retries=0), **more)

    def ask(
        self, contract: type[C], *, prompt: str, prompt_cuts: Sequence[Json] = (), say_field: str | None = None, **data: object
    ) -> Answer[C]:
        """See `ChatClient`."""
        self._now.asked = (contract, prompt, data)
        return super().ask(contract, prompt=prompt, prompt_cuts=prompt_cuts, say_field=say_field, **data)

    def work(
        self,
        contract: type[C],
        *,
        tools: Tools,
        prompt: str,
        must_call: bool = False,
        prompt_cuts: Sequence[Json] = (),
        say_field: str | None = None,
        **data: object,
    ) -> Worked[C]:
        """See `ChatClient`."""
        self._now.asked = (contract, prompt, data)
        return super().work(contract, tools=tools, prompt=prompt, must_call=must_call, prompt_cuts=prompt_cuts, say_field=say_field, **data)

    def _answer(self, turns: Sequence[Turn]) -> Written:
        contract, prompt, data = self._now.asked
        asked = Asked(contract, prompt, data, tuple(turns))
        self.asked.append(asked)
        return self._script(asked)


class _ScriptedBackend:
    def __init__(self, model: str, script: Callable[[Sequence[Turn]], Written]) -> None:
        self.model = model
        self.server = "script"
        self.reasons = False
        self._script = script

    def is_there(self) -> bool:
        """See `Backend`."""
        return True

    def complete(self, turns: Sequence[Turn], schema: AnswerSchema, *, max_tokens: int, timeout_s: float, cache_key: str | None) -> Reply:
        """See `Backend`."""
        answer = self._script(turns)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Reply):
            return answer
        value = answer.to_json() if isinstance(answer, Contract) else answer
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        prompt_tokens = sum(estimate_tokens(turn.text) for turn in turns)
        return Reply(text, usage=Usage(input_tokens=prompt_tokens, output_tokens=estimate_tokens(text)))


def _in_order(written: Iterator[Written]) -> Script:
    def say(asked: Asked) -> Written:
        try:
            return next(written)
        except StopIteration:
            raise LookupError(f"The script has no answer to call {asked.prompt!r}.") from None

    return say
