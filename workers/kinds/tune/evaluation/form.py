"""The options of `bullpen eval tune`."""

from pathlib import Path

from pydantic import BaseModel, Field

from contracts.jobs import EngineChoice


class TuneEvaluation(BaseModel):
    """What is run, and by whom."""

    bundles: Path = Field(description="A folder with a bundle (folder or archive) for each label.")
    labels: Path = Field(description="JSON lines: id (of the bundle), label, and fix_keywords_any.")
    details: Path | None = Field(default=None, description="Write every case's outcome here, as JSON lines.")
    engine: EngineChoice = Field(default=EngineChoice.RULES, description="Who reasons; `llm`: the model that is configured.")
