"""What a user submits as a `tune` job."""

from datetime import date
from enum import StrEnum
from typing import Literal

from pydantic import Field, field_validator

from contracts.base import Contract, Text
from contracts.statements import LanguageCode
from contracts.urls import may_hold_secret

DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


class RecommenderProfile(StrEnum):
    """Which formulas choose the next artefacts to read."""

    OURS = "ours"
    SEED = "seed"
    """The keyword scores of an earlier design, kept for comparison."""


class TuneRequest(Contract):
    """A slow big-data job, as the user submits it."""

    kind: Literal["tune"] = "tune"
    bundle: Text = Field(default="", max_length=2_000)
    """Where its files are: `sha256:...` of the artefact store, to which the CLI uploads, or a path or a URL that the deployment allows.
    Empty: the description is the text of a plan, a script or a log, and the only file."""
    description: Text = Field(
        default="", max_length=200_000, description="What is wrong, in your words; without files, the text of a plan, a script or a log."
    )
    attempt: str | None = Field(
        default=None, max_length=50, description="Attempt of the application, if the log has several. Default: the last one."
    )
    run: str | None = Field(
        default=None,
        min_length=1,
        max_length=300,
        description="Run to report, by application id, log or name, if there are several. Default: the worst one.",
    )
    first_day: str | None = Field(
        default=None, pattern=DAY, description="First day of the runs to fetch from a Spark History Server, as 2026-01-31 (UTC)."
    )
    last_day: str | None = Field(default=None, pattern=DAY, description="Last day of these runs. Without days: the last 24 hours with any.")
    language: LanguageCode | None = Field(
        default=None, description="Language of the report. Default: the language of the description, or English without a description."
    )
    profile: RecommenderProfile = Field(default=RecommenderProfile.OURS, description="Formulas that choose the artefacts to read.")

    @field_validator("first_day", "last_day")
    @classmethod
    def _is_a_day(cls, value: str | None) -> str | None:
        if value is not None:
            date.fromisoformat(value)
        return value

    @field_validator("bundle")
    @classmethod
    def _keeps_no_secret(cls, value: str) -> str:
        if may_hold_secret(value):
            raise ValueError(
                "a URL with a user name, a password, a query or a fragment is not taken, since the job would keep what is secret in it. "
                "Give the workers credentials in their environment, or upload the files"
            )
        return value
