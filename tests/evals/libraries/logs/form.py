"""The options of `bullpen eval logs`."""

from pathlib import Path

from pydantic import BaseModel, Field


class LogsEvaluation(BaseModel):
    """What is measured; each part is optional."""

    queries: Path | None = Field(default=None, description="JSON lines: query, valid.")
    metrics: Path | None = Field(default=None, description="JSON lines: query, eval_at, samples (ts, value), expected.")
    questions: Path | None = Field(default=None, description="JSON lines: id, question, kind, parts of the query that is meant.")
    labels: Path | None = Field(default=None, description="JSON: label → its values; for the questions.")
    dialogues: Path | None = Field(default=None, description="JSON lines: turns whose `expect.log` is the query that is meant.")
    lines: Path | None = Field(default=None, description="JSON lines: ts, labels, line; the log of the dialogues.")
