"""Everything about one job at one revision: what `show` prints, and what a reader who missed events starts from."""

from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString
from uuid import UUID

from contracts.base import Json
from contracts.events import EventKind
from contracts.jobs import JobStatus
from contracts.statements import Sayable
from workers.blackboard.board import Board
from workers.blackboard.board_rows import BOARD_COLUMNS, as_board
from workers.blackboard.engine import Database
from workers.coordinator.freshness import look
from workers.reading.costs import JobCosts, costs_of
from workers.reading.deliverables import VERSIONS, as_versions
from workers.reading.jobs import COLUMNS, JOB_FIELDS, Job, as_job, no_job
from workers.reading.questions import QUESTIONS, QuestionFacts, as_questions
from workers.reading.requests import REQUESTS, RequestFacts, as_requests
from workers.reading.results import Result, read_named
from workers.reading.snapshot import Reader
from workers.reading.stages import StageFacts, stages_of
from workers.reading.steps import STEPS, StepFacts, as_steps
from workers.reading.values import Value, adapter

_BOARD: LiteralString = "SELECT " + BOARD_COLUMNS + " FROM jobs j WHERE j.id = %(id)s"  # noqa: S608  made of constants

_FACTS: LiteralString = f"""
SELECT {COLUMNS}, {BOARD_COLUMNS},
  {STEPS.column} AS step_rows, {VERSIONS.column} AS version_rows, {QUESTIONS.column} AS question_rows, {REQUESTS.column} AS request_rows,
  (SELECT detail || jsonb_build_object('at', at) FROM events WHERE job_id = j.id AND kind = %(kind)s ORDER BY rev DESC LIMIT 1) AS feedback
  FROM jobs j WHERE j.id = %(id)s
"""  # noqa: S608  made of constants

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
    plan_fault: Sayable | None
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
    """Everything about a job, all of one moment: one statement, and a second one for the content of the result, which never changes.
    Raises `NotFound`."""
    row = db.row(_FACTS, {"id": job_id, "kind": EventKind.FEEDBACK_GIVEN.value})
    if row is None:
        raise no_job(job_id)
    board = as_board(job_id, row)
    view = look(board)
    steps = as_steps(STEPS.rows(row["step_rows"]))
    requests = as_requests(REQUESTS.rows(row["request_rows"]))
    edited = {request.target for request in requests if request.asker == "operator" and request.payload.get("edit")}
    named = {job_id: view.result} if board.status == JobStatus.SUCCEEDED else {}
    return JobFacts(
        job=as_job({name: row[name] for name in JOB_FIELDS}),
        plan_fault=view.fault or None,
        stages=stages_of(view, as_versions(VERSIONS.rows(row["version_rows"])), steps, edited),
        steps=steps,
        costs=costs_of(steps),
        questions=as_questions(QUESTIONS.rows(row["question_rows"])),
        requests=requests,
        result=read_named(db, named).get(job_id),
        feedback=None if row["feedback"] is None else Feedback.from_json(row["feedback"]),
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
