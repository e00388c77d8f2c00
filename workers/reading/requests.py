"""What stages and the operator asked of stages: delegations, remarks, replays, instructions."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from contracts.base import Json
from workers.blackboard.engine import Row
from workers.reading.parts import RowsOfJob
from workers.reading.values import Value

REQUESTS = RowsOfJob(
    "SELECT id, asker, target, also, kind, payload, role, task, about, held, void, step_id, rev, created_at FROM requests"
    " WHERE job_id = %(id)s AND target <> 'human' ORDER BY id",
    ids=("id", "about", "step_id"),
    times=("created_at",),
)
"""For `as_requests`."""


@dataclass(frozen=True, slots=True)
class RequestFacts(Value):
    """A request to a stage."""

    id: UUID
    asker: str
    """A stage, or `operator`."""
    target: str
    """A stage; `?`: an instruction whose stage is not known yet."""
    also: tuple[str, ...]
    kind: str
    """`delegation`, `remark` or `replay`."""
    payload: Json
    role: str | None
    task: str | None
    """Of a delegation that added a stage: who fills it."""
    about: UUID | None
    held: bool
    """A remark that waits for the human's word."""
    void: bool
    step_id: UUID | None
    rev: int
    created_at: datetime


def as_requests(rows: Iterable[Row]) -> tuple[RequestFacts, ...]:
    """The rows of `REQUESTS`."""
    return tuple(_request(row) for row in rows)


def _request(row: Row) -> RequestFacts:
    row["also"] = tuple(row["also"])
    return RequestFacts(**row)
