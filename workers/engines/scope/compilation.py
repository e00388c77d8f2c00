"""How the script was compiled: the command line, the compilers' options and output, and how long each step took."""

import re

from contracts import statements
from contracts.bundles import Information
from contracts.scope import ScopeCompilation, ScopeMessage
from contracts.statements import Join, listing, say
from workers.engines import counts
from workers.engines.artefacts.kinds import ArtefactSource, Parsed
from workers.engines.counts import exactly
from workers.engines.problems import EMPTY
from workers.engines.scope.documents import read_document
from workers.engines.scope.sentences import clauses
from workers.engines.scope.text import read_text
from workers.engines.scope.values import duration_ms, named_duration_ms

LINES = 200_000
MESSAGES = 200
TEXT_CHARS = 500
NAME_CHARS = 200
OPTIONS = 300
TIMERS = 500

COMPILER_MESSAGE = re.compile(r"\b(error|warning)\s{1,3}([A-Z]{1,6}_?\w{2,60})\s{0,3}:\s{0,3}(.{1,500})", re.IGNORECASE)
PLACE = re.compile(r"\((\d{1,7})(?:,\d{1,7})?\)\s{0,3}:")
ELAPSED = re.compile(r"^\*{3}\s{1,3}(.{1,100}?), time elapsed until this point:\s{1,3}([\d:.]{5,30})")
FUNCTIONS = re.compile(r"Total Function Count:\s{1,3}(\d{1,9})")
OPTION = re.compile(r"(?<!\S)[-/]([A-Za-z][\w.]{0,60})(?:[:=]|\s{1,3}(?![-/]))?(\"[^\"\n]{0,300}\"|[^\s\"]{1,300})?")
SHOWN_OPTIONS = 6

SECRET = re.compile(r"pass|secret|token(?!s\b)|key|credential|\bpat\b|\bsas\b|sig$", re.IGNORECASE)
"""Options whose values are never kept. `-tokens 200` is a number of slots."""


def parse_compile_output(source: ArtefactSource) -> Parsed:
    """`ScopeCompilation` from the compilers' output, or from the list of their options."""
    read = read_text(source)
    if not read.text.strip():
        return Parsed(problem=read.problem or EMPTY)
    lines = read.text.splitlines()[:LINES]
    messages = [message for line in lines if (message := _message(line))][:MESSAGES]
    timers = {
        found[1][:NAME_CHARS]: elapsed_ms
        for line in lines
        if (found := ELAPSED.match(line))
        if (elapsed_ms := duration_ms(found[2])) is not None
    }
    functions = sum(int(found[1]) for line in lines if (found := FUNCTIONS.search(line[:TEXT_CHARS])))
    options = {} if timers else _options(read.text)
    facts = ScopeCompilation(
        artefact=source.name,
        options=options,
        timers_ms=dict(list(timers.items())[:TIMERS]),
        functions=functions or None,
        messages=tuple(messages),
    )
    errors = [message for message in messages if message.severity == "error"]
    if not (messages or timers or functions or options):
        return Parsed(problem=read.problem or say("scope.problem.no_compilation"))
    tells = {Information.ERRORS} if errors else set[Information]()
    tells |= {Information.WARNINGS} if len(errors) < len(messages) else set()
    tells |= {Information.CONFIGURATION} if options else set()
    parts = [
        say("scope.summary.compilers", errors=counts.errors(len(errors)), warnings=counts.warnings(len(messages) - len(errors))),
        say("scope.options", n=exactly(len(options))),
    ]
    if timers:
        parts.append(say("scope.summary.done_after", took=statements.milliseconds(max(timers.values()))))
    summary = clauses(*parts)
    return Parsed((facts,), frozenset(tells), summary, read.problem)


def parse_compiler_timers(source: ArtefactSource) -> Parsed:
    """`ScopeCompilation` with the timers alone."""
    read = read_document(source)
    if read.root is None:
        return Parsed(problem=read.problem)
    timers: dict[str, int] = {}
    for node in read.root.walk():
        name = node.get("Name", "Phase", "Step", "Id") or (node.tag if not node.children else "")
        for field in ("Elapsed", "ElapsedMs", "ElapsedTicks", "Duration", "Time", "Value", "Seconds"):
            text = node.get(field) if node.attributes else ""
            unit = f" {node.get('Unit')}" if field == "Value" else ""
            if name and text and (took := named_duration_ms(field, text + unit)) is not None and len(timers) < TIMERS:
                timers.setdefault(name[:NAME_CHARS], took)
                break
        else:
            if name and node is not read.root and node.text and (took := duration_ms(node.text)) is not None and len(timers) < TIMERS:
                timers.setdefault(name[:NAME_CHARS], took)
    if not timers:
        return Parsed(problem=read.problem or say("scope.problem.no_timer"))
    longest = max(timers, key=lambda name: timers[name])
    facts = ScopeCompilation(artefact=source.name, timers_ms=timers)
    summary = say(
        "scope.summary.timers",
        n=exactly(len(timers)),
        longest=statements.name(longest),
        took=statements.milliseconds(timers[longest]),
    )
    return Parsed((facts,), frozenset(), summary, read.problem)


def parse_command_line(source: ArtefactSource) -> Parsed:
    """`ScopeCompilation` with the options of the submission. Values that may be secrets are left out, and so is the line itself."""
    read = read_text(source)
    options = _options(read.text)
    if not options:
        return Parsed(problem=read.problem or say("scope.problem.no_option"))
    program = re.split(r"[\\/]", read.text.split(None, 1)[0].strip('"'))[-1]
    facts = ScopeCompilation(artefact=source.name, command=program[:NAME_CHARS], options=options)
    shown = listing(*map(statements.name, list(options)[:SHOWN_OPTIONS]), join=Join.PLAIN)
    summary = say("scope.summary.options", options=say("scope.options", n=exactly(len(options))), names=shown)
    return Parsed((facts,), frozenset({Information.CONFIGURATION}), summary, read.problem)


def _options(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for option in OPTION.finditer(text[: LINES * 10]):
        value = (option[2] or "").strip('"')
        if len(found) < OPTIONS:
            found.setdefault(option[1], "" if SECRET.search(option[1]) else value[:TEXT_CHARS])
    return found


def _message(line: str) -> ScopeMessage | None:
    found = COMPILER_MESSAGE.search(line[: 4 * TEXT_CHARS])
    if found is None:
        return None
    place = PLACE.search(line[: found.start() + 1])
    return ScopeMessage(
        code=found[2][:NAME_CHARS],
        severity=found[1].lower(),
        message=found[3].strip()[:TEXT_CHARS],
        line=(int(place[1]) or None) if place else None,
    )
