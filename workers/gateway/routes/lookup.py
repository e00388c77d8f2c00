"""`/v1/ids`, `/v1/steps`, `/v1/tools` and a job's calls: what a command line needs beside the jobs themselves."""

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Response

from contracts.base import Contract
from contracts.statements import name, names, quote, say
from contracts.tools import ToolOffer
from workers.app.fleet_facts import WORKERS
from workers.coordinator.replay import failed_steps
from workers.errors import InvalidInput, NotFound
from workers.gateway.access.caller import Here, MayOperate, MayRead
from workers.gateway.access.prompts import may_read_prompts
from workers.gateway.bodies import Moment, StrictRoute, answered
from workers.reading.calls import read_calls
from workers.reading.names import find_id
from workers.reading.steps import StepFacts, read_step
from workers.tools import list_calls, list_grants
from workers.tools.offers import tool_offers

router = APIRouter(prefix="/v1", tags=["lookup"], route_class=StrictRoute)

Thing = Literal["job", "step", "session", "quarantine entry"]
Words = Annotated[str | None, Query(min_length=1, max_length=200)]


class Named(Contract):
    """What a shortened id stands for."""

    id: UUID


class StepsFailed(Contract):
    """A failed step that a bulk replay would do again."""

    id: UUID
    job_id: UUID
    stage: str
    role: str
    kind: str
    error: str | None
    finished_at: str | None


class JobCalls(Contract):
    """What the steps of a job were granted, and what they called."""

    granted: tuple[dict[str, Any], ...]
    calls: tuple[dict[str, Any], ...]
    journal: tuple[dict[str, Any], ...] | None
    """What was asked of models and tools, and what came back. None: the caller is neither the job's owner nor of scope admin."""


class ToolSeen(Contract):
    """A registered tool."""

    name: str
    opened_by: tuple[str, ...]
    """Kinds of pointers whose key opens it."""
    offer: ToolOffer | None
    """None: its server does not answer."""


@router.get("/ids")
def named(
    here: Here,
    caller: MayRead,
    text: Annotated[str, Query(min_length=1, max_length=200, description="Six or more characters of the beginning or end of an id.")],
    thing: Annotated[list[Thing], Query(min_length=1, max_length=4)],
) -> Named:
    """The id that a shortened one stands for, among the caller's own. 400 when several fit."""
    return Named(id=find_id(here.db, text, *dict.fromkeys(thing), owner=caller.only_owner))


@router.get("/steps/failed", response_model=list[StepsFailed])
def failed(
    here: Here,
    caller: MayOperate,
    role: Words = None,
    kind: Words = None,
    error: Annotated[str | None, Query(min_length=1, max_length=200, description="The error's class, such as TransientError.")] = None,
    since: Annotated[Moment | None, Query(description="Failed at or after.")] = None,
) -> Response:
    """The newest failed step of each stage of the jobs that failed, oldest first: what a bulk replay would do again. At most 10,000."""
    if role is not None and role not in WORKERS:
        raise InvalidInput.of(say("refused.no_role", role=quote(role), roles=names(WORKERS)))
    return answered(failed_steps(here.db, role=role, kind=kind, error=error, since=since, owner=caller.only_owner))


@router.get("/steps/{step_id}", response_model=StepFacts)
def step(here: Here, caller: MayRead, step_id: UUID) -> Response:
    """One step."""
    found = read_step(here.db, step_id)
    if found is None:
        raise NotFound.of(say("refused.no_step", step=name(step_id), command=name("GET /v1/jobs/JOB")))
    caller.job(here.db, found.job_id)
    return answered(found)


@router.get("/jobs/{job_id}/calls", response_model=JobCalls)
def calls(
    here: Here,
    caller: MayRead,
    job_id: UUID,
    texts: Annotated[bool, Query(description="With prompts and answers, as far as they are kept.")] = False,
    step_id: Annotated[UUID | None, Query(description="Of the journal: only the calls of this step.")] = None,
) -> Response:
    """Tools that the steps of a job were granted, their calls of them, and for its owner the journal of its steps, oldest first."""
    job = caller.job(here.db, job_id)
    journal = read_calls(here.db, job_id, step_id=step_id, texts=texts) if may_read_prompts(caller, job) else None
    return answered({"granted": list_grants(here.db, job_id), "calls": list_calls(here.db, job_id), "journal": journal})


@router.get("/tools")
def tools(_: MayRead) -> list[ToolSeen]:
    """The registered tools. What a step may call of them depends on its pointers, its role and its skill."""
    return [ToolSeen(name=name, opened_by=tuple(opens), offer=offer) for offer, name, opens in tool_offers()]
