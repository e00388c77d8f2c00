"""A reply to a form that is no value: another question, a wish for another skill. It takes the place of the message before it.

What is not sure is taken for a value that the form does not have: the form is shown again and says so.
"""

import re
from collections.abc import Sequence

from contracts.analyze.steps import ParamsRequest
from workers.engines.procedures.words import says
from workers.kinds.analyze.rules.forms import filled, is_cancelled
from workers.kinds.analyze.rules.moves import asks_to_analyse
from workers.kinds.analyze.rules.replies import Reply, means
from workers.skills import Library
from workers.skills.choosing import read_wish

_ENGLISH = re.compile(
    r"^\W*(?:what|which|who|where|when|why|how|is|are|do|does|did|can|could|show|list|give|tell|explain|compare|draw|find|check)\b|[?？]\s*$",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"什么|哪|怎么|如何|为什么|多少|^\s*(?:请|帮我|给我|列出|看看|看一下|查|对比|比较|画|显示)|[?？]\s*$|吗\s*[。.!！]?\s*$"
)
_CJK = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[\w'-]+")
LEAST_WORDS, LEAST_CHARACTERS = 3, 5
"""Of the shortest message in English and in Chinese."""


def leaves(form: ParamsRequest, reply: str, library: Library) -> bool:
    """Whether a reply is a message of its own."""
    if reply.lstrip().startswith("{") or is_cancelled(reply):
        return False
    asks = asks_to_analyse(reply)
    if read_wish(library, reply) is not None or means(Reply.SWITCH, reply) or (asks and _names_work(library, reply)):
        return True  # even if it names a value too: that is of the other analysis
    if filled(form, reply) is not None:
        return False
    return asks or _is_whole(reply)


def _is_whole(text: str) -> bool:
    """Whether a text is a whole question or order, long enough to say what is wanted. With any Chinese character in it, it is Chinese."""
    if characters := len(_CJK.findall(text)):
        return characters >= LEAST_CHARACTERS and bool(_CHINESE.search(text))
    return len(_WORD.findall(text)) >= LEAST_WORDS and bool(_ENGLISH.search(text))


def _names_work(library: Library, reply: str) -> bool:
    """Whether a reply has the word for some skill's work."""
    return any(says(reply, skill.triggers) for skill in library.skills)


def since_left(replies: Sequence[tuple[ParamsRequest, str]], library: Library) -> tuple[str, list[tuple[ParamsRequest, str]]]:
    """The newest reply that is a message of its own, empty if none is, and the replies after it."""
    left = [place for place, (form, reply) in enumerate(replies) if leaves(form, reply, library)]
    return (replies[left[-1]][1], list(replies[left[-1] + 1 :])) if left else ("", list(replies))
