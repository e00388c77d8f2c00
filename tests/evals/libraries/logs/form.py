"""The options of `bullpen eval logs`."""

from pathlib import Path

from pydantic import BaseModel, Field


class LogsEvaluation(BaseModel):
    """What is measured; each part is optional."""

    queries: Path | None = Field(default=None, description="JSON lines: query, valid.")
    metrics: Path | None = Field(default=None, description="JSON lines: query, eval_at, samples (ts, value), expected.")
