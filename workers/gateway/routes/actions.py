"""What a user says to a job: answer, instruct, replay, revise, unpin, fork, cancel, feedback. Each is kept first; then the boss looks."""

from typing import Annotated, Any
from uuid import UUID, uuid5

from fastapi import APIRouter, Header, Query
from pydantic import Field, StrictBool, StrictInt, ValidationError

from contracts.base import Contract, Json
from contracts.checks import MethodRun
from contracts.limits import MOST_WORD_CHARACTERS
from contracts.statements import name as identifier
from contracts.statements import names, say
from workers.app.run_step import move_on
from workers.checks.gathering import Looking
from workers.coordinator import actions, replay
from workers.coordinator.edits import Change
from workers.coordinator.intake import faults
from workers.coordinator.taking_back import take_back
from workers.errors import InvalidInput, NotFound
from workers.gateway.access.caller import Caller, Here, MayAnswer, MayOperate
from workers.gateway.access.prompts import may_read_prompts
from workers.gateway.bodies import Body, StrictRoute
from workers.gateway.context import Gateway
from workers.kinds.base import Giving
from workers.kinds.registry import find_kind
from workers.kinds.running import run_item
from workers.kinds.shown import language_for
from workers.reading.facts import read_feedback
from workers.reading.jobs import Job, read_job
from workers.reading.steps import read_step
from workers.saying import text_of

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


class Taken(Contract):
    """The request that was answered or made."""

    job_id: UUID
    request_id: UUID
    changed: bool = True
    """False: the same was said before."""


class AnswersTaken(Contract):
    """Answers that no longer count, the newest first. The question of the first is open again."""

    job_id: UUID
    request_id: UUID
    taken_back: tuple[str, ...]
    has_feedback: bool
    """Feedback was given on the result before: what it stored stays, until it is given again."""


class Changed(Contract):
    """A value that an edit changes."""

    field: str
    before: Any
    after: Any


class Again(Contract):
    """A stage that is done again."""

    stage: str
    request_id: UUID | None = None
    changes: tuple[Changed, ...] = ()


class Replayed(Contract):
    """What is done again."""

    job_id: UUID
    dry_run: bool
    stages: tuple[Again, ...]


class Revised(Contract):
    """What became of your version."""

    job_id: UUID
    stage: str
    version: int | None
    """None: a dry run."""
    changes: tuple[Changed, ...]
    again: tuple[str, ...]
    """Stages that are done again because of it."""


class Forked(Contract):
    """The copy."""

    job_id: UUID | None
    """None: a dry run."""
    forked_from: UUID
    stage: str
    changes: tuple[Changed, ...]


class Ended(Contract):
    """What became of a cancellation."""

    job_id: UUID
    cancelled: bool
    """False: the job had ended before."""
    status: str


class Unpinned(Contract):
    """The stage whose version the rules choose again."""

    job_id: UUID
    stage: str


def _go_on(here: Gateway, job_id: UUID) -> None:
    move_on(here.services, job_id)


def _changes(changes: tuple[Change, ...]) -> tuple[Changed, ...]:
    return tuple(Changed(field=change.field, before=change.before, after=change.after) for change in changes)


@router.post("/answer")
def answer(here: Here, caller: MayAnswer, job_id: UUID, body: Answer) -> Taken:
    """Answer a question. The first answer counts: the same again changes nothing, another one gets 409."""
    caller.job(here.db, job_id)
    open_before = {row["id"] for row in actions.open_questions(here.db, job_id)}
    request_id = actions.answer(here.db, job_id, body.text, request_id=body.request_id)
    _go_on(here, job_id)
    return Taken(job_id=job_id, request_id=request_id, changed=request_id in open_before)


@router.post("/run")
def run(here: Here, caller: MayAnswer, job_id: UUID, body: ItemRun) -> MethodRun:
    """Run the method of an item of a question (SQL, LogQL, PromQL) on the system that the job has looked at, read-only; its rows. It
    answers nothing: that is for the person who sees them."""
    job = caller.job(here.db, job_id)
    looking = Looking(here.db, here.settings.data_dir, job.owner, job_id)
    return run_item(looking, job.kind, body.request_id, body.item, by=caller.owner)


