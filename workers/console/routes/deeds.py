"""What a user does to a job: answer, say, cancel, replay, replay with an edit, fork, revise, unpin.

Each is kept first; then the boss looks at the job, and the streams show what came of it.
"""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Form, Response

from contracts.base import Json
from contracts.statements import code, passage, say
from contracts.wire import NotJson, read_json_text
from workers.app.run_step import move_on
from workers.blackboard.engine import Database
from workers.checks.gathering import Looking
from workers.console.fields import PREFIX, read_edit_fields
from workers.console.filled import Filled, texts_of
from workers.console.pages import Answering, Look, Operating
from workers.console.routes.stages import stage_fields
from workers.console.routing import FORM_BYTES, PageRoute
from workers.coordinator import actions, replay, taking_back
from workers.errors import InvalidInput
from workers.gateway.access.caller import Here
from workers.gateway.context import Gateway
from workers.kinds.running import run_item
from workers.reading.questions import QuestionFacts, read_questions

router = APIRouter(prefix="/console/jobs/{job_id}", include_in_schema=False, route_class=PageRoute)

Words = Annotated[str, Form(max_length=20_000)]
Edit = Annotated[str, Form(max_length=2_000_000)]


@router.post("/questions/{request_id}")
def answer(here: Here, look: Answering, job_id: UUID, request_id: UUID, form: Filled) -> Response:
    """Answer a question. The first answer counts."""
    look.who.job(here.db, job_id)
    question = next((asked for asked in read_questions(here.db, job_id) if asked.request_id == request_id), None)
    if question is None:
        raise InvalidInput.of(say("refused.old_page"))
    text = answer_text(question, texts_of(form), look)
    if not text.strip():
        raise InvalidInput(look("console.job.empty_answer"))
    actions.answer(here.db, job_id, text, request_id=request_id)
    return _done(here, look, job_id, "console.done.answered")


def answer_text(question: QuestionFacts, filled: dict[str, Any], look: Look) -> str:
    """The answer as it would be typed: `1 yes`, `2 no`, a line for each value, a choice, and the user's own words."""
    picked = {name.removeprefix("item-"): value for name, value in filled.items() if name.startswith("item-")}
    known = ("yes", "no", "unknown")
    items = [f"{number} {look(f'console.answer.{value}')}" for number, value in picked.items() if number.isdecimal() and value in known]
    values = [f"{name.removeprefix('field-')}={value}" for name, value in filled.items() if name.startswith("field-") and value.strip()]
    choice, words = str(filled.get("choice") or ""), str(filled.get("text") or "").strip()
    if items and words:
        words = f"{look('console.answer.also')}\n{words}"  # a remark beside closed answers, and never a part of them
    own = f"{choice} {words}".strip() if question.form.must_choose else "\n".join(part for part in (choice, words) if part)
    return "\n".join(part for part in (", ".join(items), "\n".join(values), own) if part)


@router.post("/questions/{request_id}/run/{item}")
def run(here: Here, look: Answering, job_id: UUID, request_id: UUID, item: int) -> Response:
    """Run the method of an item of a question on the system that the job has looked at, read-only. It answers nothing."""
    job = look.who.job(here.db, job_id)
    made = run_item(Looking(here.db, here.settings.data_dir, job.owner, job_id), job.kind, request_id, item, by=look.who.owner)
    return look.html("job/run.html", run=made)


@router.post("/questions/{request_id}/back")
def take_back(here: Here, look: Answering, job_id: UUID, request_id: UUID) -> Response:
    """Take an answer back, and those that came after it: the question is open again."""
    look.who.job(here.db, job_id)
    taking_back.take_back(here.db, job_id, request_id=request_id)
    return _done(here, look, job_id, "console.done.taken_back")


@router.post("/say")
def instruct(here: Here, look: Answering, job_id: UUID, text: Words = "") -> Response:
    """Say something unasked: an instruction to a job that runs."""
    look.who.job(here.db, job_id)
    if not text.strip():
        raise InvalidInput(look("console.job.empty_answer"))
    actions.instruct(here.db, job_id, text)
    return _done(here, look, job_id, "console.done.instructed")


