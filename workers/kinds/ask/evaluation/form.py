"""What an evaluation of `ask` can be asked for."""

from pathlib import Path

from pydantic import Field

from contracts.base import Contract
from contracts.jobs import EngineChoice


class AskEvaluation(Contract):
    """Options of `bullpen eval ask`."""

    data: Path | None = Field(
        default=None,
        description="Folder of evaluation data that holds `ask` and `nl2sql`. Default: the made-up companies that come with Bullpen.",
    )
    only: str | None = Field(default=None, description="Play only the dialogues whose ids begin so.")
    engine: EngineChoice = Field(default=EngineChoice.RULES, description="Who answers: rules, or the model of BULLPEN_MODEL (llm).")
