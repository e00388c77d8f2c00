"""Checks: what may be looked up in a system without asking anybody, and what was found.

A check is one SELECT over the server's own statistics. It gives the rows of a fault, the worst first: no row, and the fault is not there.
"""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, StringConstraints, model_validator

from contracts.base import Contract, Text
from contracts.log_sources import LogPoint
from contracts.logs import Matcher
from contracts.sources import SourceKind, SourceName
from contracts.statements import Sayable

CheckName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,59}$")]
"""`lock_wait`. A part of the codes of its texts."""

SystemName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,39}$")]
"""Short, lower case."""

Pattern = Annotated[Text, StringConstraints(min_length=2, max_length=200)]

ROWS_KEPT = 10
"""Rows of a finding."""
CURVE_KEPT = 120
"""Points of a finding's curve."""


class Sensor(Contract):
    """A log or a metrics server, and what of it is a system's."""

    name: SourceName
    matchers: tuple[Matcher, ...] = Field(default=(), max_length=10)
    """Conditions on labels that all lines or series of the system fit. Empty: all that there are."""


class System(Contract):
    """A system that incidents are about, and where to look at it: a database, a log, metrics, or several of these."""

    name: SystemName
    source: SourceName | None = None
    """Its database, by an account that may read the server's statistics."""
    logs: Sensor | None = None
    metrics: Sensor | None = None
    match: tuple[Pattern, ...] = Field(default=(), max_length=20)
    """Words of a description, or `label=value` of an alert, that mean this system; `*` stands for any characters. Its name always does."""
    owners: tuple[Annotated[Text, StringConstraints(min_length=1, max_length=200)], ...] = ()
    """Whose incidents it is looked at for. Empty: everyone's."""

    @model_validator(mode="after")
    def _has_a_sensor(self) -> "System":
        if not (self.source or self.logs or self.metrics):
            raise ValueError("a system needs a source, a log or a metrics server at which it is looked at")
        return self

    def is_open_to(self, owner: str) -> bool:
        """Whether an owner is among its owners, or everyone is."""
        return not self.owners or owner in self.owners


class AnyCheck(Contract):
    """What checks of all sensors have."""

    name: CheckName
    group: Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,40}$")]
    """`locks`, `vacuum`: what it is about."""
    is_cause: bool = False
    """Whether what it finds may be the cause of an incident. Otherwise it is a sign, or a state worth knowing."""
    explains: tuple[CheckName, ...] = ()
    """Checks whose finding is a consequence where this one finds something."""


class Check(AnyCheck):
    """One thing to look up in a database."""

    kind: SourceKind
    """The engine that it is for."""
    since: int = Field(default=0, ge=0, le=1_000)
    """The first major version of the engine that has what it reads."""
    extension: str = ""
    """An extension that it needs."""
    sql: Text
    """Gives the rows of the fault, the worst first; their first column is `severity`, from 0 (a trifle) to 1 (it stops everything)."""


Measured = Annotated[float, Field(ge=-1e18, le=1e18)]
"""A number in the unit of its check."""


class SensorKind(StrEnum):
    """What else is looked at."""

    LOGS = "logs"
    METRICS = "metrics"


class Threshold(Contract):
    """The newest number of a series is beyond a bar. Of a log: the number of lines within the window."""

    read: Literal["threshold"] = "threshold"
    above: Measured | None = None
    below: Measured | None = None
    worst: Measured | None = None
    """The number that is as bad as can be: severity 1."""

    @model_validator(mode="after")
    def _has_one_bar(self) -> "Threshold":
        if (self.above is None) == (self.below is None):
            raise ValueError("a threshold has either above or below")
        return self


class Presence(Contract):
    """There is a line, or a series whose newest number is not 0."""

    read: Literal["presence"] = "presence"


class Trend(Contract):
    """A series moves along a line, and reaches a number soon. Metrics only."""

    read: Literal["trend"] = "trend"
    reaches: Measured
    toward: Literal["up", "down"] | None = None
    """From which side: rising or falling. None: falling where it is 0; any other number leaves the check undecided."""
    within_s: float = Field(gt=0, le=366 * 86_400)
    """Seconds from now on within which it does."""
    over_s: float = Field(default=6 * 3600, ge=600, le=31 * 86_400)
    """Seconds that the line is drawn over."""


class Compared(Contract):
    """The newest number is some times that of the hour before, and that of the same hour a week ago. Where one of the two is not known, the
    other decides; where neither is, nothing can be said."""

    read: Literal["compared"] = "compared"
    factor: float = Field(default=3.0, gt=1, le=1_000)
    least: float = Field(gt=0, le=1e18)
    """A smaller number is no jump."""


Rule = Annotated[Threshold | Presence | Trend | Compared, Discriminator("read")]
"""How numbers or lines become confirmed, denied or not decidable."""


class Unit(StrEnum):
    """What the numbers of a check measure."""

    NUMBER = "number"
    COUNT = "count"
    SECONDS = "seconds"
    BYTES = "bytes"
    SHARE = "share"


class SensorCheck(AnyCheck):
    """One thing to look up in a log or in metrics. Nothing is denied of a system of which the sensor sees nothing."""

    kind: SensorKind
    query: Text
    """LogQL that selects lines, or PromQL that gives series; it is narrowed to the system's lines or series. `{}` selects all lines."""
    rule: Rule
    unit: Unit = Unit.NUMBER
    severity: float = Field(default=0.3, ge=0, le=1)
    """Of a finding at its bar; it grows up to 1 at the rule's worst number."""
    window_s: float = Field(default=3600.0, ge=60, le=86_400)
    """Seconds of a log that are looked at."""

    @model_validator(mode="after")
    def _fits_its_sensor(self) -> "SensorCheck":
        if self.kind is SensorKind.LOGS and isinstance(self.rule, Trend):
            raise ValueError("a trend is read of metrics only")
        return self


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
    about: Text = ""
    """What was looked for, in the words of an operator's check. Empty of a shipped one."""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = Field(default=(), max_length=ROWS_KEPT)
    count: int = Field(default=0, ge=0, le=1_000_000)
    """Rows in all."""
    sql: Text = ""
    """The query: SQL, LogQL or PromQL."""
    sensor: Annotated[str, StringConstraints(pattern=r"^[a-z]{0,20}$")] = ""
    """`postgres`, `logs`, `metrics`. Empty of a release that had databases only."""
    curve: tuple[LogPoint, ...] = Field(default=(), max_length=CURVE_KEPT)
    """The worst series over time."""
    ms: int = Field(default=0, ge=0, le=86_400_000)


class MethodRun(Contract):
    """What a person had looked up by the method that a question names: SQL, LogQL or PromQL, run read-only. It says no yes and no no: the
    method has no reading rule, and the person who sees the rows answers."""

    item: int = Field(ge=1, le=100)
    """Its number in the question."""
    language: Literal["sql", "logql", "promql"]
    query: Text
    """As it ran, narrowed to the system."""
    system: SystemName
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = Field(default=(), max_length=ROWS_KEPT)
    count: int = Field(default=0, ge=0, le=1_000_000)
    """Rows, lines or series in all."""
    why_not: Sayable = ""
    """Why it did not run to its end."""
    asked_by: str
    at: datetime


class Gathered(Contract):
    """The deliverable of a look at a system."""

    system: SystemName
    source: SourceName | None = None
    engine: SourceKind | None = None
    """None: it has no database, or that could not be reached from here."""
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

    def id_of(self, found: CheckFinding) -> str:
        """`postgres.lock_wait`: what a finding is called as a cause."""
        return f"{found.sensor or self.engine or 'system'}.{found.check}"
