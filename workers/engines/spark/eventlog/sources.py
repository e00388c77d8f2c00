"""Which files of a bundle are the log, and in which order: one file, Spark's rolling files, Databricks' hourly ones, and the
attempts of an application."""

import codecs
import re
import tempfile
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from contracts import statements
from contracts.spark import LogRefusal
from contracts.statements import Join, Statement, Value, listing, say
from workers.engines.counts import exactly
from workers.engines.spark.eventlog.bundles import HEAD_BYTES, ZIP_HEAD, Bundle, FileBundle, archive_in, head_of, is_tar, open_bundle
from workers.engines.spark.eventlog.decompress import Beginning, Expansion
from workers.engines.spark.eventlog.frames import CHUNK
from workers.engines.spark.eventlog.limits import Meter, ReadLimits
from workers.errors import UnreadableLog

PROBE_BYTES = 1 << 12
"""Bytes that are searched for NULs, which show that a file is binary."""

EVENT_LINE = re.compile(rb'(?:\A\xef\xbb\xbf|^)[ \t\r]*\{\s*"Event"\s*:\s*"', re.MULTILINE)
APP_START_NAME = b"SparkListenerApplicationStart"
APP_START = re.compile(rb'^[ \t\r]*\{\s*"Event"\s*:\s*"SparkListenerApplicationStart".*', re.MULTILINE)
APP_ID = re.compile(rb'"App ID"\s*:\s*"([^"\\]{1,200})"')
APP_ATTEMPT = re.compile(rb'"App Attempt ID"\s*:\s*"([^"\\]{1,50})"')
DATABRICKS_PART = re.compile(
    rb'\A\s*\{\s*"Event"\s*:\s*"DBCEventLoggingListenerMetadata"[^\n]*?"Rollover Number"\s*:\s*(\d{1,9})'
    rb'[^\n]*?"SparkContext Id"\s*:\s*(-?\d{1,20})'
)
ROLLING_PART = re.compile(r"(?:^|/)events_(\d{1,9})_([^/]+?)(?:\.(?:zstd|zst|lz4|snappy|lzf|gz))?(\.compact)?(?:\.inprogress)?$")
YARN_ATTEMPT = re.compile(r"(application_\d+_\d+|app-\d+-\d+)_(\d+)(?:\.|$)")
LOG_NAME = re.compile(
    r"(?:^|[/_\-.])(?:event_?logs?(?:$|[_.\-/])|events_\d{1,9}_|application_\d+_\d+|app-\d{14}-\d+|local-\d{13})", re.IGNORECASE
)
"""What Spark, its history server and Databricks call an event log."""

APPSTATUS = re.compile(r"(^|/)appstatus_[^/]*$")
MAX_NESTING = 1
NAMES_SHOWN = 5


@dataclass(frozen=True)
class LogSource:
    """The parts to read, in order, and what is to be said of them."""

    bundle: Bundle
    parts: tuple[str, ...]
    layout: str = "single"
    attempts: tuple[str, ...] = ()
    attempt: str | None = None
    notes: tuple[Statement, ...] = ()
    compacted: bool = False

    def texts(self, meter: Meter) -> Iterator[tuple[str, Beginning | Expansion]]:
        """The parts with what they expand to, in order; each is valid until the next one is asked for."""
        if isinstance(self.bundle, FileBundle) and self.bundle.beginning.is_whole:
            meter.add(len(self.bundle.beginning.text))
            yield self.parts[0], self.bundle.beginning
            return
        for part, file in self.bundle.read(self.parts):
            yield part, Expansion(file.read, meter)


