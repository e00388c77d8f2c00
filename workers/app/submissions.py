"""A message from outside, for a new job or an existing one: taken and answered, or refused, quarantined and answered; never silence."""

import json
from typing import Any

from contracts.base import clean_text
from contracts.commands import NewerVersion
from contracts.events import CommandRefused, CommandTaken, SubmissionAccepted, SubmissionRefused
from contracts.jobs import SubmitJob
from contracts.urls import may_hold_secret, without_secret
from contracts.wire import NotJson, read_json
from workers import metrics
from workers.app.answers import keep_answer
from workers.app.job_commands import Listener, follow, is_command
from workers.app.reply_addresses import read_address
from workers.app.services import ProcessServices
from workers.app.submitting import submit
from workers.blackboard import quarantine
from workers.blackboard.quarantine import Cut
from workers.coordinator.intake import read_submission
from workers.errors import Conflict, InvalidInput, NotFound, Unavailable
from workers.loggers import get_logger

log = get_logger(__name__)


def take_submission(
    services: ProcessServices,
    body: bytes,
    *,
    source: str,
    reply_to: str | None = None,
    correlation_id: str | None = None,
    message_id: str | None = None,
) -> SubmissionAccepted | SubmissionRefused | CommandTaken | CommandRefused:
    """Make a job of these bytes, or do what they say to a job, and answer the producer. `reply_to` and `correlation_id`: what the transport
    says of them; the body's own come first. `message_id`: the transport's own name of this message; a broker may deliver it again, and
    without an idempotency key it stands for one. Raises `NewerVersion` (let it wait) and `Unavailable` (try again)."""
    listener = Listener(clean_text(reply_to), clean_text(correlation_id))
    key = message_key(source, message_id)
    command = False
    try:
        value = read_json(_whole(body, services.settings.message_bytes), max_bytes=services.settings.message_bytes)
        command = is_command(value)
        if command:
            taken = follow(services, value, listener, message_key=key)
            metrics.count(metrics.TAKEN, source=source, outcome="command")
            keep_answer(services, listener.reply_to, taken, job_id=taken.job_id)
            return taken
        submission = listened(services, value, listener, key)
        submitted = submit(services, submission)
    except (NewerVersion, Unavailable):
        raise
    except Exception as error:  # refused for a reason of ours, or for one that nobody thought of: the consumer lives on
        if not isinstance(error, NotJson | InvalidInput | Conflict | NotFound):
            log.exception("submission_crashed", source=source)
        return _refuse(services, body, error, source, listener, command=command)
    metrics.count(metrics.TAKEN, source=source, outcome="existing" if submitted.existing else "accepted")
    log.info("job_accepted", job_id=str(submitted.job_id), existing=submitted.existing, source=source)
    return SubmissionAccepted(job_id=submitted.job_id, correlation_id=listener.correlation_id, existing=submitted.existing)


def message_key(source: str, message_id: str | None) -> str | None:
    """What stands for an idempotency key: the transport's own name of a message, which it keeps at a second delivery."""
    return f"{source}:{clean_text(message_id)}"[:200] if message_id else None


def listened(services: ProcessServices, value: Any, listener: Listener, key: str | None) -> SubmitJob:
    """The submission, with what the transport says where it says nothing itself. Raises `InvalidSubmission` and `NewerVersion`."""
    read = read_submission(value)
    listener.reply_to = read.reply_to or listener.reply_to
    listener.correlation_id = read.correlation_id or listener.correlation_id
    if listener.reply_to:
        read_address(services.settings, listener.reply_to)
    return read.model_copy(
        update={
            "reply_to": listener.reply_to,
            "correlation_id": listener.correlation_id,
            "idempotency_key": read.idempotency_key or key,
        }
    )


def _whole(body: bytes, most: int) -> bytes:
    """The body, unless the transport kept only its beginning. Raises `NotJson`."""
    if isinstance(body, Cut):
        raise NotJson(f"The message has {body.size} bytes; {most} are allowed. Send large content by reference.")
    return body


def refuse(
    services: ProcessServices, body: bytes, error: Exception, *, source: str, reply_to: str | None = None, correlation_id: str | None = None
) -> SubmissionRefused | CommandRefused:
    """Into quarantine with it, and tell its producer, if it says where he listens."""
    return _refuse(services, body, error, source, Listener(*_addresses(body, reply_to, correlation_id)), command=False)


def _refuse(
    services: ProcessServices, body: bytes, error: Exception, source: str, listener: Listener, *, command: bool
) -> SubmissionRefused | CommandRefused:
    """`command`: it was meant for a job that exists."""
    reply_to, correlation_id = _addresses(body, listener.reply_to, listener.correlation_id)
    kept = _without_secrets(body)
    metrics.count(metrics.TAKEN, source=source, outcome="refused")
    entry = quarantine.put(
        services.database, source=source, cause=type(error).__name__, message=str(error), body=kept, job_id=listener.job_id
    )
    text = str(error)[:2000]
    refused = (
        CommandRefused(correlation_id=correlation_id, error=text, quarantine_id=entry, job_id=listener.job_id)
        if command
        else SubmissionRefused(correlation_id=correlation_id, error=text, quarantine_id=entry)
    )
    keep_answer(services, reply_to, refused, job_id=listener.job_id)
    return refused


def _without_secrets(body: bytes) -> bytes:
    """As it came, or, when it names a bundle by a URL that may hold a secret, without that: quarantine is read by others."""
    if isinstance(body, Cut):
        return body
    try:
        whole: Any = read_json(body)
        bundle: Any = whole["job"]["bundle"]
    except (NotJson, KeyError, TypeError, IndexError):
        return body
    if not isinstance(bundle, str) or not may_hold_secret(bundle):
        return body
    whole["job"]["bundle"] = without_secret(bundle)
    return json.dumps(whole, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _addresses(body: bytes, reply_to: str | None, correlation_id: str | None) -> tuple[str | None, str | None]:
    """The address for the answer to a body that is not a valid submission, if the body contains an address."""
    try:
        value = read_json(body)
    except NotJson:
        return reply_to, correlation_id
    if isinstance(value, dict):
        body_fields: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType] JSON from outside has no static type
        to, correlation = body_fields.get("reply_to"), body_fields.get("correlation_id")
        reply_to = to if isinstance(to, str) and len(to) <= 500 else reply_to
        correlation_id = correlation if isinstance(correlation, str) and len(correlation) <= 200 else correlation_id
    return reply_to, correlation_id
