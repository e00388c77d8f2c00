"""A driver's or executor's log, counted line by line: levels, exceptions, and the lines that say why a run failed or was slow."""

import re
from collections import Counter

from contracts import statements
from contracts.artefacts import LogEventKind, LogEvents, LogFacts, LoggedException
from contracts.base import clean_text
from contracts.bundles import Information
from contracts.statements import Join, Sayable, Statement, listing, say, say_member
from workers.engines import counts, encodings
from workers.engines.artefacts.kinds import MIB, ArtefactSource, Parsed
from workers.engines.artefacts.logged_batches import Progress, is_much, is_progress
from workers.engines.artefacts.other_engines import engine_of_line
from workers.engines.artefacts.texts import PROBE_BYTES, guessed
from workers.engines.artefacts.traces import Traces
from workers.engines.encodings import is_binary
from workers.engines.problems import unreadable
from workers.engines.spark.eventlog.decompress import Expansion
from workers.engines.spark.eventlog.limits import GIB, Meter, ReadLimits
from workers.engines.spark.eventlog.lines import split_lines
from workers.errors import UnreadableLog

LEVEL = re.compile(r"\b(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|SEVERE)\b(?!\.)")
TIME = re.compile(r"\b(?:\d{2}|\d{4})[-/]\d{2}[-/]\d{2}[ T]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?")
MOST_UNCLEAR = 100
"""Lines that are not UTF-8 and could be of two encodings, after which the last guess holds: each look costs 100 times what reading does."""

HEAD_CHARS = 120
"""The first characters of a line, which hold its time and its level."""

_WHEN_AND_WHO = re.compile(
    rf"^\W*{TIME.pattern}\S{{0,20}}\W{{1,10}}(?:\[[^\]]{{0,80}}\]\s*)?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|SEVERE)\b\W*(?:[\w.$]{{1,120}}:\s+)?"
)
"""What a logger writes before the message."""
EXCEPTION = re.compile(r"(?<![\w.])((?:[a-z_]\w{0,60}\.){1,12}[A-Z]\w{0,100}(?:Exception|Error|Failure|Throwable))(?::\s*([^\n]{0,300}))?")
EXCEPTION_ENDS = ("Exception", "Error", "Failure", "Throwable")
PYTHON_ERROR = re.compile(r"^([A-Z]\w{0,100}(?:Error|Exception)):\s*([^\n]{0,300})")

EVENTS: tuple[tuple[LogEventKind, re.Pattern[str]], ...] = (
    (LogEventKind.KILLED_FOR_MEMORY, re.compile(
        r"killed by YARN for exceeding|OOMKilled|exceeding (?:physical |virtual )?memory limits|"
        r"[Ee]xit(?:ed)?(?: with)?(?: exit)? (?:code|status)(?: is)?:? ?137\b|possible container OOM|"
        r"beyond (?:the )?'?(?:physical|PHYSICAL|virtual|VIRTUAL)'? memory limit"
    )),
    (LogEventKind.OUT_OF_MEMORY, re.compile(
        r"OutOfMemoryError|Unable to acquire \d+ bytes of memory|Java heap space|GC overhead limit exceeded|"
        r"MemoryError\b"
    )),
    (LogEventKind.FETCH_FAILED, re.compile(
        r"FetchFailed|MetadataFetchFailed|Failed to get block|Missing an output location for shuffle"
    )),
    (LogEventKind.EXECUTOR_LOST, re.compile(
        r"Lost executor|ExecutorLostFailure|Executor .{1,40}? (?:lost|exited)|Remote RPC client disassociated|"
        r"Container .{1,80}? exited"
    )),
    (LogEventKind.HEARTBEAT, re.compile(
        r"no recent heartbeats|[Hh]eartbeat timed out|exceeds timeout \d+ ms|Error sending.{0,40}[Hh]eartbeat|"
        r"Issue communicating with driver in heartbeater"
    )),
    (LogEventKind.CONNECTION_RESET, re.compile(
        r"Connection reset|Connection from .{1,120}? closed|Broken pipe|ConnectionResetError|Connection refused"
    )),
    (LogEventKind.DISK_FULL, re.compile(r"No space left on device|Disk quota exceeded")),
    (LogEventKind.BROADCAST_TIMEOUT, re.compile(
        r"Could not execute broadcast in \d+ secs|broadcast (?:has )?timed? ?out|Cannot broadcast the table"
    )),
    (LogEventKind.RESULT_TOO_LARGE, re.compile(r"is bigger than spark\.driver\.maxResultSize|maxResultSize")),
    (LogEventKind.STAGE_ABORTED, re.compile(
        r"Job aborted due to stage failure|Aborting (?:stage|job)|ResultStage \d+ .{0,200}? failed in"
    )),
    (LogEventKind.TASK_FAILED, re.compile(r"Lost task \d|Task \d+ in stage \S{1,20} failed|Task \S{1,20} failed \d+ times")),
)  # fmt: skip
"""A line counts for the first that it shows. The patterns have no unbounded repetition, so a line is read in linear time."""