@dataclass(frozen=True)
class Head:
    """What the beginning of a file tells of it."""

    name: str
    is_empty: bool
    is_log: bool
    """Some line of it is an event."""
    is_archive: bool
    """A zip or a tar."""
    is_binary: bool
    databricks: tuple[int, bytes] | None
    """Its number among the parts, and the id of the Spark context that all parts share."""
    application: tuple[str, str | None]
    """Id and attempt, by the start event, else by the file's name."""

    @classmethod
    def of(cls, name: str, text: bytes) -> "Head":
        """Read off the first bytes of what the file expands to."""
        part = DATABRICKS_PART.match(text)
        return cls(
            name=name,
            is_empty=not text or text.isspace(),
            is_log=EVENT_LINE.search(text) is not None,
            is_archive=text.startswith(ZIP_HEAD) or is_tar(text),
            is_binary=_is_binary(text[:PROBE_BYTES]),
            databricks=(int(part[1]), part[2]) if part else None,
            application=_application(name, text),
        )


def _application(name: str, text: bytes) -> tuple[str, str | None]:
    at = text.find(APP_START_NAME)
    start = APP_START.search(text, text.rfind(b"\n", 0, at) + 1) if at >= 0 else None
    application, attempt = (APP_ID.search(start[0]), APP_ATTEMPT.search(start[0])) if start else (None, None)
    named = YARN_ATTEMPT.search(name)
    app_id = application[1].decode("utf-8", "replace") if application else named[1] if named else name
    if attempt:
        return app_id, attempt[1].decode("utf-8", "replace")
    return app_id, named[2] if named and named[1] == app_id else None


def _is_binary(probe: bytes) -> bool:
    if b"\0" in probe:
        return True
    try:
        codecs.getincrementaldecoder("utf-8")().decode(probe)
    except UnicodeDecodeError:
        return True
    return False


@contextmanager
def find_log(path: Path, limits: ReadLimits, attempt: str | None = None, label: str | None = None) -> Generator[LogSource]:
    """The log at a path: of the attempt named, else of the last. `label` is what a file is called, where the path does not tell.
    `UnreadableLog` says why there is none to read."""
    bundle = open_bundle(path, limits, label)
    alone = isinstance(bundle, FileBundle)
    with ExitStack() as scratch:
        heads = _heads(bundle, limits)
        for _level in range(MAX_NESTING):
            archives = [head for head in heads if head.is_archive]
            if any(head.is_log for head in heads) or not archives:
                break
            if len(archives) > 1:
                raise UnreadableLog(
                    LogRefusal.SEVERAL_LOGS, say("spark.refused.several_archives", names=_shown([head.name for head in archives]))
                )
            folder = scratch.enter_context(tempfile.TemporaryDirectory(prefix="bullpen-log-"))
            bundle = _nested(bundle, archives[0].name, Path(folder, "nested"), limits)
            heads = _heads(bundle, limits)
        yield _arrange(bundle, heads, attempt, alone=alone)


def _heads(bundle: Bundle, limits: ReadLimits) -> list[Head]:
    if isinstance(bundle, FileBundle):
        return [Head.of(name, bundle.beginning.text) for name in bundle.names()]
    meter = Meter(bundle.stored_bytes, limits)
    heads = [Head.of(name, head_of(file, HEAD_BYTES, meter)) for name, file in bundle.read(bundle.in_order())]
    return sorted(heads, key=lambda head: head.name)


def _nested(outer: Bundle, name: str, copy: Path, limits: ReadLimits) -> Bundle:
    """The archive that is a member of another, by way of a bounded copy, since a zip must be read from its end."""
    for _name, file in outer.read([name]):
        left = limits.nested_bytes
        with copy.open("wb") as target:
            while data := file.read(CHUNK):
                left -= len(data)
                if left < 0:
                    raise UnreadableLog(LogRefusal.TOO_LARGE, say("spark.refused.large_inner_archive"))
                target.write(data)
    bundle = archive_in(lambda: copy.open("rb"), min(copy.stat().st_size, outer.stored_bytes), limits)
    if bundle is None:
        raise UnreadableLog(LogRefusal.NOT_AN_EVENT_LOG, say("spark.refused.no_archive", file=statements.name(name)))
    return bundle


