"""`bullpen jobs`."""

from typing import Annotated
from uuid import UUID

import typer
from rich.table import Column

from contracts.jobs import JobStatus
from workers.cli.ages import read_time
from workers.cli.context import console, database, errors, job_id, print_json
from workers.cli.display import ago, brief, short_id, styled
from workers.cli.lines import table
from workers.reading.lists import JobFilter, JobLine, list_jobs

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def jobs(
    status: Annotated[JobStatus | None, typer.Option(help="Only jobs in this state.")] = None,
    kind: Annotated[str | None, typer.Option(help="Only jobs of this kind.")] = None,
    owner: Annotated[str | None, typer.Option(help="Only jobs of this owner.")] = None,
    session: Annotated[UUID | None, typer.Option(help="Only jobs of this session.")] = None,
    text: Annotated[str | None, typer.Option(help="Only jobs whose request contains this, in upper or lower case.")] = None,
    since: Annotated[str | None, typer.Option(help="Only jobs submitted since an age (2h) or a time.")] = None,
    until: Annotated[str | None, typer.Option(help="Only jobs submitted before an age (2h) or a time.")] = None,
    before: Annotated[str | None, typer.Option(metavar="JOB", help="Only jobs older than this one: the next page of a list.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Most jobs to list.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List jobs, the newest first. A job's id is shortened to its end; every command takes that."""
    which = JobFilter(
        status=status,
        kind=kind,
        owner=owner,
        session_id=session,
        text=text,
        since=None if since is None else read_time(since),
        until=None if until is None else read_time(until),
    )
    found, following = _collect(which, limit, None if before is None else job_id(before))
    if as_json:
        print_json(found)
    elif found:
        _print_list(found)
        if following is not None and console.is_terminal:
            errors.print(f"There are more: bullpen jobs --before {short_id(following)} ...", style="dim", soft_wrap=True)
    else:
        console.print('No jobs yet. Submit one: bullpen submit diagnose "..."' if which == JobFilter() else "No job is like that.")


def _collect(which: JobFilter, limit: int, before: UUID | None) -> tuple[list[JobLine], UUID | None]:
    """Pages until there are `limit` jobs or no more: a page of a search for a text may be short."""
    found: list[JobLine] = []
    cursor = before
    while True:
        page = list_jobs(database(), which, limit=limit - len(found), before=cursor)
        found += page.jobs
        cursor = page.next
        if cursor is None or len(found) >= limit:
            return found, cursor


def _print_list(jobs: list[JobLine]) -> None:
    """One line a job; what was asked takes the room that is left."""
    listed = table("job", "kind", "status", "age", "owner", Column("about", no_wrap=True, overflow="ellipsis", ratio=1))
    listed.expand = True  # only then the last column takes what the others leave, and none of them is squeezed
    for job in jobs:
        facts = [short_id(job.id), brief(job.kind, 16), styled(job.status), ago(job.created_at), brief(job.owner, 20)]
        listed.add_row(*facts, brief(job.error or job.about, 200))
    console.print(listed)
