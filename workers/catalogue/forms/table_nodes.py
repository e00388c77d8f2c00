"""A table as nodes and edges: itself, its columns, their value domains, its foreign keys."""

from collections.abc import Iterator, Sequence

from contracts.catalogue import EdgeKind, NodeKind
from contracts.tables import MOST_VALUES, ColumnDetail, TableDetail
from workers.catalogue.nodes import Edge, Node, node_id, says

_LONGEST_VALUE = 100
"""Characters: a column with longer values holds texts rather than codes or names."""


def table_nodes(
    source: str, table: TableDetail, *, tags: Sequence[str] = (), parents: Sequence[str] = (), stored: bool = False
) -> Iterator[Node | Edge]:
    """`parents`: full names of the tables whose rows these are (partitions). `stored`: a materialised view."""
    name = table.full_name
    found = node_id(NodeKind.TABLE, source, name)
    keys = [{"columns": list(key.columns), "table": key.table, "references": list(key.references)} for key in table.foreign_keys]
    yield Node(
        NodeKind.TABLE,
        source,
        name,
        says(
            name=table.name, schema_name=table.schema_name, description=table.description, primary_key=list(table.primary_key),
            unique=[list(columns) for columns in table.unique], foreign_keys=keys, partitioned_by=list(table.partitioned_by),
            rows=table.rows, is_view=table.is_view or None, definition=table.definition, tags=list(tags), parents=list(parents),
            stored=stored or None,
        ),
    )  # fmt: skip
    for position, column in enumerate(table.columns):
        yield from _column_nodes(source, name, found, position, column)
    for key in table.foreign_keys:
        label = f"{','.join(key.columns)}={','.join(key.references)}"
        content = {"columns": list(key.columns), "references": list(key.references), "evidence": "declared"}
        yield Edge(EdgeKind.REFERENCES, found, node_id(NodeKind.TABLE, source, key.table), source, label, content)
    for tag in tags:
        yield Node(NodeKind.TAG, source, tag, {"name": tag})
        yield Edge(EdgeKind.TAGGED, found, node_id(NodeKind.TAG, source, tag), source)


def _column_nodes(source: str, table: str, parent: str, position: int, column: ColumnDetail) -> Iterator[Node]:
    key = f"{table}.{column.name}"
    yield Node(
        NodeKind.COLUMN,
        source,
        key,
        says(
            name=column.name, table=table, position=position, type=column.type, description=column.description, nullable=column.nullable,
            minimum=column.minimum, maximum=column.maximum, distinct=column.distinct, nulls=column.nulls, holds=column.holds,
        ),
        parent,
    )  # fmt: skip
    if column.values and len(column.values) <= MOST_VALUES and max(map(len, column.values)) <= _LONGEST_VALUE:
        content = says(name=column.name, table=table, type=column.type, values=list(column.values))
        yield Node(NodeKind.VALUE_DOMAIN, source, key, content, parent)
