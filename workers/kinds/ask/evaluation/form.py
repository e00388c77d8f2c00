"""What an evaluation of `ask` can be asked for."""

from pathlib import Path

from pydantic import Field

from contracts.base import Contract


class AskEvaluation(Contract):
    """Options of `bullpen eval ask`."""

    data: Path = Field(default=Path("../shared/data"), description="Folder of the evaluation data: it holds `ask` and `nl2sql`.")
    only: str | None = Field(default=None, description="Play only the dialogues whose ids begin so.")
