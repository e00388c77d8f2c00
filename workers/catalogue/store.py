"""Taking in what an origin says: an upsert by key, in batches, which says what is new, changed and gone."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import psycopg

from contracts.base import Json, canonical_json, clean_json
from contracts.catalogue import CatalogueProblem, CatalogueReport, KindCounts, NodeKind
from contracts.statements import count, say
from workers.blackboard.engine import Database, Row, jsonb
from workers.catalogue.corpora import take_turns
from workers.catalogue.derive import count_words, derive
from workers.catalogue.nodes import CHOSEN, Edge, Node, form_of, join_given, with_further
from workers.errors import InvalidInput

Connection = psycopg.Connection[Row]

Item = Node | Edge | CatalogueProblem
"""What the reader of a form yields."""

Progress = Callable[[str, int], None]
"""What is being done, and how many of it are done."""

_BATCH = 5_000

MOST_PROBLEMS = 200
"""Problems that a report names; of a file that is not what it seems, every line is one."""

_SEEN_EDGES = "CREATE TEMP TABLE IF NOT EXISTS seen_edges (from_id text, kind text, to_id text, label text)"

MOST_CONTENT = 200_000
"""Characters of a node's content as JSON."""


@dataclass
class _Tally:
    """What was done so far."""

    counts: Counter[tuple[NodeKind, str]] = field(default_factory=Counter[tuple[NodeKind, str]])
    seen: set[str] = field(default_factory=set[str])
    sources: set[str] = field(default_factory=set[str])
    touched: set[str] = field(default_factory=set[str])
    """Nodes whose texts have to be made again."""
    problems: list[CatalogueProblem] = field(default_factory=list[CatalogueProblem])
    edges: int = 0


def import_items(
    db: Database,
    origin: str,
    items: Iterable[Item],
    *,
    search: Sequence[str] = (),
    progress: Progress = lambda what, done: None,
) -> CatalogueReport:
    """Take in all that an origin says now. What it said before and says no more is taken back; nothing is where nothing
    came: that is an unreadable file rather than an empty one.

    `search`: schemas in which the origin's source looks for a table that is named without one.
    """
    begun = time.monotonic()
    tally = _Tally()
    with db.session() as connection:
        connection.execute("DROP TABLE IF EXISTS pg_temp.seen_edges")  # of an import on this connection that failed
        for nodes, edges in _batches(items, tally):
            with connection.transaction():
                take_turns(connection)
                _store_nodes(connection, origin, nodes, tally)
                _store_edges(connection, origin, edges, tally)
            progress("Nodes", len(tally.seen))
        if not tally.seen:
            return _report(origin, tally, begun)
        _take_back(connection, origin, tally)
        written = sum(number for (_, what), number in tally.counts.items() if what != "unchanged")
        _log(connection, origin, tally, search, begun)
    derive(db, tally.touched, lambda done: progress("Texts", done))
    if written:
        count_words(db, written)
    return _report(origin, tally, begun)


def _batches(items: Iterable[Item], tally: _Tally) -> Iterator[tuple[list[Node], list[Edge]]]:
    nodes: dict[str, Node] = {}
    edges: list[Edge] = []
    for item in items:
        if isinstance(item, CatalogueProblem):
            if len(tally.problems) < MOST_PROBLEMS:
                tally.problems.append(item)
        elif isinstance(item, Edge):
            edges.append(item)
        elif item.id in nodes and item.kind in (NodeKind.METRIC, NodeKind.TERM):
            nodes[item.id] = with_further(nodes[item.id], item)
        elif item.id not in tally.seen:  # the first of two with the same key is kept
            tally.seen.add(item.id)
            nodes[item.id] = item
        if len(nodes) + len(edges) >= _BATCH:
            yield list(nodes.values()), edges
            nodes, edges = {}, []
    if nodes or edges:
        yield list(nodes.values()), edges


def _store_nodes(connection: Connection, origin: str, nodes: Sequence[Node], tally: _Tally) -> None:
    found = connection.execute(
        "SELECT node_id, given, content, gone_at FROM catalogue_nodes WHERE node_id = ANY(%(ids)s)", {"ids": [node.id for node in nodes]}
    ).fetchall()
    known = {row["node_id"]: row for row in found}
    writing: list[tuple[Node, str, str]] = []
    for node in nodes:
        tally.sources.add(node.source)
        content = _bounded(node, tally)
        old = known.get(node.id)
        given: dict[str, Json] = dict(old["given"]) if old and old["gone_at"] is None else {}
        if given.get(origin) == content:
            tally.counts[node.kind, "unchanged"] += 1
            continue
        given[origin] = content
        joined = join_given(given)
        writing.append((node, canonical_json(given), canonical_json(joined)))
        if old and old["gone_at"] is None and old["content"] == joined:
            tally.counts[node.kind, "unchanged"] += 1
            continue
        tally.counts[node.kind, "new" if old is None or old["gone_at"] is not None else "changed"] += 1
        tally.touched.add(_bearer(node.kind, node.id, node.parent))
        if node.kind is NodeKind.VALUE_DOMAIN:
            tally.touched.add(node.id)
    _write(connection, writing)


