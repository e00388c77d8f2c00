"""Conversations."""

from typing import TYPE_CHECKING, Any
from uuid import UUID

from contracts.base import Json
from contracts.jobs import SubmitJob
from contracts.roles import RoleName
from contracts.sessions import MessageTaken, SessionMemory
from workers.cli.context import database, services, settings
from workers.cli.going_on import set_going
from workers.cli.reach.jobs import submit
from workers.cli.reach.remote import gateway
from workers.reading.sessions import SessionLine, list_sessions

if TYPE_CHECKING:
    from workers.sessions.summary import Summarise

HERE = "default"
"""The owner of a machine's own commands."""


def own(owner: str | None) -> str:
    """The owner that is meant where none is named: this machine's, or at a gateway that of the key."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import fleet

        away.check_owner(owner)
        return away.send(fleet.me()).owner
    return owner or HERE


def sessions_of(owner: str | None, *, least_jobs: int, limit: int) -> list[SessionLine]:
    """Conversations, the newest first; of this owner, or of all that may be seen."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import fleet

        return away.read(list[SessionLine], fleet.sessions(everything=least_jobs < 2, owner=owner, limit=limit))
    return list_sessions(database(), owner=owner, least_jobs=least_jobs, limit=limit)


def memory_of(session: UUID, owner: str | None) -> SessionMemory:
    """What is remembered of a conversation."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import fleet

        away.check_owner(owner)
        return away.read(SessionMemory, fleet.memory(session))
    from workers.sessions import read_memory

    services()  # the kinds know where the user's words are
    return read_memory(database(), session, owner or HERE)


def forget(session: UUID, owner: str | None) -> None:
    """Forget what was said."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import fleet

        away.check_owner(owner)
        away.send(fleet.forget(session))
        return
    from workers.sessions import clear_session

    clear_session(database(), session, owner or HERE)


def say(session: UUID, owner: str | None, text: str, *, kind: str | None, fields: Json | None = None) -> MessageTaken:
    """Say something in a conversation."""
    if (away := gateway()) is not None:
        from bullpen_client.calls.fleet import say as call_of

        away.check_owner(owner)
        return away.read(MessageTaken, call_of(session, text, kind=kind, fields=fields))
    from workers.sessions import send_message

    taken = send_message(
        services().database, session, owner or HERE, text, submit=_submit_here, kind=kind, fields=fields or {}, summarise=_summarise()
    )  # fmt: skip
    if taken.job_id is not None:
        set_going(taken.job_id)
        services().notifier.changed(taken.job_id)
    return taken


def begin(session: UUID, owner: str | None, job: Json) -> UUID:
    """The first job of a conversation; its id."""
    value: dict[str, Any] = {"job": job, "owner": owner, "session_id": str(session), "engine": None}
    return submit(value).job_id


def _submit_here(submission: SubmitJob) -> UUID:
    from workers.app.submitting import chooser_for
    from workers.coordinator.intake import accept

    known = services().settings
    submission = submission.model_copy(update={"engine": known.engine})
    chooser = chooser_for(known, submission.engine)
    return accept(database(), submission, owner_cap=known.owner_cap, chooser=chooser, has_model=known.has_model).job_id


def _summarise() -> "Summarise":
    """By the classifier's model where there is one."""
    from workers.sessions.summary import by_model, extractive

    if settings().model_of(RoleName.CLASSIFIER) is None:
        return extractive
    return by_model(services().models.without_job(RoleName.CLASSIFIER))
