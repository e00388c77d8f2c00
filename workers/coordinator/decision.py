"""A decision: the moves that the boss makes at one revision of a board, and the rule that said so."""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from contracts.base import Json
from contracts.jobs import JobStatus
from contracts.statements import Sayable, Statement

KEEP, REDO, IGNORE, CONTINUE, STOP = "keep", "redo", "ignore", "continue", "stop"
"""Choices of the questions that the boss itself asks."""


@dataclass(frozen=True, slots=True)
class Dispatch:
    """A step to be queued."""

    stage: str
    role: str
    task: str
    params: Json
    made_from: str
    need_ids: tuple[UUID, ...]
    request_ids: tuple[UUID, ...]
    ancestors: tuple[str, ...]
    may_ask: bool
    optional: bool
    """Its step may yield `Nothing`."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question of the boss itself to the human. `about`: the remark or instruction that it decides."""

    asker: str
    payload: Json
    made_from: str | None
    about: UUID | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do next, and the rule that said so."""

    rule: str
    status: JobStatus
    dispatch: tuple[Dispatch, ...] = ()
    supersede: tuple[UUID, ...] = ()
    ask: tuple[Ask, ...] = ()
    hold: tuple[UUID, ...] = ()
    """Remarks that take no effect without the human's word."""
    route: tuple[tuple[UUID, str], ...] = ()
    """Instructions whose stage was found."""
    void: tuple[UUID, ...] = ()
    revive: tuple[UUID, ...] = ()
    """Questions that are no longer needed, and those that are needed again."""
    error: Sayable | None = None
    reasons: dict[str, Statement] = field(default_factory=dict[str, Statement])
    """Stage → why it is not fresh."""

    @property
    def only_queues(self) -> bool:
        """Whether it does nothing but queue steps and change the job's status."""
        return not (self.supersede or self.ask or self.hold or self.route or self.void or self.revive)

    def moves(self) -> Json:
        """What is recorded of this decision."""
        moves: dict[str, Any] = {
            "dispatch": [item.stage for item in self.dispatch],
            "supersede": [str(item) for item in self.supersede],
            "ask": [item.payload for item in self.ask],
            "hold": [str(item) for item in self.hold],
            "route": [[str(item), stage] for item, stage in self.route],
            "void": [str(item) for item in self.void],
            "revive": [str(item) for item in self.revive],
        }
        return {key: value for key, value in moves.items() if value}
