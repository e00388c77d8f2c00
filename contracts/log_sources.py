"""Logs that may be searched: a Loki server or a folder of JSON lines, who may read them, and what a query gave.

The address of a log and its token are in none of these: they come from the environment of the process that reads the log.
"""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import AwareDatetime, Field, NonNegativeInt, StrictBool, StringConstraints

from contracts.base import Contract, Text
from contracts.sources import SourceName


class LogKind(StrEnum):
    """What keeps a log."""

    LOKI = "loki"
    FILES = "files"
    """A folder of `.jsonl` files."""


class LogLimits(Contract):
    """What one query may use."""

    timeout_s: float = Field(default=30.0, gt=0, le=3600, strict=True)
    """Seconds for the whole query."""
    lines: int = Field(default=1_000, ge=1, le=100_000, strict=True)
    """Lines of a result, the newest; it says that it was cut."""
    span_s: int = Field(default=31 * 86_400, ge=1, le=10 * 366 * 86_400, strict=True)
    """Longest time that a query looks at, from its first to its last moment."""
    scanned_bytes: int = Field(default=4 << 30, ge=1_000, le=1 << 44, strict=True)
    """Bytes of files that are read for one query."""


class LogSource(Contract):
    """A named log."""

    name: SourceName
    kind: LogKind
    limits: LogLimits = LogLimits()
    owners: tuple[Annotated[Text, StringConstraints(min_length=1, max_length=200)], ...] = ()
    """Who may search it. Empty: everyone."""
    sample: StrictBool = False
    """The log of the sample shop; its file is in the data folder of `bullpen up`."""

    def is_open_to(self, owner: str) -> bool:
        """Whether an owner is among its owners, or everyone is."""
        return not self.owners or owner in self.owners


class LogLine(Contract):
    """A line that a query selected."""

    at: AwareDatetime
    labels: dict[str, str]
    line: str


class LogPoint(Contract):
    """A number at a moment. None: not a number."""

    at: AwareDatetime
    value: float | None


class LogSeries(Contract):
    """The numbers of a group."""

    labels: dict[str, str]
    points: tuple[LogPoint, ...]


class LogResult(Contract):
    """What a query gave."""

    log: SourceName
    query: str
    start: datetime
    end: datetime
    step_s: float | None = None
    """Seconds between two numbers of a series; None: one number, at the end."""
    lines: tuple[LogLine, ...] = ()
    """The newest first."""
    series: tuple[LogSeries, ...] = ()
    is_metric: bool = False
    cut: bool = False
    """There are more lines."""
    skipped: NonNegativeInt = 0
    """Lines that were selected, but whose numbers could not be read, or that are not lines of a log at all. Only files count them."""
    duration_ms: NonNegativeInt
    execution_id: int
    """The audit row."""
