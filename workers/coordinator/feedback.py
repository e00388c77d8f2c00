"""Feedback on a finished job of any kind: the board when the job ended, and the event that records the feedback.

The kind decides what is learnt from it. A lesson is stored before its event is written: a crash between the two leaves a lesson
without its event, and giving the feedback again repairs that.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

import psycopg
from pydantic import ValidationError

from contracts.base import Contract, Json
from contracts.events import EventKind
from contracts.jobs import FINISHED, JobStatus
from contracts.statements import code, name, say
from workers.blackboard.board_rows import read_board, read_contents
from workers.blackboard.engine import Database, Row
from workers.coordinator.actions import Touched
from workers.coordinator.freshness import View, look
from workers.errors import Conflict, InvalidInput

C = TypeVar("C", bound=Contract)


@dataclass(frozen=True)
class EndedJob:
    """The board of a job that succeeded."""

    job_id: UUID
    view: View
    contents: dict[str, Json]
    """Stage → its current deliverable."""

    def read(self, contract: type[C], stage: str) -> C:
        """A stage's deliverable. Raises `Conflict` if a revision replaced it by content of another form."""
        try:
            return contract.model_validate(self.contents[stage])
        except ValidationError as error:
            command = code(f"bullpen unpin {self.job_id} {stage}")
            raise Conflict.of(
                say("refused.revised_otherwise", stage=name(stage), job=name(self.job_id), form=name(error.title), command=command)
            ) from None


def read_ended(db: Database, job_id: UUID, kind: str, stages: Collection[str]) -> EndedJob:
    """The board of a finished job of this kind, with these stages filled.

    Raises `NotFound`, `InvalidInput` for a job of another kind, `Conflict` when there is nothing to judge (yet).
    """
    board = read_board(db, job_id)
    if board.kind != kind:
        raise InvalidInput.of(say("refused.feedback_on_kind", job=name(job_id), kind=name(board.kind), wanted=name(kind)))
    if board.status not in FINISHED:
        raise Conflict.of(say("refused.nothing_to_judge_yet", job=name(job_id), command=code(f"bullpen watch {job_id}")))
    view = look(board)
    currents = [seen.current for seen in view.stages.values() if seen.current is not None]
    found = read_contents(db, [item.id for item in currents])
    contents = {item.stage: found[item.id] for item in currents}
    if board.status != JobStatus.SUCCEEDED or not set(stages) <= contents.keys():
        raise Conflict.of(say("refused.nothing_to_judge", job=name(job_id), command=code(f"bullpen replay {job_id}")))
    return EndedJob(job_id, view, contents)


def tell_feedback(connection: psycopg.Connection[Row], job_id: UUID, stage: str, detail: Json) -> None:
    """Write the event, in the caller's transaction. The boss has nothing to decide on it."""
    row = connection.execute(
        "UPDATE jobs SET rev = rev + 1, decided_rev = CASE WHEN decided_rev = rev THEN rev + 1 ELSE decided_rev END "
        "WHERE id = %s RETURNING rev, status",
        (job_id,),
    ).fetchone()
    if row is not None:
        Touched(connection, job_id, row["rev"], JobStatus(row["status"])).tell(EventKind.FEEDBACK_GIVEN, stage=stage, detail=detail)
