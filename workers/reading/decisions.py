"""What the boss decided: the revision it saw, the rule, the moves."""

from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString
from uuid import UUID

from contracts.base import Json
from workers.reading.snapshot import Reader
from workers.reading.values import Value

_DECISIONS: LiteralString = "SELECT rev, rule, status, moves, release, created_at FROM decisions WHERE job_id = %(id)s ORDER BY rev"
_LAST: LiteralString = "SELECT rev, rule, status, moves, release, created_at FROM decisions WHERE job_id = %(id)s ORDER BY rev DESC LIMIT 1"


@dataclass(frozen=True, slots=True)
class DecisionFacts(Value):
    """One decision."""

    rev: int
    """The revision of the board that was seen."""
    rule: str
    status: str
    """Of the job, from then on."""
    moves: Json
    release: str
    """The release whose rules decided."""
    created_at: datetime


def read_decisions(read: Reader, job_id: UUID) -> tuple[DecisionFacts, ...]:
    """Every decision on a job, oldest first."""
    return tuple(DecisionFacts(**row) for row in read.statement(_DECISIONS, {"id": job_id}))


def read_last_decision(read: Reader, job_id: UUID) -> DecisionFacts | None:
    """The last one; None: the boss has not decided yet."""
    row = read.row(_LAST, {"id": job_id})
    return None if row is None else DecisionFacts(**row)
