"""What a log can be asked: the same of a server and of files."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from contracts.log_questions import LogVocabulary
from contracts.log_sources import LogLine, LogSeries
from contracts.logs import LogExpression


@dataclass(frozen=True, slots=True)
class Ask:
    """A query with its time, within the limits. Lines and numbers are those from `start` on and before `end`."""

    query: LogExpression
    text: str
    start: datetime
    end: datetime
    step_s: float | None
    """None: a metric has a number at the end only."""
    lines: int
    timeout_s: float


@dataclass(slots=True)
class Answer:
    """What a log gave."""

    lines: list[LogLine] = field(default_factory=list[LogLine])
    series: list[LogSeries] = field(default_factory=list[LogSeries])
    cut: bool = False
    skipped: int = 0
    read_bytes: int = 0


class Backend(Protocol):
    """A server or a folder."""

    def label_names(self) -> tuple[str, ...]:
        """The labels. Raises `SourceUnavailable`."""
        ...

    def search(self, ask: Ask) -> Answer:
        """Run a query. Raises `StatementRefused`, `StatementFailed` or `SourceUnavailable`."""
        ...

    def vocabulary(self, until: datetime) -> LogVocabulary:
        """What the log has, for reading searches. Raises `SourceUnavailable`."""
        ...
