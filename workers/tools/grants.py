"""Grants: what a step may call. A pure function of the pointers that it holds, its role's allow-list and its skill.

    keys of the held pointers ∩ the role's allow-list ∩ the active skill's allowed tools (if it names any)

Empty means that nothing may be called. The set that this module computes is shown to the model, checked at each call, and recorded.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from contracts.base import Json
from contracts.pointers import AnyPointer
from contracts.tools import ActiveSkill, Granted
from workers.loggers import get_logger
from workers.tools.registry import find_tool
from workers.tools.tool import AnyTool

log = get_logger(__name__)

FindTool = Callable[[str], AnyTool | None]

MOST_PLACES_SHOWN = 20
"""Cards that a refusal names: as many as a search answers with."""


@dataclass(frozen=True, slots=True)
class Grants:
    """The tools that a step may call, and the places of the cards that each may open."""

    places: Mapping[str, frozenset[str]]
    """Tool → places of the held pointers with its key."""
    tools: Mapping[str, AnyTool]

    def refusal(self, name: str, arguments: Json) -> str | None:
        """Why this call is not allowed, for the model. None if it is allowed."""
        tool = self.tools.get(name)
        if tool is None:
            may = ", ".join(sorted(self.tools)) or "no tool"
            return f"You may not call {name[:64]!r} here. You may call: {may}."
        if tool.card is None:
            return None
        wanted = _named(arguments.get(tool.card))
        if wanted and all(place in self.places[name] for place in wanted):
            return None
        known = sorted(self.places[name])
        shown = ", ".join(repr(place) for place in known[:MOST_PLACES_SHOWN])
        more = f" and {len(known) - MOST_PLACES_SHOWN} more" if len(known) > MOST_PLACES_SHOWN else ""
        return f"{name} opens only what you hold a pointer to: `{tool.card}` may be {shown}{more}."

    def granted(self) -> tuple[Granted, ...]:
        """The same set as a value that can be stored."""
        return tuple(
            Granted(tool=name, places=None if tool.card is None else tuple(sorted(self.places[name])))
            for name, tool in sorted(self.tools.items())
        )


def _named(value: Any) -> list[str]:
    """The places that an argument names. Empty if it names none, which opens nothing."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list | tuple) and value and all(isinstance(item, str) for item in value):  # pyright: ignore[reportUnknownVariableType] arguments are JSON
        return list(value)  # pyright: ignore[reportUnknownArgumentType] as above
    return []


def grant(
    pointers: Iterable[AnyPointer], allowed: Collection[str], skills: Iterable[ActiveSkill] = (), *, find: FindTool = find_tool
) -> Grants:
    """Compute the grants. A key that no tool has, or that belongs to another kind of pointer, is dropped and logged."""
    may = set(allowed)
    for skill in skills:
        if skill.allowed_tools is not None:
            may &= set(skill.allowed_tools)
    tools: dict[str, AnyTool] = {}
    places: dict[str, set[str]] = {}
    for pointer in pointers:
        for key in pointer.keys:
            if key not in may:
                continue
            tool = tools.get(key) or find(key)
            if tool is None or pointer.kind not in tool.opens:
                log.warning("key_dropped", key=key[:64], pointer=pointer.kind, reason="unknown" if tool is None else "another kind")
                continue
            tools[key] = tool
            places.setdefault(key, set()).add(tool.place_of(pointer))
    return Grants({name: frozenset(found) for name, found in places.items()}, tools)
