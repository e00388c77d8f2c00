"""Server-sent events as texts."""

import json
from collections.abc import Iterable

from contracts.base import Json
from workers.reading.events import EventFacts
from workers.saying.catalogues import DEFAULT_LANGUAGE
from workers.saying.content import in_words


def message(name: str, data: Json, rev: int | None) -> str:
    """One server-sent event; `rev` becomes its id."""
    line = "" if rev is None else f"id: {rev}\n"
    return f"{line}event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


def event_messages(events: Iterable[EventFacts]) -> tuple[tuple[int, str], ...]:
    """Each event's revision and its text for all readers alike: what is said in it is in English."""
    return tuple((event.rev, message(event.kind, in_words(event.to_json(), DEFAULT_LANGUAGE), event.rev)) for event in events)
