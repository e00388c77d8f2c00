"""Everything about one job at one revision: what `show` prints, and what a reader who missed events starts from."""

from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString
from uuid import UUID

from contracts.base import Json
from contracts.events import EventKind
from workers.blackboard.board import Board
from workers.blackboard.board_rows import BOARD_COLUMNS, as_board
from workers.blackboard.engine import Database
from workers.coordinator.freshness import look
from workers.reading.costs import JobCosts, costs_of
from workers.reading.deliverables import read_versions
from workers.reading.jobs import Job, no_job, read_job
from workers.reading.questions import QuestionFacts, read_questions
from workers.reading.requests import RequestFacts, read_requests
from workers.reading.results import Result, read_results
from workers.reading.snapshot import Reader, snapshot
from workers.reading.stages import StageFacts, stages_of
from workers.reading.steps import StepFacts, read_steps
from workers.reading.values import Value, adapter

_BOARD: LiteralString = "SELECT " + BOARD_COLUMNS + " FROM jobs j WHERE j.id = %(id)s"  # noqa: S608  made of constants

_FEEDBACK: LiteralString = "SELECT detail, at FROM events WHERE job_id = %(id)s AND kind = %(kind)s ORDER BY rev DESC LIMIT 1"


@dataclass(frozen=True, slots=True)
class Feedback(Value):
    """What a human last said about the finished job."""

    detail: Json
    at: datetime

    def to_json(self) -> Json:
        """The detail, and when it was said."""
        return {**self.detail, "at": self.at.isoformat()}

    @classmethod
    def from_json(cls, value: Json) -> "Feedback":
        """See `Value`."""
        return cls({name: item for name, item in value.items() if name != "at"}, datetime.fromisoformat(value["at"]))


@dataclass(frozen=True, slots=True)
class JobFacts(Value):
    """A job with what belongs to it, all of the same revision: `job.rev`."""

    job: Job
    plan_fault: str | None
    """Why its stages do not form a plan."""
    stages: tuple[StageFacts, ...]
    steps: tuple[StepFacts, ...]
    costs: JobCosts | None
    questions: tuple[QuestionFacts, ...]
    requests: tuple[RequestFacts, ...]
    result: Result | None
    """None: the job has not succeeded."""
    feedback: Feedback | None

    def to_json(self) -> Json:
        """One flat object: the job's own fields beside the parts."""
        parts = super(JobFacts, self).to_json()
        del parts["job"]
        usage = None if self.costs is None else self.costs.total.to_json()
        return {**self.job.to_json(), **parts, "usage": usage}

    @classmethod
    def from_json(cls, value: Json) -> "JobFacts":
        """See `Value`."""
        feedback = None if value["feedback"] is None else Feedback.from_json(value["feedback"])
        return adapter(cls).validate_python({**value, "job": value, "feedback": feedback})


def read_job_facts(db: Database, job_id: UUID) -> JobFacts:
    """Everything about a job, from one snapshot. Raises `NotFound`."""
    with snapshot(db) as moment:
        job = read_job(moment, job_id)
        board = read_board_in(moment, job_id)
        view = look(board)
        steps = read_steps(moment, job_id)
        return JobFacts(
            job=job,
            plan_fault=view.fault or None,
            stages=stages_of(view, read_versions(moment, job_id), steps),
            steps=steps,
            costs=costs_of(steps),
            questions=read_questions(moment, job_id),
            requests=read_requests(moment, job_id),
            result=read_results(moment, [board]).get(job_id),
            feedback=read_feedback(moment, job_id),
        )


def read_board_in(read: Reader, job_id: UUID) -> Board:
    """The board of a job as this reader sees it. Raises `NotFound`."""
    row = read.row(_BOARD, {"id": job_id})
    if row is None:
        raise no_job(job_id)
    return as_board(job_id, row)


def read_feedback(read: Reader, job_id: UUID) -> Feedback | None:
    """The latest feedback on a job."""
    row = read.row(_FEEDBACK, {"id": job_id, "kind": EventKind.FEEDBACK_GIVEN.value})
    return None if row is None else Feedback(row["detail"], row["at"])
