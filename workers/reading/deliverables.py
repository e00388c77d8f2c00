"""What stages yielded: the versions, and the content of one of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString
from uuid import UUID

from contracts.statements import Join, count, listing, name, say
from workers.blackboard.board_rows import read_board
from workers.blackboard.engine import Database, Row
from workers.coordinator.edits import parameters_of
from workers.coordinator.freshness import look
from workers.coordinator.stage_contracts import find_contract
from workers.errors import NotFound
from workers.reading.jobs import read_job
from workers.reading.parts import RowsOfJob
from workers.reading.snapshot import Reader
from workers.reading.values import Value

VERSIONS = RowsOfJob(
    "SELECT id, stage, version, origin, pinned, content_hash, step_id, created_at FROM deliverables"
    " WHERE job_id = %(id)s ORDER BY stage, version",
    ids=("id", "step_id"),
    times=("created_at",),
)
"""For `as_versions`."""

_CONTENT: LiteralString = """
SELECT id, stage, version, origin, pinned, content_hash, step_id, created_at, content FROM deliverables
 WHERE job_id = %(id)s AND stage = %(stage)s AND version = %(version)s
"""

_NEWEST: LiteralString = """
SELECT id, stage, version, origin, pinned, content_hash, step_id, created_at, content FROM deliverables
 WHERE job_id = %(id)s AND stage = %(stage)s ORDER BY version DESC LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class Version(Value):
    """A version of what a stage yields, without its content."""

    id: UUID
    stage: str
    version: int
    origin: str
    """`role`, `human` or `fork`."""
    pinned: bool
    content_hash: str
    step_id: UUID | None
    """The step that made it."""
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Content(Version):
    """A version with its content."""

    content: Any
    current: bool | None = None
    """Whether it is the stage's current version; None where nobody asked."""
    params: Any = None
    """The stage's parameters, which `replay --edit` may change, as the newest run has them; None for another version than the current."""
    parameters: tuple[str, ...] | None = None
    """The names that `replay --edit` may change; None where `params` is, and for a task that takes any object."""


def read_versions(read: Reader, job_id: UUID) -> tuple[Version, ...]:
    """All versions of all stages."""
    return as_versions(read.statement(VERSIONS.query, {"id": job_id}))


def as_versions(rows: Iterable[Row]) -> tuple[Version, ...]:
    """The rows of `VERSIONS`."""
    return tuple(Version(**row) for row in rows)


def read_version(read: Reader, job_id: UUID, stage: str, version: int) -> Content:
    """This version of a stage. Raises `NotFound`."""
    row = read.row(_CONTENT, {"id": job_id, "stage": stage, "version": version})
    if row is None:
        raise _no_deliverable(read, job_id, f"{stage} version {version}")
    return Content(**row)


def read_current(db: Database, job_id: UUID, stage: str) -> Content:
    """The current version of a stage by the rule; the newest when none is current. Raises `NotFound`."""
    seen = look(read_board(db, job_id)).stages.get(stage)
    if seen is not None and seen.current is not None:
        row = db.row(_CONTENT, {"id": job_id, "stage": stage, "version": seen.current.version})
    else:
        row = db.row(_NEWEST, {"id": job_id, "stage": stage})
    if row is None:
        raise _no_deliverable(db, job_id, stage)
    params, parameters = None, None
    if seen is not None and seen.stage.role is not None:
        contract = find_contract(seen.stage.role, seen.stage.task)
        params, parameters = parameters_of(db, job_id, seen.stage), None if contract is None else contract.parameters
    return Content(**row, current=seen is not None and seen.current is not None, params=params, parameters=parameters)


def _no_deliverable(read: Reader, job_id: UUID, wanted: str) -> NotFound:
    read_job(read, job_id)  # an unknown job is another error
    newest = {version.stage: version.version for version in read_versions(read, job_id)}
    if not newest:
        return NotFound.of(say("refused.no_deliverables", job=name(job_id), wanted=name(wanted)))
    there = (say("refused.versions", stage=name(stage), n=count(last)) if last > 1 else name(stage) for stage, last in newest.items())
    listed = listing(*there, join=Join.PLAIN)
    return NotFound.of(say("refused.no_deliverable", job=name(job_id), wanted=name(wanted), there=listed))
