"""What a short reply means: yes, no, a wish to change the skill, small talk."""

import re
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

import yaml


class Reply(StrEnum):
    """What a reply says."""

    YES = "yes"
    NO = "no"
    HOLD = "hold"
    """Neither: the user wants something else first."""
    SWITCH = "switch"
    NOTED = "noted"
    """An OK to what was said last. It takes back no no."""
    SMALL_TALK = "small_talk"
    CANCEL = "cancel"


@lru_cache(1)
def _patterns() -> dict[Reply, re.Pattern[str]]:
    text = Path(__file__).with_name("replies.yaml").read_text("utf-8")
    read: dict[str, list[str]] = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 it reads text only
    return {reply: re.compile("|".join(f"(?:{part})" for part in read[reply.value]), re.IGNORECASE) for reply in Reply}


def means(reply: Reply, words: str) -> bool:
    """Whether the words say this."""
    return _patterns()[reply].search(words) is not None


def word_at_gate(words: str) -> bool | None:
    """Yes or no; None for words that are neither. A question is no yes."""
    if means(Reply.HOLD, words):
        return False if re.match(r"\s*(?:不用|不需要|no\b)", words, re.IGNORECASE) else None
    if means(Reply.NO, words):
        return False
    is_question = re.search(r"[?？]|吗[。.]?\s*$", words) is not None
    return True if means(Reply.YES, words) and not is_question else None


_YES_WITH = re.compile(r"\s*(?:yes|ok|是|好)[\s,，:：]\s*(?=\{|[a-zA-Z_]\w{0,63}\s?=)", re.IGNORECASE)


def yes_with(words: str) -> str | None:
    """The arguments of a yes to a call with others: `yes oven=B1`, or an object of JSON. None: it has none."""
    found = _YES_WITH.match(words)
    return words[found.end() :].strip() if found is not None else None
