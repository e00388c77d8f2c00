"""Lists of jobs as commands read them. Apart from the other readings, which load the boss's rules."""

from uuid import UUID

from workers.cli.context import database
from workers.cli.reach.remote import gateway
from workers.reading.lists import JobFilter, JobPage, list_jobs

PAGE = 200
"""Jobs that a gateway lists at once."""


def page_of(which: JobFilter, limit: int, before: UUID | None) -> JobPage:
    """A page of jobs, the newest first."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import jobs

        call = jobs.jobs(
            status=which.status, kind=which.kind, text=which.text, session_id=which.session_id, owner=which.owner, since=which.since,
            until=which.until, before=before, limit=min(limit, PAGE),
        )  # fmt: skip
        return away.read(JobPage, call)
    return list_jobs(database(), which, limit=limit, before=before)
