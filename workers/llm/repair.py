"""Ask until the answer fits: a wrong one goes back to the model with what is wrong, at most 3 times."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from contracts.base import Contract
from workers.errors import ModelAnswerUnusable
from workers.llm.backend import Reply, Turn
from workers.llm.reading import WrongAnswer, read_reply
from workers.llm.token_count import cut_to_tokens

MAX_REPAIRS = 3
_SHOWN_TOKENS = 1_700
"""Of a wrong answer that is shown to its model again, where the window has room."""

C = TypeVar("C", bound=Contract)


def ask_until_valid(contract: type[C], turns: Sequence[Turn], send: Callable[[Sequence[Turn]], Reply], shown: int = _SHOWN_TOKENS) -> C:
    """The first answer that fits. Only the last wrong one is sent back, so that the talk does not grow, and of it at most
    `shown` tokens.

    Raises `ModelAnswerUnusable` with the last fault, and whatever `send` raises.
    """
    talk = turns
    fault = ""
    for _ in range(1 + MAX_REPAIRS):
        reply = send(talk)
        try:
            return read_reply(reply, contract)
        except WrongAnswer as error:
            fault = str(error)
        wrong = cut_to_tokens(reply.text, min(shown, _SHOWN_TOKENS)).strip()
        talk = [*turns, Turn("assistant", wrong or "(no content)"), Turn("user", _correction(fault))]
    raise ModelAnswerUnusable(
        f"The model's answer was of no use {1 + MAX_REPAIRS} times, the last time because: {fault[:600]} "
        "Set another BULLPEN_MODEL and replay the job, or let the rules do it (engine `rules`)."
    )


def _correction(fault: str) -> str:
    return f"That answer cannot be used. {fault}\nAnswer again with exactly one JSON object that fits the schema, and nothing else."
