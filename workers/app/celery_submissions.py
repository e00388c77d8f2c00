"""Submissions that Celery programs send as the task `bullpen.submit`, read without Celery: the message as it stands in a queue."""

import base64
import json
from typing import Any, cast

from celery.utils.saferepr import saferepr

from contracts.wire import NotJson, read_json
from workers.app.bounded import most_bytes, refusal
from workers.app.entries import Entry
from workers.blackboard import quarantine

SUBMIT_TASK = "bullpen.submit"


class NotASubmission(ValueError):
    """A task message that is not a submission, or one that only a Celery worker can do as it says."""


def is_submission(headers: Any) -> bool:
    """Whether the headers of a task message name the task of submissions."""
    return isinstance(headers, dict) and cast("dict[str, Any]", headers).get("task") == SUBMIT_TASK


def as_json(value: Any) -> bytes:
    """An argument of a Celery message as JSON. A value that is nested too deeply is described instead, in text that is not JSON."""
    try:
        return json.dumps(value, default=str, ensure_ascii=False).encode("utf-8", "surrogatepass")
    except (RecursionError, ValueError, TypeError):
        return saferepr(value, maxlen=quarantine.KEPT_BYTES).encode("utf-8", "replace")


def read_task(name: str, headers: Any, body: bytes, correlation_id: Any, *, message_bytes: int) -> Entry:
    """The submission in a task message. `name`: where it waits. Raises `NotASubmission`, `NotJson` and what `refusal` gives."""
    refused = refusal(headers, body)
    if refused is not None:
        raise refused
    if not is_submission(headers):
        raise NotASubmission("This task message is not a submission.")
    if headers.get("eta") or headers.get("expires"):
        raise NotASubmission("A submission with an `eta` or `expires` is for the queue bullpen.coordinator, where Celery keeps it.")
    value = read_json(body, max_bytes=most_bytes(message_bytes))
    if not isinstance(value, list) or len(value) < 2:  # pyright: ignore[reportUnknownArgumentType] from outside
        raise NotASubmission("The arguments of this task message are not a list.")
    args, kwargs = value[0], value[1]  # pyright: ignore[reportUnknownVariableType]
    given: Any = args[0] if isinstance(args, list) and args else kwargs.get("body") if isinstance(kwargs, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    task_id: Any = headers.get("id")
    return Entry(
        name,
        as_json(given),
        SUBMIT_TASK,
        message_id=task_id if isinstance(task_id, str) and task_id else None,
        correlation_id=correlation_id if isinstance(correlation_id, str) and correlation_id else None,
    )


def read_envelope(name: str, raw: bytes, *, message_bytes: int) -> Entry:
    """The submission in a message as kombu writes it to a list of Redis. Raises as `read_task`."""
    envelope = read_json(raw, max_bytes=most_bytes(message_bytes))
    if not isinstance(envelope, dict):
        raise NotASubmission("Not a task message.")
    fields: dict[str, Any] = envelope  # pyright: ignore[reportUnknownVariableType] from outside
    properties: Any = fields.get("properties")
    if not isinstance(properties, dict):
        raise NotASubmission("A task message without properties.")
    known: dict[str, Any] = properties  # pyright: ignore[reportUnknownVariableType] from outside
    body = fields.get("body")
    if not isinstance(body, str):
        raise NotASubmission("A task message without a body.")
    try:
        content = base64.b64decode(body, validate=True) if known.get("body_encoding") == "base64" else body.encode()
    except ValueError as error:
        raise NotJson(f"The body of this task message is not base64: {error}.") from None
    return read_task(name, fields.get("headers"), content, known.get("correlation_id"), message_bytes=message_bytes)
