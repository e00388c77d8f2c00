"""The options of `bullpen eval diagnose`."""

from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, Field

from contracts.diagnose.request import DiagnosisProfile


class MethodChoice(StrEnum):
    """A method, or all of them side by side."""

    DIFFERENTIAL = "differential"
    GAR = "gar"
    RAR = "rar"
    HYBRID = "hybrid"
    ALL = "all"


class Reasoner(StrEnum):
    """Who reasons where a method may consult a model."""

    RULES = "rules"
    LLM = "llm"


class DiagnoseEvaluation(BaseModel):
    """What is played, and how."""

    tickets: Path | None = Field(
        default=None,
        description="The history: JSON, JSON lines or CSV, as `tickets import` takes it; or a folder of such files. Default: the "
        "history of five systems that ships with Bullpen, with its incidents.",
    )
    cases: Path | None = Field(default=None, description="The incidents, in the same format. Default: the tickets of the history.")
    openings: Path | None = Field(
        default=None, description="Cases opened in other words, JSON lines: `ticket_id` of a ticket, `opening`. Each line is a case."
    )
    incidents: Path | None = Field(
        default=None, description="Folder of incidents with facts, instead of `--cases`: incidents.jsonl, observations.json, causes.json."
    )
    absent: bool = Field(default=False, description="Leave every ticket of a case's cause out of the history: `unknown` is right.")
    unsure: float = Field(default=0.0, ge=0.0, le=1.0, description="Probability that the user does not know.")
    err: float = Field(default=0.0, ge=0.0, le=1.0, description="Probability that the user says the opposite.")
    method: MethodChoice = Field(default=MethodChoice.DIFFERENTIAL, description="`all`: every method and profile side by side.")
    profile: DiagnosisProfile = Field(default=DiagnosisProfile.OURS, description="Formulas by which GAR weighs causes.")
    by_group: bool = Field(default=False, description="Distinguish only the causes of a ticket's `symptom_group`.")
    opening: str = Field(
        default="description", description="What the user first says: `description`, or a key of the metadata, e.g. symptom_class."
    )
    withhold: bool = Field(default=False, description="Remove the description of a ticket that stays in the history.")
    overlook: float = Field(default=0.0, ge=0.0, le=1.0, description="Probability that the user denies a phenomenon that is present.")
    rounds: int = Field(default=1, ge=1, le=1000, description="Number of times that each case is played.")
    max_turns: int = Field(default=5, ge=1, le=20, description="Questions before the diagnoser must conclude.")
    details: Path | None = Field(default=None, description="File for the outcome of every dialogue, as JSON lines.")
    engine: Reasoner = Field(
        default=Reasoner.RULES, description="Who reasons for RAR and hybrid: the rules, or `llm` for the configured model."
    )