def _bearer(kind: NodeKind, found: str, parent: str | None) -> str:
    """The node whose texts say what this one is: of a column, its table."""
    return parent if kind is NodeKind.COLUMN and parent else found


def _bounded(node: Node, tally: _Tally) -> Json:
    content: Json = clean_json(node.content)
    if len(canonical_json(content)) > MOST_CONTENT:
        tally.problems.append(
            CatalogueProblem(place=node.key[:200], reason=say("refused.import.part.cut", most=count(MOST_CONTENT, exact=True)))
        )
        content = {name: value[:10_000] if isinstance(value, str) else value for name, value in content.items()}
        if len(canonical_json(content)) > MOST_CONTENT:
            content = {"name": str(content.get("name", ""))[:1_000]}
    return content


def _write(connection: Connection, writing: Sequence[tuple[Node, str, str]]) -> None:
    if not writing:
        return
    connection.execute(
        "CREATE TEMP TABLE incoming (node_id text, kind text, source text, key text, parent text, given jsonb, content jsonb) "
        "ON COMMIT DROP"
    )
    with connection.cursor().copy("COPY incoming FROM STDIN") as copy:
        for node, given, content in writing:
            copy.write_row((node.id, node.kind.value, node.source, node.key, node.parent, given, content))
    connection.execute(
        """
        INSERT INTO catalogue_nodes AS n (node_id, kind, source, key, parent, given, content) SELECT * FROM incoming
        ON CONFLICT (node_id) DO UPDATE SET given = excluded.given, content = excluded.content, parent = excluded.parent,
            gone_at = NULL, updated_at = now()
        """
    )
    connection.execute("DROP TABLE incoming")


def _store_edges(connection: Connection, origin: str, edges: Sequence[Edge], tally: _Tally) -> None:
    """Write the edges. Those of before are still there; `_take_back` removes what did not come again."""
    if not edges:
        return
    connection.execute(
        "CREATE TEMP TABLE incoming_edges (from_id text, kind text, to_id text, label text, source text, content jsonb) ON COMMIT DROP"
    )
    connection.execute(_SEEN_EDGES)
    with connection.cursor().copy("COPY incoming_edges FROM STDIN") as copy:
        for edge in edges:
            content = canonical_json(clean_json(dict(edge.content)))
            copy.write_row((edge.start, edge.kind.value, edge.end, edge.label[:500], edge.source, content))
    tally.edges += connection.execute(
        """
        INSERT INTO catalogue_edges AS e (from_id, kind, to_id, label, origin, source, content)
        SELECT DISTINCT ON (from_id, kind, to_id, label) from_id, kind, to_id, label, %(origin)s, source, content FROM incoming_edges
        ON CONFLICT (from_id, kind, to_id, label, origin) DO UPDATE SET content = excluded.content
        """,
        {"origin": origin},
    ).rowcount
    connection.execute("INSERT INTO seen_edges SELECT from_id, kind, to_id, label FROM incoming_edges")
    connection.execute("DROP TABLE incoming_edges")


def _take_back(connection: Connection, origin: str, tally: _Tally) -> None:
    """Take back what the origin no longer says, in every source that it ever spoke about."""
    rows = connection.execute("SELECT sources FROM catalogue_origins WHERE origin = %(origin)s", {"origin": origin}).fetchall()
    sources = sorted(tally.sources | {source for row in rows for source in row["sources"]})
    with connection.transaction():
        take_turns(connection)
        had = connection.execute(
            "SELECT node_id FROM catalogue_nodes WHERE source = ANY(%(sources)s) AND gone_at IS NULL AND given ? %(origin)s",
            {"sources": sources, "origin": origin},
        ).fetchall()
        withdraw(connection, origin, [row["node_id"] for row in had if row["node_id"] not in tally.seen], tally.counts, tally.touched)
        connection.execute(_SEEN_EDGES)
        connection.execute("ANALYZE seen_edges")
        connection.execute(
            """
            DELETE FROM catalogue_edges e WHERE e.origin = %(origin)s AND NOT EXISTS (
                SELECT FROM seen_edges s WHERE (s.from_id, s.kind, s.to_id, s.label) = (e.from_id, e.kind, e.to_id, e.label))
            """,
            {"origin": origin},
        )
        connection.execute("DROP TABLE seen_edges")