@router.post("/answer/undo")
def undo_answer(here: Here, caller: MayAnswer, job_id: UUID, body: TakeBack) -> AnswersTaken:
    """Take an answer back, also of a job that has ended: it waits for an answer again. 409 when there is none."""
    caller.job(here.db, job_id)
    taken = take_back(here.db, job_id, request_id=body.request_id)
    _go_on(here, job_id)
    return AnswersTaken(
        job_id=job_id,
        request_id=taken[-1].request_id,
        taken_back=tuple(each.text for each in taken),
        has_feedback=read_feedback(here.db, job_id) is not None,
    )


@router.post("/instruct")
def instruct(
    here: Here,
    caller: MayAnswer,
    job_id: UUID,
    body: Instruction,
    idempotency_key: Annotated[str | None, Header(min_length=1, max_length=200)] = None,
) -> Taken:
    """Give a running job an instruction. The same `Idempotency-Key` gives it once."""
    caller.job(here.db, job_id)
    if not body.text.strip():
        raise InvalidInput.of(say("refused.empty_instruction"))
    wanted = None if idempotency_key is None else uuid5(job_id, f"{caller.owner}\n{idempotency_key}")
    request_id, changed = actions.instruct(here.db, job_id, body.text, stage=body.stage, request_id=wanted)
    _go_on(here, job_id)
    return Taken(job_id=job_id, request_id=request_id, changed=changed)


@router.post("/replay")
def replay_job(here: Here, caller: MayOperate, job_id: UUID, body: Replay) -> Replayed:
    """Do a stage again, even if its inputs are unchanged; or what failed. A finished job goes on."""
    job = caller.job(here.db, job_id)
    stage = _stage_of(here, job_id, body)
    if body.from_call is not None:
        return _replayed_from_call(here, caller, job, body)
    if stage is None:
        if body.edit or body.dry_run:
            raise InvalidInput.of(
                say("refused.name_stage", fields=names(("edit", "dry_run")), stage=identifier("stage"), step=identifier("step_id"))
            )
        done = replay.replay_job(here.db, job_id)
    elif body.dry_run:
        plan = replay.plan_edit(here.db, job_id, stage, body.edit)
        return Replayed(job_id=job_id, dry_run=True, stages=(Again(stage=stage, changes=_changes(plan.changes)),))
    else:
        done = [replay.replay_stage(here.db, job_id, stage, edit=body.edit)]
    _go_on(here, job_id)
    stages = tuple(Again(stage=item.stage, request_id=item.request_id, changes=_changes(item.changes)) for item in done)
    return Replayed(job_id=job_id, dry_run=False, stages=stages)


def _replayed_from_call(here: Gateway, caller: Caller, job: Job, body: Replay) -> Replayed:
    if not may_read_prompts(caller, job):
        raise NotFound.of(say("refused.call.owner", job=identifier(job.id)))
    if body.step_id is None or body.dry_run:
        raise InvalidInput.of(say("refused.call.step"))
    done = replay.replay_step(here.db, body.step_id, from_call=replay.FromCall.read(body.step_id, body.from_call or 1, body.edit))
    _go_on(here, job.id)
    return Replayed(job_id=job.id, dry_run=False, stages=(Again(stage=done.stage, request_id=done.request_id, changes=()),))


def _stage_of(here: Gateway, job_id: UUID, body: Replay) -> str | None:
    if body.step_id is None:
        return body.stage
    if body.stage is not None:
        raise InvalidInput.of(say("refused.stage_or_step", stage=identifier("stage"), step=identifier("step_id")))
    step = read_step(here.db, body.step_id)
    if step is None or step.job_id != job_id:
        raise NotFound.of(say("refused.no_step", step=identifier(body.step_id), command=identifier(f"GET /v1/jobs/{job_id}")))
    return step.stage


