"""Sessions: results that the jobs of one conversation share."""

from uuid import UUID

from pydantic import AwareDatetime

from contracts.base import Contract


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
