"""Feedback of a human on a finished job, and what was learnt from it."""

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
    """The effect of feedback on one fix."""

    fix: FixId
    kind: FixKind
    title: Sayable
    verdict: Literal["adopted", "ignored"]
    experience: tuple[str, ...] = ()
    """Pieces of experience that it counts for. If empty, it counts for every piece that describes a fix of this kind."""
    is_alone: bool = False
    """No piece describes a fix of this cause: then it counts for none."""
    before: Literal["adopted", "ignored"] | None = None
    """Earlier feedback on the same fix."""


class AdviceLearnt(Contract):
    """The effect of feedback on a tuning report. The next search takes it into account."""

    tuning_class: TuningClass
    """The class of jobs in which it counts."""
    noted: tuple[AdviceNoted, ...]
    adopted: tuple[FixId, ...] = ()
    """All feedback on the job so far."""
    ignored: tuple[FixId, ...] = ()
