"""From the parts of a log to events: what was read, what was malformed and what broke off is told as it goes."""

from collections.abc import Iterator

import msgspec

from contracts.tuning import BadLine, LogReading
from workers.engines.tuning.eventlog.decompress import Expansion
from workers.engines.tuning.eventlog.events import Event
from workers.engines.tuning.eventlog.limits import KeepLimits, Meter, ReadLimits
from workers.engines.tuning.eventlog.lines import TOO_LONG, split_lines
from workers.engines.tuning.eventlog.parsing import event_name, parse_event
from workers.engines.tuning.eventlog.sources import LogSource

REASON_CHARS = 200
DAMAGED = (msgspec.DecodeError, OverflowError, RecursionError, TypeError, ValueError)
"""What a line that is no event, or one of impossible numbers, raises on its way."""


class LogReader:
    """Reads a source once; afterwards `reading` says how that went."""

    def __init__(self, source: LogSource, limits: ReadLimits, keep: KeepLimits) -> None:
        self._source = source
        self._limits = limits
        self._keep = keep
        self._meter = Meter(source.bundle.stored_bytes, limits)
        self._compressions: dict[str, None] = {}
        self._bad: list[BadLine] = []
        self._truncated: list[str] = []
        self._part = ""
        self._line = 0
        self.lines = 0
        self.malformed_lines = 0

    def events(self) -> Iterator[Event]:
        """Every event that is used, in order."""
        for part, file in self._source.bundle.read(self._source.parts):
            self._part, self._line = part, 0
            expansion = Expansion(file.read, self._meter)
            self._compressions[expansion.compression] = None
            unread = None
            for line in split_lines(expansion.chunks(), self._limits.line_bytes):
                self._line += 1
                unread = None
                if line is TOO_LONG:
                    self.malformed(f"longer than {self._limits.line_bytes} bytes")
                    continue
                if not line or line.isspace():
                    continue
                self.lines += 1
                try:
                    event = parse_event(event_name(line), line)
                except DAMAGED as error:
                    self.malformed(str(error))
                    unread = line
                    continue
                if event is not None:
                    yield event
            if expansion.truncated:
                self._truncated.append(f"{part}: {expansion.truncated}")
            elif unread is not None and not unread.rstrip().endswith(b"}"):
                self._truncated.append(f"{part}: its last line breaks off")

    def malformed(self, reason: str) -> None:
        """The line just read is no event."""
        self.malformed_lines += 1
        if len(self._bad) < self._keep.bad_lines:
            self._bad.append(BadLine(part=self._part, line=self._line, reason=reason[:REASON_CHARS]))

    def reading(self, *notes: str) -> LogReading:
        """How it went."""
        source = self._source
        return LogReading(
            files=source.parts,
            layout=source.layout,
            compressions=tuple(self._compressions),
            expanded_bytes=self._meter.expanded_bytes,
            lines=self.lines,
            malformed_lines=self.malformed_lines,
            bad_lines=tuple(self._bad),
            truncated="; ".join(self._truncated) or None,
            attempts=source.attempts,
            notes=(*source.notes, *notes),
        )
