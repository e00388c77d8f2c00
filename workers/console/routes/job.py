"""A job's page, the stream that keeps it up to date, and its report as a file."""

import json
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Header, Query, Request, Response
from markupsafe import Markup

from workers.console.job_live import stream_job
from workers.console.job_view import view_job
from workers.console.pages import HEADERS, Reading, file_stem, short_id
from workers.console.routes.stages import inspector
from workers.console.routing import PageRoute
from workers.gateway.access.caller import Here
from workers.gateway.access.logins import COOKIE
from workers.gateway.routes.events import MOST_REV, first_revision
from workers.gateway.stream import EventStream
from workers.kinds.about import exported, with_about
from workers.kinds.shown import report_of
from workers.reading.facts import read_job_facts
from workers.reading.jobs import read_request
from workers.saying.markdown import to_markdown
from workers.saying.web_page import policy, to_html

router = APIRouter(prefix="/console/jobs/{job_id}", include_in_schema=False, route_class=PageRoute)

PAGE_POLICY = "sandbox allow-scripts allow-downloads; frame-ancestors 'none'"
"""Of a report as a file, beside its own policy: its scripts have no origin, so they reach nothing of the console."""


TITLE_CHARS = 80
"""Of the words of a request, in the title of its page."""


@router.get("")
def job(here: Here, look: Reading, job_id: UUID, stage: Annotated[str, Query(max_length=80)] = "", version: int | None = None) -> Response:
    """The page, with a stage in its inspector where the address names one."""
    found = look.who.job(here.db, job_id)
    view = view_job(here.db, job_id, look, owner_cap=here.settings.owner_cap)
    sections = {name: Markup(html) for name, html in view.sections.items()}  # noqa: S704  rendered by templates that escape
    shown = inspector(here.db, look, job_id, stage, version) if stage else None
    title = f"{view.name[:TITLE_CHARS] or look.kind(found.kind)} {short_id(job_id)}"
    return look.html("job.html", job_id=job_id, view=view, sections=sections, inspected=shown, title=title)


@router.get("/live")
def live(
    request: Request,
    here: Here,
    look: Reading,
    job_id: UUID,
    after: Annotated[int, Query(ge=0, le=MOST_REV)] = 0,
    last_event_id: Annotated[str | None, Header(max_length=30)] = None,
) -> Response:
    """What changed after a revision, and then what changes, as parts of the page."""
    look.who.job(here.db, job_id)
    messages = stream_job(here, job_id, look, after=first_revision(last_event_id, after), cookie=request.cookies.get(COOKIE))
    return EventStream(messages, headers=HEADERS)


@router.get("/whole")
def whole(here: Here, look: Reading, job_id: UUID) -> Response:
    """The result with all its rows, in the place of the one that leaves some out."""
    look.who.job(here.db, job_id)
    document = report_of(read_job_facts(here.db, job_id), look.language, details=True, has_buttons=True, called=look.called)
    return Response(str(look.document(document)), media_type="text/html; charset=utf-8", headers=HEADERS)


@router.get("/report")
def report(here: Here, look: Reading, job_id: UUID, form: Literal["html", "md", "json"] = "html") -> Response:
    """The result as a file, with what it is of."""
    look.who.job(here.db, job_id)
    facts, request = read_job_facts(here.db, job_id), read_request(here.db, job_id) or {}
    document = with_about(report_of(facts, look.language, details=True, called=look.called), facts, request, look.called)
    headers = {**HEADERS, "Content-Disposition": f'attachment; filename="{file_stem(facts.job.kind, job_id)}.{form}"'}
    if form == "json":
        text = json.dumps(exported(facts, request), ensure_ascii=False, indent=2)
        return Response(text, media_type="application/json", headers=headers)
    if form == "md":
        return Response(to_markdown(document, look.language), media_type="text/markdown; charset=utf-8", headers=headers)
    return Response(
        to_html(document, look.language),
        media_type="text/html; charset=utf-8",
        headers={**headers, "Content-Security-Policy": f"{policy()}; {PAGE_POLICY}"},
    )
