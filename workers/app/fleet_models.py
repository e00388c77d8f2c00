"""Which models the fleet has: its workers are asked by Celery's remote control, as for a ping. The settings of the process that asks say
nothing about them; a shell seldom has those of the workers."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from celery import Celery

    from workers.settings import Settings

PING_S = 1.0
"""How long workers have to answer."""

_COMMAND = "bullpen_models"


def answer_models(settings: "Settings") -> None:
    """Let this worker process answer which models its roles may ask."""
    from celery.worker.control import inspect_command

    def models(state: Any) -> list[str]:
        return list(settings.models)

    inspect_command(name=_COMMAND)(models)


def fleet_models(celery: "Celery") -> tuple[str, ...] | None:
    """The models of the workers that answer within a second. None: no worker answers."""
    try:
        replies: Any = celery.control.broadcast(_COMMAND, reply=True, timeout=PING_S)
    except Exception:  # each broker client raises its own: it is not there
        return None
    answers: list[Any] = [models for reply in replies or () for models in reply.values()]
    named: list[list[str]] = [models for models in answers if isinstance(models, list)]  # a worker of an older release answers an error
    return tuple(dict.fromkeys(model for models in named for model in models)) if named else None
