"""The list of jobs: filters, pages, costs; it looks again every few seconds."""

from dataclasses import dataclass
from typing import Annotated, Any, LiteralString
from urllib.parse import urlencode
from uuid import UUID

from fastapi import APIRouter, Query, Response

from contracts.jobs import JobStatus
from contracts.statements import quote, say
from workers.blackboard.engine import Database
from workers.console.pages import Look, Reading
from workers.console.routing import PageRoute
from workers.errors import InvalidInput
from workers.gateway.access.caller import Here
from workers.kinds.registry import all_kinds
from workers.reading.lists import JobFilter, JobPage, list_jobs

router = APIRouter(prefix="/console/jobs", include_in_schema=False, route_class=PageRoute)

PAGE = 25
ROUNDS = 6
"""Looks of a search for words, each at as many jobs as a page of a list examines: 12,000 in all, which take some 180 ms."""

_COSTS: LiteralString = """
SELECT job_id, COALESCE(sum((usage->>'cost_usd')::float), 0)::float AS cost FROM steps WHERE job_id = ANY(%(ids)s) AND usage IS NOT NULL
 GROUP BY job_id
"""


@dataclass(frozen=True, slots=True)
class Filled:
    """What the filter form holds."""

    text: str
    status: str
    kind: str
    owner: str
    before: str


def _filled(
    text: Annotated[str, Query(max_length=500)] = "",
    status: str = "",
    kind: Annotated[str, Query(max_length=100)] = "",
    owner: Annotated[str, Query(max_length=200)] = "",
    before: Annotated[str, Query(max_length=40)] = "",
) -> Filled:
    return Filled(text.strip(), status if status in set(JobStatus) else "", kind, owner.strip(), before)


@router.get("")
def jobs(here: Here, look: Reading, text: str = "", status: str = "", kind: str = "", owner: str = "", before: str = "") -> Response:
    """The page."""
    return _page("jobs.html", here.db, look, _filled(text, status, kind, owner, before))


@router.get("/list")
def job_list(here: Here, look: Reading, text: str = "", status: str = "", kind: str = "", owner: str = "", before: str = "") -> Response:
    """The rows alone, as they are now."""
    return _page("jobs_list.html", here.db, look, _filled(text, status, kind, owner, before))


def _page(template: str, db: Database, look: Look, filled: Filled) -> Response:
    which = JobFilter(
        status=JobStatus(filled.status) if filled.status else None,
        kind=filled.kind or None,
        owner=look.who.only_owner or filled.owner or None,
        text=filled.text or None,
    )
    found = _found(db, which, _cursor(filled.before))
    costs = {row["job_id"]: row["cost"] for row in db.statement(_COSTS, {"ids": [job.id for job in found.jobs]})}
    rows: list[dict[str, Any]] = [
        {name: getattr(job, name) for name in ("id", "kind", "status", "owner", "error", "created_at", "questions", "about")}
        | {"cost": costs.get(job.id, 0.0)}
        for job in found.jobs
    ]
    asked = {name: value for name in ("text", "status", "kind", "owner", "before") if (value := getattr(filled, name))}
    following = {**asked, "before": str(found.next)}
    return look.html(
        template, page={"jobs": rows, "next": found.next}, filled=filled, kinds=[kind.name for kind in all_kinds()],
        statuses=[status.value for status in JobStatus], is_filtered=bool(asked), query=_query(asked), query_next=_query(following),
    )  # fmt: skip


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
