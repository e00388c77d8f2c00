"""What was found, as pointers: index cards with the keys that open them."""

from collections.abc import Iterable

from contracts.catalogue import NodeKind
from contracts.pointers import AnyPointer, ColumnPointer, DocumentPointer, MetricPointer, SqlPointer, TablePointer, ValueDomainPointer
from contracts.tables import TableDetail
from workers.catalogue.search import Hit

POINTED = frozenset(
    {NodeKind.TABLE, NodeKind.COLUMN, NodeKind.VALUE_DOMAIN, NodeKind.QUERY, NodeKind.METRIC, NodeKind.DOCUMENT, NodeKind.TERM}
)  # fmt: skip
"""Kinds that a search answers with. Tags only lead to tables."""

TABLE_KEYS = ("get_table_detail", "get_table_lineage", "get_lineage_sql")
COLUMN_KEYS = ("get_table_detail",)
QUERY_KEYS = ("get_query",)
DOCUMENT_KEYS = ("get_document",)
METRIC_KEYS = ("get_metric",)

_MOST_VALUES = 20


def pointer(hit: Hit) -> AnyPointer:
    """The pointer of a hit of one of the `POINTED` kinds."""
    content, score = hit.content, round(max(0.0, min(1.0, hit.score)), 6)
    place = f"{hit.source}.{hit.key}" if hit.source else hit.key
    description = str(content.get("description", ""))
    match hit.kind:
        case NodeKind.TABLE:
            return TablePointer(
                place=place, line=_line(hit.key, description), score=score, keys=TABLE_KEYS, catalog=hit.source,
                schema_name=content.get("schema_name", ""), table=content.get("name", hit.key), description=in_line(description),
            )  # fmt: skip
        case NodeKind.COLUMN:
            schema, _, table = str(content.get("table", "")).rpartition(".")
            return ColumnPointer(
                place=place, line=_line(f"{hit.key} {content.get('type', '')}".strip(), description), score=score, keys=COLUMN_KEYS,
                catalog=hit.source, schema_name=schema, table=table, column=content["name"], data_type=content.get("type", ""),
                description=in_line(description),
            )  # fmt: skip
        case NodeKind.VALUE_DOMAIN:
            values = tuple(map(str, content.get("values", ())))
            return ValueDomainPointer(
                place=place, line=in_line(f"{hit.key}: {', '.join(values)}"), score=score, code=hit.key, name=content["name"],
                data_type=content.get("type", ""), values=values[:_MOST_VALUES],
            )  # fmt: skip
        case NodeKind.QUERY:
            summary = in_line(content.get("question") or content.get("summary") or content["sql"])
            return SqlPointer(
                place=hit.id, line=summary, score=score, keys=QUERY_KEYS, sql_id=hit.id, summary=summary,
                sources=tuple(content.get("tables", ())), target=content.get("target", ""),
            )  # fmt: skip
        case NodeKind.METRIC:
            return MetricPointer(
                place=place, line=_line(hit.key, description), score=score, keys=METRIC_KEYS, name=hit.key, unit=content.get("unit", "")
            )
        case NodeKind.TERM:
            return DocumentPointer(place=hit.id, line=_line(hit.key, description), score=score, keys=DOCUMENT_KEYS, title=hit.key)
        case _:
            heading, title = content.get("heading", ""), content.get("title", hit.key)
            return DocumentPointer(
                place=hit.id, line=_line(heading or title, content.get("text", "")), score=score, keys=DOCUMENT_KEYS, title=title,
                heading=heading,
            )  # fmt: skip


def table_pointers(source: str, tables: Iterable[TableDetail]) -> list[TablePointer]:
    """Cards of tables of a source that the owner may see, with the keys that open them."""
    return [
        TablePointer(
            place=f"{source}.{table.full_name}", line=in_line(table.description or table.full_name), score=1.0, keys=TABLE_KEYS,
            catalog=source, schema_name=table.schema_name, table=table.name,
        )
        for table in tables
    ]  # fmt: skip


_CHARACTERS = 160


def in_line(text: str) -> str:
    """A text as one line of a pointer."""
    line = " ".join(text.split())
    return line if len(line) <= _CHARACTERS else line[: _CHARACTERS - 1] + "…"


def _line(name: str, text: str) -> str:
    return in_line(f"{name}: {text}" if text else name)
