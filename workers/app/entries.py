"""A submission that waits: its bytes, what the transport says of it, and whose it is."""

from dataclasses import dataclass
from typing import Any

from contracts.wire import MAX_MESSAGE_BYTES, NotJson, read_json
from workers.app.job_commands import is_command
from workers.blackboard.quarantine import Cut

DEFAULT_OWNER, DEFAULT_PRIORITY, COMMAND_PRIORITY = "default", 5, 10
"""As in `SubmitJob`. A message for a job that exists comes before all new jobs."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A message of a queue."""

    name: str
    """Where it waits: the id in its stream, the delivery tag on its channel."""
    body: bytes
    source: str
    """The queue, the stream or the task by which it came."""
    message_id: str | None = None
    """The transport's own name of this message, the same at a second delivery. It stands for an idempotency key."""
    reply_to: str | None = None
    correlation_id: str | None = None
    first_seen: float | None = None
    """Unix seconds, of a message of a newer version that was put off."""


def whose(body: bytes) -> tuple[str, int] | None:
    """Owner and priority, 0 to 10. None: the body cannot be read."""
    if isinstance(body, Cut):
        return None
    try:
        value: Any = read_json(body, max_bytes=max(MAX_MESSAGE_BYTES, len(body)))
    except NotJson:
        return None
    if not isinstance(value, dict):
        return None
    fields: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType] JSON from outside has no static type
    owner, priority = fields.get("owner", DEFAULT_OWNER), fields.get("priority", DEFAULT_PRIORITY)
    if not isinstance(owner, str) or not isinstance(priority, int):
        return None
    return owner, COMMAND_PRIORITY if is_command(fields) else max(0, min(priority, 9))
