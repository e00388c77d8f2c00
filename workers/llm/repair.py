"""Asks until the answer is valid: an invalid answer is sent back to the model with the error, at most 3 times."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from workers.errors import ModelAnswerUnusable
from workers.llm.backend import Reply, Turn
from workers.llm.reading import WrongAnswer
from workers.llm.token_count import cut_to_tokens

MAX_REPAIRS = 3
AS_JSON = "Answer again with exactly one JSON object that fits the schema, and nothing else."
AS_CALLS = "Answer again by calling one of the functions, with arguments that fit its schema."
"""The same where tools are called in the server's own form."""
_SHOWN_TOKENS = 1_700
"""Length of the invalid answer that is shown to the model again, if the window has room for it."""

T = TypeVar("T")


def ask_until_valid(
    read: Callable[[Reply], T],
    turns: Sequence[Turn],
    send: Callable[[Sequence[Turn]], Reply],
    shown: int = _SHOWN_TOKENS,
    *,
    again: str = AS_JSON,
) -> T:
    """The first valid answer: the first that `read` takes without raising `WrongAnswer`. Only the last invalid answer is sent back,
    so that the conversation does not grow, and at most `shown` tokens of it. `again`: the form in which it is to be given again.

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
        wrong = cut_to_tokens(_as_text(reply), min(shown, _SHOWN_TOKENS)).strip()
        talk = [*turns, Turn("assistant", wrong or "(no content)"), Turn("user", f"That answer cannot be used. {fault}\n{again}")]
    raise ModelAnswerUnusable(
        f"The model's answer was invalid {1 + MAX_REPAIRS} times. The last error: {fault[:600]} "
        "Set another BULLPEN_MODEL and replay the job, or use engine `rules`."
    )


def _as_text(reply: Reply) -> str:
    """What the model said. Calls of functions are shown as text: a call that a server is sent again needs a result, and it has none."""
    return "\n".join([*([reply.text] if reply.text else []), *(f"{call.name}({call.arguments})" for call in reply.calls)])
