"""The live events of a job, and how a stream that broke off goes on."""

import json
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from httpx2 import ServerSentEvent

from bullpen_client.errors import Unavailable

PATIENCE_S = 120.0
"""Seconds that a gateway may be away before a stream gives up: a restart takes a few."""
PAUSE_S = 0.5
"""Seconds between two attempts."""
SILENCE_S = 60.0
"""Seconds without a byte after which a connection counts as lost. The gateway sends at least a line in 15 s."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to a job.

    Three kinds are about the stream: `gap` (events were removed before they were read: `data` says which), `snapshot` (the whole job in
    their place, as in `Client.job`) and `end` (nothing more will happen, or nothing without an answer: `data["status"]`).
    """

    kind: str
    rev: int | None
    """The job's revision; None of `gap` and `end`."""
    data: dict[str, Any]

    @property
    def stage(self) -> str | None:
        """The stage that it is about."""
        return self.data.get("stage")

    @property
    def step_id(self) -> UUID | None:
        """The step that it is about."""
        found = self.data.get("step_id")
        return None if found is None else UUID(found)

    @property
    def detail(self) -> dict[str, Any]:
        """What else is known of it, by its kind."""
        return self.data.get("detail") or {}

    @property
    def at(self) -> datetime | None:
        """When it happened."""
        found = self.data.get("at")
        return None if found is None else datetime.fromisoformat(found)


class Resuming:
    """Where a reader of a stream is, and how long it has waited for a gateway that is away."""

    def __init__(self, after: int, patience_s: float) -> None:
        self.after = after
        self.has_ended = False
        self._patience_s = patience_s
        self._lost_at: float | None = None

    @property
    def headers(self) -> dict[str, str]:
        """What asks for the rest of the stream."""
        return {"Last-Event-ID": str(self.after), "Accept": "text/event-stream"}

    def take(self, message: ServerSentEvent) -> Event | None:
        """The event in a message; None for one that only keeps the connection."""
        if not message.data:
            return None
        self._lost_at = None
        rev = int(message.id) if message.event not in ("gap", "end") and message.id.isdecimal() else None
        self.after = self.after if rev is None else rev
        self.has_ended = message.event == "end"
        return Event(message.event, rev, json.loads(message.data))

    def lost(self, error: Unavailable) -> bool:
        """The gateway went away; True for the first time since the last event. Raises the error when patience is over."""
        is_first = self._lost_at is None
        self._lost_at = time.monotonic() if self._lost_at is None else self._lost_at
        if time.monotonic() - self._lost_at > self._patience_s:
            raise error
        return is_first
