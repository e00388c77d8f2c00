"""The choice of the stage that an instruction is meant for: the model's answer and the deliverable."""

from pydantic import Field

from contracts.base import Contract, Text
from contracts.stages import StageName


class StageAnswer(Contract):
    """A model's answer."""

    reasoning: Text = Field(min_length=1, max_length=2_000)
    stage: Text | None = Field(default=None, max_length=80)
    """One of the stages in the prompt. None if the instruction fits several of them, or does not fit any."""


class Choice(Contract):
    """The deliverable of a stage `choose/n`."""

    stage: StageName | None = None
    """None if the stage is not clear; then the human is asked."""
    reason: Text = ""
