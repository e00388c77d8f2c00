"""What a job waits for: the boss's own reasons, and what the rows say of its questions, steps and owner.

Whether a worker or the broker answers is not in the rows: a shell adds that.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal
from uuid import UUID

from contracts.base import Json
from contracts.jobs import JobStatus, StepStatus
from contracts.roles import COORDINATOR
from contracts.statements import Statement, name, names, say
from workers.blackboard.board import Board
from workers.blackboard.engine import Database
from workers.coordinator.decide import decide
from workers.coordinator.freshness import look
from workers.errors import NotFound
from workers.reading.decisions import DecisionFacts, read_last_decision
from workers.reading.facts import read_board_in
from workers.reading.fleet import count_busy, read_role_states
from workers.reading.jobs import Job, read_job
from workers.reading.questions import QuestionFacts, read_questions
from workers.reading.snapshot import Snapshot, snapshot
from workers.reading.steps import StepFacts, read_steps
from workers.reading.values import Value, adapter

YOUNG_S = 3.0
"""What changed or was queued within this time is on its way, and nothing is missing."""


@dataclass(frozen=True, slots=True)
class Ended(Value):
    """The job failed or was cancelled; a replay lets it go on."""

    job_id: UUID
    kind: Literal["ended"] = "ended"


@dataclass(frozen=True, slots=True)
class OwnerAtCap(Value):
    """The owner has as many jobs running as they may."""

    owner: str
    running: int
    kind: Literal["owner_at_cap"] = "owner_at_cap"


@dataclass(frozen=True, slots=True)
class AnswerNeeded(Value):
    """A question is open."""

    question: QuestionFacts
    kind: Literal["answer_needed"] = "answer_needed"


@dataclass(frozen=True, slots=True)
class Undecided(Value):
    """The boss has not answered the job's last change."""

    rev: int
    decided_rev: int
    coordinator_state: str
    """`running`, `paused` or `draining`."""
    kind: Literal["undecided"] = "undecided"


@dataclass(frozen=True, slots=True)
class StepRuns(Value):
    """A worker holds the step."""

    step: StepFacts
    lease_left_s: float
    """Negative: the lease ran out so long ago."""
    kind: Literal["step_runs"] = "step_runs"


@dataclass(frozen=True, slots=True)
class StepWaits(Value):
    """The step waits for a worker of its role."""

    step: StepFacts
    waits_s: float
    role_state: str
    kind: Literal["step_waits"] = "step_waits"

    @property
    def is_young(self) -> bool:
        """It has only just been queued."""
        return self.waits_s <= YOUNG_S


@dataclass(frozen=True, slots=True)
class StepDelayed(Value):
    """The step is tried again later, after an error."""

    step: StepFacts
    in_s: float
    kind: Literal["step_delayed"] = "step_delayed"


Wait = Ended | OwnerAtCap | AnswerNeeded | Undecided | StepRuns | StepWaits | StepDelayed


@dataclass(frozen=True, slots=True)
class Explanation(Value):
    """Why a job is not done yet."""

    job: Job
    rule: str
    """What the boss would follow now."""
    reasons: dict[str, Statement]
    """Stage → why it is not fresh."""
    last_decision: DecisionFacts | None
    waits: tuple[Wait, ...]

    def to_json(self) -> Json:
        """With the job's id, kind, status and error in the place of its row."""
        parts = super(Explanation, self).to_json()
        del parts["job"]
        return {"job_id": str(self.job.id), "kind": self.job.kind, "status": self.job.status.value, "error": self.job.error, **parts}

    @classmethod
    def of(cls, job: Job, value: Json) -> "Explanation":
        """From the JSON of an explanation, and the job's row."""
        return adapter(cls).validate_python({**value, "job": job})


def explain(db: Database, job_id: UUID, stage: str | None = None) -> Explanation:
    """What a job, or one of its stages, waits for. Raises `NotFound` for a job, or a stage of it, that there is not."""
    with snapshot(db) as moment:
        job, board = read_job(moment, job_id), read_board_in(moment, job_id)
        stages = look(board).stages
        if stage is not None and stage not in stages:
            raise NotFound.of(say("refused.no_stage", job=name(job_id), stage=name(stage), stages=names(sorted(stages))))
        decision = decide(board)
        return Explanation(
            job=job,
            rule=decision.rule,
            reasons={name: reason for name, reason in decision.reasons.items() if stage in (None, name)},
            last_decision=read_last_decision(moment, job_id),
            waits=tuple(_waits(moment, job, board, stage)),
        )


def _waits(moment: Snapshot, job: Job, board: Board, stage: str | None) -> list[Wait]:
    if job.is_finished:
        return [] if job.status == JobStatus.SUCCEEDED else [Ended(job.id)]
    if not board.admitted:
        return [OwnerAtCap(job.owner, count_busy(moment, job.owner))]
    states = read_role_states(moment)
    waits: list[Wait] = [AnswerNeeded(question) for question in read_questions(moment, job.id) if question.is_open]
    if board.rev != board.decided_rev and _age_s(job.updated_at) > YOUNG_S:
        waits.append(Undecided(board.rev, board.decided_rev, states.get(COORDINATOR, "running")))
    live = [step for step in read_steps(moment, job.id) if step.is_live and stage in (None, step.stage)]
    return [*waits, *(_step_wait(step, states) for step in live)]


def _step_wait(step: StepFacts, states: dict[str, str]) -> Wait:
    if step.status == StepStatus.RUNNING:
        return StepRuns(step, -_age_s(step.lease_until))
    waits_s = _age_s(step.due_at)
    if waits_s < 0:
        return StepDelayed(step, -waits_s)
    return StepWaits(step, waits_s, states.get(step.role, "running"))


def _age_s(at: datetime | None) -> float:
    return 0.0 if at is None else (datetime.now(UTC) - at).total_seconds()