@router.post("/cancel")
def cancel(here: Here, look: Operating, job_id: UUID) -> Response:
    """End a job."""
    look.who.job(here.db, job_id)
    ended = actions.cancel(here.db, job_id)
    return _done(here, look, job_id, "console.done.cancelled" if ended else "console.done.was_over")


@router.post("/replay")
def replay_job(here: Here, look: Operating, job_id: UUID) -> Response:
    """Do again what failed."""
    look.who.job(here.db, job_id)
    replay.replay_job(here.db, job_id)
    return _done(here, look, job_id, "console.done.replayed")


@router.post("/stages/{stage:path}/preview")
def preview(here: Here, look: Operating, job_id: UUID, stage: str, form: Filled) -> Response:
    """What an edit would change; nothing is written."""
    look.who.job(here.db, job_id)
    filled = texts_of(form)
    deed, given = filled.get("deed", "replay"), edit_in(here.db, look, job_id, stage, filled)
    if deed == "revise":
        found, below = actions.plan_revision(here.db, job_id, stage, given or {})
    else:
        found, below = replay.plan_edit(here.db, job_id, stage, given, fork=deed == "fork"), ()
    return look.html("changes.html", changes=found.changes, below=below)


@router.post("/stages/{stage:path}/replay")
def replay_stage(here: Here, look: Operating, job_id: UUID, stage: str, form: Filled) -> Response:
    """Do a stage again, with other parameters where an edit is given."""
    look.who.job(here.db, job_id)
    replay.replay_stage(here.db, job_id, stage, edit=edit_in(here.db, look, job_id, stage, texts_of(form)))
    return _done(here, look, job_id, "console.done.replayed", to=f"/console/jobs/{job_id}")


@router.post("/stages/{stage:path}/fork")
def fork(here: Here, look: Operating, job_id: UUID, stage: str, form: Filled) -> Response:
    """A copy of the job that does this stage again."""
    look.who.job(here.db, job_id)
    copy = replay.fork(here.db, job_id, stage, edit=edit_in(here.db, look, job_id, stage, texts_of(form)))
    return _done(here, look, copy, "console.done.forked", to=f"/console/jobs/{copy}")


@router.post("/stages/{stage:path}/revise")
def revise(here: Here, look: Operating, job_id: UUID, stage: str, edit: Edit = "") -> Response:
    """The user's own version of what a stage yields."""
    look.who.job(here.db, job_id)
    actions.revise(here.db, job_id, stage, read_edit(edit) or {})
    return _done(here, look, job_id, "console.done.revised", to=f"/console/jobs/{job_id}")


@router.post("/stages/{stage:path}/unpin")
def unpin(here: Here, look: Operating, job_id: UUID, stage: str) -> Response:
    """Back to the fleet's own version."""
    look.who.job(here.db, job_id)
    actions.unpin(here.db, job_id, stage)
    return _done(here, look, job_id, "console.done.unpinned", to=f"/console/jobs/{job_id}")


def edit_in(db: Database, look: Look, job_id: UUID, stage: str, filled: dict[str, Any]) -> Json | None:
    """The edit that a form brings: as JSON where that was typed, else what was changed in its inputs. Raises `InvalidInput`."""
    typed = read_edit(str(filled.get("edit") or ""))
    if typed is not None or not any(name.startswith(PREFIX) for name in filled):
        return typed
    fields = stage_fields(db, look, job_id, stage)
    return read_edit_fields(fields, filled) or None


def read_edit(text: str) -> Json | None:
    """The JSON object that was typed; None: nothing was. Raises `InvalidInput` with the place of the fault."""
    if not text.strip():
        return None
    try:
        value: Any = read_json_text(text, max_bytes=FORM_BYTES)
    except NotJson as error:
        raise InvalidInput.of(say("refused.no_json", fault=passage(str(error)))) from None
    if not isinstance(value, dict):
        raise InvalidInput.of(say("refused.needs_object", example=code("{...}")))
    return value  # pyright: ignore[reportUnknownVariableType] JSON has no static type


def _done(here: Gateway, look: Look, job_id: UUID, code: str, *, to: str | None = None) -> Response:
    """Let the boss look at the job, and say that it was taken."""
    move_on(here.services, job_id)
    response = look.html("notice.html", status=200, detail=look(code))
    if to is not None:
        response.headers["HX-Redirect"] = to
    return response
