"""Lineage read from the graph: what a table or column is computed from, and what is computed from it."""

from collections import defaultdict

import psycopg

from contracts.base import Json
from contracts.catalogue import LineageEdge, NodeKind
from contracts.statements import Code, Count, Name, say
from workers.blackboard.engine import Row
from workers.catalogue.access import Access
from workers.catalogue.nodes import node_id
from workers.catalogue.reading import table_id
from workers.errors import InvalidInput, NotFound

Connection = psycopg.Connection[Row]

DEEPEST = 20
_MOST = 2_000
"""Edges that are followed."""


def read_lineage(connection: Connection, access: Access, source: str, name: str, depth: int) -> tuple[LineageEdge, ...]:
    """Edges in both directions, the nearest first. Raises `NotFound` or `InvalidInput`."""
    if not 1 <= depth <= DEEPEST:
        raise InvalidInput.of(say("refused.catalogue.depth", most=Count(value=DEEPEST)))
    start = _start(connection, access, source, name)
    made_of = _follow(connection, access, start, depth, outward=True)
    made_from_it = _follow(connection, access, start, depth, outward=False)
    return (
        *sorted(made_of, key=lambda edge: (-edge.distance, edge.result, edge.origin)),
        *sorted(made_from_it, key=lambda edge: (edge.distance, edge.result)),
    )


def lineage_queries(connection: Connection, access: Access, source: str, name: str, limit: int) -> list[str]:
    """Ids of the queries that compute a table, and of those that compute others from it, the former first. Raises `NotFound`."""
    rows = connection.execute(
        """
        SELECT n.node_id, e.kind = 'derives' AS makes FROM catalogue_edges e JOIN catalogue_nodes n ON n.node_id = e.to_id
        WHERE e.from_id = %(table)s AND e.kind = 'derives' AND n.kind = 'query' AND n.gone_at IS NULL
        UNION
        SELECT n.node_id, false FROM catalogue_edges e JOIN catalogue_nodes n ON n.node_id = e.from_id
        WHERE e.to_id = %(table)s AND e.kind = 'references' AND n.kind = 'query' AND n.content ? 'target' AND n.gone_at IS NULL
        ORDER BY makes DESC, node_id LIMIT %(limit)s
        """,
        {"table": _start(connection, access, source, name), "limit": limit},
    ).fetchall()
    return [row["node_id"] for row in rows]


def _start(connection: Connection, access: Access, source: str, name: str) -> str:
    found = table_id(connection, source, name) or (
        node_id(NodeKind.COLUMN, source, key) if (key := _column_key(connection, source, name)) else None
    )
    if found and found in _visible(connection, access, {found}):
        return found
    command = Code(text="bullpen catalogue search")
    raise NotFound.of(say("refused.catalogue.no_column", name=Name(text=name[:200]), source=Name(text=source), command=command))


def _column_key(connection: Connection, source: str, name: str) -> str | None:
    table, _, column = name.rpartition(".")
    parent = table_id(connection, source, table) if table else None
    if parent is None:
        return None
    rows = connection.execute(
        "SELECT key FROM catalogue_nodes WHERE parent = %(parent)s AND kind = 'column' AND lower(content ->> 'name') = lower(%(column)s)",
        {"parent": parent, "column": column},
    ).fetchall()
    return rows[0]["key"] if rows else None


def _follow(connection: Connection, access: Access, start: str, depth: int, *, outward: bool) -> list[LineageEdge]:
    found: list[LineageEdge] = []
    seen, frontier = {start}, {start}
    for distance in range(1, depth + 1):
        near, far = ("from_id", "to_id") if outward else ("to_id", "from_id")
        rows = connection.execute(
            "SELECT from_id, to_id, content FROM catalogue_edges WHERE kind = 'derives' AND from_id = ANY(%(ids)s)"
            if outward
            else "SELECT from_id, to_id, content FROM catalogue_edges WHERE kind = 'derives' AND to_id = ANY(%(ids)s)",
            {"ids": sorted(frontier)},
        ).fetchall()
        names = _visible(connection, access, {row[side] for row in rows for side in (near, far)})
        queries: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for row in rows:
            if row["from_id"] in names and row["to_id"] in names:
                queries[row["from_id"], row["to_id"]].update(row["content"].get("queries", ()))
        found += [
            LineageEdge(
                result=names[result], origin=names[origin], distance=-distance if outward else distance, queries=tuple(sorted(places))[:20]
            )
            for (result, origin), places in queries.items()
        ]
        frontier = {pair[1 if outward else 0] for pair in queries} - seen
        seen |= frontier
        if not frontier or len(found) > _MOST:
            break
    return found[:_MOST]


def _visible(connection: Connection, access: Access, ids: set[str]) -> dict[str, str]:
    """Id → name of the tables and columns that the owner sees."""
    rows = connection.execute(
        """
        SELECT n.node_id, n.kind, n.source, n.key, n.content, t.key AS table_key, t.content AS table_content
        FROM catalogue_nodes n LEFT JOIN catalogue_nodes t ON t.node_id = n.parent
        WHERE n.node_id = ANY(%(ids)s) AND n.gone_at IS NULL
        """,
        {"ids": sorted(ids)},
    ).fetchall()
    names: dict[str, str] = {}
    for row in rows:
        bound = access.of(row["source"])
        if row["kind"] == NodeKind.TABLE:
            visible = access.visible_table(row["source"], row["key"], row["content"]) is not None
        else:
            table: str = row["table_key"] or ""
            about: Json = row["table_content"] or {}
            hidden = bound is not None and (bound.denied(table, about) or row["content"]["name"].lower() in bound.hidden(table, about))
            visible = access.sees(row["source"]) and not hidden
        if visible:
            names[row["node_id"]] = row["key"]
    return names
