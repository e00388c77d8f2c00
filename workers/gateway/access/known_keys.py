"""The keys that a process has looked up, so that a request does not ask the database again who calls.

A key is known for `KNOWN_S`, and only while the process hears of keys that are revoked: Postgres tells all gateways of one in the moment in
which it is revoked. A process that does not hear, or has lost its connection, looks each key up.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from workers.blackboard.engine import Database
from workers.gateway.access.keys import ApiKey, find_key, hash_of

KNOWN_S = 10.0
MOST_KNOWN = 10_000
"""Keys; beyond that all are forgotten."""


@dataclass(frozen=True, slots=True)
class _Known:
    key: ApiKey
    until: float


class KnownKeys:
    """Only valid keys are in it, by the hash of their text. Shared between threads: each step on the dictionary is whole by itself."""

    def __init__(self, db: Database, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._db, self._clock = db, clock
        self._known: dict[bytes, _Known] = {}
        self._hears = False
        self._forgotten = 0

    def hear(self, *, hears: bool) -> None:
        """Whether the process hears of revoked keys from now on; what it knew before may have missed one."""
        self._hears = hears
        self.forget()

    def forget(self, key_id: str | None = None) -> None:
        """Look this key up next time; None: every key."""
        self._forgotten += 1  # what a thread is looking up meanwhile is not remembered either
        self._known = {} if key_id is None else {text: known for text, known in self._known.items() if known.key.id != key_id}

    def known(self, text: str) -> ApiKey | None:
        """The key with this text, if it was looked up a short time ago. Does not wait for anything."""
        found = self._known.get(hash_of(text)) if self._known else None
        if found is None or found.until < self._clock():
            return None
        ends = found.key.expires_at
        return found.key if ends is None or ends > datetime.now(UTC) else None

    def look_up(self, text: str) -> ApiKey | None:
        """The key with this text as the database has it; None: no valid key has it."""
        if len(self._known) >= MOST_KNOWN:
            self.forget()
        before = self._forgotten
        key = find_key(self._db, text)
        if key is not None and self._hears:
            self._known[hash_of(text)] = _Known(key, self._clock() + KNOWN_S)
            if self._forgotten != before:
                self._known.pop(hash_of(text), None)
        return key
