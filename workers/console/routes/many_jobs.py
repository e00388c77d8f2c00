"""What is done to many jobs at once: to those that were chosen in the list, or to all that match its filters."""

import hashlib
from collections.abc import Callable, Sequence
from uuid import UUID

from fastapi import APIRouter, Response

from workers.app.run_step import move_on
from workers.console.filled import Filled
from workers.console.pages import Look, Operating, Reading, short_id
from workers.console.routes.jobs import CONDITIONS, PAGE, Asked, Filters, cursor, filter_of, find_jobs, query_of
from workers.console.routing import PageRoute
from workers.coordinator import actions, replay
from workers.errors import BullpenError, InvalidInput
from workers.gateway.access.caller import Here
from workers.gateway.context import Gateway
from workers.saying.errors import message_of

router = APIRouter(prefix="/console/jobs", include_in_schema=False, route_class=PageRoute)

MOST = 200
"""Jobs that one click does something to: each takes some 10 ms, and the browser waits for all of them."""


@router.post("")
def chosen(here: Here, look: Operating, form: Filled) -> Response:
    """Do the chosen jobs again, or end them."""
    jobs = [job_id for value in form.getlist("job")[:PAGE] if (job_id := cursor(str(value))) is not None]
    if not jobs:
        raise InvalidInput(look("console.jobs.choose"))
    return _each(here, look, jobs, str(form.get("deed") or ""))


@router.get("/matching")
def ask(here: Here, look: Reading, filters: Asked) -> Response:
    """How many jobs match, and what may be done to all of them."""
    jobs, there_are_more = matching(here, look, filters)
    asked = {name: value for name in CONDITIONS if (value := getattr(filters, name))}
    return look.html("jobs_matching.html", n=len(jobs), there_are_more=there_are_more, which=_tag(jobs), query=query_of(asked))


@router.post("/matching")
def all_matching(here: Here, look: Operating, filters: Asked, form: Filled) -> Response:
    """Do all jobs again that match, or end them; refused where they are no longer those that the caller was shown the number of."""
    jobs, _ = matching(here, look, filters)
    if _tag(jobs) != form.get("which"):
        raise InvalidInput(look("console.jobs.changed"))
    return _each(here, look, jobs, str(form.get("deed") or ""))


def matching(here: Gateway, look: Look, filters: Filters) -> tuple[list[UUID], bool]:
    """The newest `MOST` jobs that match, and whether there are more."""
    found = find_jobs(here.db, filter_of(filters, look), None, MOST)
    return [job.id for job in found.jobs], found.next is not None


def _each(here: Gateway, look: Look, jobs: Sequence[UUID], named: str) -> Response:
    """Each job in a transaction of its own, so that one that refuses stops no other."""
    deeds: dict[str, Callable[[UUID], object]] = {
        "replay": lambda job_id: replay.replay_job(here.db, job_id), "cancel": lambda job_id: actions.cancel(here.db, job_id)
    }  # fmt: skip
    deed = deeds.get(named)
    if deed is None:
        raise InvalidInput(look("console.jobs.choose"))
    problems: list[str] = []
    for job_id in jobs:
        try:
            look.who.job(here.db, job_id)
            deed(job_id)
            move_on(here.services, job_id)
        except BullpenError as error:
            problems.append(f"{short_id(job_id)}: {message_of(error, look.language)}")
    return look.html("jobs_done.html", done=len(jobs) - len(problems), problems=problems)


def _tag(jobs: Sequence[UUID]) -> str:
    """These jobs and no others."""
    return hashlib.sha256(b"".join(job_id.bytes for job_id in jobs)).hexdigest()[:16]
