"""What stages and the operator asked of stages: delegations, remarks, replays, instructions."""

from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString
from uuid import UUID

from contracts.base import Json
from workers.reading.snapshot import Reader
from workers.reading.values import Value

_REQUESTS: LiteralString = """
SELECT id, asker, target, also, kind, payload, role, task, about, held, void, step_id, rev, created_at FROM requests
 WHERE job_id = %(id)s AND target <> 'human' ORDER BY id
"""


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


def read_requests(read: Reader, job_id: UUID) -> tuple[RequestFacts, ...]:
    """Every request to a stage of a job, oldest first. What was asked of the human: `questions.py`."""
    rows = read.statement(_REQUESTS, {"id": job_id})
    for row in rows:
        row["also"] = tuple(row["also"])
    return tuple(RequestFacts(**row) for row in rows)
