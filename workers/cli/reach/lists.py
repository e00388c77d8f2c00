"""Lists of jobs as commands read them. Apart from the other readings, which load the boss's rules."""

from uuid import UUID

from workers.cli.reach.doing import do
from workers.cli.reach.remote import gateway
from workers.operations.lists import jobs
from workers.reading.lists import JobFilter, JobPage

PAGE = 200
"""Jobs that a gateway lists at once."""


def page_of(which: JobFilter, limit: int, before: UUID | None) -> JobPage:
    """A page of jobs, the newest first."""
    most = limit if gateway() is None else min(limit, PAGE)
    return do(
        jobs, status=which.status, kind=which.kind, text=which.text, session_id=which.session_id, owner=which.owner, since=which.since,
        until=which.until, before=before, limit=most,
    )  # fmt: skip
