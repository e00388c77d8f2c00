"""Conversations with the kinds that are talked to: messages, answers as they come, suggestions and forms to click."""

from typing import Annotated
from uuid import UUID, uuid4

from fastapi import APIRouter, Form, Response
from markupsafe import Markup

from contracts.jobs import SubmitJob
from contracts.statements import name, say
from workers.app.run_step import move_on
from workers.app.submitting import submit
from workers.console.job_view import JobView, view_job
from workers.console.pages import Look, Submitting
from workers.console.routing import PageRoute
from workers.coordinator.intake import read_submission
from workers.errors import InvalidInput, NotFound
from workers.gateway.access.caller import Here, MayAnswer
from workers.gateway.context import Gateway
from workers.kinds.registry import all_kinds
from workers.reading.lists import JobFilter, first_words, list_jobs
from workers.reading.sessions import list_sessions
from workers.sessions import send_message
from workers.sessions.keeping import session_owner

router = APIRouter(prefix="/console/chat", include_in_schema=False, route_class=PageRoute)

SHOWN = 20
"""Jobs of a conversation on its page, the newest ones."""

Words = Annotated[str, Form(max_length=20_000)]


@router.get("")
def conversations(here: Here, look: Submitting) -> Response:
    """The conversations there were, and a new one."""
    talked = {kind.name for kind in all_kinds() if kind.talks}
    found = [session for session in list_sessions(here.db, owner=look.who.owner, limit=200) if session.kind in talked][:40]
    words = first_words(here.db, [session.id for session in found])
    last = found[0].kind if found else ""
    return look.html("chats.html", sessions=found, about=words, kinds=[kind for kind in all_kinds() if kind.talks], last=last)


@router.post("")
def begin(here: Here, look: Submitting, text: Words = "", kind: Annotated[str, Form(max_length=100)] = "") -> Response:
    """The first message of a conversation."""
    known = next((found for found in all_kinds() if found.name == kind and found.talks), None)
    if known is None or not text.strip():
        raise InvalidInput(look("console.job.empty_answer"))
    session = uuid4()
    body = {
        "job": {known.playbook.words: text, "kind": kind}, "owner": look.who.owner, "session_id": str(session),
        "engine": here.settings.engine.value,
    }  # fmt: skip
    submit(here.services, read_submission(body))
    return Response(status_code=201, headers={"HX-Redirect": f"/console/chat/{session}"})


@router.get("/{session}")
def conversation(here: Here, look: Submitting, session: UUID) -> Response:
    """A conversation: each message with what came of it. The jobs at work keep themselves up to date."""
    _check(here, look, session)
    jobs = list(reversed(list_jobs(here.db, JobFilter(session_id=session, owner=look.who.owner), limit=SHOWN).jobs))
    if not jobs:
        raise NotFound.of(say("refused.no_conversation", session=name(session)))
    views = [(job, view_job(here.db, job.id, look, owner_cap=here.settings.owner_cap)) for job in jobs]
    turns = [(job, view.rev, _parts(view)) for job, view in views]
    return look.html("chat.html", session=session, turns=turns, last=jobs[-1])


@router.post("/{session}")
def send(here: Here, look: Submitting, _: MayAnswer, session: UUID, text: Words = "") -> Response:
    """A message: the answer to an open question, an instruction to a running job, or a new job."""
    _check(here, look, session)

    def accept(submission: SubmitJob) -> UUID:
        return submit(here.services, submission.model_copy(update={"engine": here.settings.engine})).job_id

    taken = send_message(here.db, session, look.who.owner, text, submit=accept)
    if taken.job_id is not None:
        move_on(here.services, taken.job_id)
    return Response(status_code=201, headers={"HX-Redirect": f"/console/chat/{session}?at={uuid4().hex[:8]}#end"})


def _parts(view: JobView) -> dict[str, Markup]:
    """The sections that a conversation shows."""
    return {name: Markup(view.sections[name]) for name in ("dialogue", "progress", "result")}  # noqa: S704  rendered by templates that escape


def _check(here: Gateway, look: Look, session: UUID) -> None:
    if session_owner(here.db, session) != look.who.owner:
        raise NotFound.of(say("refused.no_conversation", session=name(session)))
