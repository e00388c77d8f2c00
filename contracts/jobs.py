"""Jobs: what a user submits, the states it goes through, and what it may cost."""

from enum import StrEnum
from typing import Literal
from uuid import UUID

from pydantic import Field, field_validator

from contracts.base import Contract, Json, Message, Text
from contracts.tuning_steps import RecommenderProfile
from contracts.urls import may_hold_secret


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

    wall_time_s: float | None = Field(default=None, gt=0)
    """Seconds of work, waiting for a human not counted."""
    tokens: int | None = Field(default=None, gt=0)
    cost_usd: float | None = Field(default=None, gt=0)


class DiagnosisMethod(StrEnum):
    """How an incident is diagnosed."""

    GAR = "gar"
    """A posterior over the causes of the history, by the phenomena they show."""
    RAR = "rar"
    """The nearest tickets read as they are, by a model or by weighted vote."""
    HYBRID = "hybrid"
    """GAR; RAR is consulted where GAR stays below its bar, and believed only where the history bears it."""


class DiagnosisProfile(StrEnum):
    """Which formulas GAR weighs with."""

    OURS = "ours"
    """A posterior, questions by expected information gain."""
    SEED = "seed"
    """The weighted sums of the source document, kept for comparison."""


class DiagnoseRequest(Contract):
    """A database incident, as its user tells it."""

    kind: Literal["diagnose"] = "diagnose"
    description: Text = Field(min_length=1, max_length=20_000)
    """What is wrong, in the user's words, in any language."""
    max_turns: int = Field(default=5, ge=1, le=20)
    """Questions asked at most before the diagnoser must conclude."""
    method: DiagnosisMethod | None = None
    """None: the deployment's default, `BULLPEN_DIAGNOSE_METHOD`."""
    profile: DiagnosisProfile = DiagnosisProfile.OURS


class TuneRequest(Contract):
    """A slow big-data job, as its user brings it."""

    kind: Literal["tune"] = "tune"
    bundle: Text = Field(min_length=1, max_length=2_000)
    """Where its files are: `sha256:...` of the artefact store (what the CLI uploads to), a path or a URL that the deployment allows."""
    description: Text = Field(default="", max_length=20_000)
    """What is wrong, in the user's words; may be empty."""
    attempt: str | None = Field(default=None, max_length=50)
    """Which attempt of the application is meant, where the log has several. None: the last one."""
    language: Literal["en", "zh"] | None = None
    """Of the report. None: the description's, English without one."""
    profile: RecommenderProfile = RecommenderProfile.OURS
    """Which formulas choose the artefacts to read."""

    @field_validator("bundle")
    @classmethod
    def _keeps_no_secret(cls, value: str) -> str:
        if may_hold_secret(value):
            raise ValueError(
                "a URL with a user name, a password, a query or a fragment is not taken, since the job would keep what is secret in it. "
                "Give the workers credentials in their environment, or upload the files"
            )
        return value


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
