"""`/v1/sessions`: conversations, what is remembered of them, and messages to them."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field, StrictBool

from contracts.base import Contract
from contracts.limits import MOST_MESSAGE_CHARACTERS
from contracts.sessions import MessageTaken, SessionMemory
from workers.gateway.access.caller import Here, MayAnswer, MayRead, MaySubmit
from workers.gateway.bodies import Body, StrictRoute, answered
from workers.operations import sessions as operations
from workers.reading.sessions import MOST_SESSIONS, SessionLine

router = APIRouter(prefix="/v1/sessions", tags=["sessions"], route_class=StrictRoute)

Session = Annotated[UUID, Path(description="The session.")]


class Saying(Body):
    """A message to a session."""

    text: str = Field(min_length=1, max_length=MOST_MESSAGE_CHARACTERS)
    kind: str | None = Field(default=None, max_length=200)
    """The kind of a new job. Default: that of the session's last job."""
    fields: dict[str, Any] = {}
    """Of a new job's request, beside the text."""


class Cleared(Contract):
    """What became of a session's memory."""

    session_id: UUID
    cleared: StrictBool = True


@router.get("", response_model=list[SessionLine])
def sessions(
    here: Here,
    caller: MayRead,
    everything: Annotated[bool, Query(description="Also sessions of a single job.")] = False,
    owner: Annotated[str | None, Query(max_length=200, description="For keys of scope admin; others see their own.")] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_SESSIONS)] = 50,
) -> Response:
    """Conversations, the newest first."""
    return answered(operations.sessions(here, caller, everything=everything, owner=owner, limit=limit))


@router.get("/{session_id}")
def session(here: Here, caller: MayRead, session_id: Session) -> SessionMemory:
    """What is remembered: what was asked, decided and selected, and what each role did."""
    return operations.memory(here, caller, session_id)


@router.post("/{session_id}/messages")
def say(here: Here, caller: MaySubmit, _: MayAnswer, session_id: Session, body: Saying) -> MessageTaken:
    """Say something: the answer to its open question, an instruction to its running job, or a new job. Needs submit and answer."""
    return operations.say(here, caller, session_id, body.text, kind=body.kind, fields=body.fields)


@router.delete("/{session_id}/memory")
def clear(here: Here, caller: MayAnswer, session_id: Session) -> Cleared:
    """Forget what was said. The jobs stay; later jobs of the session no longer see their results."""
    operations.forget(here, caller, session_id)
    return Cleared(session_id=session_id)
