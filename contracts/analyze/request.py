"""What a user submits as an `analyze` job."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract, Text
from contracts.statements import LanguageCode


class AnalyzeRequest(Contract):
    """A question that a skill guides."""

    kind: Literal["analyze"] = "analyze"
    question: Text = Field(min_length=1, max_length=20_000)
    """In the user's words, in any language. Several lines that were suggested choose several suggestions at once."""
    skill: Text | None = Field(default=None, max_length=100, description="The skill to follow. Default: chosen from the question.")
    language: LanguageCode | None = Field(default=None, description="Language of the answer. Default: that of the question.")
