"""The board of one job as the boss sees it: stages, steps, deliverables and requests, without their contents."""

from dataclasses import dataclass, field
from typing import Any, LiteralString
from uuid import UUID

from contracts.jobs import LIVE, JobStatus, StepStatus
from workers.blackboard.engine import Database, Row
from workers.errors import NotFound

HUMAN = "human"
OPERATOR = "operator"
UNROUTED = "?"
"""Target of an instruction of which it is not yet known what stage it is meant for."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A place in the plan. `role` None: the input. `maker`: the stage whose deliverable or request added it."""

    name: str
    role: str | None
    task: str
    needs: tuple[str, ...] = ()
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
    error: str | None = None

    @property
    def live(self) -> bool:
        """Queued or running."""
        return self.status in LIVE


@dataclass(frozen=True, slots=True)
class Deliverable:
    """A version of what a stage yields. `effects`: `{"stages": [...]}` it adds, or `{"move": stage}`."""

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
    """A question, delegation, remark or replay; its payload and response stand here as their hashes."""

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
    exceeded: str | None = None
    chooser: str | None = None
    admitted: bool = True
    """False: the owner has as many jobs running as they may; this one waits."""


BOARD_COLUMNS: LiteralString = """
  j.kind, j.rev, j.decided_rev, j.human_rev, j.status, j.priority, j.exceeded, j.chooser, j.admitted,
  (SELECT json_agg(json_build_array(name, role, task, needs, optional, params) ORDER BY position)
     FROM stages WHERE job_id = j.id) AS stages,
  (SELECT json_agg(json_build_array(id, stage, status, made_from, dispatch_rev, dispatches, error->>'message') ORDER BY id)
     FROM steps WHERE job_id = j.id) AS steps,
  (SELECT json_agg(json_build_array(id, stage, version, made_from, content_hash, pinned, effects, rev) ORDER BY stage, version)
     FROM deliverables WHERE job_id = j.id) AS deliverables,
  (SELECT json_agg(json_build_array(id, asker, target, kind, payload_hash, response_hash, also, made_from,
                                    about, held, role, task, rev, void) ORDER BY id)
     FROM requests WHERE job_id = j.id) AS requests
"""
"""What a statement that reads a job as `j` selects so that `as_board` can make its board of the row."""

_READ: LiteralString = "SELECT " + BOARD_COLUMNS + " FROM jobs j WHERE j.id = %(job_id)s"  # noqa: S608  made of constants


def read_board(db: Database, job_id: UUID) -> Board:
    """The board and its revision, in one statement and so in one snapshot. Raises `NotFound`."""
    row = db.row(_READ, {"job_id": job_id})
    if row is None:
        raise NotFound(f"There is no job {job_id}. `bullpen jobs` lists them.")
    return as_board(job_id, row)


def as_board(job_id: UUID, row: Row) -> Board:
    """The board in a row with `BOARD_COLUMNS`."""
    return Board(
        job_id=job_id,
        kind=row["kind"],
        rev=row["rev"],
        status=JobStatus(row["status"]),
        decided_rev=row["decided_rev"],
        human_rev=row["human_rev"],
        priority=row["priority"],
        exceeded=row["exceeded"],
        chooser=row["chooser"],
        admitted=row["admitted"],
        stages=tuple(Stage(s[0], s[1], s[2], tuple(s[3]), s[4], s[5]) for s in row["stages"] or ()),
        steps=tuple(Step(UUID(s[0]), s[1], StepStatus(s[2]), s[3], s[4], s[5], s[6]) for s in row["steps"] or ()),
        deliverables=tuple(Deliverable(UUID(d[0]), d[1], d[2], d[3], d[4], d[5], d[6], d[7]) for d in row["deliverables"] or ()),
        requests=tuple(
            Request(
                UUID(r[0]),
                r[1],
                r[2],
                r[3],
                r[4],
                r[5],
                tuple(r[6]),
                r[7],
                UUID(r[8]) if r[8] else None,
                r[9],
                r[10],
                r[11],
                r[12],
                r[13],
            )
            for r in row["requests"] or ()
        ),
    )
