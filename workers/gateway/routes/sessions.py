"""`/v1/sessions`: conversations, what is remembered of them, and messages to them."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field, StrictBool

from contracts.base import Contract
from contracts.jobs import SubmitJob
from contracts.limits import MOST_MESSAGE_CHARACTERS
from contracts.roles import RoleName
from contracts.sessions import MessageTaken, SessionMemory
from workers.app.run_step import move_on
from workers.app.submitting import submit
from workers.gateway.access.caller import Caller, Here, MayAnswer, MayRead, MaySubmit
from workers.gateway.bodies import Body, StrictRoute, answered
from workers.gateway.context import Gateway
from workers.reading.sessions import MOST_SESSIONS, SessionLine, list_sessions
from workers.sessions import clear_session, read_memory, send_message
from workers.sessions.keeping import session_owner
from workers.sessions.summary import Summarise, by_model, extractive

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
    return answered(list_sessions(here.db, owner=caller.only_owner or owner, least_jobs=1 if everything else 2, limit=limit))


@router.get("/{session_id}")
def session(here: Here, caller: MayRead, session_id: Session) -> SessionMemory:
    """What is remembered: what was asked, decided and selected, and what each role did."""
    return read_memory(here.db, session_id, owner_of(here, caller, session_id))


@router.post("/{session_id}/messages")
def say(here: Here, caller: MaySubmit, _: MayAnswer, session_id: Session, body: Saying) -> MessageTaken:
    """Say something: the answer to its open question, an instruction to its running job, or a new job. Needs submit and answer."""
    return place_message(here, caller, session_id, body.text, kind=body.kind, fields=body.fields)


@router.delete("/{session_id}/memory")
def clear(here: Here, caller: MayAnswer, session_id: Session) -> Cleared:
    """Forget what was said. The jobs stay; later jobs of the session no longer see their results."""
    clear_session(here.db, session_id, owner_of(here, caller, session_id))
    return Cleared(session_id=session_id)


def owner_of(here: Gateway, caller: Caller, session_id: UUID) -> str:
    """As whom a session is read. Raises `NotFound` for one that there is not."""
    return caller.owner if caller.only_owner is not None else session_owner(here.db, session_id)


def place_message(here: Gateway, caller: Caller, session_id: UUID, text: str, *, kind: str | None, fields: dict[str, Any]) -> MessageTaken:
    """Take a message of this caller to a session of theirs."""

    def begin(submission: SubmitJob) -> UUID:
        return submit(here.services, submission.model_copy(update={"engine": here.settings.engine})).job_id

    taken = send_message(
        here.db, session_id, caller.owner, text, submit=begin, kind=kind, fields=fields, summarise=_summarise(here)
    )  # fmt: skip
    if taken.job_id is not None:
        move_on(here.services, taken.job_id)
    return taken


def _summarise(here: Gateway) -> Summarise:
    if here.settings.model_of(RoleName.CLASSIFIER) is None:
        return extractive
    return by_model(here.services.models.without_job(RoleName.CLASSIFIER))
