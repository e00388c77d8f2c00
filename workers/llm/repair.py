"""Asks until the answer is valid: an invalid answer is sent back to the model with the error, at most 3 times."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from workers.errors import ModelAnswerUnusable
from workers.llm.backend import Reply, Turn
from workers.llm.reading import WrongAnswer
from workers.llm.token_count import cut_to_tokens

MAX_REPAIRS = 3
_SHOWN_TOKENS = 1_700
"""Length of the invalid answer that is shown to the model again, if the window has room for it."""

T = TypeVar("T")


def ask_until_valid(
    read: Callable[[Reply], T], turns: Sequence[Turn], send: Callable[[Sequence[Turn]], Reply], shown: int = _SHOWN_TOKENS
) -> T:
    """The first valid answer: the first that `read` takes without raising `WrongAnswer`. Only the last invalid answer is sent back,
    so that the conversation does not grow, and at most `shown` tokens of it.

    Raises `ModelAnswerUnusable` with the last error, and the errors of `send`.
    """
    talk = turns
    fault = ""
    for _ in range(1 + MAX_REPAIRS):
        reply = send(talk)
        try:
            return read(reply)
        except WrongAnswer as error:
            fault = str(error)
        wrong = cut_to_tokens(reply.text, min(shown, _SHOWN_TOKENS)).strip()
        talk = [*turns, Turn("assistant", wrong or "(no content)"), Turn("user", _correction(fault))]
    raise ModelAnswerUnusable(
        f"The model's answer was invalid {1 + MAX_REPAIRS} times. The last error: {fault[:600]} "
        "Set another BULLPEN_MODEL and replay the job, or use engine `rules`."
    )


def _correction(fault: str) -> str:
    return f"That answer cannot be used. {fault}\nAnswer again with exactly one JSON object that fits the schema, and nothing else."
