"""The list of jobs: filters, pages, totals, costs; it looks again every few seconds."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any, LiteralString
from urllib.parse import urlencode
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response

from contracts.jobs import JobStatus
from contracts.statements import quote, say
from workers.blackboard.engine import Database
from workers.console.pages import Look, Reading, SeenTag
from workers.console.routing import PageRoute
from workers.errors import InvalidInput
from workers.gateway.access.caller import Here
from workers.kinds.registry import all_kinds
from workers.reading.lists import JobFilter, JobPage, list_jobs, read_errors

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
    error: str
    before: str


def _filled(
    text: Annotated[str, Query(max_length=500)] = "",
    status: str = "",
    kind: Annotated[str, Query(max_length=100)] = "",
    owner: Annotated[str, Query(max_length=200)] = "",
    since: Annotated[str, Query(max_length=10)] = "",
    until: Annotated[str, Query(max_length=10)] = "",
    error: Annotated[str, Query(max_length=200)] = "",
    before: Annotated[str, Query(max_length=40)] = "",
) -> Filters:
    return Filters(text.strip(), status if status in set(JobStatus) else "", kind, owner.strip(), since, until, error, before)


CONDITIONS = ("text", "status", "kind", "owner", "since", "until", "error")
"""What narrows the list; `before` turns its pages."""

Asked = Annotated[Filters, Depends(_filled)]


@router.get("")
def jobs(here: Here, look: Reading, filters: Asked) -> Response:
    """The page."""
    return _page("jobs.html", here.db, look, filters)


@router.get("/list")
def job_list(here: Here, look: Reading, filters: Asked, seen: SeenTag = "") -> Response:
    """The rows alone, as they are now; nothing where the page has them already (`seen`)."""
    return _page("now.html", here.db, look, filters, seen)


def filter_of(filled: Filters, look: Look) -> JobFilter:
    """What the form asks for, as far as the caller may see it. Raises `InvalidInput` for a text that is no date."""
    return JobFilter(
        status=JobStatus(filled.status) if filled.status else None,
        kind=filled.kind or None,
        owner=look.who.only_owner or filled.owner or None,
        text=filled.text or None,
        error=filled.error or None,
        since=_day(filled.since),
        until=_day(filled.until, after=1),
    )


def _page(template: str, db: Database, look: Look, filled: Filters, seen: str = "") -> Response:
    found = find_jobs(db, filter_of(filled, look), cursor(filled.before), PAGE)
    costs = {row["job_id"]: row["cost"] for row in db.statement(_COSTS, {"ids": [job.id for job in found.jobs]})}
    rows: list[dict[str, Any]] = [{name: getattr(job, name) for name in _SHOWN} | {"cost": costs.get(job.id, 0.0)} for job in found.jobs]
    asked = {name: value for name in (*CONDITIONS, "before") if (value := getattr(filled, name))}
    return look.renewed(
        template, "jobs_list.html", seen,
        page={"jobs": rows, "next": found.next}, filled=filled, kinds=[kind.name for kind in all_kinds()],
        statuses=[status.value for status in JobStatus], is_filtered=bool(asked), query=query_of(asked),
        query_matching=query_of({name: value for name, value in asked.items() if name != "before"}),
        query_next=query_of({**asked, "before": str(found.next)}), totals=_totals(db, look),
        errors=_errors(db, look, filled.error) if template == "jobs.html" else {},
    )  # fmt: skip


def _errors(db: Database, look: Look, chosen: str) -> dict[str, str]:
    """The errors to choose from: key → what it says. The chosen one is among them, though no job has it any more."""
    found = {line.key: look.text(line.message) for line in read_errors(db, look.who.only_owner)}
    return found if not chosen else {chosen: chosen, **found}


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


def find_jobs(db: Database, which: JobFilter, before: UUID | None, most: int) -> JobPage:
    """A page of jobs. A search goes on where nothing was found yet."""
    page = list_jobs(db, which, limit=most, before=before)
    for _ in range(ROUNDS - 1):
        if page.next is None or len(page.jobs) == most:
            break
        more = list_jobs(db, which, limit=most - len(page.jobs), before=page.next)
        page = JobPage(page.jobs + more.jobs, more.next)
    return page


def query_of(values: dict[str, str]) -> str:
    """What follows a page's address to ask for the same again."""
    return f"?{urlencode(values)}" if values else ""


def cursor(text: str) -> UUID | None:
    """The id that a form or an address holds; None: it holds none. Raises `InvalidInput`."""
    try:
        return UUID(text) if text else None
    except ValueError:
        raise InvalidInput.of(say("refused.no_id", text=quote(text[:40]))) from None
