"""A checklist that the user walks: forth, back, and to look at a step."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.analyze.steps import CheckItem
from contracts.statements import Statement, count, name, passage, say
from workers.kinds.analyze.rules.replies import step_wanted

_NUMBER = re.compile(r"(?:step|步骤|第)\s*(?P<number>\d{1,4})", re.IGNORECASE)
_BULLET = re.compile(r"^\s*[-*+•]\s+")


@dataclass(frozen=True, slots=True)
class Walked:
    """The checklist after a message, and what is said of it."""

    items: tuple[CheckItem, ...]
    text: Statement
    detail: str = ""


def walk(items: Sequence[CheckItem], words: str) -> Walked:
    """A step that is named is only looked at. "Back" takes back the latest that was done; anything else ticks the current step and
    shows the next."""
    given, named = tuple(items), _NUMBER.search(words)
    if named is not None:
        place = int(named["number"]) - 1
        if not 0 <= place < len(given):
            return Walked(given, say("analyze.check.no_step", number=name(place + 1), n=count(len(given), exact=True)))
        return _at(given, place)
    current = next((place for place, item in enumerate(given) if not item.is_done), len(given))
    if step_wanted(words) == -1:
        last = max(current - 1, 0)
        return _at(_ticked(given, last, is_done=False), last)
    return _at(_ticked(given, current, is_done=True), current + 1)


def _ticked(items: tuple[CheckItem, ...], place: int, *, is_done: bool) -> tuple[CheckItem, ...]:
    return tuple(item.model_copy(update={"is_done": is_done}) if n == place else item for n, item in enumerate(items))


def _at(items: tuple[CheckItem, ...], place: int) -> Walked:
    """A step as it is shown."""
    if place >= len(items):
        return Walked(items, say("analyze.check.all_done"))
    shown = items[place]
    text = say("analyze.check.step", number=name(place + 1), text=passage(_BULLET.sub("", shown.text)))
    return Walked(items, text, "\n".join(_BULLET.sub("", line) for line in shown.detail.split("\n")))
