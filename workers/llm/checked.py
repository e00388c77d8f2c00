"""An answer that code has nothing against: what is wrong goes back to the model with its last answer, and only then the work fails."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

from contracts.base import Contract
from workers.errors import ModelAnswerUnusable
from workers.llm.client import ChatClient, Tools

C = TypeVar("C", bound=Contract)
R = TypeVar("R")

MOST_REPAIRS = 3
"""Times that an answer is sent back with what is wrong with it."""


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

    def ask(last: str, problem: str) -> C:
        if calls is None:
            return chat.ask(contract, prompt=prompt, **data, last=last, problem=problem).value
        return chat.work(contract, tools=calls, prompt=prompt, **data, last=last, problem=problem).value

    made = repaired(ask, judge)
    if isinstance(made, str):
        raise ModelAnswerUnusable(f"The answer of model {chat.model} failed its check {1 + MOST_REPAIRS} times. The last: {made}")
    return made
