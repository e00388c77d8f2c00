"""Feedback: what a human says of a finished job, and what was learnt from it."""

from typing import Annotated, Literal

from pydantic import StringConstraints

from contracts.base import Contract
from contracts.statements import Sayable
from contracts.tune.plan import FixKind
from contracts.verdicts import TuningClass

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
    title: Sayable
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
