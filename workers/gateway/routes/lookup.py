"""`/v1/ids`, `/v1/steps`, `/v1/tools` and a job's calls: what a command line needs beside the jobs themselves."""

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Response

from contracts.base import Contract
from workers.gateway.access.caller import Here, MayOperate, MayRead
from workers.gateway.bodies import Moment, StrictRoute, answered
from workers.operations import fleet as operations
from workers.operations import jobs
from workers.reading.names import find_id
from workers.reading.steps import StepFacts

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
    return answered(jobs.failed_steps(here, caller, role=role, kind=kind, error=error, since=since))


@router.get("/steps/{step_id}", response_model=StepFacts)
def step(here: Here, caller: MayRead, step_id: UUID) -> Response:
    """One step."""
    return answered(jobs.step(here, caller, step_id))


@router.get("/jobs/{job_id}/calls", response_model=JobCalls)
def calls(
    here: Here,
    caller: MayRead,
    job_id: UUID,
    texts: Annotated[bool, Query(description="With prompts and answers, as far as they are kept.")] = False,
    step_id: Annotated[UUID | None, Query(description="Of the journal: only the calls of this step.")] = None,
) -> Response:
    """Tools that the steps of a job were granted, their calls of them, and for its owner the journal of its steps, oldest first."""
    return answered(jobs.tool_calls(here, caller, job_id, texts=texts, step_id=step_id))


@router.get("/tools")
def tools(here: Here, caller: MayRead) -> list[operations.ToolSeen]:
    """The registered tools. What a step may call of them depends on its pointers, its role and its skill."""
    return operations.tools(here, caller)
