"""The C# that the compiler makes of a script: which classes it holds, and of which operators of the plan they are the code."""

import re

from contracts.scope import ScopeGeneratedClass, ScopeGeneratedCode
from contracts.statements import say
from workers.engines import counts
from workers.engines.artefacts.kinds import MIB, ArtefactSource, Parsed
from workers.engines.counts import exactly
from workers.engines.problems import EMPTY
from workers.engines.scope.text import read_text

GENERATED_BYTES = 10 * MIB
LIBRARY_BYTES = 50 * MIB
"""The largest compiled library, in bytes. It is refused as binary in any case; a larger one is refused before it is read."""

CLASSES = 2_000
CLASS = re.compile(
    r"^[ \t]*(?:(?:public|internal|private|sealed|abstract|static|unsafe|partial)\s{1,5}){0,6}"
    r"class\s{1,5}(\w{1,200})(?:\s{0,5}:\s{0,5}([\w.]{1,200}))?"
)


def parse_generated_code(source: ArtefactSource) -> Parsed:
    """`ScopeGeneratedCode`. A compiled library is refused with a word."""
    read = read_text(source, LIBRARY_BYTES if source.name.lower().endswith((".dll", ".exe", ".pdb")) else GENERATED_BYTES)
    if not read.text.strip():
        return Parsed(problem=read.problem or EMPTY)
    lines = read.text.splitlines()
    found = [
        ScopeGeneratedClass(name=declared[1], line=number, base=declared[2] or "")
        for number, line in enumerate(lines, start=1)
        if "class" in line and (declared := CLASS.match(line))
    ][:CLASSES]
    if not found:
        return Parsed(problem=read.problem or say("scope.problem.no_class"))
    facts = ScopeGeneratedCode(artefact=source.name, lines=len(lines), classes=tuple(found))
    return Parsed((facts,), frozenset(), say("scope.summary.classes", n=exactly(len(found)), lines=counts.lines(len(lines))), read.problem)
