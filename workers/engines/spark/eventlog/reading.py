"""Reads the parts of a log and hands each event to its consumer. What was read, malformed or cut off is counted on the way."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from contracts.spark import BadLine, LogReading
from contracts.statements import Join, Statement, listing, name, quote, say, size
from workers.engines.spark.eventlog.decompress import Beginning, Expansion
from workers.engines.spark.eventlog.limits import KeepLimits, Meter, ReadLimits
from workers.engines.spark.eventlog.lines import TOO_LONG, split_lines
from workers.engines.spark.eventlog.parsing import DECODERS, EVENTS, check_end, event_name
from workers.engines.spark.eventlog.sources import LogSource, is_compacted

REASON_CHARS = 200
DAMAGED = (msgspec.DecodeError, OverflowError, RecursionError, TypeError, ValueError)
"""Errors raised for a line that is not an event, or that holds impossible numbers."""


class LogReader:
    """Reads a source once; afterwards `reading` says how that went."""

    def __init__(self, source: LogSource, limits: ReadLimits, keep: KeepLimits) -> None:
        self._source = source
        self._limits = limits
        self._keep = keep
        self._meter = Meter(source.bundle.stored_bytes, limits)
        self._compressions: dict[str, None] = {}
        self._bad: list[BadLine] = []
        self._truncated: list[Statement] = []
        self.lines = 0
        self.malformed_lines = 0
        self._compacted_until: int | None = None

    def read(self, takes: Mapping[type[Any], Callable[[Any], None]], last_at: Callable[[], int | None] = lambda: None) -> None:
        """Hand every event that is used to what takes its class, in order. `last_at`: the last instant that was handed over so far."""
        handlers = {name: (DECODERS[name], takes[event]) for name, event in EVENTS.items()}
        for part, text in self._source.texts(self._meter):
            self._compressions[text.compression] = None
            self._read_part(part, text, handlers)
            if is_compacted(part):
                self._compacted_until = last_at()

    def _read_part(self, part: str, text: Beginning | Expansion, handlers: Mapping[bytes, tuple[Any, Callable[[Any], None]]]) -> None:
        number = passed_over = unread_at = 0
        unread = b""
        for number, line in enumerate(split_lines(text.chunks(), self._limits.line_bytes), start=1):
            if line is TOO_LONG:
                passed_over += 1
                self._malformed(part, number, say("spark.reading.long_line", limit=size(self._limits.line_bytes)))
                continue
            if not line or line.isspace():
                passed_over += 1
                continue
            try:
                handler = handlers.get(event_name(line))
                if handler is None:
                    check_end(line)
                else:
                    decode, take = handler
                    take(decode(line))
            except DAMAGED as error:
                self._malformed(part, number, say("spark.reading.no_event", error=quote(str(error)[:REASON_CHARS])))
                unread, unread_at = line, number
        self.lines += number - passed_over
        if text.truncated:
            self._breaks_off(part, text.truncated)
        elif number and number == unread_at and not unread.rstrip().endswith(b"}"):
            self._breaks_off(part, say("spark.breaks.last_line"))

    def _malformed(self, part: str, line: int, reason: Statement) -> None:
        self.malformed_lines += 1
        if len(self._bad) < self._keep.bad_lines:
            self._bad.append(BadLine(part=part, line=line, reason=reason))

    def _breaks_off(self, part: str, why: Statement) -> None:
        self._truncated.append(say("spark.breaks.part", part=name(part), why=why))

    def reading(self, *notes: Statement) -> LogReading:
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
            truncated=say("spark.breaks.parts", parts=listing(*self._truncated, join=Join.CLAUSES)) if self._truncated else None,
            attempts=source.attempts,
            compacted=source.compacted,
            compacted_until=self._compacted_until,
            notes=(*source.notes, *notes),
        )
