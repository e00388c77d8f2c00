"""JSON lines as entries of a log.

A line is either what a log server exports, `{"ts": ..., "labels": {...}, "line": "..."}`, or what an application writes: a flat object with
a time, a few fields that name the stream, and the rest. Of the latter the whole object is the line, for `| json` to read.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from workers.engines.logql import LogEntry

TIMES = ("ts", "timestamp", "time", "@timestamp", "datetime")
"""Fields that hold the time of a line, the first that is there."""

STREAM_FIELDS = (
    "app", "application", "service", "job", "env", "environment", "host", "hostname", "node", "namespace", "component", "container", "pod",
    "region", "cluster", "level", "severity", "log_level", "stream",
)  # fmt: skip
"""Fields of a flat line that become labels."""

STREAMS_KEPT = 50_000


class _Exported(msgspec.Struct):
    """A line as a log server exports it."""

    ts: str
    labels: dict[str, str]
    line: str


_decode_exported = msgspec.json.Decoder(_Exported).decode
_decode = msgspec.json.Decoder(dict[str, Any]).decode


class LineParser:
    """Makes entries of lines. Entries of a stream share one mapping of labels."""

    def __init__(self) -> None:
        self._streams: dict[tuple[tuple[str, str], ...], Mapping[str, str]] = {}
        self._expects_exported = True

    def entry(self, raw: bytes, file: str) -> LogEntry | None:
        """The entry of a line; None: it is not one."""
        if self._expects_exported:
            try:
                exported = _decode_exported(raw)
            except msgspec.ValidationError:
                self._expects_exported = False  # the lines have another form; looking twice at each takes twice the time
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                return None
            else:
                at_ns = _nanoseconds(exported.ts)
                return None if at_ns is None else LogEntry(at_ns, self._stream(tuple(exported.labels.items())), exported.line)
        try:
            fields = _decode(raw)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return None
        at = next((fields[name] for name in TIMES if name in fields), None)
        ts_ns = _nanoseconds(at)
        if ts_ns is None:
            return None
        labels, line = fields.get("labels"), fields.get("line")
        if isinstance(labels, dict) and isinstance(line, str):
            pairs = ((str(name), str(value)) for name, value in labels.items())  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            return LogEntry(ts_ns, self._stream(tuple(pairs)), line)
        stream = tuple((name, str(fields[name])) for name in STREAM_FIELDS if isinstance(fields.get(name), str))
        return LogEntry(ts_ns, self._stream((*stream, ("filename", file))), raw.decode("utf-8", "replace").strip())

    def _stream(self, pairs: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
        known = self._streams.get(pairs)
        if known is None:
            if len(self._streams) >= STREAMS_KEPT:
                self._streams.clear()
            known = self._streams[pairs] = dict(pairs)
        return known


_UNITS = ((1e17, 1), (1e14, 10**3), (1e11, 10**6), (0, 10**9))
"""A time since 1970 of this size or more, and the nanoseconds of its unit: ns, us, ms or s."""


def _nanoseconds(value: object) -> int | None:
    if isinstance(value, str):
        try:
            at = datetime.fromisoformat(value)
        except ValueError:
            return None
        return round((at if at.tzinfo is not None else at.replace(tzinfo=UTC)).timestamp() * 1e6) * 1_000
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e19:
        return None
    factor = next(unit for least, unit in _UNITS if value >= least)
    return int(value) * factor if isinstance(value, int) else round(value * factor)
