"""The list of jobs: filters, pages, totals, costs, and what is done to many at once; it looks again every few seconds."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any, LiteralString
from urllib.parse import urlencode
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response
from markupsafe import Markup

from contracts.jobs import JobStatus
from contracts.statements import quote, say
from workers.app.run_step import move_on
from workers.blackboard.engine import Database
from workers.console.filled import Filled
from workers.console.pages import HEADERS, Look, Operating, Reading, short_id
from workers.console.routing import PageRoute
from workers.coordinator import actions, replay
from workers.errors import BullpenError, InvalidInput
from workers.gateway.access.caller import Here
from workers.kinds.registry import all_kinds
from workers.reading.lists import JobFilter, JobPage, list_jobs
from workers.saying.errors import message_of

router = APIRouter(prefix="/console/jobs", include_in_schema=False, route_class=PageRoute)

PAGE = 25
ROUNDS = 6
"""Looks of a search for words, each at as many jobs as a page of a list examines: 12,000 in all, which take some 180 ms."""

_COSTS: LiteralString = """
SELECT job_id, COALESCE(sum((usage->>'cost_usd')::float), 0)::float AS cost FROM steps WHERE job_id = ANY(%(ids)s) AND usage IS NOT NULL
 GROUP BY job_id
"""


_SHOWN = ("id", "kind", "status", "owner", "error", "created_at", "questions", "about", "forked_from", "by_person", "fork")
"""Of a job, in its row. What changes with each step is left out, so that a list stays as it is in between."""

_LIVE: LiteralString = """
SELECT status, count(*)::int AS n FROM jobs
 WHERE status IN ('accepted', 'running', 'waiting_human') AND (%(owner)s::text IS NULL OR owner = %(owner)s) GROUP BY status
"""


@dataclass(frozen=True, slots=True)
class Filters:
    """What the filter form holds."""

    text: str
    status: str
    kind: str
    owner: str
    since: str
    until: str
    before: str


def _filled(
    text: Annotated[str, Query(max_length=500)] = "",
    status: str = "",
    kind: Annotated[str, Query(max_length=100)] = "",
    owner: Annotated[str, Query(max_length=200)] = "",
    since: Annotated[str, Query(max_length=10)] = "",
    until: Annotated[str, Query(max_length=10)] = "",
    before: Annotated[str, Query(max_length=40)] = "",
) -> Filters:
    return Filters(text.strip(), status if status in set(JobStatus) else "", kind, owner.strip(), since, until, before)


Asked = Annotated[Filters, Depends(_filled)]


@router.get("")
def jobs(here: Here, look: Reading, filters: Asked) -> Response:
    """The page."""
    return _page("jobs.html", here.db, look, filters)


@router.get("/list")
def job_list(here: Here, look: Reading, filters: Asked, seen: Annotated[str, Query(max_length=64)] = "") -> Response:
    """The rows alone, as they are now; nothing where the page has them already (`seen`)."""
    return _page("jobs_now.html", here.db, look, filters, seen)


@router.post("")
def many(here: Here, look: Operating, form: Filled) -> Response:
    """Do the chosen jobs again, or end them."""
    deeds: dict[str, Callable[[UUID], object]] = {
        "replay": lambda job_id: replay.replay_job(here.db, job_id), "cancel": lambda job_id: actions.cancel(here.db, job_id)
    }  # fmt: skip
    deed = deeds.get(str(form.get("deed") or ""))
    chosen = [_cursor(str(value)) for value in form.getlist("job")][:PAGE]
    if deed is None or not chosen:
        raise InvalidInput(look("console.jobs.choose"))
    problems: list[str] = []
    for job_id in (job_id for job_id in chosen if job_id is not None):
        try:
            look.who.job(here.db, job_id)
            deed(job_id)
            move_on(here.services, job_id)
        except BullpenError as error:
            problems.append(f"{short_id(job_id)}: {message_of(error, look.language)}")
    return look.html("jobs_done.html", done=len(chosen) - len(problems), problems=problems)


def _page(template: str, db: Database, look: Look, filled: Filters, seen: str = "") -> Response:
    which = JobFilter(
        status=JobStatus(filled.status) if filled.status else None,
        kind=filled.kind or None,
        owner=look.who.only_owner or filled.owner or None,
        text=filled.text or None,
        since=_day(filled.since),
        until=_day(filled.until, after=1),
    )
    found = _found(db, which, _cursor(filled.before))
    costs = {row["job_id"]: row["cost"] for row in db.statement(_COSTS, {"ids": [job.id for job in found.jobs]})}
    rows: list[dict[str, Any]] = [{name: getattr(job, name) for name in _SHOWN} | {"cost": costs.get(job.id, 0.0)} for job in found.jobs]
    asked = {name: value for name in ("text", "status", "kind", "owner", "since", "until", "before") if (value := getattr(filled, name))}
    following = {**asked, "before": str(found.next)}
    values: dict[str, Any] = {
        "page": {"jobs": rows, "next": found.next}, "filled": filled, "kinds": [kind.name for kind in all_kinds()],
        "statuses": [status.value for status in JobStatus], "is_filtered": bool(asked), "query": _query(asked),
        "query_next": _query(following), "totals": _totals(db, look),
    }  # fmt: skip
    listed = look.render("jobs_list.html", **values)
    tag = hashlib.sha256(listed.encode()).hexdigest()[:16]
    if seen == tag:
        return Response(status_code=204, headers=HEADERS)
    return look.html(template, **values, seen=tag, listed=Markup(listed))  # noqa: S704  rendered by a template that escapes


def _totals(db: Database, look: Look) -> dict[str, int]:
    """Jobs that are not over, by their state."""
    counts = {row["status"]: row["n"] for row in db.statement(_LIVE, {"owner": look.who.only_owner})}
    return {state: counts.get(state, 0) for state in ("accepted", "running", "waiting_human")}


def _day(text: str, *, after: int = 0) -> datetime | None:
    """The beginning of a day in UTC, plus `after` days. Raises `InvalidInput` for a text that is no date."""
    if not text:
        return None
    try:
        return datetime.combine(date.fromisoformat(text), time(), UTC) + timedelta(days=after)
    except (ValueError, OverflowError):
        raise InvalidInput.of(say("console.refused.no_date", text=quote(text))) from None


def _found(db: Database, which: JobFilter, before: UUID | None) -> JobPage:
    """A page of jobs. A search for words goes on where nothing was found yet."""
    page = list_jobs(db, which, limit=PAGE, before=before)
    for _ in range(ROUNDS - 1):
        if not which.text or page.next is None or len(page.jobs) == PAGE:
            break
        more = list_jobs(db, which, limit=PAGE - len(page.jobs), before=page.next)
        page = JobPage(page.jobs + more.jobs, more.next)
    return page


def _query(values: dict[str, str]) -> str:
    return f"?{urlencode(values)}" if values else ""


def _cursor(text: str) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError:
        raise InvalidInput.of(say("refused.no_id", text=quote(text[:40]))) from None
