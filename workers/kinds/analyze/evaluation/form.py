"""What an evaluation of `analyze` can be asked for."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from contracts.base import Contract


class AnalyzeEvaluation(Contract):
    """Options of `bullpen eval analyze`."""

    data: Path = Field(description="Folder of the evaluation data: it holds `analyze`.")
    only: str | None = Field(default=None, description="Play only the dialogues whose ids begin with this.")
    engine: Literal["rules", "auto", "llm", "scripted"] = Field(
        default="rules",
        description="rules; auto: the configured model (BULLPEN_MODEL) with the rules behind it, as in a fleet; llm: the model alone; "
        "scripted: prepared answers of a careless model, which the guards have to withstand.",
    )
