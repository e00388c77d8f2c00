"""Feedback on a diagnosis, and what the history learnt from it."""

from typing import Literal

from pydantic import Field, model_validator

from contracts.base import Contract, Text


class DiagnosisFeedback(Contract):
    """Whether a diagnosis was right; if not, what it really was."""

    verdict: Literal["right", "wrong"]
    cause: Text | None = Field(default=None, max_length=4_000)
    """With `wrong`: the id of a known cause (`C-...`), the text of one, or a new cause in words."""
    solution: Text | None = Field(default=None, max_length=20_000)
    """What solved the incident. None for the solution that the history has for the cause."""

    @model_validator(mode="after")
    def _one_word(self) -> "DiagnosisFeedback":
        if (self.verdict == "wrong") != bool(self.cause and self.cause.strip()):
            raise ValueError("a wrong diagnosis needs the cause that it really was, and a right one has it")
        return self


class Learnt(Contract):
    """The effect of feedback on a diagnosis: a ticket of the history."""

    ticket_id: str
    verdict: Literal["right", "wrong"]
    root_cause: str
    cause_id: str
    known_cause: bool
    """Whether the history already had this cause from other tickets."""
    stored: Literal["imported", "updated", "unchanged"]
