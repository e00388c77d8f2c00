"""The runs of a bundle that holds several event logs: the worst first, and which jobs have become slower."""

from enum import StrEnum

from pydantic import Field

from contracts.base import Contract, Text
from contracts.statements import Sayable
from contracts.verdicts import TuningClass, VerdictKind


class RunEnd(StrEnum):
    """How a run ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    """Its last job failed."""
    UNFINISHED = "unfinished"
    """The log ends before its last job does."""


class RunLine(Contract):
    """One run, as an overview shows it."""

    artefact: Text
    """Its event log in the bundle."""
    app_id: Text = ""
    app_name: Text = ""
    started_at: int | None = None
    """Unix ms."""
    wall_ms: int | None = None
    end: RunEnd
    tuning_class: TuningClass
    kind: VerdictKind | None = None
    """Of its largest problem; None if it has none."""
    lost_ms: float = Field(default=0, ge=0)
    """Wall time that its largest problem affects; of a failed run, all of it."""
    summary: Sayable = ""
    """Its largest problem in a sentence."""


class SlowerJob(Contract):
    """A job whose latest run took clearly longer than its earlier runs did."""

    app_name: Text
    before: Text
    """The event log of the run it is compared with: of the earlier runs the one in the middle, by their time."""
    after: Text
    """The event log of the latest run."""
    before_ms: int = Field(ge=0)
    after_ms: int = Field(ge=0)
    earlier_runs: int = Field(ge=1)
    reasons: tuple[Sayable, ...] = ()
    """Where the time went, and what differs between the two runs."""


class UnreadRun(Contract):
    """An event log that could not be compared, and why."""

    artefact: Text
    problem: Sayable


class RunsCompared(Contract):
    """All runs of a bundle, and the one that the report is about. Empty where there was nothing to choose: the bundle has at most one
    event log."""

    chosen: Text = ""
    """The event log that the report is about."""
    runs: tuple[RunLine, ...] = ()
    """Failed ones first, then by the time that their largest problem affects."""
    slower: tuple[SlowerJob, ...] = ()
    """The largest growth first."""
    unread: tuple[UnreadRun, ...] = ()