HINTS = (
    *("xcept", "rror", "ailed", "Failure", "Throwable", "Lost ", " lost", "heartbeat", "Heartbeat", "onnection", "Broken pipe", "No space"),
    *("quota", "ould not execute broadcast", "annot broadcast", "broadcast time", "broadcast has time", "axResult", "bort", "OOM"),
    *("of memory", "memory limit", "heap space", "overhead limit", "137", "killed", "isassociated", "exited", "output location", "exceeds"),
)
"""A line without any of these shows no event and no exception: most lines are passed over at the price of these look-ups."""

WARNS = frozenset((LogEventKind.HEARTBEAT, LogEventKind.CONNECTION_RESET))
LINE_BYTES = 1 * MIB
LINE_CHARS = 4_000
TEXT_CHARS = 500
NAME_CHARS = 200
LINES_OF_ENGINE = 5_000
"""Lines that are looked at for the engine of the job."""
SUBMITTED = "Submitted application: "
"""In the line of a driver's log that names the application."""

BEFORE_CHARS = 80
"""Of a message before the part by which the line counts: so much is shown with it."""

BREAKS = ("Reason: ", "failure: ", "xception: ", "Error: ")
"""Behind which the telling part of a long message begins."""

EXCEPTIONS = 50
LINES_KEPT = 20
MOST_NAMES = 2_000
LOG_BYTES = GIB
SNIFFED_LINES = 300
SHOWN_EVENTS = 3

JSON_BEGINS = '{}[]"'
"""With which the lines of a batch's progress begin: most lines do, where a file is a log and no text that quotes one."""

WRITTEN = (".py", ".ipynb", ".scala", ".sc", ".java", ".kt", ".sql", ".hql", ".md", ".rst")
"""Ends of names of what somebody wrote, which may hold the progress of a batch as an example."""


def sniff_plain_log(text: str, name: str) -> float:
    """Lines that begin with a time and a level."""
    lines = [line for line in text[:100_000].split("\n")[:SNIFFED_LINES] if line.strip()]
    if not lines:
        return 0.0
    base = name.lower().rsplit("/", 1)[-1]
    marks = [bool(LEVEL.search(line[:HEAD_CHARS])) and bool(TIME.search(line[:HEAD_CHARS])) for line in lines]
    marked = sum(marks)
    least = 0.0
    if not base.endswith(WRITTEN) and is_progress(text):
        formed = sum(mark or line.lstrip()[0] in JSON_BEGINS for line, mark in zip(lines, marks, strict=True))
        least = 0.7 if formed >= 0.5 * len(lines) else 0.0
    traced = sum(line.lstrip().startswith("at ") or bool(PYTHON_ERROR.match(line)) for line in lines)
    if marked >= 0.2 * len(lines) or (marked and traced + marked >= 0.5 * len(lines)):
        return max(least, min(0.9, 0.5 + marked / len(lines)))
    if least:
        return least
    if traced and any(EXCEPTION.search(line[:LINE_CHARS]) or PYTHON_ERROR.match(line) for line in lines):
        return 0.45
    return 0.35 if base.endswith((".log", "stderr", "stdout", ".out", ".err")) else 0.0


class _Count:
    """What was counted so far; bounded."""

    def __init__(self) -> None:
        self.lines = self.errors = self.warnings = 0
        self.first_at = self.last_at = ""
        self.exceptions: Counter[str] = Counter()
        self.first: dict[str, tuple[int, str]] = {}
        self.events: dict[LogEventKind, tuple[int, list[int], str]] = {}
        self.traces = Traces()
        self.progress = Progress()
        self.application = ""
        self.engine = ""

    def take(self, line: str) -> None:
        self.lines += 1
        if not line:
            return
        head = line[:HEAD_CHARS]
        level = LEVEL.search(head)
        self.errors += bool(level) and level[1] in ("ERROR", "FATAL", "SEVERE")
        self.warnings += bool(level) and level[1] in ("WARN", "WARNING")
        time = TIME.search(head)
        if time:
            self.first_at = self.first_at or time[0]
            self.last_at = time[0]
        line = line[:LINE_CHARS]
        self.traces.take(line)
        self.progress.take(line, self.lines)
        if not self.application and SUBMITTED in line:
            self.application = clean_text(line.rpartition(SUBMITTED)[2].strip()[:NAME_CHARS])
        if not self.engine and self.lines <= LINES_OF_ENGINE:
            self.engine = engine_of_line(line)
        if not any(hint in line for hint in HINTS):
            return
        if any(end in line for end in EXCEPTION_ENDS):
            for found in (*EXCEPTION.finditer(line), *PYTHON_ERROR.finditer(line)):
                self._exception(found[1], found[2] or "")
        kind, found = next(((kind, found) for kind, pattern in EVENTS if (found := pattern.search(line))), (None, None))
        if kind is not None and found is not None:
            count, lines, text = self.events.get(kind, (0, [], clean_text(_message(line, found.start())[:TEXT_CHARS])))
            self.events[kind] = (count + 1, lines if len(lines) >= LINES_KEPT else [*lines, self.lines], text)

    def _exception(self, name: str, message: str) -> None:
        if name in self.first or len(self.first) < MOST_NAMES:
            self.exceptions[name] += 1
            self.first.setdefault(name, (self.lines, clean_text(message.strip())))

    def facts(self, name: str, notes: tuple[Sayable, ...]) -> LogFacts:
        return LogFacts(
            name=name,
            lines=self.lines,
            errors=self.errors,
            warnings=self.warnings,
            exceptions=tuple(
                LoggedException(name=exception, count=count, line=self.first[exception][0], message=self.first[exception][1])
                for exception, count in self.exceptions.most_common(EXCEPTIONS)
            ),
            events=tuple(
                LogEvents(kind=kind, count=self.events[kind][0], lines=tuple(self.events[kind][1]), text=self.events[kind][2])
                for kind in LogEventKind
                if kind in self.events
            ),
            application=self.application,
            engine=self.engine,
            batches=self.progress.found(),
            frames=tuple(self.traces.frames),
            first_at=self.first_at,
            last_at=self.last_at,
            notes=notes,
        )


