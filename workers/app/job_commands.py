"""Messages for a job: answers to its questions, instructions, cancellations. They come by the same ways as submissions."""

from dataclasses import dataclass
from typing import Any, LiteralString
from uuid import UUID, uuid5

from contracts.base import Json
from contracts.events import CommandTaken
from contracts.job_commands import NAMES, JobCommand
from contracts.statements import Name, code, quote, say
from workers.app.reply_addresses import read_address
from workers.app.run_step import move_on
from workers.app.services import ProcessServices
from workers.coordinator import actions
from workers.coordinator.intake import read_message
from workers.errors import NotFound
from workers.loggers import get_logger

log = get_logger(__name__)

_JOB: LiteralString = "SELECT priority, reply_to, correlation_id FROM jobs WHERE id = %(id)s AND owner = %(owner)s"


@dataclass(slots=True)
class Listener:
    """Where the answer to a message goes, as far as it is known so far."""

    reply_to: str | None
    correlation_id: str | None
    job_id: UUID | None = None
    """The job that a command is for, if it is its owner's."""


def is_command(value: Any) -> bool:
    """Whether a JSON value is a message for a job, not a submission."""
    return isinstance(value, dict) and "job" not in value and any(name in value for name in NAMES)


def follow(services: ProcessServices, value: Json, listener: Listener, *, message_key: str | None) -> CommandTaken:
    """Do what the message says. What it does not say about its listener is taken from the job. `message_key`: the transport's name of this
    message; a second delivery of an instruction is not a second instruction. Raises `InvalidSubmission`, `NotFound`, `Conflict`,
    `NewerVersion` and `Unavailable`."""
    command = read_message(JobCommand, value)
    listener.reply_to, listener.correlation_id = command.reply_to or listener.reply_to, command.correlation_id or listener.correlation_id
    if listener.reply_to:
        read_address(services.settings, listener.reply_to)
    job = services.database.row(_JOB, {"id": command.job_id, "owner": command.owner})
    if job is None:
        raise NotFound.of(
            say("refused.no_job_of_owner", owner=quote(command.owner), job=Name(text=str(command.job_id)), field=code("owner"))
        )
    listener.reply_to, listener.correlation_id = listener.reply_to or job["reply_to"], listener.correlation_id or job["correlation_id"]
    listener.job_id = command.job_id
    request_id, changed = _act(services, command, command.idempotency_key or message_key)
    if changed:
        move_on(services, command.job_id, job["priority"])
    log.info("job_commanded", job_id=str(command.job_id), command=command.name, changed=changed)
    return CommandTaken(
        job_id=command.job_id, correlation_id=listener.correlation_id, command=command.name, request_id=request_id, changed=changed
    )


def _act(services: ProcessServices, command: JobCommand, key: str | None) -> tuple[UUID | None, bool]:
    """The request that the command is about, and whether it changed anything."""
    db = services.database
    if command.answer is not None:
        part = command.answer
        open_before = {row["id"] for row in actions.open_questions(db, part.job_id)}
        request_id = actions.answer(db, part.job_id, part.text, request_id=part.request_id)
        return request_id, request_id in open_before
    if command.instruct is not None:
        part = command.instruct
        request_id = None if key is None else uuid5(part.job_id, f"{command.owner}\n{key}")
        return actions.instruct(db, part.job_id, part.text, stage=part.stage, request_id=request_id)
    return None, actions.cancel(db, command.job_id)
