"""A table that a file names without its schema, or in other letter case, is the one that the source itself has, if it has one of that
name."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from contracts.base import Json
from contracts.catalogue import CatalogueProblem, NodeKind
from workers.blackboard.engine import Database
from workers.catalogue.nodes import Edge, Node, node_id
from workers.catalogue.store import Item

_KINDS = (NodeKind.TABLE, NodeKind.COLUMN, NodeKind.VALUE_DOMAIN)


@dataclass(frozen=True, slots=True)
class _Known:
    """The tables of a source whose schemas the source itself gave."""

    names: dict[str, str]
    """Name without a schema, and with it, in lower case → full name. A name that two tables have is left out."""
    schemas: dict[str, str]
    """Full name → schema."""
    columns: dict[str, str]
    """Column with its table's full name, in lower case → as the source writes it."""
    ids: dict[str, str]
    """Id of a table or column that is named without a schema → its id with one."""


def place_items(db: Database, items: Iterator[Item]) -> Iterator[Item]:
    """The items with full names of tables, wherever these were left out."""
    known: dict[str, _Known] = {}
    for item in items:
        if isinstance(item, CatalogueProblem):
            yield item
            continue
        found = known.get(item.source)
        if found is None:
            found = known[item.source] = _known(db, item.source)
        yield _placed(item, found) if found.names else item


def _known(db: Database, source: str) -> _Known:
    rows = db.statement(
        "SELECT kind, key, content->>'schema_name' AS schema FROM catalogue_nodes WHERE source = %(source)s AND gone_at IS NULL "
        "AND kind IN ('table', 'column') AND EXISTS (SELECT 1 FROM jsonb_object_keys(given) AS origin WHERE origin LIKE 'source:%%')",
        {"source": source},
    )
    names: dict[str, str | None] = {}
    for row in rows:
        if row["kind"] == NodeKind.TABLE and row["schema"]:
            plain = row["key"].removeprefix(f"{row['schema']}.").lower()
            for name in (plain, row["key"].lower()):
                names[name] = None if name in names else row["key"]
    full = {name: key for name, key in names.items() if key is not None}
    schemas = {row["key"]: row["schema"] for row in rows if row["kind"] == NodeKind.TABLE and row["schema"]}
    columns = {row["key"].lower(): row["key"] for row in rows if row["kind"] == NodeKind.COLUMN}
    ids: dict[str, str] = {}
    for row in rows:
        kind = NodeKind(row["kind"])
        table = row["key"] if kind is NodeKind.TABLE else row["key"].rpartition(".")[0]
        if table in schemas and table in full.values():
            ids[node_id(kind, source, row["key"].removeprefix(f"{schemas[table]}."))] = node_id(kind, source, row["key"])
    return _Known(full, schemas, columns, ids)


def _placed(item: Node | Edge, known: _Known) -> Node | Edge:
    if isinstance(item, Edge):
        return replace(item, start=known.ids.get(item.start, item.start), end=known.ids.get(item.end, item.end))
    if item.kind not in _KINDS:
        return item
    table = str(item.key if item.kind is NodeKind.TABLE else item.content.get("table") or "")
    full = known.names.get(table.lower())
    if full is None:
        return item
    content: Json = item.content | ({"foreign_keys": _keys(item.content, known)} if "foreign_keys" in item.content else {})
    if item.kind is NodeKind.TABLE:
        return replace(item, key=full, content=content | _named(full, known.schemas[full]))
    parent = node_id(NodeKind.TABLE, item.source, full) if item.parent == node_id(NodeKind.TABLE, item.source, table) else item.parent
    key = full + item.key[len(table) :]
    key = known.columns.get(key.lower(), key)
    return replace(item, key=key, content=content | {"table": full, "name": key[len(full) + 1 :]}, parent=parent)


def _named(full: str, schema: str) -> Json:
    return {"schema_name": schema, "name": full[len(schema) + 1 :]}


def _keys(content: Json, known: _Known) -> list[Json]:
    return [key | {"table": known.names.get(str(key["table"]).lower(), key["table"])} for key in content["foreign_keys"]]
