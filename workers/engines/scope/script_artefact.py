"""The script as an artefact of a job: its facts, and what a reader learns of it in a line."""

from collections import Counter

from contracts.artefacts import SourceText
from contracts.bundles import Information
from contracts.code import OperationKind
from contracts.scope import ScopeScriptFacts
from workers.engines import human
from workers.engines.artefacts.kinds import ArtefactSource, Parsed
from workers.engines.artefacts.scripts import SOURCE_CHARS
from workers.engines.scope.documents import joined
from workers.engines.scope.script import read_scope
from workers.engines.scope.text import read_text

SHOWN_PROBLEMS = 3


def parse_script(source: ArtefactSource) -> Parsed:
    """`ScriptFacts` as of any script, `ScopeScriptFacts`, and the text."""
    read = read_text(source)
    if not read.text.strip():
        return Parsed(problem=read.problem or "It is empty.")
    facts = read_scope(read.text, source.name)
    if facts.script.unreadable:
        return Parsed((facts.script, facts, _source(source, facts, read.text)), problem=joined(read.problem, facts.script.unreadable))
    tells = {Information.SCRIPT_LOGIC}
    if facts.joins:
        tells.add(Information.JOIN_DETAILS)
    if facts.partitionings:
        tells.add(Information.PARTITIONING)
    partial = [f"Line {one.line}: {one.reason}" for one in facts.unread[:SHOWN_PROBLEMS]]
    more = len(facts.unread) - len(partial)
    problem = joined(read.problem, *partial, f"{more} more places were not understood." if more > 0 else None)
    return Parsed((facts.script, facts, _source(source, facts, read.text)), frozenset(tells), _summary(facts), problem)


def _source(source: ArtefactSource, facts: ScopeScriptFacts, text: str) -> SourceText:
    shown = text[:SOURCE_CHARS]
    return SourceText(name=source.name, language="scope", text=shown, is_cut=len(shown) < len(text))


def _summary(facts: ScopeScriptFacts) -> str:
    counts = Counter(operation.kind for operation in facts.script.operations)
    kinds = (
        OperationKind.READ,
        OperationKind.JOIN,
        OperationKind.GROUP,
        OperationKind.DISTINCT,
        OperationKind.REDUCE,
        OperationKind.PROCESS,
    )
    shown = ", ".join(f"{counts[kind]} {kind.value}" for kind in kinds if counts[kind])
    counts = f"{human.counted(facts.lines, 'line')}, {human.counted(facts.statements, 'statement')}"
    return f"{'U-SQL' if facts.dialect == 'usql' else 'SCOPE'}, {counts}: {shown or 'no rowsets'}"
