"""Layered truncation: every section of a prompt gets its share of the room first, then what is left goes to the first ones that need it.
Whole items are dropped, from the end of a section; what was dropped is counted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from workers.engines.tokens import CountTokens, clip_to, estimate_tokens

FENCE_TOKENS = 54
"""What the marks around one section take."""
LEAST_CUT = 20
"""Tokens of a text that may be cut below which it tells nothing."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that is shown whole or not at all."""

    key: object
    """What it is, for who has to know what was shown."""
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """Things of one sort, the most important first."""

    name: str
    """Its name in the prompt. Text that users wrote is only in the items."""
    plural: str
    """What its items are, for the word on what was dropped."""
    items: tuple[Item, ...]
    share: float
    """Its share of the room, before the room that others leave is given out."""
    may_be_cut: bool = False
    """Its last item may be shown in part: it is running text."""
    sort: Callable[[Item], Any] | None = None
    """The order in which what has room is shown, where that is not the order of importance: lines of code as they follow each other."""


@dataclass(frozen=True, slots=True)
class Layers:
    """What of the sections is shown."""

    texts: dict[str, str]
    """By section; empty where nothing of it is shown."""
    keys: dict[str, tuple[object, ...]]
    cuts: tuple[tuple[str, int, int], ...]
    """Sections of which items had no room: what these are, how many are shown, and of how many."""

    @property
    def left_out(self) -> tuple[str, ...]:
        """`3 of 12 stages`, section by section."""
        return tuple(f"{of - kept} of {of} {plural}" for plural, kept, of in self.cuts)


def lay_out(sections: Sequence[Section], room: int, count: CountTokens = estimate_tokens) -> Layers:
    """The sections within `room` tokens, in the order given, the most important first; of the very first one something is shown even if
    its share is too small for it."""
    free = max(room - FENCE_TOKENS * len(sections), 0)
    shown: dict[str, list[Item]] = {}
    used: dict[str, int] = {}
    left = free
    for place, section in enumerate(sections):
        least = count(section.items[0].text) + 1 if place == 0 and section.items else 0
        shown[section.name], used[section.name] = _fill(section, min(max(int(free * section.share), least), left), count)
        left -= used[section.name]
    for section in sections:
        left += used[section.name]
        shown[section.name], used[section.name] = _fill(section, left, count)
        left -= used[section.name]
    return Layers(
        texts={section.name: _text(section, shown[section.name]) for section in sections},
        keys={name: tuple(item.key for item in items) for name, items in shown.items()},
        cuts=tuple(
            (section.plural, len(shown[section.name]), len(section.items))
            for section in sections
            if len(shown[section.name]) < len(section.items)
        ),
    )


def _text(section: Section, items: Sequence[Item]) -> str:
    return "\n".join(item.text for item in (sorted(items, key=section.sort) if section.sort else items))


def _fill(section: Section, room: int, count: CountTokens) -> tuple[list[Item], int]:
    """As many items as fit, and the tokens that they take."""
    items: list[Item] = []
    used = 0
    for item in section.items:
        cost = count(item.text) + 1
        if used + cost > room:
            if section.may_be_cut and room - used > LEAST_CUT:
                cut = clip_to(item.text, room - used - 1, count)
                return [*items, Item(item.key, cut)], used + count(cut) + 1
            break
        items.append(item)
        used += cost
    return items, used
