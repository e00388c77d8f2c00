"""The result of a job with its content: the version that `look` names, read from Postgres."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from contracts.base import Json
from contracts.jobs import JobStatus
from workers.blackboard.board import Board, Deliverable
from workers.blackboard.board_rows import read_board, read_contents
from workers.blackboard.engine import Database
from workers.coordinator.freshness import look
from workers.reading.snapshot import Reader
from workers.reading.values import Value


@dataclass(frozen=True, slots=True)
class Result(Value):
    """The result of a job that succeeded."""

    stage: str
    version: int
    content: Json


def read_result(db: Database, job_id: UUID) -> Result | None:
    """The result of a job; None if it has not succeeded. Raises `NotFound`."""
    return read_results(db, [read_board(db, job_id)]).get(job_id)


def read_results(read: Reader, boards: Iterable[Board]) -> dict[UUID, Result]:
    """Job → its result, for the jobs that succeeded."""
    return read_named(read, {board.job_id: look(board).result for board in boards if board.status == JobStatus.SUCCEEDED})


def read_named(read: Reader, named: Mapping[UUID, Deliverable | None]) -> dict[UUID, Result]:
    """Job → its result, for the jobs that have one. `named`: job → the version that is its result."""
    contents = read_contents(read, [item.id for item in named.values() if item is not None])
    return {
        job_id: Result(item.stage, item.version, contents[item.id])
        for job_id, item in named.items()
        if item is not None and item.id in contents
    }
