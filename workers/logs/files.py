"""A folder of JSON lines, read as a stream: nothing but what a query keeps is held."""

import heapq
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import BinaryIO

from contracts.log_questions import LogVocabulary
from contracts.log_sources import LogLimits, LogLine, LogPoint, LogSeries
from contracts.logs import FilterOp, LineFilter, LogExpression, LogQuery, MatchOp
from contracts.sources import Lock
from contracts.statements import Count, Join, listing, name, passage, say, seconds
from workers.engines.logql import LineReader, LogEntry, TooMuch, collect, vector_at
from workers.engines.logql.binary import ManyMatches
from workers.engines.logql.expressions import BadExpression
from workers.engines.logql.pushing import push_down, up_to
from workers.engines.logql.templates import UnknownTemplate
from workers.engines.logql.vocabulary import learn_vocabulary
from workers.engines.logql.walk import log_queries, range_aggregations
from workers.errors import SourceUnavailable, StatementFailed, StatementRefused
from workers.logs.backends import Answer, Ask
from workers.logs.lines import LineParser

SUFFIXES = (".jsonl", ".ndjson")
LINE_BYTES_MAX = 1 << 20
"""Bytes of a line; longer ones are skipped."""

SAMPLE_LINES = 4_000
"""Lines that the vocabulary is learnt from."""

_PLAIN = re.compile(r"[A-Za-z0-9 _.,:;=@()\[\]-]+")
_CHECK_EVERY = 2_000
"""Lines between two looks at the clock; a long line is looked at alone."""

LONG_LINE_BYTES = 100_000

POINTS_MAX = 500_000
"""Numbers of all series of a result."""


