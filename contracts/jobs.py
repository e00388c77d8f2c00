"""Jobs: what a user submits, the states it goes through, and what it may cost."""

from enum import StrEnum
from typing import Literal
from uuid import UUID

from pydantic import Field

from contracts.base import Contract, Json, Message, Text
from contracts.limits import MOST_COST_USD, MOST_TOKENS, MOST_WALL_TIME_S


class JobStatus(StrEnum):
    """Where a job stands."""

    ACCEPTED = "accepted"
    """Durable, not yet begun: the boss has not seen it, or its owner has as many jobs running as they may."""
    RUNNING = "running"
    WAITING_HUMAN = "waiting_human"
    """A question is open and nothing is running. No worker is held."""
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


FINISHED = frozenset({JobStatus.SUCCEEDED, JobStatus.FAILED, JobStatus.CANCELLED})


class StepStatus(StrEnum):
    """Where one step stands. `queued` and `running` are live."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


LIVE = frozenset({StepStatus.QUEUED, StepStatus.RUNNING})


class EngineChoice(StrEnum):
    """Who does the reasoning of a role."""

    AUTO = "auto"
    """A model when one is configured, else rules; rules also when the model fails."""
    RULES = "rules"
    LLM = "llm"


class Budget(Contract):
    """What a job may use, since the last word a human said. None: the deployment's default."""

    wall_time_s: float | None = Field(default=None, gt=0, le=MOST_WALL_TIME_S)
    """Seconds of work, waiting for a human not counted."""
    tokens: int | None = Field(default=None, gt=0, le=MOST_TOKENS)
    cost_usd: float | None = Field(default=None, gt=0, le=MOST_COST_USD)


class SubmitJob(Message):
    """The message that enqueues a job: the body of the `jobs` queue, of `bullpen.submit` and of the CLI alike."""

    v: Literal[1] = 1
    job: Json
    """The request; its `kind` selects the playbook, which validates the rest (e.g. `DiagnoseRequest`)."""
    owner: Text = Field(default="default", min_length=1, max_length=200)
    """Whom the job counts against in the concurrency cap."""
    priority: int = Field(default=5, ge=0, le=9)
    """9 is the most urgent."""
    idempotency_key: Text | None = Field(default=None, min_length=1, max_length=200)
    """Same key and same body of one owner: the same job. Same key, another body: refused."""
    correlation_id: Text | None = Field(default=None, max_length=200)
    """Given back in every answer to `reply_to`."""
    reply_to: Text | None = Field(default=None, max_length=500)
    """Where answers go: `stream:NAME` (Redis), `queue:NAME` (AMQP), or an http(s) URL (webhook)."""
    session_id: UUID | None = None
    """Groups jobs; a later job of a session may see the deliverables of an earlier one."""
    engine: EngineChoice = EngineChoice.AUTO
    budget: Budget = Budget()
