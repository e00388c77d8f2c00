"""Events, named in the past tense. `EventKind` lists the entries of a job's log; the messages go to a producer's `reply_to`."""

from enum import StrEnum
from typing import Literal
from uuid import UUID, uuid4

from pydantic import Field

from contracts.base import Json, Message
from contracts.jobs import JobStatus


class EventKind(StrEnum):
    """The kinds of entries in a job's event log. A job's entries are numbered by its revision: 1, 2, 3 without a gap."""

    JOB_ACCEPTED = "job_accepted"
    JOB_ADMITTED = "job_admitted"
    """The job was waiting because its owner had reached the limit of running jobs; now it may run."""
    JOB_DECIDED = "job_decided"
    """The boss dispatched, cancelled, asked, or changed the job's status."""
    STEP_SUCCEEDED = "step_succeeded"
    STEP_FAILED = "step_failed"
    STEP_GIVEN_UP = "step_given_up"
    """The lease of the last attempt expired."""
    LATE_REPORT_IGNORED = "late_report_ignored"
    """A worker reported a step that it no longer owned. Nothing else changed."""
    TOOL_REFUSED = "tool_refused"
    """A step called a tool, or asked for a card, that it was not granted. The caller got the refusal as an answer."""
    QUESTION_ANSWERED = "question_answered"
    ANSWER_TAKEN_BACK = "answer_taken_back"
    """The question is open again, and what was made from the answer is no longer current."""
    STAGE_REVISED = "stage_revised"
    STAGE_UNPINNED = "stage_unpinned"
    REPLAY_REQUESTED = "replay_requested"
    INSTRUCTION_GIVEN = "instruction_given"
    BUDGET_EXCEEDED = "budget_exceeded"
    FEEDBACK_GIVEN = "feedback_given"
    """A human rated the result of the finished job."""
    JOB_CANCELLED = "job_cancelled"
    JOB_FORKED = "job_forked"
    JOB_SET_ASIDE = "job_set_aside"
    """Its rows made the sweep fail; it was ended so that the others go on."""


class Answer(Message):
    """Base of what a producer is sent on its `reply_to`."""

    v: Literal[1] = 1
    answer_id: UUID = Field(default_factory=uuid4)
    """An answer may arrive twice; then both have this id."""
    correlation_id: str | None = None
    """The producer's own name for what it asked."""


class SubmissionAccepted(Answer):
    """The answer to an accepted submission: the job is stored durably, and this is its id."""

    kind: Literal["submission_accepted"] = "submission_accepted"
    job_id: UUID
    existing: bool = False
    """True if the idempotency key already belonged to this job."""


class SubmissionRefused(Answer):
    """The answer to a submission that did not create a job."""

    kind: Literal["submission_refused"] = "submission_refused"
    error: str
    """What is wrong, and what to do."""
    quarantine_id: UUID | None = None


class JobAsks(Answer):
    """A job waits for an answer. Reply with `reply_with` and your text, on the stream or queue of submissions."""

    kind: Literal["job_asks"] = "job_asks"
    job_id: UUID
    request_id: UUID
    stage: str
    """The stage that asks, or that the coordinator asks about."""
    question: str
    """In the job's language, as are choices and guidance."""
    choices: tuple[str, ...] = ()
    must_choose: bool = False
    """True: the answer begins with one of the choices. False: any text is an answer."""
    guidance: str | None = None
    """How to find the answer out."""
    detail: Json | None = None
    """The question in the form of its kind of job, if it is under 64 KB: the phenomena of a diagnosis, for example."""
    reply_with: Json
    """The message that answers it; only `answer.text` is left to fill in."""
    page: str | None = None
    """URL of the job's page in the console, where a person can answer; None: the deployment has not said where people reach it."""


class CommandTaken(Answer):
    """The reply to a message for a job (`JobCommand`) that was followed."""

    kind: Literal["command_taken"] = "command_taken"
    job_id: UUID
    command: Literal["answer", "instruct", "cancel"]
    request_id: UUID | None = None
    """The question that was answered, or the instruction."""
    changed: bool = True
    """False: it was done before, by this message or another."""


class CommandRefused(Answer):
    """The reply to a message for a job that was not followed."""

    kind: Literal["command_refused"] = "command_refused"
    job_id: UUID | None = None
    error: str
    """What is wrong, and what to do."""
    quarantine_id: UUID | None = None


class JobFinished(Answer):
    """A job ended. Its deliverables are on the blackboard."""

    kind: Literal["job_finished"] = "job_finished"
    job_id: UUID
    status: JobStatus
    result: Json | None = None
    """The content of the job's result, if the job succeeded and the content is under 64 KB. The playbook names the stage that yields
    it. Statements in it are rendered as text in the job's language."""
    error: str | None = None
    page: str | None = None
    """URL of the job's page in the console; None: the deployment has not said where people reach it."""
