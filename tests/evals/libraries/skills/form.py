"""The options of `bullpen eval skills`."""

from pathlib import Path

from pydantic import BaseModel, Field


class SkillsEvaluation(BaseModel):
    """What is measured."""

    folder: Path = Field(description="A skill folder.")
    labels: Path | None = Field(default=None, description="JSON lines: folder, name, description, as the loader must read them.")
    queries: Path | None = Field(default=None, description="JSON lines: id, query, gold (the name of the skill that fits).")
    others: tuple[Path, ...] = Field(
        default=(),
        description="JSON lines with questions that no skill fits: question, question_zh, or turns with user. May be repeated.",
    )
