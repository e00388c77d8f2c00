"""What an evaluation of `ask` can be asked for."""

from enum import StrEnum
from pathlib import Path

from pydantic import Field

from contracts.base import Contract
from contracts.jobs import EngineChoice


class QuestionSet(StrEnum):
    """Single questions to ask in the place of dialogues."""

    SMALL24 = "small24"
    """24 questions over three databases, always the same: what a small model on a laptop gets through."""
    ALL = "all"


class AskEvaluation(Contract):
    """Options of `bullpen eval ask`."""

    data: Path | None = Field(
        default=None,
        description="Folder of the evaluation data: `ask` holds dialogues.jsonl, `nl2sql` the databases and the single questions.",
    )
    only: str | None = Field(default=None, description="Play only the dialogues whose ids begin with this.")
    engine: EngineChoice = Field(default=EngineChoice.RULES, description="Who answers: rules, or the model of BULLPEN_MODEL (llm).")
    questions: QuestionSet | None = Field(
        default=None, description="Ask single questions of `nl2sql` instead of playing dialogues: small24, or all."
    )