def read_plain_log(source: ArtefactSource) -> Parsed:
    """Read in one pass; memory does not grow with the log."""
    count, texts, notes = _Count(), _Texts(), list[Sayable]()
    limits = ReadLimits(expanded_bytes=LOG_BYTES, line_bytes=LINE_BYTES)
    try:
        with source.path.open("rb") as file:
            expansion = Expansion(file.read, Meter(source.size_bytes, limits))
            for line in split_lines(expansion.chunks(), LINE_BYTES):
                if line is None:  # too long to be looked at
                    count.take("")
                    continue
                if count.lines * 100 < PROBE_BYTES and is_binary(line):
                    return Parsed(problem=say("artefacts.problem.binary"))
                count.take(texts.text(line[: LINE_CHARS * 4]))
            if expansion.truncated:
                notes.append(say("artefacts.note.breaks_off", why=expansion.truncated))
            if texts.note:
                notes.append(texts.note)
    except UnreadableLog as error:
        notes.append(say("artefacts.note.read_up_to", line=statements.name(count.lines), why=error.refusal))
    except OSError as error:
        return Parsed(problem=unreadable(error))
    facts = count.facts(source.name, tuple(notes))
    return Parsed(facts=(facts,), tells=_tells(facts), summary=_summary(facts))


class _Texts:
    """Lines as text. Mostly they are UTF-8; the encoding of the others is recognised from the first of them that are clear about it."""

    def __init__(self) -> None:
        self._encoding = ""
        self._looked = 0
        self.note: Sayable = ""

    def text(self, line: bytes) -> str:
        try:
            return line.decode()
        except UnicodeDecodeError:
            read = encodings.decode(line, self._encoding, is_whole=False)
        self._looked += 1
        if not self._encoding and (not read.rival or self._looked == MOST_UNCLEAR):
            self._encoding, self.note = read.encoding, guessed(read)
        return read.text


def _tells(facts: LogFacts) -> frozenset[Information]:
    tells: set[Information] = set()
    if facts.errors or facts.exceptions or any(event.kind not in WARNS for event in facts.events):
        tells.add(Information.ERRORS)
    if facts.warnings:
        tells.add(Information.WARNINGS)
    if any(map(is_much, facts.batches)):
        tells.add(Information.RUN_METRICS)
    return frozenset(tells)


def _summary(facts: LogFacts) -> Statement:
    if facts.batches:
        batches = counts.exactly(sum(of_query.batches for of_query in facts.batches))
        return say("artefacts.summary.log_batches", lines=counts.lines(facts.lines), warnings=counts.warnings(facts.warnings), n=batches)
    counted = {"lines": counts.lines(facts.lines), "errors": counts.errors(facts.errors), "warnings": counts.warnings(facts.warnings)}
    if not facts.events:
        return say("artefacts.summary.log", **counted)
    shown = [
        say("artefacts.summary.event", event=say_member("artefacts.log_event", event.kind), lines=counts.lines(event.count))
        for event in facts.events[:SHOWN_EVENTS]
    ]
    return say("artefacts.summary.log_events", **counted, events=listing(*shown, join=Join.PLAIN))


def _message(line: str, at: int) -> str:
    """A line without the time, level and logger before its message, and without what a long message says before the part that tells
    (which begins at `at`)."""
    message = _WHEN_AND_WHO.sub("", line).strip() or line.strip()
    before = line[:at]
    if at - (len(line.rstrip()) - len(message)) <= BEFORE_CHARS:
        return message
    begin = max(before.rfind(part) + len(part) if part in before else 0 for part in BREAKS)
    return line[begin:].strip() if begin else message
