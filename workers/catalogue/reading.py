"""Reading tables, queries and documents by their names, as an owner sees them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import psycopg

from contracts.base import Json, clean_text
from contracts.catalogue import KnownQuery, NodeKind, Passage
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from workers.blackboard.engine import Row
from workers.catalogue.access import Access, mentions
from workers.catalogue.nodes import OWN, form_of, node_id

Connection = psycopg.Connection[Row]

_SAMPLED = ("minimum", "maximum", "distinct", "nulls", "holds")


def read_tables(connection: Connection, access: Access, ids: Sequence[str]) -> dict[str, TableDetail]:
    """Tables by their ids, those that the owner sees, without those that no origin has any more."""
    rows = connection.execute(
        "SELECT node_id, source, key, content FROM catalogue_nodes WHERE node_id = ANY(%(ids)s) AND kind = 'table' AND gone_at IS NULL",
        {"ids": list(ids)},
    ).fetchall()
    visible: dict[str, Json] = {}
    for row in rows:
        if (content := access.visible_table(row["source"], row["key"], row["content"])) is not None:
            visible[row["node_id"]] = content
    parts = _parts(connection, list(visible))
    found: dict[str, TableDetail] = {}
    for row in rows:
        if (key := row["node_id"]) not in visible:
            continue
        columns, domains = parts.get(key, ([], {}))
        bound = access.of(row["source"])
        hidden = bound.hidden(row["key"], row["content"]) if bound else frozenset[str]()
        silent = bound.rows_hidden(row["key"], row["content"]) if bound else False
        found[key] = _detail(visible[key], [column for column in columns if column["name"].lower() not in hidden], domains, silent)
    return found


def _parts(connection: Connection, tables: Sequence[str]) -> dict[str, tuple[list[Json], dict[str, list[str]]]]:
    """Id of a table → contents of its columns in their order, and values by the name of a column."""
    rows = connection.execute(
        "SELECT parent, kind, content, given FROM catalogue_nodes WHERE parent = ANY(%(ids)s) AND gone_at IS NULL",
        {"ids": list(tables)},
    ).fetchall()
    columns: defaultdict[str, list[tuple[Json, bool]]] = defaultdict(list)
    domains: defaultdict[str, dict[str, list[str]]] = defaultdict(dict)
    for row in rows:
        if row["kind"] == NodeKind.COLUMN:
            columns[row["parent"]].append((row["content"], any(form_of(origin) == "source" for origin in row["given"])))
        else:
            domains[row["parent"]][row["content"]["name"]] = row["content"].get("values", [])
    found: dict[str, tuple[list[Json], dict[str, list[str]]]] = {}
    for table, members in columns.items():
        real = any(
            introspected for _, introspected in members
        )  # then what a file adds to the source's own columns is a mistake of the file
        kept = [content for content, introspected in members if introspected or not real]
        kept.sort(key=lambda content: (content.get("position", 1_000_000), content["name"]))
        found[table] = (kept, domains[table])
    return found


def _detail(content: Json, columns: Iterable[Json], domains: Mapping[str, Sequence[str]], silent: bool) -> TableDetail:
    return TableDetail(
        name=content["name"],
        schema_name=content.get("schema_name", ""),
        columns=tuple(_column(column, () if silent else domains.get(column["name"], ()), silent) for column in columns),
        description=content.get("description", ""),
        primary_key=tuple(content.get("primary_key", ())),
        unique=tuple(map(tuple, content.get("unique", ()))),
        foreign_keys=tuple(
            ForeignKey(columns=tuple(key["columns"]), table=key["table"], references=tuple(key["references"]))
            for key in content.get("foreign_keys", ())
        ),
        partitioned_by=tuple(content.get("partitioned_by", ())),
        rows=None if silent else content.get("rows"),
        is_view=content.get("is_view", False),
        definition=content.get("definition"),
    )


def _column(content: Json, values: Sequence[str], silent: bool) -> ColumnDetail:
    kept = {name: value for name, value in content.items() if not (silent and name in _SAMPLED)}
    return ColumnDetail(
        name=content["name"],
        type=content.get("type", ""),
        description=content.get("description", ""),
        holds=kept.get("holds", ""),
        nullable=content.get("nullable"),
        values=tuple(values),
        minimum=kept.get("minimum"),
        maximum=kept.get("maximum"),
        distinct=kept.get("distinct"),
        nulls=kept.get("nulls"),
    )


def table_id(connection: Connection, source: str, name: str) -> str | None:
    """The id of a table by its full name, or by its name alone where only one schema has it. Letter case may differ."""
    source, name = clean_text(source), clean_text(name)
    exact = node_id(NodeKind.TABLE, source, name)
    rows = connection.execute(
        """
        SELECT node_id, key FROM catalogue_nodes WHERE source = %(source)s AND kind = 'table' AND gone_at IS NULL
        AND (node_id = %(exact)s OR lower(key) = lower(%(name)s) OR lower(content ->> 'name') = lower(%(name)s)) LIMIT 3
        """,
        {"source": source, "exact": exact, "name": name},
    ).fetchall()
    found = [row["node_id"] for row in rows]
    same = [row["node_id"] for row in rows if row["key"].lower() == name.lower()]
    return exact if exact in found else same[0] if len(same) == 1 else found[0] if len(found) == 1 else None


def read_queries(connection: Connection, access: Access, ids: Sequence[str], scores: Mapping[str, float]) -> list[KnownQuery]:
    """Queries by their ids, those that the owner sees, in the order given."""
    rows = connection.execute(
        "SELECT node_id, source, content, given FROM catalogue_nodes WHERE node_id = ANY(%(ids)s) AND kind = 'query' AND gone_at IS NULL",
        {"ids": list(ids)},
    ).fetchall()
    visible = {row["node_id"]: row for row in visible_queries(connection, access, rows)}
    return [
        KnownQuery(
            place=found,
            source=row["source"],
            score=min(1.0, max(0.0, scores.get(found, 1.0))),
            confirmed=any(form_of(origin) == "confirmed" for origin in row["given"]),
            **{name: value for name, value in row["content"].items() if name in _QUERY_FIELDS},
        )
        for found in ids
        if (row := visible.get(found))
    ]


_QUERY_FIELDS = ("sql", "question", "tables", "columns", "joins", "filters", "target", "runs", "plan")


def visible_queries(connection: Connection, access: Access, rows: Sequence[Row]) -> list[Row]:
    """Those of these rows of queries whose tables and columns the owner sees. A query says in its text what it reads."""
    rows = [row for row in rows if access.sees(row["source"])]
    bound = [row for row in rows if access.of(row["source"]) is not None]
    if not bound:
        return rows
    names = {(row["source"], table) for row in bound for table in (*row["content"].get("tables", ()), row["content"].get("target", ""))}
    ids = {node_id(NodeKind.TABLE, source, table): (source, table) for source, table in names if table}
    found = connection.execute("SELECT node_id, content FROM catalogue_nodes WHERE node_id = ANY(%(ids)s)", {"ids": list(ids)}).fetchall()
    contents = {ids[row["node_id"]]: row["content"] for row in found}
    return [row for row in rows if row not in bound or _query_is_visible(access, row, contents)]


def _query_is_visible(access: Access, row: Row, contents: Mapping[tuple[str, str], Json]) -> bool:
    bound = access.of(row["source"])
    if bound is None:
        return True
    sql: str = row["content"]["sql"]
    for table in (*row["content"].get("tables", ()), row["content"].get("target", "")):
        content: Json = contents.get((row["source"], table), {})
        if table and bound.denied(table, content):
            return False
        if any(mentions(sql, name) for name in bound.hidden(table, content)):
            return False
    return not bound.names_denied(sql)


def read_passages(
    connection: Connection, access: Access, ids: Sequence[str], scores: Mapping[str, float], shares: Mapping[str, float] | None = None
) -> list[Passage]:
    """Sections of documents, and terms with their definitions, by their ids, in the order given."""
    rows = connection.execute(
        "SELECT node_id, source, content FROM catalogue_nodes WHERE node_id = ANY(%(ids)s) AND kind IN ('document', 'term') "
        "AND gone_at IS NULL",
        {"ids": list(ids)},
    ).fetchall()
    found = {row["node_id"]: row["content"] for row in rows if access.sees(row["source"])}
    sources = {row["node_id"]: row["source"] for row in rows}
    return [
        Passage(
            place=key,
            title=content.get("title") or content.get("name", ""),
            heading=content.get("heading", ""),
            text=content.get("text") or content.get("description", ""),
            path=content.get("path", ""),
            others=tuple(content.get("synonyms", ())),
            source=sources[key] if sources[key] != OWN else "",
            score=min(1.0, max(0.0, scores.get(key, 1.0))),
            share=min(1.0, max(0.0, (shares or {}).get(key, 1.0))),
        )
        for key in ids
        if (content := found.get(key))
    ]
