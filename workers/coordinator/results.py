"""The result of a job with its content: the version that `look` names, read from Postgres."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from contracts.base import Json
from contracts.jobs import JobStatus
from workers.blackboard.board import Board, Deliverable
from workers.blackboard.board_rows import read_board
from workers.blackboard.engine import Database
from workers.coordinator.freshness import look


@dataclass(frozen=True, slots=True)
class Result:
    """What a job that succeeded has to show."""

    stage: str
    version: int
    content: Json


def read_result(db: Database, job_id: UUID) -> Result | None:
    """The result of a job. None: it has not succeeded. Raises `NotFound`."""
    return read_results(db, [read_board(db, job_id)]).get(job_id)


def read_results(db: Database, boards: Iterable[Board]) -> dict[UUID, Result]:
    """Job → its result, of those that succeeded."""
    named = {board.job_id: look(board).result for board in boards if board.status == JobStatus.SUCCEEDED}
    contents = read_contents(db, [item for item in named.values() if item is not None])
    return {
        job_id: Result(item.stage, item.version, contents[item.id])
        for job_id, item in named.items()
        if item is not None and item.id in contents
    }


def read_contents(db: Database, deliverables: Iterable[Deliverable]) -> dict[UUID, Json]:
    """Deliverable → its content."""
    ids = [item.id for item in deliverables]
    rows = db.statement("SELECT id, content FROM deliverables WHERE id = ANY(%(ids)s)", {"ids": ids}) if ids else []
    return {row["id"]: row["content"] for row in rows}
