"""An operation as a caller sees it."""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from contracts.base import Contract, Json


class State(StrEnum):
    """How far it is."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Operation(Contract):
    """Long work in the background."""

    id: UUID
    what: str
    state: State
    doing: str | None = None
    """What it does now."""
    done: int | None = None
    total: int | None = None
    """How many there are to do; None: that is not known."""
    result: Json | None = None
    error: str | None = None
    begun_at: datetime
    ended_at: datetime | None = None
