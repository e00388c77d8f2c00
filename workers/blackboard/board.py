"""The board of one job as the boss sees it: stages, steps, deliverables and requests, without their contents.

Values only. `board_rows.py` reads them from Postgres.
"""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from contracts.jobs import LIVE, JobStatus, StepStatus
from contracts.statements import Sayable

HUMAN = "human"
OPERATOR = "operator"
UNROUTED = "?"
"""Target of an instruction whose stage is not known yet."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A place in the plan. `role` is None for the input. `maker` is the stage whose deliverable or request added this stage."""

    name: str
    role: str | None
    task: str
    needs: tuple[str, ...] = ()
    """Stages, and families such as `plan/*`."""
    optional: bool = False
    params: dict[str, Any] = field(default_factory=dict[str, Any])
    maker: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One role's run for a stage."""

    id: UUID
    stage: str
    status: StepStatus
    made_from: str
    dispatch_rev: int
    dispatches: int = 1
    error: Sayable | None = None

    @property
    def live(self) -> bool:
        """Queued or running."""
        return self.status in LIVE


@dataclass(frozen=True, slots=True)
class Deliverable:
    """A version of a stage's deliverable. `effects`: the stages it adds (`{"stages": [...]}`), or the chosen stage (`{"move": stage}`)."""

    id: UUID
    stage: str
    version: int
    made_from: str
    content_hash: str
    pinned: bool = False
    effects: dict[str, Any] | None = None
    rev: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """A question, delegation, remark or replay. Its payload and response are represented by their hashes."""

    id: UUID
    asker: str
    target: str
    kind: str
    payload_hash: str
    response_hash: str | None = None
    also: tuple[str, ...] = ()
    made_from: str | None = None
    about: UUID | None = None
    held: bool = False
    role: str | None = None
    task: str | None = None
    rev: int = 0
    void: bool = False


@dataclass(frozen=True, slots=True)
class Board:
    """One consistent snapshot of a job at revision `rev`. Requests are in id order, deliverables in version order."""

    job_id: UUID
    kind: str
    rev: int
    status: JobStatus
    stages: tuple[Stage, ...]
    steps: tuple[Step, ...] = ()
    deliverables: tuple[Deliverable, ...] = ()
    requests: tuple[Request, ...] = ()
    decided_rev: int = 0
    human_rev: int = 0
    priority: int = 5
    exceeded: Sayable | None = None
    chooser: str | None = None
    admitted: bool = True
    """False if the owner has reached the limit of running jobs, so that this job waits."""
    result: str | None = None
    """The stage or family whose deliverable is the job's result. None means the last stage of the playbook."""
