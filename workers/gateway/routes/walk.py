"""The four addresses of a conversation with a boss and his employees: start, watch, go on, forget. They are other names of `/v1`.

`POST /v1/chat/start`, `GET /v1/chat/{session_id}/sse`, `POST /v1/chat/{session_id}/continue`, `POST /v1/chat/{session_id}/clear`.
"""

import contextlib
import re
from collections.abc import AsyncGenerator
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Header, Query, Response
from pydantic import Field

from contracts.base import Contract
from contracts.limits import MOST_MESSAGE_CHARACTERS
from contracts.sessions import MessageTaken
from contracts.statements import name, say
from workers.app.submitting import submit
from workers.coordinator.intake import read_submission
from workers.errors import InvalidInput, NotFound
from workers.gateway.access.caller import Caller, Here, MayAnswer, MayRead, MaySubmit
from workers.gateway.bodies import Body, StrictRoute
from workers.gateway.chats import kind_called
from workers.gateway.context import Gateway
from workers.gateway.routes import events, sessions
from workers.gateway.routes.jobs import check_request
from workers.gateway.stream import EventStream

router = APIRouter(prefix="/v1/chat", tags=["conversation"], route_class=StrictRoute)

_ID = re.compile("^id: ", re.MULTILINE)


class Start(Body):
    """The first message of a conversation."""

    kind: str = Field(max_length=200)
    text: str = Field(min_length=1, max_length=MOST_MESSAGE_CHARACTERS)
    session_id: UUID | None = None
    """A session that is to be. Default: a new one."""
    fields: dict[str, Any] = {}
    """Of the request, beside the text."""


class Started(Contract):
    """A conversation."""

    session_id: UUID
    job_id: UUID
    watch: str
    """Where its events are."""


@router.post("/start", status_code=201)
def start(here: Here, caller: MaySubmit, body: Start) -> Started:
    """Begin a conversation."""
    kind = kind_called(body.kind)
    request = {**body.fields, "kind": kind.name, kind.playbook.words: body.text}
    check_request(request)
    value = {"job": request, "owner": caller.owner, "engine": here.settings.engine.value}
    made = submit(here.services, read_submission({**value, "session_id": str(body.session_id) if body.session_id else None}))
    session_id = caller.job(here.db, made.job_id).session_id
    if session_id is None:
        raise InvalidInput.of(say("refused.job_without_session"))
    return Started(session_id=session_id, job_id=made.job_id, watch=f"/v1/chat/{session_id}/sse")


@router.get(
    "/{session_id}/sse", response_class=Response, responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}}
)
def watch(
    here: Here,
    caller: MayRead,
    session_id: UUID,
    after: Annotated[int, Query(ge=0, le=events.MOST_REV)] = 0,
    last_event_id: Annotated[str | None, Header(max_length=100)] = None,
) -> Response:
    """The events of the conversation's last job. An id names the job and its revision; `Last-Event-ID` resumes, or begins with a job that
    is new since."""
    job = caller.job(here.db, _last_job(here, caller, session_id))
    named, _, rev = (last_event_id or "").rpartition(":")
    start = events.first_revision(rev, 0) if named == str(job.id) else after if last_event_id is None else 0
    if events.has_all(job, start):
        return Response(status_code=204)
    return EventStream(_of_job(job.id, events.stream(here, job, start, until=events.Until.FINISHED, key_id=caller.key.id)))


async def _of_job(job_id: UUID, texts: AsyncGenerator[str]) -> AsyncGenerator[str]:
    """The texts with the job's name in their ids."""
    async with contextlib.aclosing(texts):
        async for text in texts:
            yield _ID.sub(f"id: {job_id}:", text)


@router.post("/{session_id}/continue")
def go_on(here: Here, caller: MaySubmit, answers: MayAnswer, session_id: UUID, body: sessions.Saying) -> MessageTaken:
    """Say something: the answer to the open question, an instruction to what runs, or a new job."""
    return sessions.say(here, caller, answers, session_id, body)


@router.post("/{session_id}/clear")
def clear(here: Here, caller: MayAnswer, session_id: UUID) -> sessions.Cleared:
    """Forget what was said."""
    return sessions.clear(here, caller, session_id)


def _last_job(here: Gateway, caller: Caller, session_id: UUID) -> UUID:
    row = here.db.row(
        "SELECT id FROM jobs WHERE session_id = %(session_id)s AND (%(owner)s::text IS NULL OR owner = %(owner)s) ORDER BY id DESC LIMIT 1",
        {"session_id": session_id, "owner": caller.only_owner},
    )
    if row is None:
        raise NotFound.of(say("refused.no_session", session=name(session_id), command=name("GET /v1/sessions")))
    return row["id"]
