"""An answer that code has nothing against: what is wrong goes back to the model with its last answer, and only then the work fails."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

from contracts.base import Contract
from workers.errors import ModelAnswerUnusable
from workers.llm.client import ChatClient

C = TypeVar("C", bound=Contract)

MOST_ROUNDS = 3
"""Times that an answer is sent back with what is wrong with it."""


def ask_checked(chat: ChatClient, contract: type[C], check: Callable[[C], str | None], *, prompt: str, **data: Any) -> C:
    """The first answer to which `check` has no objection. The prompt shows `last` and `problem`, which are empty at first.

    Raises `ModelAnswerUnusable` with the last objection, and what `chat.ask` raises."""
    last = problem = ""
    for _ in range(1 + MOST_ROUNDS):
        answer = chat.ask(contract, prompt=prompt, **data, last=last, problem=problem).value
        found = check(answer)
        if found is None:
            return answer
        last, problem = json.dumps(answer.to_json(), ensure_ascii=False), found
    raise ModelAnswerUnusable(f"The answer of model {chat.model} failed its check {1 + MOST_ROUNDS} times. The last: {problem}")
