"""Reads the board of a job from Postgres, with one statement. Values are read by column name."""

from collections.abc import Collection, Sequence
from typing import Any, LiteralString, Protocol
from uuid import UUID

from contracts.base import Json
from contracts.jobs import JobStatus, StepStatus
from contracts.statements import code, name, read_stored, say
from workers.blackboard.board import Board, Deliverable, Request, Stage, Step
from workers.blackboard.engine import Database, Row
from workers.errors import NotFound

BOARD_COLUMNS: LiteralString = """
  j.kind, j.rev, j.decided_rev, j.human_rev, j.status, j.priority, j.exceeded, j.chooser, j.admitted, j.result,
  (SELECT json_agg(json_build_object('name', name, 'role', role, 'task', task, 'needs', needs, 'optional', optional, 'params', params)
                   ORDER BY position)
     FROM stages WHERE job_id = j.id) AS stages,
  (SELECT json_agg(json_build_object('id', id, 'stage', stage, 'status', status, 'made_from', made_from,
                   'dispatch_rev', dispatch_rev, 'dispatches', dispatches, 'error', error->'message') ORDER BY id)
     FROM steps WHERE job_id = j.id) AS steps,
  (SELECT json_agg(json_build_object('id', id, 'stage', stage, 'version', version, 'made_from', made_from,
                   'content_hash', content_hash, 'pinned', pinned, 'effects', effects, 'rev', rev) ORDER BY stage, version)
     FROM deliverables WHERE job_id = j.id) AS deliverables,
  (SELECT json_agg(json_build_object('id', id, 'asker', asker, 'target', target, 'kind', kind, 'payload_hash', payload_hash,
                   'response_hash', response_hash, 'also', also, 'made_from', made_from, 'about', about, 'held', held,
                   'role', role, 'task', task, 'rev', rev, 'void', void) ORDER BY id)
     FROM requests WHERE job_id = j.id) AS requests
"""
"""The columns that `as_board` needs, for a statement that reads a job under the alias `j`."""

_READ: LiteralString = "SELECT " + BOARD_COLUMNS + " FROM jobs j WHERE j.id = %(job_id)s"  # noqa: S608  made of constants


_READ_MANY: LiteralString = "SELECT j.id AS job_id, " + BOARD_COLUMNS + " FROM jobs j WHERE j.id = ANY (%(job_ids)s)"  # noqa: S608


class Statements(Protocol):
    """A database, or a moment of it."""

    def statement(self, sql: LiteralString, parameters: dict[str, Any] | None = None) -> list[Row]:
        """The rows of one query."""
        ...


def read_board(db: Database, job_id: UUID) -> Board:
    """The board and its revision, from one snapshot because it is one statement. Raises `NotFound`."""
    row = db.row(_READ, {"job_id": job_id})
    if row is None:
        raise NotFound.of(say("refused.no_job", job=name(job_id), command=code("bullpen jobs")))
    return as_board(job_id, row)


def read_boards(db: Database, job_ids: Collection[UUID]) -> dict[UUID, Board]:
    """The boards of those of the jobs that exist, from one snapshot."""
    return {row["job_id"]: as_board(row["job_id"], row) for row in db.statement(_READ_MANY, {"job_ids": list(job_ids)})}


def read_contents(read: Statements, ids: Sequence[UUID]) -> dict[UUID, Json]:
    """Deliverable → its content."""
    rows = read.statement("SELECT id, content FROM deliverables WHERE id = ANY(%(ids)s)", {"ids": list(ids)}) if ids else []
    return {row["id"]: row["content"] for row in rows}


def as_board(job_id: UUID, row: Row) -> Board:
    """The board from a row with `BOARD_COLUMNS`."""
    return Board(
        job_id=job_id,
        kind=row["kind"],
        rev=row["rev"],
        status=JobStatus(row["status"]),
        decided_rev=row["decided_rev"],
        human_rev=row["human_rev"],
        priority=row["priority"],
        exceeded=None if row["exceeded"] is None else read_stored(row["exceeded"]),
        chooser=row["chooser"],
        admitted=row["admitted"],
        result=row["result"],
        stages=tuple(_stage(item) for item in row["stages"] or ()),
        steps=tuple(_step(item) for item in row["steps"] or ()),
        deliverables=tuple(_deliverable(item) for item in row["deliverables"] or ()),
        requests=tuple(_request(item) for item in row["requests"] or ()),
    )


def _stage(item: dict[str, Any]) -> Stage:
    item["needs"] = tuple(item["needs"])
    return Stage(**item)


def _step(item: dict[str, Any]) -> Step:
    item["id"], item["status"] = UUID(item["id"]), StepStatus(item["status"])
    item["error"] = None if item["error"] is None else read_stored(item["error"])
    return Step(**item)


def _deliverable(item: dict[str, Any]) -> Deliverable:
    item["id"] = UUID(item["id"])
    return Deliverable(**item)


def _request(item: dict[str, Any]) -> Request:
    item["id"], item["also"] = UUID(item["id"]), tuple(item["also"])
    item["about"] = UUID(item["about"]) if item["about"] else None
    return Request(**item)
