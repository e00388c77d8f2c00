"""What the gateway answers, as frozen values. Fields that a newer gateway adds are kept in `model_extra`."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict

Json = dict[str, Any]


class Model(BaseModel):
    """The base of all values."""

    model_config = ConfigDict(frozen=True, extra="allow")


class Accepted(Model):
    """A job that is durable now."""

    job_id: UUID
    existing: bool
    """The idempotency key had this job already."""
    broker_answers: bool = True
    """False: the broker is away; the job starts within seconds of its return."""


class Stage(Model):
    """A stage of a job."""

    name: str
    role: str | None = None
    needs: tuple[str, ...] = ()
    fresh: bool
    version: int | None = None
    pinned: bool = False
    why: Any = None
    """Why it is not fresh, in words."""


class Step(Model):
    """One role's run for a stage."""

    id: UUID
    stage: str
    role: str
    status: str
    attempt: int
    engine: str | None = None
    summary: str | None = None
    error: Json | None = None
    duration_s: float | None = None


class Form(Model):
    """How a question can be answered."""

    text: str
    choices: tuple[str, ...] = ()
    must_choose: bool = False
    guidance: str | None = None


class Question(Model):
    """A question to the user."""

    request_id: UUID
    asker: str
    kind: str
    state: str
    """`open`, `answered` or `void`."""
    form: Form
    answer: str | None = None
    created_at: datetime

    @property
    def is_open(self) -> bool:
        """It can be answered now."""
        return self.state == "open"


class Result(Model):
    """What came of a job."""

    stage: str
    version: int
    content: Any
    about: dict[str, Any] = {}
    """Its request, ids, times, versions, and who wrote what; empty from a gateway of an older release."""


class Job(Model):
    """A job with its stages, steps, questions and result, all of one revision."""

    id: UUID
    kind: str
    status: str
    """`accepted`, `running`, `waiting_human`, `succeeded`, `failed` or `cancelled`."""
    owner: str
    session_id: UUID | None = None
    rev: int
    error: str | None = None
    created_at: datetime
    finished_at: datetime | None = None
    stages: tuple[Stage, ...] = ()
    steps: tuple[Step, ...] = ()
    questions: tuple[Question, ...] = ()
    result: Result | None = None
    feedback: Json | None = None
    usage: Json | None = None

    @property
    def is_finished(self) -> bool:
        """Succeeded, failed or cancelled."""
        return self.status in ("succeeded", "failed", "cancelled")

    @property
    def open_questions(self) -> tuple[Question, ...]:
        """What the job asks now."""
        return tuple(question for question in self.questions if question.is_open)


class JobLine(Model):
    """A job in a list."""

    id: UUID
    kind: str
    status: str
    owner: str
    session_id: UUID | None = None
    error: str | None = None
    about: str
    created_at: datetime


class JobPage(Model):
    """A page of jobs."""

    jobs: tuple[JobLine, ...]
    next: UUID | None = None
    """The cursor of the following page, for `before`; None: this is the last."""


class Why(Model):
    """What a job waits for."""

    job_id: UUID
    kind: str
    status: str
    error: str | None = None
    rule: str
    reasons: dict[str, str]
    """Stage → why it is not fresh."""
    waits: tuple[Json, ...]
    hints: tuple[str, ...]
    """For each of `waits` what would help, in words."""
    advice: tuple[Json, ...] = ()
    """For a job that failed: what helped with such faults before."""


class Taken(Model):
    """The question that was answered, or the instruction that was given."""

    job_id: UUID
    request_id: UUID
    changed: bool = True
    """False: the same was said before."""


class Changed(Model):
    """A value that an edit changes."""

    field: str
    before: Any = None
    after: Any = None


class Again(Model):
    """A stage that is done again."""

    stage: str
    request_id: UUID | None = None
    changes: tuple[Changed, ...] = ()


class Replayed(Model):
    """What is done again."""

    job_id: UUID
    dry_run: bool
    stages: tuple[Again, ...]


class Revised(Model):
    """What became of your version of a deliverable."""

    job_id: UUID
    stage: str
    version: int | None = None
    """None: a dry run."""
    changes: tuple[Changed, ...] = ()
    again: tuple[str, ...] = ()
    """Stages that are done again because of it."""


class Forked(Model):
    """A copy of a job."""

    job_id: UUID | None = None
    """None: a dry run."""
    forked_from: UUID
    stage: str
    changes: tuple[Changed, ...] = ()


class Ended(Model):
    """What became of a cancellation."""

    job_id: UUID
    cancelled: bool
    """False: the job had ended before."""
    status: str


class FileKept(Model):
    """A file of a bundle."""

    name: str
    bytes: int
    sha256: str


class Bundle(Model):
    """Files that a job may name."""

    ref: str
    """For the field of the request that names files, e.g. `bundle` of a tune job."""
    files: tuple[FileKept, ...]
    refused: tuple[Json, ...] = ()


class SessionLine(Model):
    """A conversation."""

    id: UUID
    owner: str
    jobs: int
    kind: str | None = None
    waiting: int
    live: int
    updated_at: datetime


class MessageTaken(Model):
    """What became of a message to a session."""

    kind: str
    """`answer`, `instruction`, `job` or `compressed`."""
    session_id: UUID
    job_id: UUID | None = None
    request_id: UUID | None = None


class TicketHit(Model):
    """A solved incident that is similar."""

    ticket_id: str
    description: str
    root_cause: str
    solution: str = ""
    score: float


class Ticket(Model):
    """A solved incident as it was imported."""

    ticket_id: str
    description: str
    root_cause: str
    solution: str = ""
    anomalies: tuple[Json, ...] = ()
    metadata: Json = {}


class ImportReport(Model):
    """What an import of tickets did."""

    imported: int
    updated: int
    unchanged: int
    problems: tuple[Json, ...] = ()


class KindSeen(Model):
    """A kind of job."""

    name: str
    summary: str
    words: str
    files: str | None = None
    talks: bool
    request: Json
    """The JSON schema of its request."""
    feedback: Json | None = None


class Key(Model):
    """A key of the gateway, without its secret."""

    id: str
    owner: str
    scopes: tuple[str, ...] = ()
    label: str = ""
    expires_at: datetime | None = None
    created_at: datetime | None = None
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None


class KeyMade(Key):
    """A new key."""

    key: str
    """Its text, which is shown this once."""


class Me(Model):
    """Whose key this is, and what it allows."""

    owner: str
    key: str
    scopes: tuple[str, ...]
