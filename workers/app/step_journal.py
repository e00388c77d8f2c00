"""A step's journal: opened with the step, written and read with its first call of a model."""

from collections.abc import Iterable
from uuid import UUID

from contracts.jobs import EngineChoice
from contracts.statements import Sayable, count, say
from workers.app.services import ProcessServices
from workers.app.step_chat import engine_of
from workers.blackboard.journal import EditedCall, Journal
from workers.blackboard.live import CALL
from workers.blackboard.steps import Claim, Heard


def open_journal(services: ProcessServices, held: Claim) -> Journal:
    """The journal of a claimed step. Where no model is asked, calls of tools are not kept: making them again costs nothing."""
    settings = services.settings
    asks_model = engine_of(held, settings) != EngineChoice.RULES and settings.model_of(held.role) is not None
    return Journal(
        services.database,
        job_id=held.job_id,
        step_id=held.step_id,
        token=held.token,
        attempt=held.attempt,
        keeps_tools=asks_model,
        now=lambda: settings.now,
        edited=edited_call(held.heard, held.stage),
        on_call=lambda call: services.live.send(held.job_id, CALL, {"step_id": str(held.step_id), "stage": held.stage, **call}),
    )


def edited_call(heard: Iterable[Heard], stage: str) -> EditedCall | None:
    """What the last replay of the stage asks for, if it starts from a call of an earlier step."""
    replays = [request for request in heard if request.kind == "replay" and request.target == stage]
    wanted = replays[-1].payload.get("from_call") if replays else None
    return None if wanted is None else EditedCall(UUID(wanted["step"]), int(wanted["call"]), tuple(wanted.get("messages", ())))


def journal_notes(held: Claim) -> tuple[Sayable, ...]:
    """What the reader of a result has to know: a person edited a prompt of the step that made it."""
    edited = edited_call(held.heard, held.stage)
    return () if edited is None or not edited.messages else (say("fleet.note.edited_call", call=count(edited.call)),)
