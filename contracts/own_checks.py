"""Checks that an operator wrote: a statement, LogQL or PromQL with its reading rule, and data on which it has to be right."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, StringConstraints, model_validator

from contracts.base import Contract, Text, content_hash
from contracts.checks import CheckName, CheckOutcome, Measured, Presence, Rule, SystemName, Unit

Short = Annotated[Text, StringConstraints(min_length=1, max_length=300)]
Query = Annotated[Text, StringConstraints(min_length=1, max_length=20_000)]
Ago = Annotated[float, Field(ge=0, le=31 * 86_400)]


class PlantedLine(Contract):
    """A line of a log."""

    line: Annotated[Text, StringConstraints(min_length=1, max_length=2_000)]
    ago_s: Ago = 60.0
    """Seconds before the check looks."""
    labels: dict[str, Text] = Field(default={}, max_length=20)


class PlantedSeries(Contract):
    """What the query gives of a series."""

    now: Measured | None = None
    hour_before: Measured | None = None
    last_week: Measured | None = None
    curve: tuple[Measured, ...] = Field(default=(), max_length=120)
    """Numbers of equal distance up to now."""


class PlantedTest(Contract):
    """Data, and what the check has to find in them."""

    expect: CheckOutcome
    tables: dict[Annotated[str, StringConstraints(max_length=63)], tuple[dict[str, Any], ...]] = Field(default={}, max_length=20)
    """Rows of the views that the statement reads; a value `{ago_s: 600}` is a time. A view without rows is empty."""
    lines: tuple[PlantedLine, ...] = Field(default=(), max_length=500)
    series: tuple[PlantedSeries, ...] = Field(default=(), max_length=50)


class OwnCheck(Contract):
    """A check that an operator wrote."""

    name: CheckName
    title: Short
    """What is the matter where it finds something."""
    fine: Text = Field(default="", max_length=300)
    """What is not the case where it finds nothing. Default: made of the title."""
    advice: Text = Field(default="", max_length=1_000)
    is_cause: bool = False
    severity: float = Field(default=0.3, ge=0, le=1)
    systems: tuple[SystemName, ...] = Field(default=(), max_length=50)
    """The systems that it is for. Empty: all that have its sensor."""
    sql: Query | None = None
    """One SELECT over the server's statistics. Its rows are the fault, the worst first; a column `severity` may say how bad each is."""
    logql: Query | None = None
    promql: Query | None = None
    rule: Rule = Presence()
    """How lines or numbers are read. Rows of a statement are read by their presence."""
    unit: Unit = Unit.NUMBER
    window_s: float = Field(default=3600.0, ge=60, le=86_400)
    tests: tuple[PlantedTest, ...] = Field(min_length=1, max_length=20)

    @model_validator(mode="after")
    def _has_one_query(self) -> "OwnCheck":
        if sum(query is not None for query in (self.sql, self.logql, self.promql)) != 1:
            raise ValueError("a check has one of sql, logql and promql")
        if self.sql is not None and not isinstance(self.rule, Presence):
            raise ValueError("rows of a statement are read by their presence: put the bar into its WHERE")
        return self

    @property
    def hash(self) -> str:
        """Of its canonical content: an edit makes another check, which has to be approved again."""
        return content_hash(self.to_json())

    @property
    def query(self) -> str:
        """What is run."""
        return self.sql or self.logql or self.promql or ""

    @property
    def language(self) -> str:
        """Of its query."""
        return "sql" if self.sql else "logql" if self.logql else "promql"


class StoredCheck(Contract):
    """A check that is stored. It runs unattended from its approval on."""

    hash: str
    check: OwnCheck
    added_by: str
    added_at: datetime
    approved_by: str | None = None
    approved_at: datetime | None = None


class Tried(Contract):
    """What a check found in planted data."""

    expect: CheckOutcome
    found: CheckOutcome
    reason: str = ""
    """Why nothing could be decided."""

    @property
    def is_right(self) -> bool:
        """Whether it found what it has to."""
        return self.expect is self.found
