"""What a user submits as a `diagnose` job."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from contracts.base import Contract, Text


class DiagnosisMethod(StrEnum):
    """How an incident is diagnosed."""

    DIFFERENTIAL = "differential"
    """Starts from the nearest tickets, settles the system, and asks only what tells the plausible causes apart."""
    GAR = "gar"
    """Computes a posterior over the causes of the history from the phenomena they show."""
    RAR = "rar"
    """Reads the nearest tickets directly, with a model or a weighted vote."""
    HYBRID = "hybrid"
    """GAR. If GAR stays below its threshold, RAR is consulted, and its conclusion counts only if the history supports it."""


class DiagnosisProfile(StrEnum):
    """Which formulas GAR uses."""

    OURS = "ours"
    """A posterior; questions are chosen by expected information gain."""
    SEED = "seed"
    """The weighted sums of an earlier design, kept for comparison."""


class DiagnoseRequest(Contract):
    """An incident, as the user describes it."""

    kind: Literal["diagnose"] = "diagnose"
    description: Text = Field(min_length=1, max_length=20_000)
    """What is wrong, in the user's words, in any language."""
    system: Text = Field(
        default="",
        max_length=40,
        description="System that it is about (bullpen system list). Default: the one its words name.",
    )
    max_turns: int = Field(default=5, ge=1, le=20, description="Most questions to ask before it must conclude.")
    method: DiagnosisMethod | None = Field(
        default=None, description="Diagnosis method: differential, gar, rar or hybrid. Default: BULLPEN_DIAGNOSE_METHOD of the deployment."
    )
    profile: DiagnosisProfile = Field(default=DiagnosisProfile.OURS, description="Formulas by which gar and hybrid weigh causes.")