@router.post("/revise")
def revise(here: Here, caller: MayOperate, job_id: UUID, body: Revision) -> Revised:
    """Replace what a stage yields by your own version; the stages that need it are done again. 400 names each wrong field."""
    caller.job(here.db, job_id)
    edit, below = actions.plan_revision(here.db, job_id, body.stage, body.content)
    version = None
    if not body.dry_run:
        version = actions.revise(here.db, job_id, body.stage, body.content)
        _go_on(here, job_id)
    return Revised(job_id=job_id, stage=body.stage, version=version, changes=_changes(edit.changes), again=below)


@router.post("/unpin")
def unpin(here: Here, caller: MayOperate, job_id: UUID, body: Stage) -> Unpinned:
    """Let the rules choose the current version of a stage again."""
    caller.job(here.db, job_id)
    actions.unpin(here.db, job_id, body.stage)
    _go_on(here, job_id)
    return Unpinned(job_id=job_id, stage=body.stage)


@router.post("/fork", status_code=201, responses={200: {"model": Forked, "description": "A dry run: nothing was made."}})
def fork(here: Here, caller: MayOperate, job_id: UUID, body: Fork) -> Any:
    """Copy the job; the copy does one stage, and what is below it, again."""
    caller.job(here.db, job_id)
    plan = replay.plan_edit(here.db, job_id, body.stage, body.edit, fork=True)
    copy = None
    if not body.dry_run:
        copy = replay.fork(here.db, job_id, body.stage, edit=body.edit)
        _go_on(here, copy)
    made = Forked(job_id=copy, forked_from=job_id, stage=body.stage, changes=_changes(plan.changes))
    return _with_status(made, 200 if copy is None else 201)


def _with_status(made: Forked, status: int) -> Any:
    from fastapi.responses import JSONResponse

    return JSONResponse(made.to_json(), status)


@router.post("/cancel")
def cancel(here: Here, caller: MayOperate, job_id: UUID) -> Ended:
    """End the job with its running steps and open questions."""
    caller.job(here.db, job_id)
    ended = actions.cancel(here.db, job_id)
    _go_on(here, job_id)
    return Ended(job_id=job_id, cancelled=ended, status=read_job(here.db, job_id).status)


@router.post("/feedback", response_model=dict[str, Any])
def feedback(
    here: Here,
    caller: MayAnswer,
    job_id: UUID,
    body: dict[str, Any],
    preview: Annotated[bool, Query(description="Store nothing: `lines` says what would be stored, where the kind can say it.")] = False,
) -> Json:
    """Say whether a finished job was right; its kind learns from it at once. GET /v1/kinds has the fields of each kind."""
    job = caller.job(here.db, job_id)
    return give_feedback(here, caller, job.kind, job_id, body, preview=preview)


def give_feedback(here: Gateway, caller: Caller, name: str, job_id: UUID, words: Json, *, preview: bool = False) -> Json:
    """Let the job's kind learn; or say only what it would store. Raises `InvalidInput`, naming each wrong field."""
    kind = find_kind(name)
    if kind is None or kind.feedback is None:
        raise InvalidInput.of(say("refused.no_feedback", kind=identifier(name)))
    try:
        filled = kind.feedback.form.load().model_validate(words)
    except ValidationError as error:
        raise InvalidInput.of(faults(error)) from None
    giving = Giving(here.db, here.services.embedder, job_id, here.settings.data_dir)
    language = language_for(here.db, caller.job(here.db, job_id), None)
    if preview:
        lines = () if kind.feedback.preview is None else kind.feedback.preview.load()(giving, filled)
        return {"job_id": str(job_id), "stored": False, "lines": [text_of(line, language) for line in lines]}
    given = kind.feedback.give.load()(giving, filled)
    return {"job_id": str(job_id), **given.learnt.to_json(), "lines": [text_of(line, language) for line in given.lines]}
