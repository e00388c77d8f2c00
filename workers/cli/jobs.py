"""`bullpen jobs`."""

from typing import Annotated
from uuid import UUID

import typer
from rich.table import Column

from contracts.jobs import JobStatus
from contracts.statements import code, passage, say, term
from workers.cli.ages import read_time
from workers.cli.context import console, errors, job_id, print_json
from workers.cli.display import brief, short_id
from workers.cli.lines import table
from workers.cli.list_words import ListLanguage
from workers.cli.reach.lists import page_of
from workers.cli.voice import Voice, age, voice_in
from workers.reading.lists import JobFilter, JobLine

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

_TITLES = (
    term("fleet.jobs.job"),
    term("fleet.jobs.kind"),
    term("fleet.show.status"),
    term("fleet.jobs.age"),
    term("fleet.jobs.owner"),
)
_NO_JOBS = say("fleet.jobs.none_yet", command=code('bullpen submit diagnose "..."'))
_NO_MATCH = say("fleet.jobs.no_match")


def jobs(
    status: Annotated[JobStatus | None, typer.Option(help="Only jobs in this state.")] = None,
    kind: Annotated[str | None, typer.Option(help="Only jobs of this kind.")] = None,
    owner: Annotated[str | None, typer.Option(help="Only jobs of this owner.")] = None,
    session: Annotated[UUID | None, typer.Option(help="Only jobs of this session.")] = None,
    text: Annotated[str | None, typer.Option(help="Only jobs whose request contains this, in upper or lower case.")] = None,
    since: Annotated[str | None, typer.Option(help="Only jobs submitted since an age (2h) or a time.")] = None,
    until: Annotated[str | None, typer.Option(help="Only jobs submitted before an age (2h) or a time.")] = None,
    before: Annotated[str | None, typer.Option(metavar="JOB", help="Only jobs older than this one: the next page of a list.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Largest number of jobs to list.")] = 20,
    language: ListLanguage = "en",
    as_json: AsJson = False,
) -> None:
    """List jobs, the newest first. A job's id is shortened to its end, which every command accepts."""
    voice = voice_in(language)
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
    _load_texts_of_errors(found)
    if as_json:
        print_json([voice.json(line.to_json()) for line in found])
    elif found:
        _print_list(found, voice)
        if following is not None and console.is_terminal:
            command = code(f"bullpen jobs --before {short_id(following)} ...")
            errors.print(voice(say("fleet.jobs.more", command=command)), style="dim", soft_wrap=True)
    else:
        console.print(voice(_NO_JOBS if which == JobFilter() else _NO_MATCH), soft_wrap=True)


def _load_texts_of_errors(found: list[JobLine]) -> None:
    """An error may be in the words of its kind. A list without one loads no kind."""
    if not (kinds := dict.fromkeys(line.kind for line in found if line.error)):
        return
    from workers.kinds.registry import load_kind
    from workers.settings import load_settings

    for kind in kinds:
        load_kind(kind, load_settings().extensions)


def _collect(which: JobFilter, limit: int, before: UUID | None) -> tuple[list[JobLine], UUID | None]:
    """Pages until there are `limit` jobs or no more: a page of a search for a text may be short."""
    found: list[JobLine] = []
    cursor = before
    while True:
        page = page_of(which, limit - len(found), cursor)
        found += page.jobs
        cursor = page.next
        if cursor is None or len(found) >= limit:
            return found, cursor


def _print_list(jobs: list[JobLine], voice: Voice) -> None:
    """One line for each job; the request takes the remaining room."""
    listed = table(*map(voice, _TITLES), Column(voice(term("fleet.jobs.about")), no_wrap=True, overflow="ellipsis", ratio=1))
    listed.expand = True  # only then the last column takes what the others leave, and none of them is squeezed
    for job in jobs:
        facts = [short_id(job.id), brief(job.kind, 16), voice.state(job.status), voice(age(job.created_at)), brief(job.owner, 20)]
        about = voice.plain(job.error or job.about)
        listed.add_row(*facts, brief(voice(say("fleet.jobs.by_person", about=passage(about))) if job.by_person else about, 200))
    console.print(listed)