def withdraw(connection: Connection, origin: str, ids: Sequence[str], counts: Counter[tuple[NodeKind, str]], touched: set[str]) -> None:
    """Take back what an origin says of these nodes. Those that no other origin has are marked as gone, with what was known last."""
    rows = connection.execute(
        "SELECT node_id, kind, parent, given, content FROM catalogue_nodes WHERE node_id = ANY(%(ids)s)", {"ids": list(ids)}
    ).fetchall()
    kept: list[Mapping[str, object]] = []
    gone: list[str] = []
    for row in rows:
        kind = NodeKind(row["kind"])
        rest: dict[str, Json] = {name: content for name, content in row["given"].items() if name != origin}
        touched.update((row["node_id"], _bearer(kind, row["node_id"], row["parent"])))
        if any(form_of(name) != CHOSEN for name in rest):
            kept.append({"id": row["node_id"], "given": rest, "content": join_given(rest)})
            counts[kind, "changed"] += 1
        else:
            gone.append(row["node_id"])
            counts[kind, "gone"] += 1
    connection.execute(
        """
        UPDATE catalogue_nodes n SET given = r.given, content = r.content, updated_at = now()
        FROM jsonb_to_recordset(%(rows)s) AS r(id text, given jsonb, content jsonb) WHERE n.node_id = r.id
        """,
        {"rows": jsonb(kept)},
    )
    connection.execute("UPDATE catalogue_nodes SET gone_at = now(), updated_at = now() WHERE node_id = ANY(%(ids)s)", {"ids": gone})


def _log(connection: Connection, origin: str, tally: _Tally, search: Sequence[str], begun: float) -> None:
    report = _report(origin, tally, begun).to_json()
    connection.execute(
        """
        INSERT INTO catalogue_origins AS o (origin, sources, search, report) VALUES (%(origin)s, %(sources)s, %(search)s, %(report)s)
        ON CONFLICT (origin) DO UPDATE SET report = excluded.report, search = excluded.search, imported_at = now(),
            sources = ARRAY(SELECT DISTINCT unnest(o.sources || excluded.sources) ORDER BY 1)
        """,
        {"origin": origin, "sources": sorted(tally.sources), "search": list(search), "report": jsonb(report)},
    )


def _report(origin: str, tally: _Tally, begun: float) -> CatalogueReport:
    kinds = {kind: KindCounts(**{what: number for (k, what), number in tally.counts.items() if k is kind}) for kind, _ in tally.counts}
    return CatalogueReport(
        origin=origin,
        sources=tuple(sorted(tally.sources)),
        kinds={kind: kinds[kind] for kind in NodeKind if kind in kinds},
        edges=tally.edges,
        problems=tuple(tally.problems),
        duration_s=round(time.monotonic() - begun, 3),
    )


def take_back(db: Database, origin: str) -> None:
    """Take back all that an origin says."""
    tally = _Tally()
    with db.session() as connection:
        _take_back(connection, origin, tally)
    derive(db, tally.touched)


def forget_source(db: Database, source: str) -> int:
    """Remove all that is known of a source, for good; how many nodes. For a source that was removed: what its owners could see
    must not become visible to others."""
    with db.session() as connection, connection.transaction():
        take_turns(connection)
        rows = connection.execute("DELETE FROM catalogue_nodes WHERE source = %(source)s RETURNING node_id", {"source": source}).fetchall()
        ids = [row["node_id"] for row in rows]
        connection.execute("DELETE FROM catalogue_edges WHERE source = %(source)s OR to_id = ANY(%(ids)s)", {"source": source, "ids": ids})
        connection.execute("DELETE FROM embeddings WHERE owner_kind LIKE 'catalogue%%' AND owner_id = ANY(%(ids)s)", {"ids": ids})
        connection.execute(
            "UPDATE catalogue_origins SET sources = array_remove(sources, %(source)s) WHERE %(source)s = ANY(sources)", {"source": source}
        )
    return len(ids)


def require_source_name(name: str) -> str:
    """A name under which things of a source are kept. Raises `InvalidInput`."""
    if not name or len(name) > 200 or not name.isprintable():
        raise InvalidInput.of(say("refused.catalogue.name_source"))
    return name
