"""A job's steps: each run of a role for a stage, with what it cost."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString
from uuid import UUID

from contracts.jobs import LIVE, JobStatus, StepStatus
from contracts.reports import ErrorInfo, Usage
from workers.blackboard.engine import Row
from workers.reading.parts import RowsOfJob
from workers.reading.snapshot import Reader
from workers.reading.values import Value

_COLUMNS: LiteralString = """
  id, job_id, stage, role, task, priority, status, outcome, attempt, max_attempts, dispatches, dispatch_rev, ended_rev, engine, worker,
  summary, error, usage, notes,
  created_at, due_at, sent_at, started_at, finished_at, lease_until,
  extract(epoch FROM CASE WHEN status = 'running' THEN now() ELSE finished_at END - started_at)::float AS duration_s
"""

STEPS = RowsOfJob(
    "SELECT " + _COLUMNS + " FROM steps WHERE job_id = %(id)s ORDER BY id",  # noqa: S608  made of constants
    ids=("id", "job_id"),
    times=("created_at", "due_at", "sent_at", "started_at", "finished_at", "lease_until"),
)
"""For `as_steps`."""

_STEP: LiteralString = "SELECT " + _COLUMNS + " FROM steps WHERE id = %(id)s"  # noqa: S608  as above


@dataclass(frozen=True, slots=True)
class StepFacts(Value):
    """One role's run for a stage."""

    id: UUID
    job_id: UUID
    stage: str
    role: str
    task: str
    priority: int
    status: StepStatus
    outcome: str | None
    attempt: int
    max_attempts: int
    dispatches: int
    dispatch_rev: int
    """The job's revision when it was last dispatched."""
    ended_rev: int | None
    engine: str | None
    """`rules`, or the model's name."""
    worker: str | None
    """host:pid of the last claim."""
    summary: str | None
    error: ErrorInfo | None
    usage: Usage | None
    """What it used of models; None: it asked none."""
    notes: tuple[str, ...]
    created_at: datetime
    due_at: datetime
    sent_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    lease_until: datetime | None
    duration_s: float | None
    """Seconds of its last attempt, so far when it runs."""

    @property
    def is_live(self) -> bool:
        """Queued or running."""
        return self.status in LIVE


@dataclass(frozen=True, slots=True)
class Progress(Value):
    """How far a job is."""

    status: JobStatus
    steps: tuple[StepFacts, ...]


def read_steps(read: Reader, job_id: UUID) -> tuple[StepFacts, ...]:
    """Every step of a job, oldest first."""
    return as_steps(read.statement(STEPS.query, {"id": job_id}))


def as_steps(rows: Iterable[Row]) -> tuple[StepFacts, ...]:
    """The rows of `STEPS`."""
    return tuple(_step(row) for row in rows)


def read_step(read: Reader, step_id: UUID) -> StepFacts | None:
    """One step; None: there is none with this id."""
    row = read.row(_STEP, {"id": step_id})
    return None if row is None else _step(row)


def _step(row: Row) -> StepFacts:
    error, usage = row["error"], row["usage"]
    row |= {
        "status": StepStatus(row["status"]),
        "error": ErrorInfo.model_validate(error) if error else None,
        "usage": Usage.model_validate(usage) if usage else None,
        "notes": tuple(row["notes"] or ()),
    }
    return StepFacts(**row)
