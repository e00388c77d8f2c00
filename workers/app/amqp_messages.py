"""A message of AMQP as its sender wrote it, not decoded, and what it is to the intake."""

import time
from dataclasses import dataclass
from typing import Any, TypedDict

from workers.app.bounded import DeliveredTooOften, refusal
from workers.app.celery_submissions import is_submission, read_task
from workers.app.entries import Entry
from workers.app.queues import DEAD_QUEUE, DELIVERY_LIMIT
from workers.blackboard.quarantine import Cut

FIRST_SEEN = "x-bullpen-first-seen"
"""Header of a submission of a newer version that was put back: Unix seconds."""


class Addresses(TypedDict):
    """Where a producer listens."""

    reply_to: str | None
    correlation_id: str | None


class RawMessage:
    """A message as amqp delivers it, not decoded. Its properties and headers are written by its sender and can be anything."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        body: Any = raw.body
        self.body: bytes = (
            body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body if isinstance(body, Cut) else bytes(body)
        )

    def refusal(self, queue: str) -> Exception | None:
        """Why it is not looked at. A dead letter is kept in any case."""
        if queue == DEAD_QUEUE:
            return None
        fault: Exception | None = getattr(self._raw, "fault", None)
        count = self.header("x-delivery-count", 0)
        if isinstance(count, int) and count >= DELIVERY_LIMIT:
            return DeliveredTooOften(f"This message was delivered {count} times and never taken: it ends or stops who reads it.")
        too_large = isinstance(self.body, Cut)  # said by `take_submission`, as on every other way in
        return fault or (None if too_large else refusal(self._headers(), self.body))

    def _headers(self) -> dict[str, Any]:
        found: Any = self._raw.properties.get("application_headers")
        return found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType] headers from outside

    def header(self, name: str, default: Any) -> Any:
        """One header, of any type."""
        return self._headers().get(name, default)

    def text(self, name: str) -> str | None:
        """One property, when it is text."""
        value: Any = self._raw.properties.get(name)
        return value if isinstance(value, str) and value else None

    def addresses(self) -> Addresses:
        """Where its producer listens, as AMQP has it."""
        reply = self.text("reply_to")
        return {"reply_to": f"queue:{reply}" if reply else None, "correlation_id": self.text("correlation_id")}

    def entry(self, queue: str, *, message_bytes: int) -> Entry:
        """The submission in it: plain JSON, or the arguments of a Celery program. Raises as `read_task`."""
        name = str(self._raw.delivery_tag)
        if is_submission(self._headers()) and not isinstance(self.body, Cut):
            return read_task(name, self._headers(), self.body, self.text("correlation_id"), message_bytes=message_bytes)
        return Entry(name, self.body, queue, message_id=self.text("message_id"), first_seen=self._first_seen(), **self.addresses())

    def _first_seen(self) -> float | None:
        """Unix seconds; None when the header is not one that we wrote."""
        try:
            value = float(str(self.header(FIRST_SEEN, None)))
        except ValueError:
            return None
        return value if 0 < value <= time.time() else None

    def ack(self) -> None:
        """Done with."""
        self._raw.channel.basic_ack(self._raw.delivery_tag)


@dataclass(frozen=True, slots=True)
class Odd:
    """A message that is not to be read: a dead letter, or one that is refused."""

    queue: str
    message: RawMessage
    error: Exception | None
