"""What a program says to a job by message: it answers a question, gives an instruction, or cancels the job."""

from typing import Literal
from uuid import UUID

from pydantic import Field, model_validator

from contracts.base import Message, Text
from contracts.limits import MOST_WORD_CHARACTERS

NAMES = ("answer", "instruct", "cancel")
"""The fields by which a message is known to be such a command."""


class AnswerQuestion(Message):
    """The answer to a question. The first answer counts: the same text again changes nothing, another one is refused."""

    job_id: UUID
    request_id: UUID | None = None
    """The question, from `job_asks`. It may be left out if exactly one is open."""
    text: Text = Field(min_length=1, max_length=MOST_WORD_CHARACTERS)


class InstructJob(Message):
    """What the job should do differently."""

    job_id: UUID
    text: Text = Field(min_length=1, max_length=MOST_WORD_CHARACTERS)
    stage: Text | None = Field(default=None, max_length=200)
    """The stage it is meant for. By default the coordinator finds it, or asks."""


class CancelJob(Message):
    """End the job, with its running steps and open questions."""

    job_id: UUID


class JobCommand(Message):
    """A message for a job, on the same stream or queue as submissions. It has exactly one of `answer`, `instruct` and `cancel`."""

    v: Literal[1] = 1
    answer: AnswerQuestion | None = None
    instruct: InstructJob | None = None
    cancel: CancelJob | None = None
    owner: Text = Field(default="default", min_length=1, max_length=200)
    """Must be the owner of the job."""
    idempotency_key: Text | None = Field(default=None, min_length=1, max_length=200)
    """The same instruction with the same key is given once. Answers and cancellations need none."""
    correlation_id: Text | None = Field(default=None, max_length=200)
    """Copied into the reply. Default: that of the job."""
    reply_to: Text | None = Field(default=None, max_length=500)
    """Where the reply goes. Default: the `reply_to` of the job."""

    @model_validator(mode="after")
    def _says_a_single_thing(self) -> "JobCommand":
        if sum(getattr(self, name) is not None for name in NAMES) != 1:
            raise ValueError("a message for a job has exactly one of answer, instruct and cancel")
        return self

    @property
    def name(self) -> Literal["answer", "instruct", "cancel"]:
        """Which of the three it is."""
        return "answer" if self.answer is not None else "instruct" if self.instruct is not None else "cancel"

    @property
    def job_id(self) -> UUID:
        """The job that it is for."""
        part = self.answer or self.instruct or self.cancel
        if part is None:
            raise ValueError("The message names no job.")
        return part.job_id
