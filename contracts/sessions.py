"""Sessions: what the jobs of one conversation leave for each other."""

from uuid import UUID

from pydantic import AwareDatetime

from contracts.base import Contract


class EarlierResult(Contract):
    """A pointer to the result of an earlier job of a session; its content is read when it is needed."""

    job_id: UUID
    kind: str
    stage: str
    """Whose deliverable the result is."""
    deliverable_id: UUID
    content_hash: str
    summary: str = ""
    """The line in which its step told what it made."""
    finished_at: AwareDatetime
