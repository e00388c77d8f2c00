"""A job's own row: its owner, its state, its revision."""

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, LiteralString
from uuid import UUID

from contracts.base import Json
from contracts.jobs import FINISHED, JobStatus
from contracts.statements import Sayable, code, name, read_stored, say
from workers.blackboard.engine import Row
from workers.errors import NotFound
from workers.reading.snapshot import Reader
from workers.reading.values import Value
from workers.secrets import redact_url

COLUMNS: LiteralString = """
  j.id, j.kind, j.status, j.owner, j.session_id, j.priority, j.engine, j.rev, j.decided_rev, j.admitted, j.exceeded, j.error, j.budget,
  j.idempotency_key, j.correlation_id, j.reply_to, j.forked_from, j.language, j.created_at, j.updated_at, j.finished_at
"""
"""Of a job read as `j`: what `as_job` takes."""

_JOB: LiteralString = "SELECT " + COLUMNS + " FROM jobs j WHERE j.id = %(id)s"  # noqa: S608  made of constants

_REQUEST: LiteralString = """
SELECT content FROM deliverables WHERE job_id = %(id)s AND stage = 'input' ORDER BY pinned DESC, version DESC LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class Job(Value):
    """A job without what belongs to it."""

    id: UUID
    kind: str
    status: JobStatus
    owner: str
    session_id: UUID | None
    priority: int
    engine: str
    rev: int
    decided_rev: int
    """The revision that the boss has answered; equal to `rev` when nothing is left to decide."""
    admitted: bool
    """False: the job waits until its owner has fewer jobs running."""
    exceeded: Sayable | None
    """The budget that is used up."""
    error: Sayable | None
    budget: Json
    idempotency_key: str | None
    correlation_id: str | None
    reply_to: str | None
    """Without a password."""
    forked_from: UUID | None
    language: str | None
    """Of the user, as BCP 47 writes it; None: not known."""
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None

    @property
    def is_finished(self) -> bool:
        """Succeeded, failed or cancelled."""
        return self.status in FINISHED


JOB_FIELDS = tuple(field.name for field in fields(Job))
"""The names of `COLUMNS`."""


def read_job(read: Reader, job_id: UUID) -> Job:
    """The job's row. Raises `NotFound`."""
    row = read.row(_JOB, {"id": job_id})
    if row is None:
        raise no_job(job_id)
    return as_job(row)


def read_request(read: Reader, job_id: UUID) -> Json | None:
    """What the job was submitted with, or what a human made of it; None: its content is gone."""
    row = read.row(_REQUEST, {"id": job_id})
    return None if row is None else row["content"]


def as_job(row: Row) -> Job:
    """The job in a row with `COLUMNS`."""
    reply_to = row["reply_to"]
    row |= {
        "status": JobStatus(row["status"]),
        "reply_to": redact_url(reply_to) if reply_to else None,
        "exceeded": message_in(row["exceeded"]),
        "error": message_in(row["error"]),
    }
    return Job(**row)


def message_in(stored: Any) -> Sayable | None:
    """A message in a column."""
    return None if stored is None else read_stored(stored)


def no_job(job_id: UUID) -> NotFound:
    """The error for an id that no job has."""
    return NotFound.of(say("refused.no_job", job=name(job_id), command=code("bullpen jobs")))
