"""Runs of items that a pattern of the grammar has matched."""

from collections.abc import Sequence

from workers.engines.questions.items import Item, Kind
from workers.engines.questions.parts import ConditionPart


def made_of(kind: Kind, run: Sequence[Item], payload: object) -> Item:
    """An item in place of others, from the first of them to the last."""
    text = " ".join(item.text for item in run)
    return Item(kind, min(item.begin for item in run), max(item.stop for item in run), text, payload=payload)


def only(run: Sequence[Item], *kinds: Kind) -> list[Item]:
    """The items of these kinds."""
    return [item for item in run if item.kind in kinds]


def first_of(run: Sequence[Item], *kinds: Kind) -> Item:
    """The first item of these kinds, which the pattern has made sure of."""
    return only(run, *kinds)[0]


def condition_of(run: Sequence[Item], *parts: ConditionPart) -> Item:
    """A condition in place of others."""
    return made_of(Kind.CONDITION, run, parts)


def conditions_in(items: Sequence[Item]) -> tuple[ConditionPart, ...]:
    """The conditions of the items."""
    return tuple(part for item in items if item.kind == Kind.CONDITION for part in members(item) if isinstance(part, ConditionPart))


def members(item: Item) -> tuple[object, ...]:
    """A payload of several parts."""
    return tuple(item.payload) if isinstance(item.payload, tuple) else ()  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] any objects
