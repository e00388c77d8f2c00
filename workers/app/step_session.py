"""A step's session: what earlier jobs of it left, and its memory. Each is read when a role asks for it."""

from collections.abc import Collection
from functools import cache
from uuid import UUID

from contracts.sessions import SessionMemory
from workers.app.services import ProcessServices
from workers.app.step_chat import StepChat
from workers.blackboard.steps import Claim
from workers.coordinator.sessions import earlier_results, read_earlier
from workers.roles.base import Session


def open_session(services: ProcessServices, held: Claim, talk: StepChat) -> Session:
    """The session of the step's job."""
    session_id, owner, job_id = held.session_id, held.owner, held.job_id
    if session_id is None:
        return Session()

    @cache
    def recall() -> SessionMemory:
        """Compressed first where it must be: by the step's model, which counts against the job's budget, else without a model."""
        from workers.sessions.keeping import remember
        from workers.sessions.summary import by_model, extractive

        chat = talk.open()
        if chat is None:
            return remember(services.database, session_id, owner, summarise=extractive)
        return remember(services.database, session_id, owner, summarise=by_model(chat), window_tokens=chat.context_tokens)

    def describe(shown: Collection[UUID]) -> str:
        from workers.sessions.fitting import role_context

        return role_context(recall(), held.role, without={job_id, *shown})

    return Session(
        session_id,
        find_earlier=lambda: earlier_results(services.database, session_id, owner, job_id),
        read_content=lambda earlier: read_earlier(services.database, earlier),
        recall=recall,
        describe=describe,
    )
