"""Commands: messages with one receiver. They carry only ids; everything else is stored on the blackboard."""

from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from contracts.base import Json, Message
from contracts.limits import MOST_INTEGER, MOST_SMALLINT, MOST_UNIX_S

MESSAGE_VERSION = 1
"""The version this release writes. Older ones are upcast; a newer one waits in its queue."""


class RunStep(Message):
    """Boss to a role: claim this step and run it."""

    v: Literal[1] = 1
    kind: Literal["run_step"] = "run_step"
    job_id: UUID
    step_id: UUID
    stage: str
    attempt: int = Field(default=1, ge=1, le=MOST_SMALLINT)
    """The attempt that this message requests; shown in Flower. The claim decides, not this number."""
    at: float = Field(default=0.0, ge=0, le=MOST_UNIX_S)
    """Unix seconds when it was sent."""


class AdvanceJob(Message):
    """Any component to the coordinator: look at this job again."""

    v: Literal[1] = 1
    kind: Literal["advance_job"] = "advance_job"
    job_id: UUID
    at: float = Field(default=0.0, ge=0, le=MOST_UNIX_S)


class NewerVersion(ValueError):
    """A message of a later release. It waits in its queue for a worker that can read it."""


def upcast(raw: Any) -> Json:
    """The message as this release's version. Raises `NewerVersion`, or `ValueError` if it is not a message.

    Version 1 is the first: a message without `v` is read as version 1.
    """
    if not isinstance(raw, dict):
        raise ValueError(f"A message is a JSON object, not {type(raw).__name__}.")
    message: Json = raw  # pyright: ignore[reportUnknownVariableType] JSON from outside has no static type
    version = message.get("v", 1)
    if not isinstance(version, int) or isinstance(version, bool) or not 1 <= version <= MOST_INTEGER:
        raise ValueError(f"The message version {str(version)[:40]!r} is not a positive whole number.")
    if version > MESSAGE_VERSION:
        raise NewerVersion(f"Message version {version} is newer than this release reads ({MESSAGE_VERSION}). Upgrade this process.")
    return message
