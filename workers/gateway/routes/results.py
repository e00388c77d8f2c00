"""`/v1/jobs/{job_id}/result` and `/deliverables`: what came of a job, as JSON, Markdown or a page; and what each stage yielded."""

from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Response

from contracts.base import Json
from contracts.statements import name, say
from workers.errors import Conflict
from workers.gateway.access.caller import Here, MayRead
from workers.gateway.bodies import StrictRoute, answered
from workers.gateway.routes.jobs import Language
from workers.kinds.about import exported, with_about
from workers.kinds.languages import language_for
from workers.kinds.shown import report_of
from workers.operations import jobs as operations
from workers.reading.deliverables import Version, read_versions
from workers.reading.jobs import read_request
from workers.reading.words import STATES
from workers.saying.content import in_words
from workers.saying.markdown import to_markdown
from workers.saying.web_page import policy, to_html

router = APIRouter(prefix="/v1/jobs/{job_id}", tags=["results"], route_class=StrictRoute)

MOST_PAGE = 1_000_000

SANDBOX = "sandbox allow-scripts allow-downloads"
"""Of a page that is opened from here, beside its own policy: its scripts have no origin, so they reach nothing of the gateway."""


class Form(StrEnum):
    """How a result is given."""

    JSON = "json"
    MARKDOWN = "md"
    HTML = "html"


@router.get(
    "/result",
    response_model=dict[str, Any],
    responses={200: {"content": {"text/markdown": {"schema": {"type": "string"}}, "text/html": {"schema": {"type": "string"}}}}},
)
def result(
    here: Here,
    caller: MayRead,
    job_id: UUID,
    format: Form = Form.JSON,
    details: bool = False,
    page: Annotated[int | None, Query(ge=1, le=MOST_PAGE, description="Only this page of the result's rows.")] = None,
    language: Language = None,
) -> Response:
    """The result of a job that succeeded, and `about`: its request, ids, times, versions, and who wrote what. 409 while it has none."""
    facts = operations.job(here, caller, job_id)
    voice = language_for(here.db, facts.job, language)
    if facts.result is None:
        raise Conflict.of(
            say("refused.no_result_yet", job=name(job_id), state=STATES[facts.job.status], command=name(f"GET /v1/jobs/{job_id}/why"))
        )
    request = read_request(here.db, job_id) or {}
    if format is Form.JSON:
        return answered(in_words(exported(facts, request), voice))
    report = with_about(report_of(facts, voice, details=details, page=page), facts, request)
    if format is Form.MARKDOWN:
        return Response(to_markdown(report, voice), media_type="text/markdown; charset=utf-8")
    return Response(
        to_html(report, voice), media_type="text/html; charset=utf-8", headers={"Content-Security-Policy": f"{policy()}; {SANDBOX}"}
    )


@router.get("/deliverables", response_model=tuple[Version, ...])
def deliverables(here: Here, caller: MayRead, job_id: UUID) -> Response:
    """All versions of what each stage yielded, without their contents."""
    caller.job(here.db, job_id)
    return answered(read_versions(here.db, job_id))


@router.get("/deliverables/{stage:path}/{version}", response_model=dict[str, Any])
def deliverable_version(
    here: Here, caller: MayRead, job_id: UUID, stage: str, version: int, in_text: bool = True, language: Language = None
) -> Response:
    """A version of what a stage yielded. `in_text` false gives its statements as they are stored."""
    known = caller.job(here.db, job_id)
    content: Json = operations.deliverable(here, caller, job_id, stage, version=version).to_json()
    return answered(in_words(content, language_for(here.db, known, language)) if in_text else content)


@router.get("/deliverables/{stage:path}", response_model=dict[str, Any])
def deliverable(here: Here, caller: MayRead, job_id: UUID, stage: str, in_text: bool = True, language: Language = None) -> Response:
    """The current version of what a stage yielded, and the stage's parameters. `in_text` false gives statements as they are stored."""
    known = caller.job(here.db, job_id)
    content: Json = operations.deliverable(here, caller, job_id, stage).to_json()
    return answered(in_words(content, language_for(here.db, known, language)) if in_text else content)
