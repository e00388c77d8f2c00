"""A line of a log, on its way through a pipeline."""

from collections.abc import Mapping
from dataclasses import dataclass

ERROR = "__error__"
"""The label that says what a stage could not do with an entry."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A line with its time and the labels of its stream."""

    ts_ns: int
    """Nanoseconds since 1970, UTC."""
    labels: Mapping[str, str]
    line: str


class Item:
    """An entry that stages may change. The labels of the stream are copied when the first of them is written."""

    __slots__ = ("_owned", "labels", "line", "stream", "ts_ns", "value")

    def __init__(self, entry: LogEntry) -> None:
        self.ts_ns = entry.ts_ns
        self.line = entry.line
        self.stream = entry.labels
        self.labels = entry.labels
        self._owned: dict[str, str] | None = None
        self.value: float | None = None

    def write(self, label: str, text: str) -> None:
        """Set a label."""
        self._own()[label] = text

    def extract(self, label: str, text: str) -> None:
        """Set a label that a parser found; one of the stream's keeps its name."""
        self._own()[f"{label}_extracted" if label in self.stream else label] = text

    def remove(self, label: str) -> None:
        """Remove a label."""
        if label in self.labels:
            del self._own()[label]

    def fail(self, reason: str) -> None:
        """Note what could not be done; the first reason stays."""
        if ERROR not in self.labels:
            self.write(ERROR, reason)

    def _own(self) -> dict[str, str]:
        if self._owned is None:
            self._owned = dict(self.labels)
            self.labels = self._owned
        return self._owned
