"""What happens inside a step, for those who watch it now: words of an answer as they come, and calls as they begin and end. Nothing of it
is stored. It travels by NOTIFY, in batches, and a reader that does not listen misses it: the result holds all that counts.
"""

import json
import threading
from collections.abc import Callable
from typing import Any
from uuid import UUID

from contracts.base import Json, clean_text
from workers.blackboard.engine import Database
from workers.blackboard.notify import NOTIFY, Sending
from workers.errors import BullpenError
from workers.loggers import get_logger

log = get_logger(__name__)

CHANNEL = "bullpen_live"
ANSWER_DELTA = "answer_delta"
"""Words of an answer: `step_id`, `text`, and `first` where an answer begins, or begins again."""
CALL = "call"
"""A call of a model or a tool began or ended: `step_id`, `call`, `place`, `name`, `outcome`, `model`."""
BATCH_S = 0.1
"""Seconds for which words are collected: ten notifications a second look like typing."""
MOST_TEXT_BYTES = 3_000
"""Of the text of one notification, whose whole payload must be shorter than 8,000 bytes, and whose letters may be escaped."""
MOST_WAITING = 1_000
"""Messages that wait. Beyond it the oldest are dropped: a database that does not answer must not fill the memory."""


class Live(Sending):
    """Collects what is said and sends it. Never raises and never blocks."""

    thread_name = "bullpen-live"
    batch_s = BATCH_S

    def __init__(self, db: Callable[[], Database]) -> None:
        super().__init__()
        self._db = db
        self._waiting: list[Json] = []
        self._sending = threading.Lock()

    def send(self, job_id: UUID, kind: str, detail: Json) -> None:
        """Tell those who watch the job."""
        message = {"job_id": str(job_id), "kind": kind, **detail}
        with self._lock:
            last = self._waiting[-1] if self._waiting else None
            if last is not None and kind == ANSWER_DELTA and not message.get("first") and _same(last, message):
                last["text"] += message["text"]
            else:
                self._waiting.append(message)
                del self._waiting[:-MOST_WAITING]
            self._start()

    def _waits(self) -> bool:
        return bool(self._waiting)

    def flush(self) -> None:
        """Send what waits, before the report of its step: who watches reads the last words before the end."""
        with self._sending:
            with self._lock:
                messages, self._waiting = self._waiting, []
            for item in messages:
                for payload in _payloads(item):
                    try:
                        self._db().statement(NOTIFY, {"channel": CHANNEL, "payload": payload})
                    except BullpenError as error:
                        log.warning("live_failed", reason=str(error))


def _same(last: Json, message: Json) -> bool:
    return last["kind"] == ANSWER_DELTA and (last["job_id"], last["step_id"]) == (message["job_id"], message["step_id"])


def _payloads(message: Json) -> list[str]:
    """The message in as many pieces as it needs."""
    text = clean_text(message.get("text", ""))
    pieces: list[str] = []
    while text or not pieces:
        piece = text[:MOST_TEXT_BYTES]
        while len(json.dumps(piece).encode()) > 2 * MOST_TEXT_BYTES:
            piece = piece[: len(piece) // 2]
        pieces.append(piece)
        text = text[len(piece) :]
    if "text" not in message:
        return [json.dumps(message)]
    first: dict[str, Any] = {"first": True} if message.get("first") else {}
    rest = {name: value for name, value in message.items() if name not in ("text", "first")}
    return [json.dumps({**rest, **(first if at == 0 else {}), "text": piece}) for at, piece in enumerate(pieces)]
