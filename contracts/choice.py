"""Which stage an instruction is meant for: what a model answers, and what is made of it."""

from pydantic import Field

from contracts.base import Contract, Text
from contracts.stages import StageName


class StageAnswer(Contract):
    """A model's answer."""

    reasoning: Text = Field(min_length=1, max_length=2_000)
    stage: Text | None = Field(default=None, max_length=80)
    """One of the stages that were shown. None: the instruction may be meant for more than one of them, or for none."""


class Choice(Contract):
    """The deliverable of a stage `choose/n`."""

    stage: StageName | None = None
    """None: nobody could say; the human is asked."""
    reason: Text = ""
