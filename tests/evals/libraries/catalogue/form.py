"""What is measured, and how."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field


class CatalogueEvaluation(BaseModel):
    """The options of `bullpen eval catalogue`."""

    model_config = ConfigDict(extra="forbid")

    tables: Path = Field(description="Tables in the plain form (JSON, JSON lines, YAML, CSV): all that are searched.")
    questions: Path = Field(description="JSON lines with id, db (the source), question, instructions and gold_tables.")
    translated: Path | None = Field(
        default=None, description="JSON lines with id, question_zh and instructions_zh of some of the questions."
    )
    k: int = Field(default=5, ge=1, le=50, description="Tables that a search answers with.")
