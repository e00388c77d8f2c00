"""`bullpen jobs` and `bullpen show`."""

from typing import Annotated
from uuid import UUID

import typer

from contracts.jobs import JobStatus
from workers.cli.ages import read_time
from workers.cli.context import console, database, errors, job_id, print_json
from workers.cli.display import short_id
from workers.cli.job_view import print_content, print_job, print_list
from workers.errors import InvalidInput
from workers.reading.decisions import read_decisions
from workers.reading.deliverables import read_current, read_version
from workers.reading.facts import read_job_facts
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
        print_list(found)
        if following is not None:
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


def show(
    job: Annotated[str, typer.Argument(help="The job: its id, or 6 characters or more of its beginning or end.")],
    stage: Annotated[str | None, typer.Option(help="Print the deliverable of this stage instead.")] = None,
    version: Annotated[int | None, typer.Option(min=1, help="With --stage: this version. Default: the current one.")] = None,
    decisions: Annotated[bool, typer.Option("--decisions", help="Also list what the boss decided, with the rule that fired.")] = False,
    details: Annotated[bool, typer.Option("--details", help="Of a tuning report all that it holds.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a job: its stages by the rule of freshness, its steps, questions and result."""
    found, db = job_id(job), database()
    if version is not None and stage is None:
        raise InvalidInput("--version goes with --stage: of which stage?")
    if stage is not None:
        content = read_current(db, found, stage) if version is None else read_version(db, found, stage, version)
        if as_json:
            print_json(content)
        else:
            print_content(content)
        return
    facts = read_job_facts(db, found)
    decided = read_decisions(db, found) if decisions else None
    if as_json:
        print_json(facts.to_json() if decided is None else {**facts.to_json(), "decisions": decided})
        return
    print_job(facts, decided, details=details)
