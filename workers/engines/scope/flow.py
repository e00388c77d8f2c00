"""The data-map graph: which stage feeds which, and with how many bytes."""

from contracts import statements
from contracts.bundles import Information
from contracts.scope import ScopeDataFlow, ScopeFlowEdge, ScopeFlowVertex
from contracts.statements import say
from workers.engines.artefacts.kinds import ArtefactSource, Parsed
from workers.engines.counts import exactly
from workers.engines.scope.documents import read_document
from workers.engines.scope.sentences import clauses
from workers.engines.scope.tree import Node
from workers.engines.scope.values import count, size_bytes

VERTICES = 20_000
EDGES = 50_000
NAME_CHARS = 300
INPUT_KINDS = ("input", "source", "stream", "table", "extent")
OUTPUT_KINDS = ("output", "sink", "target")


def parse_data_flow(source: ArtefactSource) -> Parsed:
    """`ScopeDataFlow`."""
    read = read_document(source)
    if read.root is None:
        return Parsed(problem=read.problem)
    vertices = [vertex for node in read.root.find("vertices", "vertex", "nodes", "node") if (vertex := _vertex(node))]
    edges = [edge for node in read.root.find("edges", "edge", "links", "link", "channels", "channel") if (edge := _edge(node))]
    if not vertices and not edges:
        return Parsed(problem=read.problem or say("scope.problem.no_flow"))
    by_id = {vertex.vertex_id: vertex for vertex in vertices}
    facts = ScopeDataFlow(artefact=source.name, vertices=tuple(by_id.values())[:VERTICES], edges=tuple(edges)[:EDGES])
    tells = {Information.DATA_FLOW} if edges else set[Information]()
    moved = sum(edge.size_bytes or 0 for edge in exchanges(facts))
    if moved:
        tells.add(Information.SHUFFLE_STATISTICS)
    taken = sum(edge.size_bytes or 0 for edge in facts.edges if edge.source in inputs_of(facts))
    if taken:
        tells.add(Information.DATA_VOLUME)
    summary = clauses(
        say("scope.vertices", n=exactly(len(by_id))),
        say("scope.edges", n=exactly(len(edges))),
        say("scope.summary.moved", moved=statements.size(moved), read=statements.size(taken)),
    )
    return Parsed((facts,), frozenset(tells), summary, read.problem)


def inputs_of(flow: ScopeDataFlow) -> frozenset[str]:
    """The ids of the streams that are read: those that say so, and else those that nothing leads to and that run no task."""
    return frozenset(vertex.vertex_id for vertex in flow.vertices if vertex.is_input)


def exchanges(flow: ScopeDataFlow) -> tuple[ScopeFlowEdge, ...]:
    """The edges on which rows go from one stage to another. A pipeline stays within its vertex."""
    outside = {vertex.vertex_id for vertex in flow.vertices if vertex.is_input or vertex.is_output}
    return tuple(
        edge
        for edge in flow.edges
        if edge.source not in outside
        and edge.target not in outside
        and "pipeline" not in edge.kind.lower()
        and "local" not in edge.kind.lower()
    )


def _vertex(node: Node) -> ScopeFlowVertex | None:
    vertex_id = node.get("id", "vertexId", "guid", "name")
    if not vertex_id:
        return None
    kind = node.get("type", "kind", "vertexType", "category")
    return ScopeFlowVertex(
        vertex_id=vertex_id[:NAME_CHARS],
        name=node.get("name", "stageName", "label", "stage")[:NAME_CHARS],
        kind=kind[:NAME_CHARS],
        is_input=kind.lower().startswith(INPUT_KINDS),
        is_output=kind.lower().startswith(OUTPUT_KINDS),
        tasks=count(node.get("tasks", "instances", "vertexCount", "parallelism", "partitions") or "?"),
    )


def _edge(node: Node) -> ScopeFlowEdge | None:
    source, target = node.get("source", "from", "src", "producer", "parent"), node.get("target", "to", "dst", "consumer", "child")
    if not source or not target:
        return None
    return ScopeFlowEdge(
        source=source[:NAME_CHARS],
        target=target[:NAME_CHARS],
        size_bytes=size_bytes(node.get("bytes", "dataSize", "size", "totalBytes", "dataBytes") or "?"),
        rows=count(node.get("rows", "rowCount", "records") or "?"),
        kind=node.get("type", "kind", "channel", "operation")[:NAME_CHARS],
    )
