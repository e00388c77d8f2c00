"""Checks: what may be looked up in a system without asking anybody, and what was found.

A check is one SELECT over the server's own statistics. It gives the rows of a fault, the worst first: no row, and the fault is not there.
"""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from contracts.base import Contract, Text
from contracts.sources import SourceKind, SourceName
from contracts.statements import Sayable

CheckName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,59}$")]
"""`lock_wait`. A part of the codes of its texts."""

SystemName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,39}$")]
"""Short, lower case."""

Pattern = Annotated[Text, StringConstraints(min_length=2, max_length=200)]

ROWS_KEPT = 10
"""Rows of a finding."""


class System(Contract):
    """A system that incidents are about, and where to look at it."""

    name: SystemName
    source: SourceName
    """Its database, by an account that may read the server's statistics."""
    match: tuple[Pattern, ...] = Field(default=(), max_length=20)
    """Words of a description, or `label=value` of an alert, that mean this system; `*` stands for any characters. Its name always does."""
    owners: tuple[Annotated[Text, StringConstraints(min_length=1, max_length=200)], ...] = ()
    """Whose incidents it is looked at for. Empty: everyone's."""

    def is_open_to(self, owner: str) -> bool:
        """Whether an owner is among its owners, or everyone is."""
        return not self.owners or owner in self.owners


class Check(Contract):
    """One thing to look up."""

    name: CheckName
    kind: SourceKind
    """The engine that it is for."""
    group: Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,40}$")]
    """`locks`, `vacuum`: what it is about."""
    is_cause: bool = False
    """Whether what it finds may be the cause of an incident. Otherwise it is a sign, or a state worth knowing."""
    explains: tuple[CheckName, ...] = ()
    """Checks whose finding is a consequence where this one finds something."""
    since: int = Field(default=0, ge=0, le=1_000)
    """The first major version of the engine that has what it reads."""
    extension: str = ""
    """An extension that it needs."""
    sql: Text
    """Gives the rows of the fault, the worst first; their first column is `severity`, from 0 (a trifle) to 1 (it stops everything)."""


class CheckOutcome(StrEnum):
    """What a check found."""

    CONFIRMED = "confirmed"
    DENIED = "denied"
    UNDECIDED = "undecided"
    """It could not be looked at: a missing right or extension, or it took too long."""


class CheckFinding(Contract):
    """What one check found, with the rows."""

    check: CheckName
    group: str
    outcome: CheckOutcome
    is_cause: bool = False
    severity: float = Field(default=0.0, ge=0, le=1)
    """Of the worst row."""
    because_of: tuple[CheckName, ...] = ()
    """Confirmed checks of which this is a consequence."""
    says: Sayable
    """What was found, of the worst row; of a check that found nothing, what is not the case; else why it is not known."""
    advice: Sayable = ""
    """What helps, of a cause."""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = Field(default=(), max_length=ROWS_KEPT)
    count: int = Field(default=0, ge=0, le=1_000_000)
    """Rows in all."""
    sql: Text = ""
    ms: int = Field(default=0, ge=0, le=86_400_000)


class Gathered(Contract):
    """The deliverable of a look at a system."""

    system: SystemName
    source: SourceName
    engine: SourceKind
    is_named: bool = True
    """Whether the incident names the system. Otherwise it is the only one that there is."""
    is_sure: bool = True
    """Whether it does so by `--system` or by a label with a value, and not by a word, which may mean something else."""
    findings: tuple[CheckFinding, ...] = ()
    """Confirmed ones first, the worst first."""
    ms: int = Field(default=0, ge=0, le=86_400_000)

    def of(self, outcome: CheckOutcome) -> tuple[CheckFinding, ...]:
        """Those with this outcome."""
        return tuple(found for found in self.findings if found.outcome is outcome)

    @property
    def causes(self) -> tuple[CheckFinding, ...]:
        """Causes that no other one explains, the worst first."""
        return tuple(found for found in self.of(CheckOutcome.CONFIRMED) if found.is_cause and not found.because_of)
