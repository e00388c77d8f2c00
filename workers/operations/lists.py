"""Lists of jobs. Apart from the other readings of jobs, which load the boss's rules."""

from datetime import datetime
from uuid import UUID

from contracts.jobs import JobStatus
from workers.operations.base import Asker, Here, operation
from workers.reading.lists import JobFilter, JobPage, list_jobs


@operation("jobs.jobs")
def jobs(
    here: Here, asker: Asker, *, status: JobStatus | None = None, kind: str | None = None, text: str | None = None,
    session_id: UUID | None = None, owner: str | None = None, since: datetime | None = None, until: datetime | None = None,
    before: UUID | None = None, limit: int = 20,
) -> JobPage:  # fmt: skip
    """Jobs, the newest first; `before`: the cursor that the page before ends with."""
    which = JobFilter(
        status=status, kind=kind, text=text, session_id=session_id, owner=asker.only_owner or owner, since=since, until=until
    )  # fmt: skip
    return list_jobs(here.db, which, limit=limit, before=before)
