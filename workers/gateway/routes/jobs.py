"""`/v1/jobs`: submit, list, read."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Body, Header, Query, Response

from contracts.base import Contract, Json
from contracts.jobs import JobStatus
from workers.app.submitting import submit
from workers.coordinator.intake import read_submission
from workers.gateway.access.caller import Here, MayRead, MaySubmit
from workers.reading.facts import read_job_facts
from workers.reading.lists import JobFilter, list_jobs

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])


class Accepted(Contract):
    """A job that is durable now."""

    job_id: UUID
    existing: bool
    """The idempotency key had this job already."""


@router.post("", status_code=201)
def submit_job(
    here: Here,
    caller: MaySubmit,
    response: Response,
    body: Annotated[Json, Body()],
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> Accepted:
    """Make a job; 200 instead of 201 when the idempotency key had it already. The owner is that of the key."""
    submission = read_submission({**body, "owner": caller.owner, "idempotency_key": idempotency_key or body.get("idempotency_key")})
    made = submit(here.services, submission)
    response.status_code = 200 if made.existing else 201
    response.headers["Location"] = f"/v1/jobs/{made.job_id}"
    return Accepted(job_id=made.job_id, existing=made.existing)


@router.get("")
def jobs(
    here: Here,
    caller: MayRead,
    status: JobStatus | None = None,
    kind: str | None = None,
    text: str | None = None,
    before: UUID | None = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
) -> Json:
    """Jobs, the newest first; `next` is the cursor of the following page, for `before`."""
    which = JobFilter(status=status, kind=kind, text=text, owner=caller.only_owner)
    return list_jobs(here.db, which, limit=limit, before=before).to_json()


@router.get("/{job_id}")
def job(here: Here, caller: MayRead, job_id: UUID) -> dict[str, Any]:
    """Everything about a job at one revision."""
    caller.job(here.db, job_id)
    return read_job_facts(here.db, job_id).to_json()
