"""Jobs: what a user submits, the states it goes through, and what it may cost."""

from enum import StrEnum
from typing import Literal
from uuid import UUID

from pydantic import Field

from contracts.base import Contract, Json, Message, Text
from contracts.limits import MOST_COST_USD, MOST_TOKENS, MOST_WALL_TIME_S


class JobStatus(StrEnum):
    """The state of a job."""

    ACCEPTED = "accepted"
    """Stored durably but not yet started: the coordinator has not seen it, or its owner has reached the limit of running jobs."""
    RUNNING = "running"
    WAITING_HUMAN = "waiting_human"
    """A question is open and nothing is running. No worker is held."""
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


FINISHED = frozenset({JobStatus.SUCCEEDED, JobStatus.FAILED, JobStatus.CANCELLED})


class StepStatus(StrEnum):
    """The state of a step. `queued` and `running` are live."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


LIVE = frozenset({StepStatus.QUEUED, StepStatus.RUNNING})


class EngineChoice(StrEnum):
    """Who does the reasoning of a role."""

    AUTO = "auto"
    """A model if one is configured, otherwise rules. Rules also apply if the model fails."""
    RULES = "rules"
    LLM = "llm"


class Budget(Contract):
    """What a job may use after the last input of a human. None stands for the default of the deployment."""

    wall_time_s: float | None = Field(default=None, gt=0, le=MOST_WALL_TIME_S)
    """Seconds of work; time spent waiting for a human does not count."""
    tokens: int | None = Field(default=None, gt=0, le=MOST_TOKENS)
    cost_usd: float | None = Field(default=None, gt=0, le=MOST_COST_USD)


class SubmitJob(Message):
    """The message that enqueues a job: the body of the `jobs` queue, of `bullpen.submit` and of the CLI alike."""

    v: Literal[1] = 1
    job: Json
    """The request; its `kind` selects the playbook, which validates the rest (e.g. `DiagnoseRequest`)."""
    owner: Text = Field(default="default", min_length=1, max_length=200)
    """The user whose limit of running jobs applies."""
    priority: int = Field(default=5, ge=0, le=9)
    """9 is the most urgent."""
    idempotency_key: Text | None = Field(default=None, min_length=1, max_length=200)
    """The same key and body from the same owner return the same job. The same key with another body is refused."""
    correlation_id: Text | None = Field(default=None, max_length=200)
    """Copied into every answer to `reply_to`."""
    reply_to: Text | None = Field(default=None, max_length=500)
    """Where answers go: `stream:bullpen:replies:NAME` (Redis), `queue:NAME` (AMQP), or an http(s) URL (webhook)."""
    session_id: UUID | None = None
    """Groups jobs; a later job of a session may see the deliverables of an earlier one."""
    engine: EngineChoice = EngineChoice.AUTO
    budget: Budget = Budget()
