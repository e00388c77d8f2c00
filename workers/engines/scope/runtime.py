"""__ScopeRuntimeStatistics__.xml: what each vertex took of memory, time and bytes.

Its writers leave out the root at times, and long ones break off. So it is read as XML; else within a root of our own; else each
vertex by its pattern; else line by line. Each way gives less than the one before and says so."""

import re
from collections.abc import Callable

from contracts import statements
from contracts.bundles import Information
from contracts.scope import ScopeOperatorRun, ScopeRuntimeStatistics, ScopeVertexRun
from contracts.statements import Join, Listing, Sayable, Statement, listing, say
from workers.engines.artefacts.kinds import ArtefactSource, Parsed
from workers.engines.counts import exactly
from workers.engines.problems import EMPTY, all_of
from workers.engines.scope.documents import tree_of
from workers.engines.scope.sentences import clauses
from workers.engines.scope.text import read_text
from workers.engines.scope.tree import Node, plain, read_tree
from workers.engines.scope.values import count, number, size_bytes

VERTEX = re.compile(r"SV\d+\w{0,200}", re.IGNORECASE)
VERTEX_TAG = re.compile(r"<(SV\d+\w{0,200})\b", re.IGNORECASE)
ID_OF_VERTEX = re.compile(r"\b(?:id|name)\s*=\s*\"(SV\d+\w{0,200})\"", re.IGNORECASE)
NAMED_VALUE = re.compile(r"\b([A-Za-z]\w{1,80})\s*[=:]\s*\"?(\d[\d,.]{0,30})")
DECLARATION = re.compile(r"<\?[^>]{0,300}\?>")

VERTICES = 5_000
OPERATORS = 100
TOP = 5
PARTS = ("inputstatistics", "outputstatistics")
"""Children whose fields have the same names."""

PEAK = ("maxOverallMemoryPeakSize", "maxPrivateMemoryPeakSize", "maxExecutionMemoryPeakSize", "PeakMemory", "MaxMemory", "MemoryPeak")
USUAL = ("avgOverallMemoryPeakSize", "avgPrivateMemoryPeakSize", "avgExecutionMemoryPeakSize", "AvgMemory")
ELAPSED = ("elapsedTime", "executeElapsedTime", "inclusiveTime", "Duration", "ElapsedMs")
CPU = ("totalCpuTime", "executeTotalCpuTime", "CpuTime")
INPUT = ("inputBytes", "input.totalBytes", "BytesRead", "DataRead")
OUTPUT = ("outputBytes", "output.totalBytes", "BytesWritten", "DataWritten")
SPILLED = ("spilledBytes", "spillBytes", "spillSize", "bytesSpilled")
GC = ("avgTimeInGCPercent", "timeInGCPercent", "GCTimePercent", "gcPercent")
EXCEPTIONS = ("csharpExceptionCount", "cppExceptionCount", "otherExceptionCount")


SHOWN_TOP = 2


def parse_runtime_statistics(source: ArtefactSource) -> Parsed:
    """`ScopeRuntimeStatistics`."""
    read = read_text(source)
    if not read.text.strip():
        return Parsed(problem=read.problem or EMPTY)
    found, read_as, problem = _vertices(read.text)
    if not found:
        return Parsed(problem=all_of(read.problem, problem, say("scope.problem.no_vertex")))
    facts = ScopeRuntimeStatistics(
        artefact=source.name,
        read_as=read_as,
        vertices=tuple(found),
        top_memory=_top(found, lambda vertex: vertex.peak_memory_bytes or vertex.usual_memory_bytes),
        top_time=_top(found, lambda vertex: vertex.elapsed_ms),
        top_bytes=_top(found, lambda vertex: (vertex.input_bytes or 0) + (vertex.output_bytes or 0)),
    )
    tells = {Information.RUN_METRICS}
    if any(vertex.elapsed_ms for vertex in found):
        tells.add(Information.STAGE_RUNS)
    if any(vertex.input_bytes for vertex in found):
        tells.add(Information.DATA_VOLUME)
    return Parsed((facts,), frozenset(tells), _summary(facts), all_of(read.problem, problem))


def _vertices(text: str) -> tuple[list[ScopeVertexRun], str, Sayable | None]:
    """The vertices, the way by which they were found, and what is wrong with the file."""
    whole = tree_of(text)
    found = _from_tree(whole.root)
    if found and whole.problem is None:
        return found, "xml", None
    wrapped = read_tree(f"<root>{DECLARATION.sub('', text)}</root>") if not whole.root or whole.problem else whole
    inside = _from_tree(wrapped.root)
    if inside and wrapped.problem is None:
        return inside, "wrapped", say("scope.problem.no_root")
    by_pattern = _from_pattern(text)
    if by_pattern and len(by_pattern) >= len(found):
        return by_pattern, "pattern", whole.problem or say("scope.problem.broken")
    if found:
        return found, "xml", whole.problem
    return _from_lines(text), "lines", whole.problem


def _from_tree(root: Node | None) -> list[ScopeVertexRun]:
    """Elements that are called like a vertex, or whose id is; of one vertex the first."""
    if root is None:
        return []
    found: dict[str, ScopeVertexRun] = {}
    for node in root.walk():
        name = node.tag if VERTEX.fullmatch(node.tag) else node.get("id", "vertex", "name")
        if VERTEX.fullmatch(name) and name not in found and len(found) < VERTICES:
            found[name] = _vertex(name, _fields(node), _operators(node))
    return [vertex for vertex in found.values() if _is_described(vertex)]


