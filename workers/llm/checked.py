"""An answer that code has nothing against: what is wrong goes back to the model with its last answer, and only then the work fails."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from contracts.base import Contract, Json, canonical_json
from contracts.tools import CallOutcome, ToolAnswer, ToolOffer
from workers.errors import ModelAnswerUnusable
from workers.llm.brief import Brief
from workers.llm.client import ChatClient, Tools
from workers.llm.token_count import estimate_tokens

C = TypeVar("C", bound=Contract)
R = TypeVar("R")

MOST_REPAIRS = 3
"""Times that an answer is sent back with what is wrong with it."""


SHARE_LOOKED_UP = 0.2
"""Share of the window for what calls returned before an answer that was sent back; one result may take a third of it."""


@dataclass(slots=True)
class LookedUp:
    """Tools that remember what they returned: an answer that is sent back begins a new conversation."""

    tools: Tools
    found: dict[str, str] = field(default_factory=dict[str, str])
    """Call → its result."""

    def offers(self) -> tuple[ToolOffer, ...]:
        """See `Tools`."""
        return self.tools.offers()

    def call(self, name: str, arguments: Json) -> ToolAnswer:
        """See `Tools`."""
        answer = self.tools.call(name, arguments)
        if answer.outcome is CallOutcome.ANSWERED:
            self.found[f"{name} {canonical_json(arguments)}"] = json.dumps(answer.result, ensure_ascii=False)
        return answer

    def shown(self, brief: Brief) -> str:
        """What the calls returned, the latest of them where the brief has no room for all."""
        most = int(brief.room * SHARE_LOOKED_UP) // 3
        results: list[str] = []
        for call, result in self.found.items():
            own = Brief(most)
            results.append(f"{call}\n{own.text(call.partition(' ')[0], result, 1.0)}")
            brief.cuts += own.cuts
        return brief.items("looked up", results, SHARE_LOOKED_UP, separator="\n\n", last_first=True) if results else ""


def asking(chat: ChatClient, contract: type[C], prompt: str, data: dict[str, Any], *, calls: Tools | None) -> Callable[[str, str], C]:
    """The `ask` of `repaired`. What the model's `calls` of tools returned is shown (`looked_up`) beside the objection to its answer."""
    kept = LookedUp(calls) if calls is not None else None

    def ask(last: str, problem: str) -> C:
        if kept is None:
            return chat.ask(contract, prompt=prompt, **data, looked_up="", last=last, problem=problem).value
        brief = Brief(chat.context_tokens, sum(estimate_tokens(text) for text in (*data.values(), last, problem) if isinstance(text, str)))
        shown = kept.shown(brief)
        cuts = [*data.get("prompt_cuts", ()), *brief.cut_rows()]
        given: dict[str, Any] = {**data, "prompt_cuts": cuts, "looked_up": shown, "last": last, "problem": problem}
        return chat.work(contract, tools=kept, prompt=prompt, **given).value

    return ask


def repaired(ask: Callable[[str, str], C], judge: Callable[[C], R | str]) -> R | str:
    """What `judge` makes of the first answer that it takes; its last objection, a text, if it takes none. `ask` is given the answer before
    as JSON and the objection to it, both empty at first."""
    last = problem = ""
    for _ in range(1 + MOST_REPAIRS):
        answer = ask(last, problem)
        made = judge(answer)
        if not isinstance(made, str):
            return made
        last, problem = json.dumps(answer.to_json(), ensure_ascii=False), made
    return problem


def ask_checked(
    chat: ChatClient, contract: type[C], check: Callable[[C], str | None], *, prompt: str, calls: Tools | None = None, **data: Any
) -> C:
    """The first answer to which `check` has no objection. The prompt shows `last` and `problem`, which are empty at first. With `calls`
    the model may call these tools before each answer.

    Raises `ModelAnswerUnusable` with the last objection, and what `chat.ask` and `chat.work` raise."""

    def judge(answer: C) -> C | str:
        problem = check(answer)
        return answer if problem is None else problem

    made = repaired(asking(chat, contract, prompt, data, calls=calls), judge)
    if isinstance(made, str):
        raise ModelAnswerUnusable(f"The answer of model {chat.model} failed its check {1 + MOST_REPAIRS} times. The last: {made}")
    return made
