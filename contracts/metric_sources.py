"""Metrics servers that may be queried by PromQL: Prometheus and what speaks its API, who may read them, and what a query gave.

The address of a server and its token are in none of these: they come from the environment of the process that asks it.
"""

from datetime import datetime
from typing import Annotated

from pydantic import Field, NonNegativeInt, StringConstraints

from contracts.base import Contract, Text
from contracts.log_sources import LogSeries
from contracts.sources import SourceName


class MetricsLimits(Contract):
    """What one query may use."""

    timeout_s: float = Field(default=10.0, gt=0, le=3600, strict=True)
    """Seconds for the whole query."""
    series: int = Field(default=200, ge=1, le=10_000, strict=True)
    """Series of a result; it says that it was cut."""
    points: int = Field(default=20_000, ge=1, le=1_000_000, strict=True)
    """Numbers of a result in all."""
    span_s: int = Field(default=31 * 86_400, ge=1, le=10 * 366 * 86_400, strict=True)
    """Longest time that a query looks back, from its first to its last moment, offsets and ranges included."""


class MetricsSource(Contract):
    """A named metrics server."""

    name: SourceName
    limits: MetricsLimits = MetricsLimits()
    owners: tuple[Annotated[Text, StringConstraints(min_length=1, max_length=200)], ...] = ()
    """Who may query it. Empty: everyone."""

    def is_open_to(self, owner: str) -> bool:
        """Whether an owner is among its owners, or everyone is."""
        return not self.owners or owner in self.owners


class MetricsResult(Contract):
    """What a query gave."""

    metrics: SourceName
    query: str
    start: datetime | None = None
    """None: one number a series, at the end."""
    end: datetime
    step_s: float | None = None
    """Seconds between two numbers."""
    series: tuple[LogSeries, ...] = ()
    cut: bool = False
    """There are more series."""
    duration_ms: NonNegativeInt
    execution_id: int
    """The audit row."""
