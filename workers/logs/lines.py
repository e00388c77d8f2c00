"""JSON lines as entries of a log.

A line is either what a log server exports, `{"ts": ..., "labels": {...}, "line": "..."}`, or what an application writes: an object with
a time, a few fields that name the stream, at its top or inside of others, and the rest. Of the latter the whole object is the line, for
`| json` to read.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

import msgspec

from workers.engines.logql import LogEntry

TIMES = ("ts", "timestamp", "time", "@timestamp", "datetime", "@t", "date", "asctime", "eventtime", "event_time", "logtime", "log_time")
"""Fields that hold the time of a line, the first that is there, in any case."""

STREAM_FIELDS = (
    "app", "application", "service", "job", "env", "environment", "host", "hostname", "node", "namespace", "component", "container", "pod",
    "region", "cluster", "level", "severity", "log_level", "stream",
)  # fmt: skip
"""Fields of a line that become labels of the same name."""

OTHER_FIELDS = {
    "service.name": "service", "service_name": "service", "servicename": "service", "resource.service.name": "service",
    "app.name": "app", "app_name": "app", "appname": "app", "kubernetes.labels.app": "app",
    "application.name": "application", "application_name": "application", "properties.application": "application",
    "log.level": "level", "levelname": "level", "loglevel": "level", "lvl": "level", "@l": "level", "level.name": "level",
    "severitytext": "severity", "severity_text": "severity", "log.severity": "severity",
    "host.name": "host", "host.hostname": "host", "cloud.region": "region",
    "deployment.environment": "environment", "service.environment": "environment",
    "kubernetes.namespace": "namespace", "kubernetes.namespace_name": "namespace",
    "kubernetes.pod_name": "pod", "kubernetes.pod.name": "pod",
    "kubernetes.container_name": "container", "kubernetes.container.name": "container", "container.name": "container",
}  # fmt: skip
"""Other names of such fields, those inside of other objects with a point, and the labels that they become."""

_LEVEL_NAMES = ("severity", "log_level")
_LEVELS = frozenset({"level", *_LEVEL_NAMES})
"""Labels that may be written as a number."""

_NODE_LOGGER = frozenset({"name", "hostname", "pid"})
"""Fields of pino and bunyan, whose `name` is the application."""

STREAMS_KEPT = 50_000
_PLANS_KEPT = 1_000


class _Exported(msgspec.Struct):
    """A line as a log server exports it."""

    ts: str
    labels: dict[str, str]
    line: str


_decode_exported = msgspec.json.Decoder(_Exported).decode
_decode = msgspec.json.Decoder(dict[str, Any]).decode

_Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where objects with the same fields hold their time and their labels."""

    time: str | None
    labels: tuple[tuple[str, _Path], ...]


class LineParser:
    """Makes entries of lines. Entries of a stream share one mapping of labels."""

    def __init__(self) -> None:
        self._streams: dict[tuple[tuple[str, str], ...], Mapping[str, str]] = {}
        self._plans: dict[tuple[str, ...], _Plan] = {}
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
        plan = self._plan(fields)
        ts_ns = _nanoseconds(fields[plan.time]) if plan.time is not None else None
        if ts_ns is None:
            return None
        labels, line = fields.get("labels"), fields.get("line")
        if isinstance(labels, dict) and isinstance(line, str):
            pairs = ((str(name), str(value)) for name, value in labels.items())  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            return LogEntry(ts_ns, self._stream(tuple(pairs)), line)
        stream: dict[str, str] = {}
        for label, path in plan.labels:
            if label not in stream and (value := _text(_inside(fields, path), label)) is not None:
                stream[label] = value
        spelled = next((stream[name] for name in _LEVEL_NAMES if name in stream), None)
        if spelled is not None:
            stream.setdefault("level", spelled)  # a folder with services that name it differently is asked by one name
        return LogEntry(ts_ns, self._stream((*stream.items(), ("filename", file))), raw.decode("utf-8", "replace").strip())

    def _plan(self, fields: Mapping[str, Any]) -> _Plan:
        names = tuple(fields)
        known = self._plans.get(names)
        if known is None:
            if len(self._plans) >= _PLANS_KEPT:
                self._plans.clear()
            known = self._plans[names] = _plan_for(names)
        return known

    def _stream(self, pairs: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
        known = self._streams.get(pairs)
        if known is None:
            if len(self._streams) >= STREAMS_KEPT:
                self._streams.clear()
            known = self._streams[pairs] = dict(pairs)
        return known


def _plan_for(names: Sequence[str]) -> _Plan:
    by_name = {name.lower(): name for name in reversed(names)} | {name: name for name in names}
    wanted = {name: name for name in STREAM_FIELDS} | OTHER_FIELDS
    labels: list[tuple[str, _Path]] = []
    for name, label in wanted.items():
        if name in by_name:
            labels.append((label, (by_name[name],)))
        first, _, rest = name.partition(".")
        if rest and first in by_name:
            labels.append((label, (by_name[first], *rest.split("."))))
    if set(names) >= _NODE_LOGGER:
        labels.append(("app", ("name",)))
    return _Plan(next((by_name[name] for name in TIMES if name in by_name), None), tuple(labels))


def _inside(fields: Mapping[str, Any], path: _Path) -> object:
    """What is at a path; inner names in any case. None: nothing."""
    found: object = fields.get(path[0])
    for place, name in enumerate(path[1:], start=1):
        if not isinstance(found, dict):
            return None
        inner = cast("dict[str, object]", found)
        if (whole := ".".join(path[place:])) in inner:
            return inner[whole]
        found = inner.get(name, next((value for key, value in inner.items() if key.lower() == name), None))
    return found


def _text(value: object, label: str) -> str | None:
    if isinstance(value, str):
        return value
    return str(value) if label in _LEVELS and isinstance(value, int) and not isinstance(value, bool) else None


_UNITS = ((1e17, 1), (1e14, 10**3), (1e11, 10**6), (0, 10**9))
"""A time since 1970 of this size or more, and the nanoseconds of its unit: ns, us, ms or s."""
_SINCE_1970 = re.compile(r"\d{10}(?:\d{3}){0,3}(?:\.\d+)?")
"""Such a time as a text: s, ms, us or ns of the years 2001 to 2286. Read as a date, the first four digits would be a year."""
_OTHER_FORMS = ("%Y%m%d%H%M%S", "%d/%b/%Y:%H:%M:%S %z", "%a, %d %b %Y %H:%M:%S %Z", "%a, %d %b %Y %H:%M:%S %z", "%Y/%m/%d %H:%M:%S")
"""Times as web servers write them."""


def _nanoseconds(value: object) -> int | None:
    if isinstance(value, str) and _SINCE_1970.fullmatch(value):
        value = float(value) if "." in value else int(value)
    if isinstance(value, str):
        at = _moment(value)
        return None if at is None else round((at if at.tzinfo is not None else at.replace(tzinfo=UTC)).timestamp() * 1e6) * 1_000
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e19:
        return None
    factor = next(unit for least, unit in _UNITS if value >= least)
    return int(value) * factor if isinstance(value, int) else round(value * factor)


def _moment(text: str) -> datetime | None:
    digits = len(text) if text.isdigit() else 0
    if digits in (0, len("20260131")):
        with suppress(ValueError):
            return datetime.fromisoformat(text)
    for form in _OTHER_FORMS:
        if digits and digits != len("20260131140500"):
            return None
        try:
            return datetime.strptime(text, form)  # noqa: DTZ007 a time without a zone is UTC, as its caller says
        except ValueError:
            continue
    return None
