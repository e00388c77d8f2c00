"""What an evaluation of `etl` can be asked for."""

from pathlib import Path

from pydantic import Field

from contracts.base import Contract
from contracts.jobs import EngineChoice
from contracts.statements import LanguageCode


class EtlEvaluation(Contract):
    """Options of `bullpen eval etl`."""

    data: Path | None = Field(
        default=None, description="Folder of evaluation data: it holds `etl`. Without it only our own requirements are read."
    )
    engine: EngineChoice = Field(
        default=EngineChoice.RULES,
        description="Who reads what the rules leave open: nobody (rules), or a model (auto). llm: the model reads everything.",
    )
    language: LanguageCode | None = Field(default=None, description="Read only the requirements in this language: en or zh.")
    only: str | None = Field(default=None, description="Read only the requirements whose ids begin with this.")
    sample: int | None = Field(default=None, ge=1, description="Read only this many of them, drawn by `--seed`.")
    seed: int = Field(default=0, description="Which of them `--sample` draws.")
