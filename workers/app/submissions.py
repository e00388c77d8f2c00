"""A submission from outside: taken and answered, or refused, quarantined and answered. Never an exception, never silence."""

from typing import Any
from uuid import UUID

import structlog

from contracts.commands import NewerVersion
from contracts.events import SubmissionAccepted, SubmissionRefused
from contracts.wire import NotJson, read_json
from workers.app.answers import send_answer
from workers.app.services import ProcessServices
from workers.blackboard import quarantine
from workers.coordinator.intake import accept, read_submission
from workers.errors import Conflict, InvalidInput

log = structlog.get_logger()


def take_submission(
    services: ProcessServices, body: bytes, *, source: str, reply_to: str | None = None, correlation_id: str | None = None
) -> SubmissionAccepted | SubmissionRefused:
    """Make a job of these bytes and answer the producer. `reply_to` and `correlation_id`: what the transport says of
    them; the body's own come first. Raises `NewerVersion` (let it wait) and `DatabaseUnavailable` (try again)."""
    value: Any = None
    try:
        value = read_json(body)
        submission = read_submission(value)
        reply_to = submission.reply_to or reply_to
        correlation_id = submission.correlation_id or correlation_id
        submission = submission.model_copy(update={"reply_to": reply_to, "correlation_id": correlation_id})
        accepted = accept(
            services.database, submission, owner_cap=services.settings.owner_cap, chooser=None
        )
    except NewerVersion:
        raise
    except (NotJson, InvalidInput, Conflict) as error:
        reply_to, correlation_id = _addresses(value, reply_to, correlation_id)
        return _refuse(services, body, error, source, reply_to, correlation_id)
    log.info("job_accepted", job_id=str(accepted.job_id), existing=accepted.existing, source=source)
    announce_accepted(services, accepted.job_id, accepted.existing, reply_to, correlation_id)
    return SubmissionAccepted(job_id=accepted.job_id, correlation_id=correlation_id, existing=accepted.existing)


def announce_accepted(services: ProcessServices, job_id: UUID, existing: bool, reply_to: str | None, correlation_id: str | None) -> None:
    """Set the boss to work on a new job, and answer its producer."""
    if not existing:
        services.publisher.advance(job_id)
        services.notifier.changed(job_id)
    send_answer(services, reply_to, SubmissionAccepted(job_id=job_id, correlation_id=correlation_id, existing=existing))


def _refuse(
    services: ProcessServices, body: bytes, error: Exception, source: str, reply_to: str | None, correlation_id: str | None
) -> SubmissionRefused:
    entry = quarantine.put(services.database, source=source, cause=type(error).__name__, message=str(error), body=body)
    refused = SubmissionRefused(correlation_id=correlation_id, error=str(error)[:2000], quarantine_id=entry)
    send_answer(services, reply_to, refused)
    return refused


def _addresses(value: Any, reply_to: str | None, correlation_id: str | None) -> tuple[str | None, str | None]:
    """Where to answer a body that is no valid submission, when it at least says so."""
    if isinstance(value, dict):
        said: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType] JSON from outside has no static type
        to, correlation = said.get("reply_to"), said.get("correlation_id")
        reply_to = to if isinstance(to, str) and len(to) <= 500 else reply_to
        correlation_id = correlation if isinstance(correlation, str) and len(correlation) <= 200 else correlation_id
    return reply_to, correlation_id