def _fields(node: Node) -> dict[str, str]:
    """All numbers of a vertex by plain name; those of input and output statistics with the part's name before."""
    fields: dict[str, str] = {}
    for part in node.walk():
        before = part.key.removesuffix("statistics") + "." if part.key in PARTS else ""
        for name, value in part.attributes.items():
            fields.setdefault(before + name, value)
        if part.text and not part.children:
            fields.setdefault(part.key, part.text)
    return fields


def _operators(node: Node) -> tuple[ScopeOperatorRun, ...]:
    return tuple(
        ScopeOperatorRun(
            operator_id=part.get("opId")[:200],
            rows=count(part.get("rowCount")),
            exclusive_ms=count(part.get("exclusiveTime")),
        )
        for part in node.walk()
        if part.attributes.get("opid")
    )[:OPERATORS]


def _from_pattern(text: str) -> list[ScopeVertexRun]:
    """The text of each vertex, from its tag to the next vertex's tag, even if the markup in between is broken."""
    starts = [(found.start(), found[1]) for found in VERTEX_TAG.finditer(text)][:VERTICES]
    parts = [(name, text[at : starts[place + 1][0] if place + 1 < len(starts) else len(text)]) for place, (at, name) in enumerate(starts)]
    return _named(parts)


def _from_lines(text: str) -> list[ScopeVertexRun]:
    """Lines `SV3_Combine elapsedTime=... `, and what follows until the next vertex is named."""
    parts: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        named = ID_OF_VERTEX.search(line) or re.match(r"\W{0,20}(SV\d+\w{0,200})", line, re.IGNORECASE)
        if named and (not parts or parts[-1][0] != named[1]) and len(parts) < VERTICES:
            parts.append((named[1], []))
        if parts:
            parts[-1][1].append(line)
    return _named([(name, "\n".join(lines)) for name, lines in parts])


def _named(parts: list[tuple[str, str]]) -> list[ScopeVertexRun]:
    found: dict[str, ScopeVertexRun] = {}
    for name, part in parts:
        fields: dict[str, str] = {}
        before = ""
        for line in part.replace("<", "\n<").splitlines():
            before = next((f"{word.removesuffix('statistics')}." for word in PARTS if line.lower().startswith(f"<{word}")), "")
            for named in NAMED_VALUE.finditer(line):
                fields.setdefault(before + plain(named[1]), named[2])
        vertex = _vertex(name, fields, ())
        if _is_described(vertex):
            found.setdefault(name, vertex)
    return list(found.values())


def _vertex(name: str, fields: dict[str, str], operators: tuple[ScopeOperatorRun, ...]) -> ScopeVertexRun:
    percent = number(_first(fields, GC).rstrip("% "))
    return ScopeVertexRun(
        vertex=name[:200],
        peak_memory_bytes=size_bytes(_first(fields, PEAK)),
        usual_memory_bytes=size_bytes(_first(fields, USUAL)),
        elapsed_ms=count(_first(fields, ELAPSED)),
        cpu_ms=count(_first(fields, CPU)),
        input_bytes=size_bytes(_first(fields, INPUT)),
        output_bytes=size_bytes(_first(fields, OUTPUT)),
        spilled_bytes=size_bytes(_first(fields, SPILLED)),
        gc_share=min(1.0, percent / 100) if percent is not None and percent >= 0 else None,
        exceptions=_sum(fields, EXCEPTIONS),
        operators=operators,
    )


def _first(fields: dict[str, str], names: tuple[str, ...]) -> str:
    return next((fields[plain(name)] for name in names if plain(name) in fields), "")


def _sum(fields: dict[str, str], names: tuple[str, ...]) -> int | None:
    found = [value for name in names if (value := count(fields.get(plain(name), ""))) is not None]
    return sum(found) if found else None


def _is_described(vertex: ScopeVertexRun) -> bool:
    return any(value is not None for value in (vertex.peak_memory_bytes, vertex.elapsed_ms, vertex.input_bytes, vertex.usual_memory_bytes))


def _top(vertices: list[ScopeVertexRun], value: Callable[[ScopeVertexRun], int | None]) -> tuple[str, ...]:
    measured = [vertex for vertex in vertices if value(vertex)]
    return tuple(vertex.vertex for vertex in sorted(measured, key=lambda vertex: -(value(vertex) or 0))[:TOP])


def _summary(facts: ScopeRuntimeStatistics) -> Statement:
    parts = [say("scope.vertices", n=exactly(len(facts.vertices)))]
    if facts.top_memory:
        parts.append(say("scope.summary.most_memory", vertices=_listed(facts.top_memory)))
    if facts.top_time:
        parts.append(say("scope.summary.most_time", vertices=_listed(facts.top_time)))
    if facts.top_bytes:
        parts.append(say("scope.summary.most_bytes", vertices=_listed(facts.top_bytes)))
    return clauses(*parts)


def _listed(names: tuple[str, ...]) -> Listing:
    return listing(*map(statements.name, names[:SHOWN_TOP]), join=Join.PLAIN)
