"""`/v1/jobs`: submit, search, read; why a job is not done, and what the boss decided."""

import json
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Query, Request, Response
from pydantic import Field, StrictFloat, StrictInt, ValidationError

from contracts.base import Contract, Json
from contracts.jobs import EngineChoice, JobStatus
from contracts.limits import MOST_COST_USD, MOST_TOKENS, MOST_WALL_TIME_S
from workers.app.explaining import explained
from workers.app.submitting import submit
from workers.coordinator.intake import faults, read_submission
from workers.coordinator.playbooks import find_playbook
from workers.errors import InvalidSubmission
from workers.gateway import bodies
from workers.gateway.access.caller import Here, MayRead, MaySubmit
from workers.gateway.bodies import Moment, StrictRoute, answered, answered_json
from workers.gateway.context import Gateway
from workers.gateway.languages import language_of
from workers.kinds.languages import language_for
from workers.operations import jobs as operations
from workers.operations import lists
from workers.reading.decisions import DecisionFacts
from workers.reading.jobs import Job
from workers.reading.lists import JobPage
from workers.reading.steps import Progress
from workers.saying.content import in_words

router = APIRouter(prefix="/v1/jobs", tags=["jobs"], route_class=StrictRoute)

InText = Annotated[bool, Query(description="False gives statements as they are stored, for a program that says them itself.")]
Language = Annotated[
    str | None, Query(min_length=2, max_length=35, description="Language of the texts: en, zh, ... Default: that of the job.")
]


class Limits(bodies.Body):
    """What the job may use after the last word of a human. Left out: the default of the deployment."""

    wall_time_s: StrictFloat | StrictInt | None = Field(default=None, gt=0, le=MOST_WALL_TIME_S)
    tokens: StrictInt | None = Field(default=None, gt=0, le=MOST_TOKENS)
    cost_usd: StrictFloat | StrictInt | None = Field(default=None, gt=0, le=MOST_COST_USD)


class Submission(bodies.Body):
    """A job to be made."""

    job: dict[str, Any]
    """The request; its `kind` says which other fields it has."""
    priority: StrictInt = Field(default=5, ge=0, le=9)
    """9 is the most urgent."""
    idempotency_key: str | None = Field(default=None, min_length=1, max_length=200)
    """The same key and body give the same job. The header `Idempotency-Key` says the same."""
    correlation_id: str | None = Field(default=None, max_length=200)
    reply_to: str | None = Field(default=None, max_length=500)
    """Where the job's questions and its end are sent: `stream:...`, `queue:...`, or a URL that the deployment allows."""
    session_id: UUID | None = None
    engine: EngineChoice | None = None
    """Default: that of the deployment."""
    budget: Limits = Limits()


class Accepted(Contract):
    """A job that is durable now."""

    job_id: UUID
    existing: bool
    """The idempotency key had this job already."""
    broker_answers: bool
    """False: the broker is away; the job starts within seconds of its return."""


@router.post("", status_code=201, responses={200: {"model": Accepted, "description": "The idempotency key had this job already."}})
def submit_job(
    here: Here,
    caller: MaySubmit,
    response: Response,
    body: Submission,
    idempotency_key: Annotated[str | None, Header(min_length=1, max_length=200)] = None,
) -> Accepted:
    """Make a job; 200 instead of 201 when the idempotency key had it already. The owner is that of the key."""
    check_request(body.job)
    value: Json = body.model_dump(mode="json", exclude={"budget", "engine"})
    value["engine"] = (body.engine or here.settings.engine).value
    value["budget"] = body.budget.model_dump(exclude_none=True)
    key = idempotency_key or body.idempotency_key
    if body.reply_to is not None:
        caller.may_be_answered(here.db, body.reply_to)
    made = submit(here.services, read_submission({**value, "owner": caller.owner, "idempotency_key": key}))
    response.status_code = 200 if made.existing else 201
    response.headers["Location"] = f"/v1/jobs/{made.job_id}"
    return Accepted(job_id=made.job_id, existing=made.existing, broker_answers=made.broker_answers)


def check_request(job: Json) -> None:
    """Whether a request fits its kind exactly: neither "5" nor true is a number. Raises `InvalidSubmission`, naming each wrong field."""
    form = find_playbook(job.get("kind")).request
    try:
        form.model_validate_json(json.dumps(job), strict=True)
    except ValidationError as error:
        raise InvalidSubmission.of(faults(error)) from None


@router.get("", response_model=JobPage)
def jobs(
    here: Here,
    caller: MayRead,
    request: Request,
    status: JobStatus | None = None,
    kind: Annotated[str | None, Query(max_length=200)] = None,
    text: Annotated[str | None, Query(max_length=500, description="Text that the request contains, ignoring case.")] = None,
    session_id: UUID | None = None,
    owner: Annotated[str | None, Query(max_length=200, description="For keys of scope admin; others see their own.")] = None,
    since: Annotated[Moment | None, Query(description="Submitted at or after.")] = None,
    until: Annotated[Moment | None, Query(description="Submitted before.")] = None,
    before: Annotated[UUID | None, Query(description="The cursor: `next` of the page before.")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
) -> Response:
    """Jobs, the newest first; `next` is the cursor of the following page, for `before`."""
    page = lists.jobs(
        here, caller, status=status, kind=kind, text=text, session_id=session_id, owner=owner, since=since, until=until, before=before,
        limit=limit,
    )  # fmt: skip
    return answered_json(in_words(page.to_json(), language_of(request)))


@router.get("/{job_id}", response_model=dict[str, Any])
def job(here: Here, caller: MayRead, job_id: UUID, in_text: InText = True, language: Language = None) -> Response:
    """Everything about a job at one revision: state, stages, steps, questions, requests, costs, result."""
    facts = operations.job(here, caller, job_id)
    return in_language(here, facts.job, facts.to_json(), language, in_text=in_text)


def in_language(here: Gateway, job: Job, value: Any, language: str | None, *, in_text: bool) -> Response:
    """JSON about a job with everything that is said in it as text; or, with `in_text` false, as it is stored."""
    spoken = language_for(here.db, job, language)
    return answered_json(in_words(value, spoken) if in_text else value)


@router.get("/{job_id}/steps", response_model=Progress)
def steps(here: Here, caller: MayRead, job_id: UUID) -> Response:
    """The job's status and its steps: what a live picture shows."""
    return answered(operations.steps(here, caller, job_id))


@router.get("/{job_id}/why", response_model=dict[str, Any])
def why(
    here: Here,
    caller: MayRead,
    job_id: UUID,
    stage: Annotated[str | None, Query(max_length=200)] = None,
    in_text: InText = True,
    language: Language = None,
) -> Response:
    """What the job, or one of its stages, waits for; `hints` says for each of `waits` what would help, and `advice` what helped with
    such faults before."""
    known = caller.job(here.db, job_id)
    found = explained(here.services, job_id, stage, language=language)
    return in_language(here, known, found.to_json(), language, in_text=in_text)


@router.get("/{job_id}/decisions", response_model=tuple[DecisionFacts, ...])
def decisions(here: Here, caller: MayRead, job_id: UUID, in_text: InText = True, language: Language = None) -> Response:
    """Every decision of the boss on a job, oldest first."""
    known = caller.job(here.db, job_id)
    found = [decision.to_json() for decision in operations.decisions(here, caller, job_id)]
    return in_language(here, known, found, language, in_text=in_text)