def _arrange(bundle: Bundle, heads: list[Head], attempt: str | None, *, alone: bool) -> LogSource:
    """Parts in their order. An empty file stands for an empty log only where nothing else is there."""
    notes = tuple(say("spark.reading.still_running", file=statements.name(head.name)) for head in heads if _is_running(head.name))
    rolling = [head for head in heads if ROLLING_PART.search(head.name)]
    logs = [head for head in heads if head.is_log]
    if alone:
        return _one_file(bundle, heads[0], notes)
    if rolling:
        return _rolling(bundle, rolling, attempt, notes)
    if any(head.databricks for head in logs):
        return _databricks(bundle, logs, notes)
    if not logs:
        raise _no_log(heads)
    return _plain(bundle, logs, attempt, notes)


def _one_file(bundle: Bundle, head: Head, notes: tuple[Statement, ...]) -> LogSource:
    """A file that the user named: it is read even where it is only a part, and that is said."""
    if not head.is_log and not head.is_empty:
        raise _no_log([head])
    rolled = ROLLING_PART.search(head.name)
    number = head.databricks[0] if head.databricks else int(rolled[1]) - 1 if rolled and not rolled[3] else 0
    if number:
        notes = (*notes, say("spark.reading.one_part", file=statements.name(head.name), part=statements.name(number + 1)))
    return LogSource(bundle, (head.name,), notes=notes, attempt=head.application[1], compacted=is_compacted(head.name))


def is_compacted(name: str) -> bool:
    """By its name, the part of a rolling log that stands for all before it."""
    rolled = ROLLING_PART.search(name)
    return bool(rolled and rolled[3])


def _plain(bundle: Bundle, logs: list[Head], attempt: str | None, notes: tuple[Statement, ...]) -> LogSource:
    """A file for each attempt of one application."""
    applications = {head.application[0] for head in logs}
    if len(applications) > 1:
        raise _several([head.name for head in logs])
    by_attempt: dict[str, list[str]] = {}
    for head in logs:
        by_attempt.setdefault(head.application[1] or "", []).append(head.name)
    chosen = _choose(list(by_attempt), attempt)
    if len(by_attempt[chosen]) > 1:
        raise UnreadableLog(LogRefusal.DUPLICATE_PART, say("spark.refused.same_log", names=_shown(by_attempt[chosen])))
    return LogSource(bundle, tuple(by_attempt[chosen]), "single", _in_order(by_attempt), chosen or None, notes)


def _rolling(bundle: Bundle, heads: list[Head], attempt: str | None, notes: tuple[Statement, ...]) -> LogSource:
    """Spark 3's events_1_*, events_2_*, ...; a compacted file stands for itself and all before it."""
    found = [(head.name, match) for head in heads if (match := ROLLING_PART.search(head.name))]
    runs = {match[2]: YARN_ATTEMPT.search(match[2]) for _, match in found}
    applications = {named[1] if named else run for run, named in runs.items()}
    if len(applications) > 1:
        raise _several(sorted(applications))
    by_attempt: dict[str, dict[tuple[int, bool], str]] = {}
    for name, match in found:
        named = runs[match[2]]
        parts = by_attempt.setdefault(named[2] if named else "", {})
        key = (int(match[1]), bool(match[3]))
        if key in parts:
            raise UnreadableLog(LogRefusal.DUPLICATE_PART, _twice(key[0], parts[key], name))
        parts[key] = name
    chosen = _choose(list(by_attempt), attempt)
    parts = by_attempt[chosen]
    compacted = max((number for number, compact in parts if compact), default=0)
    if compacted:
        notes = (*notes, say("spark.reading.compacted", part=statements.name(compacted)))
        names = {number: name for (number, compact), name in parts.items() if number > compacted or (compact and number == compacted)}
    else:
        names = {number: name for (number, _), name in parts.items()}
    _complete(sorted(names), compacted or 1)
    in_order = tuple(names[number] for number in sorted(names))
    return LogSource(bundle, in_order, "rolling", _in_order(by_attempt), chosen or None, notes, compacted=bool(compacted))


