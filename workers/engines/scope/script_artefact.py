"""The script as an artefact of a job: its facts, and what a reader learns of it in a line."""

from collections import Counter

from contracts.artefacts import SourceText
from contracts.bundles import Information
from contracts.code import OperationKind
from contracts.scope import ScopeDialect, ScopeScriptFacts
from contracts.statements import Join, Statement, as_value, listing, name, say
from workers.engines import counts
from workers.engines.artefacts.kinds import ArtefactSource, Parsed
from workers.engines.artefacts.scripts import SOURCE_CHARS
from workers.engines.counts import exactly
from workers.engines.problems import EMPTY, all_of
from workers.engines.scope.script import read_scope
from workers.engines.scope.sentences import what_there_is
from workers.engines.scope.text import read_text

SHOWN_PROBLEMS = 3


def parse_script(source: ArtefactSource) -> Parsed:
    """`ScriptFacts` as of any script, `ScopeScriptFacts`, and the text."""
    read = read_text(source)
    if not read.text.strip():
        return Parsed(problem=read.problem or EMPTY)
    facts = read_scope(read.text, source.name)
    if facts.script.unreadable:
        return Parsed((facts.script, facts, _source(source, facts, read.text)), problem=all_of(read.problem, facts.script.unreadable))
    tells = {Information.SCRIPT_LOGIC}
    if facts.joins:
        tells.add(Information.JOIN_DETAILS)
    if facts.partitionings:
        tells.add(Information.PARTITIONING)
    partial = [
        say("scope.problem.in_line", line=name(unread.line), why=as_value(unread.reason)) for unread in facts.unread[:SHOWN_PROBLEMS]
    ]
    more = len(facts.unread) - len(partial)
    problem = all_of(read.problem, *partial, say("scope.problem.more_places", n=exactly(more)) if more > 0 else None)
    return Parsed((facts.script, facts, _source(source, facts, read.text)), frozenset(tells), _summary(facts), problem)


def _source(source: ArtefactSource, facts: ScopeScriptFacts, text: str) -> SourceText:
    shown = text[:SOURCE_CHARS]
    return SourceText(name=source.name, language="scope", text=shown, is_cut=len(shown) < len(text))


def _summary(facts: ScopeScriptFacts) -> Statement:
    found = Counter(operation.kind for operation in facts.script.operations)
    kinds = (
        OperationKind.READ,
        OperationKind.JOIN,
        OperationKind.GROUP,
        OperationKind.DISTINCT,
        OperationKind.REDUCE,
        OperationKind.PROCESS,
    )
    shown = what_there_is({kind: found[kind] for kind in kinds})
    return say(
        "scope.summary.script",
        dialect=name("U-SQL" if facts.dialect is ScopeDialect.USQL else "SCOPE"),
        lines=counts.lines(facts.lines),
        statements=say("scope.statements", n=exactly(facts.statements)),
        operations=listing(*shown, join=Join.PLAIN) if shown else say("scope.no_rowsets"),
    )
