"""Going on with a job: who reports a step and has a slot for the next one claims that one with the same statement.

In most jobs the next step is a new one of one stage, and what it is given is known: the board after the decision, and the deliverables
that it needs, the newest of which was just made here. Then neither a message nor a claim is left to do. Everything else is queued.
See docs/adr/0003.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID, uuid4

from contracts.base import Json
from contracts.jobs import StepStatus
from contracts.roles import RoleName
from workers.blackboard.board import Board, Step
from workers.blackboard.engine import Row
from workers.blackboard.steps import Claim, StepResult
from workers.coordinator.advance import StepLimits
from workers.coordinator.decide import Decision, Dispatch


@dataclass(frozen=True, slots=True)
class FreeSlot:
    """A slot of a worker that takes the next step, if it may."""

    worker: str
    lease_s: float
    takes: Callable[[str, int], bool]
    """Whether it may go on with a step of this role, in a job of this priority."""
    token: UUID = field(default_factory=uuid4)


@dataclass(frozen=True, slots=True)
class Following:
    """The step that a slot begins next, when the decision that queues it is written."""

    item: Dispatch
    slot: FreeSlot

    def values(self, result: StepResult) -> dict[str, Any]:
        """The parameters of its claim. `result`: of the step before."""
        return {
            "next_token": self.slot.token,
            "worker": self.slot.worker,
            "lease_s": self.slot.lease_s,
            "read": [need for need in self.item.need_ids if need != result.deliverable_id],
        }

    def claim(self, held: Claim, board: Board, result: StepResult, row: Row, limits: StepLimits) -> Claim:
        """The claim of the step that the statement wrote. `held`: the claim of the step before; `board`: on which was decided, with the
        job's status after it."""
        item, needs = self.item, dict[str, Json](row["needs"] or {})
        if result.deliverable_id in item.need_ids:
            needs[held.stage] = json.loads(json.dumps(result.content))  # as it would be read, and nobody else's
        queued = Step(row["id"], item.stage, StepStatus.QUEUED, item.made_from, dispatch_rev=row["rev"])
        return replace(
            held,
            token=self.slot.token,
            step_id=row["id"],
            stage=item.stage,
            role=RoleName(item.role),
            task=item.task,
            params=item.params,
            needs=needs,
            heard=(),
            ancestors=frozenset(item.ancestors),
            may_ask=item.may_ask,
            optional=item.optional,
            attempt=1,
            max_attempts=limits.max_attempts,
            lost=0,
            timeout_s=limits.timeout_s,
            used={},
            draft=None,
            previous=None,
            board=replace(board, rev=row["rev"], decided_rev=row["rev"], steps=(*board.steps, queued)),
        )


def next_of(board: Board, decision: Decision, slot: FreeSlot | None) -> Following | None:
    """What the slot may begin: the only move of a decision made of `board`, and the first step of its stage. Nothing that was asked,
    remarked or drafted concerns it."""
    if slot is None or not decision.only_queues or len(decision.dispatch) != 1:
        return None
    (item,) = decision.dispatch
    had = {step.stage for step in board.steps} | {made.stage for made in board.deliverables}
    if item.stage in had or item.request_ids or not slot.takes(item.role, board.priority):
        return None
    return Following(item, slot)