def _databricks(bundle: Bundle, logs: list[Head], notes: tuple[Statement, ...]) -> LogSource:
    """Databricks' eventlog-2024-01-31--10-00.gz, ..., eventlog: each begins with its number and its context."""
    parts: dict[int, str] = {}
    contexts: set[bytes] = set()
    for head in logs:
        if head.databricks is None:
            raise UnreadableLog(
                LogRefusal.UNKNOWN_PART,
                say("spark.refused.unknown_part", file=statements.name(head.name)),
            )
        contexts.add(head.databricks[1])
    if len(contexts) > 1:
        raise UnreadableLog(LogRefusal.SEVERAL_LOGS, say("spark.refused.several_contexts", names=_shown([head.name for head in logs])))
    for head in logs:
        number = head.databricks[0] if head.databricks else 0
        if number in parts:
            raise UnreadableLog(LogRefusal.DUPLICATE_PART, _twice(number, parts[number], head.name))
        parts[number] = head.name
    _complete(sorted(parts), 0)
    layout = "databricks" if len(parts) > 1 else "single"
    return LogSource(bundle, tuple(parts[number] for number in sorted(parts)), layout, notes=notes)


def _complete(numbers: list[int], first: int) -> None:
    if numbers[0] != first:
        raise UnreadableLog(
            LogRefusal.MISSING_FIRST_PART,
            say("spark.refused.missing_first", part=statements.name(numbers[0]), first=statements.name(first)),
        )
    missing = sorted(set(range(first, numbers[-1])) - set(numbers))
    if missing:
        raise UnreadableLog(LogRefusal.MISSING_PART, say("spark.refused.missing_parts", parts=_shown(missing)))


def _choose(attempts: list[str], wanted: str | None) -> str:
    """The attempt asked for, else the last. Of a log without attempts there is nothing to choose."""
    if wanted is None or not any(attempts):
        return max(attempts, key=_attempt_order)
    if wanted not in attempts:
        raise UnreadableLog(
            LogRefusal.NOT_FOUND, say("spark.refused.no_attempt", attempt=statements.name(wanted), attempts=_shown(_in_order(attempts)))
        )
    return wanted


def _attempt_order(attempt: str) -> tuple[int, str]:
    return (int(attempt) if attempt.isdecimal() else 0, attempt)


def _in_order(attempts: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(filter(None, attempts), key=_attempt_order))


def _is_running(name: str) -> bool:
    return name.endswith(".inprogress")


def _several(names: list[str]) -> UnreadableLog:
    return UnreadableLog(LogRefusal.SEVERAL_LOGS, say("spark.refused.several_applications", names=_shown(names)))


def _twice(part: int, first: str, second: str) -> Statement:
    return say("spark.refused.part_twice", part=statements.name(part), first=statements.name(first), second=statements.name(second))


def _no_log(heads: list[Head]) -> UnreadableLog:
    candidates = [head for head in heads if not head.is_empty and not APPSTATUS.search(head.name)]
    if candidates and all(head.is_binary for head in candidates):
        return UnreadableLog(LogRefusal.BINARY, say("spark.refused.binary", names=_shown([head.name for head in candidates])))
    return UnreadableLog(LogRefusal.NOT_AN_EVENT_LOG, _not_found([head.name for head in heads]))


def _not_found(names: Sequence[str]) -> Statement:
    begins, setting = statements.code('{"Event":'), statements.code("spark.eventLog.dir")
    if not names:
        return say("spark.refused.empty", begins=begins, setting=setting)
    return say("spark.refused.no_event_log", names=_shown(names), begins=begins, setting=setting)


def _shown(names: Sequence[str | int]) -> Value:
    shown = listing(*map(statements.name, names[:NAMES_SHOWN]), join=Join.PLAIN)
    if len(names) <= NAMES_SHOWN:
        return shown
    return say("verdicts.and_more", shown=shown, n=exactly(len(names) - NAMES_SHOWN))
