"""Sessions: results that the jobs of one conversation share, and the memory of what was asked, decided and selected."""

from enum import StrEnum
from uuid import UUID

from pydantic import AwareDatetime, Field

from contracts.base import Contract, Text
from contracts.jobs import JobStatus
from contracts.roles import RoleName

MEMORY_BYTES = 8_192
"""The most that a session's memory takes as JSON. What is older is summarised, then left out; the jobs keep everything."""


class EarlierResult(Contract):
    """A pointer to the result of an earlier job in the session. Its content is read on demand."""

    job_id: UUID
    kind: str
    stage: str
    """The stage that yielded the result."""
    deliverable_id: UUID
    content_hash: str
    summary: str = ""
    """The summary line of the step that made the result."""
    finished_at: AwareDatetime


class Asked(Contract):
    """What the user asked for: one job."""

    job_id: UUID
    kind: str
    title: Text
    """The beginning of the request in the user's words."""
    status: JobStatus


class Decided(Contract):
    """What the user decided: the answer to a question, or an instruction."""

    job_id: UUID
    question: Text = ""
    """Empty for an instruction."""
    answer: Text


class RoleTurn(Contract):
    """What a role did in one step, in one line, with a reference to what it made."""

    job_id: UUID
    stage: str
    summary: Text
    content_hash: str | None = None
    """Of the deliverable. The content itself is never in the memory."""
    at: AwareDatetime


class RoleMemory(Contract):
    """What the session remembers of one role."""

    summary: Text = ""
    """Of the turns up to `summarised_to`, compressed."""
    summarised_to: AwareDatetime | None = None
    turns: tuple[RoleTurn, ...] = ()
    """The last turns, oldest first."""


class SessionMemory(Contract):
    """A small document, made from the rows of the session's jobs. Only the summaries and `since` are stored."""

    asked: tuple[Asked, ...] = ()
    decided: tuple[Decided, ...] = ()
    selected: tuple[Text, ...] = ()
    """Places of what was selected: tables, documents. References, never contents."""
    roles: dict[RoleName, RoleMemory] = {}
    since: AwareDatetime | None = None
    """When the memory was cleared. Jobs that ended before are not remembered, and their results are no longer seen."""
    notes: tuple[Text, ...] = Field(default=(), max_length=10)
    """E.g. that a compression failed, so that the turns were kept."""


class Compression(Contract):
    """What became of the compression of one role's turns."""

    role: RoleName
    done: bool
    turns: int
    """Turns that the summary now covers, or that were kept because it failed."""
    engine: str
    """The model's name, or `rules` for the extractive summary."""
    reason: Text = ""
    """Why it failed."""


class MessageKind(StrEnum):
    """What a message to a session is."""

    ANSWER = "answer"
    """The answer to its open question."""
    INSTRUCTION = "instruction"
    """An instruction to its running job."""
    JOB = "job"
    """A new job: no question is open and nothing runs."""
    COMPRESSED = "compressed"
    """The command `/compress`."""


class MessageTaken(Contract):
    """What became of a message to a session."""

    kind: MessageKind
    session_id: UUID
    job_id: UUID | None = None
    """The job that was answered, instructed or begun."""
    request_id: UUID | None = None
    """The question that was answered, or the instruction."""
    compressions: tuple[Compression, ...] = ()