class LogFiles:
    """See `workers.logs.backends.Backend`."""

    def __init__(self, folder: Callable[[], Path], limits: LogLimits) -> None:
        self._folder = folder
        self._limits = limits

    def label_names(self) -> tuple[str, ...]:
        """The labels of some lines."""
        return tuple(self.vocabulary(datetime.now(UTC)).labels)

    def vocabulary(self, until: datetime) -> LogVocabulary:
        """What some lines of each file have."""
        parser = LineParser()
        files = self._files()
        each = max(SAMPLE_LINES // max(len(files), 1), 50)
        return learn_vocabulary(
            entry for file in files for raw in _sample(file, each) if (entry := parser.entry(raw, file.name)) is not None
        )

    def search(self, ask: Ask) -> Answer:
        """Run a query over all files."""
        reading = _Reading(self._files(), ask, self._limits)
        try:
            if isinstance(ask.query, LogQuery):
                return _lines(ask.query, ask, reading)
            return _series(push_down(up_to(ask.query)), ask, reading)
        except TooMuch:
            raise StatementRefused(Lock.LIMITS, say("logs.refused.too_much")) from None
        except UnknownTemplate as error:
            raise StatementRefused(Lock.PARSED, say("logs.refused.template", function=name(str(error)[:60]))) from None
        except BadExpression as error:
            raise StatementRefused(Lock.PARSED, say("logs.refused.expression", reason=passage(str(error)[:200]))) from None
        except ManyMatches as error:
            raise StatementFailed.of(say("logs.refused.many_matches", operator=name(str(error)))) from None

    def _files(self) -> list[Path]:
        folder = self._folder().resolve()
        found = [path for path in sorted(folder.rglob("*")) if path.suffix in SUFFIXES and path.is_file()]
        # a link may lead out of the folder, or to a file beside it
        inside = {real: path for path in found if (real := path.resolve()).is_relative_to(folder)}
        if not inside:
            raise SourceUnavailable.of(say("logs.refused.no_files", endings=listing(*map(name, SUFFIXES), join=Join.OR)))
        return list(inside.values())


def _sample(file: Path, lines: int) -> Iterator[bytes]:
    """Lines from the beginning, the middle and the end of a file."""
    size = file.stat().st_size
    with file.open("rb") as opened:
        for number in range(4):
            opened.seek(size * number // 4)
            if number:
                opened.readline(LINE_BYTES_MAX)
            for _ in range(lines // 4 + 1):
                raw = opened.readline(LINE_BYTES_MAX)
                if not raw:
                    break
                yield raw


class _Reading:
    """One pass over the files."""

    def __init__(self, files: list[Path], ask: Ask, limits: LogLimits) -> None:
        self._files = files
        self._limits = limits
        self._deadline = monotonic() + ask.timeout_s
        self._needles = _needles(ask.query)
        self.skipped = 0
        self.read_bytes = 0

    def entries(self, after_ns: int, until_ns: int) -> Iterator[LogEntry]:
        """The entries that are later than `after_ns` and not later than `until_ns`, as they come. Raises `StatementRefused`."""
        parser = LineParser()
        count = 0
        for file in self._files:
            with file.open("rb") as opened:
                while raw := opened.readline(LINE_BYTES_MAX):
                    count += 1
                    self.read_bytes += len(raw)
                    if count % _CHECK_EVERY == 0 or len(raw) > LONG_LINE_BYTES:
                        self.check()
                    if len(raw) == LINE_BYTES_MAX and not raw.endswith(b"\n"):
                        self.skipped += 1
                        self._pass_line(opened)
                    elif self._may_fit(raw):
                        entry = parser.entry(raw, file.name)
                        if entry is None:
                            self.skipped += 1
                        elif after_ns < entry.ts_ns <= until_ns:
                            yield entry
        self.check()

    def _pass_line(self, opened: BinaryIO) -> None:
        """Pass the rest of a line that is too long: no part of it may be taken for a line of its own."""
        while (rest := opened.readline(LINE_BYTES_MAX)) and not rest.endswith(b"\n"):
            self.read_bytes += len(rest)
            self.check()

    def _may_fit(self, raw: bytes) -> bool:
        """Whether the texts that the query asks for are in the line; a line with escaped characters is always looked into."""
        return not self._needles or any(all(needle in raw for needle in needles) for needles in self._needles) or b"\\u" in raw

    def check(self) -> None:
        """Raises `StatementRefused` when a limit is reached."""
        if monotonic() > self._deadline:
            raise StatementRefused(Lock.LIMITS, say("logs.refused.ended", limit=seconds(self._limits.timeout_s)))
        if self.read_bytes > self._limits.scanned_bytes:
            raise StatementRefused(Lock.LIMITS, say("logs.refused.bytes", most=Count(value=self._limits.scanned_bytes, exact=True)))


def _needles(query: LogExpression) -> list[list[bytes]]:
    """Texts that a line must have, of each selection of lines: most lines need not be parsed then. Empty: every line may fit."""
    found: list[list[bytes]] = []
    for log in log_queries(query):
        texts = [matcher.value for matcher in log.matchers if matcher.op is MatchOp.EQUAL and matcher.label != "filename"]
        for stage in log.stages:
            if not isinstance(stage, LineFilter):
                break
            if stage.op is FilterOp.CONTAINS and len(stage.sought) == 1 and not stage.sought[0].is_address:
                texts.append(stage.sought[0].text)
        needles = [text.encode() for text in texts if _PLAIN.fullmatch(text)]
        if not needles:
            return []
        found.append(needles)
    return found


def _ns(at: datetime) -> int:
    return round(at.timestamp() * 1e6) * 1_000


def _at(ts_ns: int) -> datetime:
    return datetime.fromtimestamp(ts_ns // 10**9, UTC).replace(microsecond=ts_ns % 10**9 // 1_000)


def _lines(query: LogQuery, ask: Ask, reading: _Reading) -> Answer:
    """The newest lines; of lines of the same moment those that came first."""
    reader = LineReader(query)
    kept: list[tuple[int, int, dict[str, str], str]] = []
    found = 0
    for entry in reading.entries(_ns(ask.start) - 1, _ns(ask.end) - 1):
        item = reader.read(entry)
        if item is None:
            continue
        found += 1
        line = (item.ts_ns, -found, dict(item.labels), item.line)
        if len(kept) < ask.lines:
            heapq.heappush(kept, line)
        elif line[:2] > kept[0][:2]:
            heapq.heapreplace(kept, line)
    kept.sort(key=lambda line: line[:2], reverse=True)
    return Answer(
        lines=[LogLine(at=_at(ts_ns), labels=labels, line=text) for ts_ns, _, labels, text in kept],
        cut=found > len(kept), skipped=reading.skipped, read_bytes=reading.read_bytes,
    )  # fmt: skip


def _series(query: LogExpression, ask: Ask, reading: _Reading) -> Answer:
    windows = list(range_aggregations(query))
    earliest = max((part.range_ns + part.offset_ns for part in windows), default=0)
    latest = min((part.offset_ns for part in windows), default=0)
    collected = collect(query, reading.entries(_ns(ask.start if ask.step_s else ask.end) - max(earliest, 0), _ns(ask.end) - min(latest, 0)))
    points: dict[tuple[tuple[str, str], ...], list[LogPoint]] = {}
    made = 0
    for at_ns in _moments(ask):
        vector = vector_at(query, collected, at_ns)
        made += len(vector)
        if made > POINTS_MAX:
            raise StatementRefused(Lock.LIMITS, say("logs.refused.numbers", most=Count(value=POINTS_MAX, exact=True)))
        reading.check()
        for labels, value in vector:
            finite = value if value - value == 0 else None
            points.setdefault(labels, []).append(LogPoint(at=_at(at_ns), value=finite))
    series = [LogSeries(labels=dict(labels), points=tuple(found)) for labels, found in points.items()]
    return Answer(series=series, skipped=reading.skipped + collected.skipped, read_bytes=reading.read_bytes)


def _moments(ask: Ask) -> list[int]:
    end = _ns(ask.end)
    if ask.step_s is None:
        return [end]
    step = round(ask.step_s * 1e9)
    start = _ns(ask.start) + step
    return list(range(start, end + 1, step)) or [end]
