"""The options of `bullpen eval network` and `bullpen eval telecom`."""

from pathlib import Path

from pydantic import BaseModel, Field


class NetworkEvaluation(BaseModel):
    """Which scenarios are made."""

    scenarios: int = Field(default=200, ge=1, le=5_000, description="How many; the six kinds of problems take turns.")
    first: int = Field(default=1, ge=0, le=1_000_000, description="Seed of the first one.")


class TelecomEvaluation(BaseModel):
    """The drive tests."""

    drive_tests: Path = Field(description="JSON lines: id, question (a text with tables and options), label (of the right option).")
