"""Conversations, what is remembered of them, and messages to them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from uuid import UUID

from contracts.jobs import SubmitJob
from contracts.roles import RoleName
from contracts.sessions import MessageTaken, SessionMemory
from workers.operations.base import Asker, Here, operation
from workers.reading.sessions import SessionLine, list_sessions

if TYPE_CHECKING:
    from workers.sessions.summary import Summarise


@operation("fleet.sessions")
def sessions(here: Here, asker: Asker, *, everything: bool = False, owner: str | None = None, limit: int = 50) -> list[SessionLine]:
    """Conversations, the newest first; with `everything` also those of a single job."""
    return list_sessions(here.db, owner=asker.only_owner or owner, least_jobs=1 if everything else 2, limit=limit)


@operation("fleet.memory")
def memory(here: Here, asker: Asker, session_id: UUID) -> SessionMemory:
    """What is remembered: what was asked, decided and selected, and what each role did. Raises `NotFound`."""
    from workers.kinds.registry import load_kinds
    from workers.sessions import read_memory

    load_kinds(here.settings.extensions)  # the kinds know where the user's words are
    return read_memory(here.db, session_id, _owner(here, asker, session_id))


@operation("fleet.forget")
def forget(here: Here, asker: Asker, session_id: UUID) -> None:
    """Forget what was said. The jobs stay; later jobs of the session no longer see their results. Raises `NotFound`."""
    from workers.sessions import clear_session

    clear_session(here.db, session_id, _owner(here, asker, session_id))


@operation("fleet.say")
def say(
    here: Here, asker: Asker, session_id: UUID, words: str, *, kind: str | None = None, fields: Mapping[str, Any] | None = None
) -> MessageTaken:
    """Say something: the answer to the session's open question, an instruction to its running job, or a new job of this kind."""
    from workers.app.submitting import submit
    from workers.sessions import send_message

    def begin(submission: SubmitJob) -> UUID:
        return submit(here.services, submission).job_id

    taken = send_message(
        here.db, session_id, asker.owner, words, submit=begin, kind=kind, fields=dict(fields or {}), summarise=_summarise(here)
    )  # fmt: skip
    if taken.job_id is not None:
        here.go_on(taken.job_id)
    return taken


def _owner(here: Here, asker: Asker, session_id: UUID) -> str:
    """As whom a session is read. Raises `NotFound` for one that there is not."""
    from workers.sessions.keeping import session_owner

    return asker.owner if asker.only_owner is not None else session_owner(here.db, session_id)


def _summarise(here: Here) -> "Summarise":
    """By the classifier's model where there is one."""
    from workers.sessions.summary import by_model, extractive

    if here.settings.model_of(RoleName.CLASSIFIER) is None:
        return extractive
    return by_model(here.services.models.without_job(RoleName.CLASSIFIER))
