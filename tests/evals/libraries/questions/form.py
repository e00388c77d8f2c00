"""The options of `bullpen eval questions`."""

from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, Field


class QuestionsEvaluation(BaseModel):
    """What is measured, and with what."""

    data: Path | None = Field(
        default=None,
        description="A folder with questions.jsonl, questions_zh.jsonl, unanswerable.jsonl, catalogue.jsonl and sqlite/<database>.sqlite. "
        "Without one, the questions of three made-up companies that come with Bullpen.",
    )
    now: datetime = Field(default=datetime(2026, 11, 21, 12), description="The moment that counts as now.")  # noqa: DTZ001 local time
    apart: str = Field(default="", description="Databases, separated by commas, whose figures are also reported separately.")
    details: Path | None = Field(default=None, description="Write every question's outcome here, as JSON lines.")
