"""Words for events, such as `shipped`: a column of times beside words about time, else a value of the data or whether it happened."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from workers.engines.questions.items import Item, Kind

_NEAR = 2
"""Items between the verb and the words about time: `opened urgently in May`."""


def settled(items: Sequence[Item], other: Callable[[Item], Item | None]) -> list[Item]:
    """The items, in which a word for an event without words about time is the value that it may be as well, where there is one."""
    made: list[Item] = []
    has_time = any(item.kind == Kind.TIME for item in items)
    is_timed = (has_time or any(item.kind == Kind.UNIT for item in items)) and sum(item.kind == Kind.WHEN for item in items) == 1
    for place, item in enumerate(items):
        before_table = place + 1 < len(items) and items[place + 1].kind == Kind.TABLE
        if item.kind == Kind.UNKNOWN and item.text.lower() == "new" and has_time and before_table:
            continue  # the accounts of a time are those that were new in it
        is_denied = place > 0 and items[place - 1].kind == Kind.NOT  # what was not shipped has no such time in any state
        if item.kind == Kind.TIME and item.payload is None and item.text == "最近" and _is_event_of_table(items, place):
            made.append(replace(item, kind=Kind.LATEST, payload=True))  # 最近入职的医生
            continue
        if item.kind == Kind.WHEN and not is_denied and not is_timed and not _has_time(items, place) and (value := other(item)) is not None:
            made.append(value)
        else:
            made.append(item)
    return made


def _is_event_of_table(items: Sequence[Item], place: int) -> bool:
    return [item.kind for item in items[place + 1 : place + 3]] == [Kind.WHEN, Kind.TABLE]


def _has_time(items: Sequence[Item], place: int) -> bool:
    behind = items[place + 1 : place + 1 + _NEAR]
    before = items[max(0, place - 1) : place]
    return any(item.kind == Kind.TIME and (item.payload is not None or item.text != "最近") for item in (*before, *behind))
