"""What a user says to a job: answer, instruct, replay, revise, unpin, fork, cancel, feedback. Each is kept first; then the boss looks."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Query
from fastapi.responses import JSONResponse
from pydantic import Field, StrictBool, StrictInt

from contracts.base import Json
from contracts.checks import MethodRun
from contracts.limits import MOST_WORD_CHARACTERS
from contracts.statements import name as identifier
from contracts.statements import say
from workers.errors import NotFound
from workers.gateway.access.caller import Here, MayAnswer, MayOperate
from workers.gateway.access.prompts import may_read_prompts
from workers.gateway.bodies import Body, StrictRoute
from workers.operations import actions as operations

router = APIRouter(prefix="/v1/jobs/{job_id}", tags=["actions"], route_class=StrictRoute)

Words = Annotated[str, Field(min_length=1, max_length=MOST_WORD_CHARACTERS)]
StageName = Annotated[str, Field(min_length=1, max_length=200)]


class Answer(Body):
    """The answer to a question."""

    text: Words = Field(examples=["1 yes 2 no"])
    request_id: UUID | None = None
    """The question. It may be left out if exactly one is open."""


class ItemRun(Body):
    """Which method is run."""

    item: StrictInt = Field(ge=1, le=100)
    """Its number in the question."""
    request_id: UUID | None = None
    """The question. It may be left out if exactly one is open."""


class TakeBack(Body):
    """Which answers no longer count."""

    request_id: UUID | None = None
    """That answer and all later ones. Default: the last one."""


class Instruction(Body):
    """What the job should do differently."""

    text: Words = Field(examples=["Leave cancelled orders out."])
    stage: StageName | None = None
    """The stage it is meant for. Default: the coordinator finds it, or asks."""


class Replay(Body):
    """What is to be done again: a stage, a step, or, when neither is named, what failed."""

    stage: StageName | None = None
    step_id: UUID | None = None
    edit: dict[str, Any] | None = None
    """Parameters of the stage to override; with `from_call` the prompt of that call: `messages`, each with `role` and `text`."""
    from_call: StrictInt | None = Field(default=None, ge=1)
    """Of a step: go on from this model call. The calls before it get their recorded answers."""
    dry_run: StrictBool = False
    """Only say what the edit would change."""


class Revision(Body):
    """Your own version of what a stage yields; stage `input` is the request itself."""

    stage: StageName
    content: dict[str, Any]
    dry_run: StrictBool = False


class Stage(Body):
    """A stage of the job."""

    stage: StageName


class Fork(Body):
    """Where a copy of the job begins to work."""

    stage: StageName
    edit: dict[str, Any] | None = None
    dry_run: StrictBool = False


@router.post("/answer")
def answer(here: Here, caller: MayAnswer, job_id: UUID, body: Answer) -> operations.Taken:
    """Answer a question. The first answer counts: the same again changes nothing, another one gets 409."""
    return operations.answer(here, caller, job_id, body.text, request_id=body.request_id)


@router.post("/run")
def run(here: Here, caller: MayAnswer, job_id: UUID, body: ItemRun) -> MethodRun:
    """Run the method of an item of a question (SQL, LogQL, PromQL) on the system that the job has looked at, read-only; its rows. It
    answers nothing: that is for the person who sees them."""
    return operations.run_item(here, caller, job_id, body.item, request_id=body.request_id)


@router.post("/answer/undo")
def undo_answer(here: Here, caller: MayAnswer, job_id: UUID, body: TakeBack) -> operations.AnswersTaken:
    """Take an answer back, also of a job that has ended: it waits for an answer again. 409 when there is none."""
    return operations.take_back(here, caller, job_id, request_id=body.request_id)


@router.post("/instruct")
def instruct(
    here: Here,
    caller: MayAnswer,
    job_id: UUID,
    body: Instruction,
    idempotency_key: Annotated[str | None, Header(min_length=1, max_length=200)] = None,
) -> operations.Taken:
    """Give a running job an instruction. The same `Idempotency-Key` gives it once."""
    return operations.instruct(here, caller, job_id, body.text, stage=body.stage, idempotency_key=idempotency_key)


@router.post("/replay")
def replay_job(here: Here, caller: MayOperate, job_id: UUID, body: Replay) -> operations.Replayed:
    """Do a stage again, even if its inputs are unchanged; or what failed. A finished job goes on."""
    if body.from_call is not None and not may_read_prompts(caller, caller.job(here.db, job_id)):
        raise NotFound.of(say("refused.call.owner", job=identifier(job_id)))
    return operations.replay(
        here, caller, job_id, stage=body.stage, step_id=body.step_id, edit=body.edit, from_call=body.from_call, dry_run=body.dry_run
    )  # fmt: skip


@router.post("/revise")
def revise(here: Here, caller: MayOperate, job_id: UUID, body: Revision) -> operations.Revised:
    """Replace what a stage yields by your own version; the stages that need it are done again. 400 names each wrong field."""
    return operations.revise(here, caller, job_id, body.stage, body.content, dry_run=body.dry_run)


@router.post("/unpin")
def unpin(here: Here, caller: MayOperate, job_id: UUID, body: Stage) -> operations.Unpinned:
    """Let the rules choose the current version of a stage again."""
    return operations.unpin(here, caller, job_id, body.stage)


@router.post("/fork", status_code=201, responses={200: {"model": operations.Forked, "description": "A dry run: nothing was made."}})
def fork(here: Here, caller: MayOperate, job_id: UUID, body: Fork) -> Any:
    """Copy the job; the copy does one stage, and what is below it, again."""
    made = operations.fork(here, caller, job_id, body.stage, edit=body.edit, dry_run=body.dry_run)
    return JSONResponse(made.to_json(), 200 if made.job_id is None else 201)


@router.post("/cancel")
def cancel(here: Here, caller: MayOperate, job_id: UUID) -> operations.Ended:
    """End the job with its running steps and open questions."""
    return operations.cancel(here, caller, job_id)


@router.post("/feedback", response_model=dict[str, Any])
def feedback(
    here: Here,
    caller: MayAnswer,
    job_id: UUID,
    body: dict[str, Any],
    preview: Annotated[bool, Query(description="Store nothing: `lines` says what would be stored, where the kind can say it.")] = False,
) -> Json:
    """Say whether a finished job was right; its kind learns from it at once. GET /v1/kinds has the fields of each kind."""
    return operations.feedback(here, caller, job_id, body, preview=preview)
