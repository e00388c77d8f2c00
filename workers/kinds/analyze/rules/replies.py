"""What a short reply means: yes, no, a wish to change the skill, small talk."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from contracts.base import Json
from contracts.wire import NotJson, read_json_text
from workers.engines.closed_answers import answer_words, both, is_only


class Reply(StrEnum):
    """What a reply says."""

    SWITCH = "switch"
    NOTED = "noted"
    """An OK to what was said last. It takes back no no."""
    SMALL_TALK = "small_talk"
    CANCEL = "cancel"


@cache
def _lists() -> Mapping[str, Any]:
    read: Mapping[str, Any] = yaml.load(Path(__file__).with_name("replies.yaml").read_text("utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 it reads text only
    return read


@cache
def _patterns() -> dict[Reply, re.Pattern[str]]:
    return {reply: re.compile("|".join(f"(?:{part})" for part in _lists()[reply.value]), re.IGNORECASE) for reply in Reply}


def means(reply: Reply, words: str) -> bool:
    """Whether the words say this."""
    return _patterns()[reply].search(words) is not None


def word_at_gate(words: str, *, is_call: bool = False) -> bool | None:
    """Yes or no, where the whole message is one; None for all else. A question is neither. `is_call`: a call waits, to which the name of
    what a gate opens is no yes."""
    if "?" in words or "？" in words:
        return None
    of_a_gate = both(_lists()["gate"])
    if _is_only(words, "yes", () if is_call else of_a_gate, ()):
        return True
    return False if _is_only(words, "no", (), of_a_gate) else None


def _is_only(words: str, answer: str, phrases: Sequence[str], beside: Sequence[str]) -> bool:
    known = answer_words(answer)
    own = [*both(known), *both(_lists()[answer]), *phrases]
    return is_only(words, own, [*both(answer_words("beside")), *both(_lists()["beside"]), *beside], known["alone"])


def step_wanted(words: str) -> int | None:
    """1 for a message that goes on in a checklist, -1 for one that goes back, None for all else."""
    beside = both(answer_words("beside"))
    found = (step for name, step in (("next", 1), ("back", -1)) if is_only(words, both(_lists()[name]), beside))
    return None if "?" in words or "？" in words else next(found, None)


_NAMED = r"([a-zA-Z_]\w{0,63})\s?=\s?(?:\"([^\"]*)\"|'([^']*)'|([^\s,，\"'=?？{}]+))"
_YES_WITH = re.compile(
    rf"\s*(?:yes|ok|是|好)[\s,，:：]\s*(\{{.*\}}|{_NAMED}(?:[\s,，]{{1,8}}{_NAMED}){{0,20}})\s*", re.IGNORECASE | re.DOTALL
)


def yes_with(words: str) -> Json | None:
    """The arguments of a yes to a call with others: `yes oven=B1`, or an object of JSON; a value of several words is quoted. None: the
    message is no such yes as a whole."""
    found = _YES_WITH.fullmatch(words)
    if found is None:
        return None
    if not found[1].startswith("{"):
        return {name: quoted or single or plain for name, quoted, single, plain in re.findall(_NAMED, found[1])}
    try:
        read: Any = read_json_text(found[1])
    except NotJson:
        return None
    return read if isinstance(read, dict) else None  # pyright: ignore[reportUnknownVariableType] JSON has no static type
