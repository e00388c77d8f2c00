"""Feedback: what a human says of a finished job, and what was learnt from it."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from contracts.base import Contract, Text
from contracts.tuning_plan import FixKind
from contracts.tuning_verdicts import TuningClass


class DiagnosisFeedback(Contract):
    """Whether a diagnosis was right; if not, what it really was."""

    verdict: Literal["right", "wrong"]
    cause: Text | None = Field(default=None, max_length=4_000)
    """With `wrong`: the id of a known cause (`C-...`), the text of one, or a new cause in words."""
    solution: Text | None = Field(default=None, max_length=20_000)
    """What solved it. None: the solution that the history knows for the cause."""

    @model_validator(mode="after")
    def _one_word(self) -> "DiagnosisFeedback":
        if (self.verdict == "wrong") != bool(self.cause and self.cause.strip()):
            raise ValueError("a wrong diagnosis needs the cause that it really was, and a right one has it")
        return self


class Learnt(Contract):
    """What became of feedback on a diagnosis: a ticket of the history."""

    ticket_id: str
    verdict: Literal["right", "wrong"]
    root_cause: str
    cause_id: str
    known_cause: bool
    """The history had this cause before, from other tickets."""
    stored: Literal["imported", "updated", "unchanged"]


FixId = Annotated[str, StringConstraints(pattern=r"^F[1-9][0-9]{0,3}$")]
"""`F1`, `F2`, ...: a fix, as the report of its job numbers it."""


class AdviceFeedback(Contract):
    """Whether a user took one fix of a tuning report."""

    fix: FixId
    verdict: Literal["adopted", "ignored"]


class AdviceNoted(Contract):
    """What became of a user's word on one fix."""

    fix: FixId
    kind: FixKind
    title: Text
    verdict: Literal["adopted", "ignored"]
    experience: tuple[str, ...] = ()
    """Pieces of experience that it counts for; none: for all that describe a remedy of this kind."""
    before: Literal["adopted", "ignored"] | None = None
    """What was said of it earlier."""


class AdviceLearnt(Contract):
    """What became of feedback on a tuning report. It counts in the next search."""

    tuning_class: TuningClass
    """In jobs of this class."""
    noted: tuple[AdviceNoted, ...]
    adopted: tuple[FixId, ...] = ()
    """All that is said of the job by now."""
    ignored: tuple[FixId, ...] = ()
