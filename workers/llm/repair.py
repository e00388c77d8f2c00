"""Ask until the answer fits: a wrong one goes back to the model with what is wrong, at most 3 times."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from contracts.base import Contract
from workers.errors import ModelAnswerUnusable
from workers.llm.backend import Reply, Turn
from workers.llm.reading import WrongAnswer, read_reply

MAX_REPAIRS = 3
_SHOWN_CHARACTERS = 6_000
"""Of a wrong answer that is shown to its model again."""

C = TypeVar("C", bound=Contract)


def ask_until_valid(contract: type[C], turns: Sequence[Turn], send: Callable[[Sequence[Turn]], Reply]) -> C:
    """The first answer that fits. Only the last wrong one is sent back, so that the talk does not grow.

    Raises `ModelAnswerUnusable` with the last fault, and whatever `send` raises.
    """
    talk = turns
    fault = ""
    for _ in range(1 + MAX_REPAIRS):
        reply = send(talk)
        try:
            return read_reply(reply, contract)
        except WrongAnswer as wrong:
            fault = str(wrong)
        talk = [*turns, Turn("assistant", reply.text[:_SHOWN_CHARACTERS].strip() or "(no content)"), Turn("user", _correction(fault))]
    raise ModelAnswerUnusable(f"The model's answer was of no use {1 + MAX_REPAIRS} times, the last time because: {fault[:600]}")


def _correction(fault: str) -> str:
    return f"That answer cannot be used. {fault}\nAnswer again with exactly one JSON object that fits the schema, and nothing else."
