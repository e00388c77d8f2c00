"""The result of a job with its content: the version that `look` names, read from Postgres."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import LiteralString
from uuid import UUID

from contracts.base import Json
from contracts.jobs import JobStatus
from contracts.stages import is_family
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


_EARLIER: LiteralString = """
SELECT id, stage, version FROM deliverables
 WHERE job_id = %(job_id)s AND (stage = %(stage)s OR (%(family)s AND stage LIKE %(members)s)) ORDER BY created_at DESC LIMIT %(limit)s
"""

EARLIER = 3
"""Versions that are looked at for an earlier result: the members of a family are not all results."""


def read_earlier_results(db: Database, job_id: UUID, stage: str) -> tuple[Result, ...]:
    """The newest versions of a job's result stage, or of the members of that family, whether they still count or not: what to show while
    the job is done again."""
    family = is_family(stage)
    members = f"{stage.removesuffix('*')}%"  # names of stages hold no wildcard but `_`, which only widens the match
    rows = db.statement(_EARLIER, {"job_id": job_id, "stage": stage, "family": family, "members": members, "limit": EARLIER})
    contents = read_contents(db, [row["id"] for row in rows])
    return tuple(Result(row["stage"], row["version"], contents[row["id"]]) for row in rows if row["id"] in contents)


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
