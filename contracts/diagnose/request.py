"""What a user submits as a `diagnose` job."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from contracts.base import Contract, Text


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
    max_turns: int = Field(default=5, ge=1, le=20, description="Questions asked at most before the diagnoser must conclude.")
    method: DiagnosisMethod | None = Field(
        default=None, description="Diagnosis method: gar, rar or hybrid. Default: the deployment's, BULLPEN_DIAGNOSE_METHOD."
    )
    profile: DiagnosisProfile = Field(default=DiagnosisProfile.OURS, description="Formulas that gar and hybrid weigh causes with.")
