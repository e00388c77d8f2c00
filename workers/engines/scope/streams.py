"""Stream information: the inputs and outputs with their sizes, rows and partitions."""

from contracts import statements
from contracts.bundles import Information
from contracts.scope import ScopeStream, ScopeStreamInfo
from contracts.statements import say
from workers.engines.artefacts.kinds import ArtefactSource, Parsed
from workers.engines.counts import exactly
from workers.engines.scope.documents import read_document
from workers.engines.scope.tree import Node
from workers.engines.scope.values import count, size_bytes

STREAMS = 5_000
NAME_CHARS = 500
COLUMNS = 50
TAGS = ("Stream", "StreamInfo", "StreamsetInfo", "Input", "Output", "Table", "SStream")
OUTPUTS = ("outputs", "outputstreams", "outputstreamsetdictionary", "outputtables")


def parse_stream_info(source: ArtefactSource) -> Parsed:
    """`ScopeStreamInfo`."""
    read = read_document(source)
    if read.root is None:
        return Parsed(problem=read.problem)
    outputs = [stream for group in read.root.find(*OUTPUTS) for stream in _streams(group)]
    outputs += [stream for node in read.root.find("Output") if (stream := stream_of(node))]
    written = {stream.name for stream in outputs}
    inputs = [stream for stream in _streams(read.root) if stream.name not in written]
    if not inputs and not outputs:
        return Parsed(problem=read.problem or say("scope.problem.no_stream"))
    facts = ScopeStreamInfo(artefact=source.name, inputs=tuple(_once(inputs))[:STREAMS], outputs=tuple(_once(outputs))[:STREAMS])
    tells = {Information.DATA_VOLUME}
    if any(stream.partitioned_by or stream.partitions for stream in (*facts.inputs, *facts.outputs)):
        tells.add(Information.PARTITIONING)
    total = sum(stream.size_bytes or 0 for stream in facts.inputs)
    summary = say(
        "scope.summary.streams",
        n=exactly(len(facts.inputs)),
        size=statements.size(total),
        outputs=say("scope.outputs", n=exactly(len(facts.outputs))),
    )
    return Parsed((facts,), frozenset(tells), summary, read.problem)


def stream_of(node: Node) -> ScopeStream | None:
    """The stream that an element describes; none when it has no name or no number."""
    name = node.get("StreamName", "CosmosName", "Name", "Path", "TableName", "Url")
    size = size_bytes(node.get("Size", "Length", "SizeInBytes", "Bytes", "DataSize", "CommittedLength") or "?")
    rows = count(node.get("RowCount", "Rows", "NumRows", "Records") or "?")
    partitions = count(node.get("PartitionCount", "Partitions", "ExtentCount", "Extents") or "?")
    if not name or (size is None and rows is None and partitions is None):
        return None
    keys = node.get("PartitionedBy", "PartitionKeys", "ClusteredBy", "ClusterKeys", "PartitionColumns")
    columns = tuple(part.strip()[:NAME_CHARS] for part in keys.replace(";", ",").split(",") if part.strip())[:COLUMNS]
    return ScopeStream(name=name[:NAME_CHARS], size_bytes=size, rows=rows, partitions=partitions, partitioned_by=columns)


def _streams(root: Node) -> list[ScopeStream]:
    return [stream for node in root.find(*TAGS) if (stream := stream_of(node))]


def _once(streams: list[ScopeStream]) -> list[ScopeStream]:
    return list({stream.name: stream for stream in streams}.values())
