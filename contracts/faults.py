"""The fleet's own faults as incidents: what failed, what helped, and the advice that follows from it."""

from enum import StrEnum

from pydantic import AwareDatetime, Field

from contracts.base import Contract, Text


class FixKind(StrEnum):
    """What was done before it worked."""

    NOTE = "note"
    """An operator said what helped."""
    REPLAYED = "replayed"
    """The entry was replayed, and its job went on."""
    AGAIN = "again"
    """The stage was done again, unchanged."""
    CHANGED = "changed"
    """The stage was done again after a remark or with other parameters."""


class Fault(Contract):
    """A step that failed, or an entry of the quarantine."""

    id: str
    where: str
    """The role, or the source of a message."""
    error: str
    """The error's class."""
    message: Text = Field(default="", max_length=4_000)
    stage: str | None = None
    kind: str | None = None
    """Kind of job."""


class SolvedFault(Fault):
    """A fault, and what helped."""

    fix: FixKind
    note: Text | None = None
    """Of `FixKind.NOTE`: the operator's words."""
    at: AwareDatetime
    """When it was solved."""


class Fix(Contract):
    """What helped, how often, and when last."""

    kind: FixKind
    note: Text | None = None
    times: int = Field(ge=1)
    last_at: AwareDatetime


class FaultAdvice(Contract):
    """What helped with faults that are likely the same."""

    cause: str
    confidence: float = Field(ge=0, le=1)
    faults: int = Field(ge=1)
    """Solved faults of this cause."""
    fixes: tuple[Fix, ...]
    """What helped most often first, with ties the latest first."""
