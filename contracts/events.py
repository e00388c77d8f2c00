"""Events: what happened, told in the past tense. `EventKind` is the job's log; the messages go to a producer's `reply_to`."""

from enum import StrEnum
from typing import Literal
from uuid import UUID

from contracts.base import Json, Message
from contracts.jobs import JobStatus


class EventKind(StrEnum):
    """What a row of a job's event log can tell. Numbered per job by the job's revision: 1, 2, 3 without a gap."""

    JOB_ACCEPTED = "job_accepted"
    JOB_ADMITTED = "job_admitted"
    """Its owner has room again; it was waiting for that."""
    JOB_DECIDED = "job_decided"
    """The boss dispatched, cancelled, asked, or changed the job's status."""
    STEP_SUCCEEDED = "step_succeeded"
    STEP_FAILED = "step_failed"
    STEP_GIVEN_UP = "step_given_up"
    """The last attempt's lease ran out."""
    LATE_REPORT_IGNORED = "late_report_ignored"
    """Somebody reported a step that was no longer theirs. Nothing else changed."""
    QUESTION_ANSWERED = "question_answered"
    STAGE_REVISED = "stage_revised"
    STAGE_UNPINNED = "stage_unpinned"
    REPLAY_REQUESTED = "replay_requested"
    INSTRUCTION_GIVEN = "instruction_given"
    BUDGET_EXCEEDED = "budget_exceeded"
    FEEDBACK_GIVEN = "feedback_given"
    """A human said of the finished job whether it was right."""
    JOB_CANCELLED = "job_cancelled"
    JOB_FORKED = "job_forked"
    JOB_SET_ASIDE = "job_set_aside"
    """Its rows made the sweep fail; it was ended so that the others go on."""


class SubmissionAccepted(Message):
    """Answer to a submission: it is durable, and this is its job."""

    v: Literal[1] = 1
    kind: Literal["submission_accepted"] = "submission_accepted"
    job_id: UUID
    correlation_id: str | None = None
    existing: bool = False
    """True when the idempotency key already had this job."""


class SubmissionRefused(Message):
    """Answer to a submission that made no job."""

    v: Literal[1] = 1
    kind: Literal["submission_refused"] = "submission_refused"
    correlation_id: str | None = None
    error: str
    """What was wrong and what to do."""
    quarantine_id: UUID | None = None


class JobFinished(Message):
    """A job ended; its last deliverables stand on the blackboard."""

    v: Literal[1] = 1
    kind: Literal["job_finished"] = "job_finished"
    job_id: UUID
    correlation_id: str | None = None
    status: JobStatus
    result: Json | None = None
    """The content of the job's result when it succeeded and that is under 64 KB. Which stage yields it, its playbook names.
    Where it says something, it does so as text in the job's language."""
    error: str | None = None
