"""Whether a reply to a question is a message of its own: a whole question or order, long enough to say what is wanted.

What is not sure is none: it stays an answer. Each kind of job has its own words by which such a message is recognised.
"""

import re
from dataclasses import dataclass

_CJK = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[\w'-]+")
_ASKED = re.compile(r"[?？]\s*$")


@dataclass(frozen=True, slots=True)
class Cues:
    """How a whole message looks in one language."""

    least: int
    """Words, or Chinese characters, of the shortest one."""
    order: re.Pattern[str]
    """What makes it one, however it ends."""
    question: re.Pattern[str] | None = None
    """What makes it one if it ends in a question mark."""


def is_whole_message(text: str, english: Cues, chinese: Cues) -> bool:
    """Whether a text is a whole question or order. With any Chinese character in it, it is judged as Chinese."""
    characters = len(_CJK.findall(text))
    cues, length = (chinese, characters) if characters else (english, len(_WORD.findall(text)))
    if length < cues.least:
        return False
    asks = cues.question is not None and bool(cues.question.search(text)) and bool(_ASKED.search(text))
    return asks or bool(cues.order.search(text))
