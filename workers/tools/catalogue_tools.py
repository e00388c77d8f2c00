"""The tools over the catalogue: search, and the details behind a pointer. Each shows what the job's owner may see."""

from typing import TYPE_CHECKING

from pydantic import Field

from contracts.base import Contract, Text
from contracts.catalogue import CatalogueNode, KnownQuery, LineageEdge, NodeKind, Passage
from contracts.pointers import MOST_POINTERS, POINTER_CAP, AnyPointer, ColumnPointer
from contracts.statements import Name, say
from contracts.tables import TableDetail
from contracts.tools import Cost
from workers.errors import NotFound
from workers.tools.source_tools import SEARCH_KEY
from workers.tools.tool import Tool, ToolContext

if TYPE_CHECKING:
    from workers.catalogue.catalogue import Catalogue


LINEAGE_KEY = "get_table_lineage"
MOST_EDGES = 200
"""Edges of a lineage that are shown; a step reads them, and no step needs more."""

MOST_QUERIES = 5


class Search(Contract):
    """A search of the catalogue."""

    source: Text = Field(max_length=200, description="The source's name.")
    words: Text = Field(min_length=1, max_length=2_000, description="The question, or words of it, in any language.")
    limit: int = Field(default=MOST_POINTERS, ge=1, le=POINTER_CAP, description="How many to return, the best first.")


class Found(Contract):
    """What a search found. The caller holds these pointers from now on."""

    pointers: tuple[AnyPointer, ...]


class TableName(Contract):
    """A table, by the place of its pointer."""

    table: Text = Field(description="`source.schema.table`, as its pointer has it.")


class Lineage(Contract):
    """What a table is computed from, and what is computed from it: the nearest first."""

    edges: tuple[LineageEdge, ...]


class LineageQueries(Contract):
    """The queries that compute a table, and those that compute others directly from it."""

    queries: tuple[KnownQuery, ...]


class Place(Contract):
    """An entry, by the place of its pointer."""

    place: Text = Field(description="As its pointer has it.")


def _catalogue(ctx: ToolContext) -> "Catalogue":
    from workers.catalogue.catalogue import Catalogue  # loads the search, which a step without these tools does not need

    return Catalogue(ctx.services.database, ctx.services.embedder)


def _search(ctx: ToolContext, arguments: Search) -> Found:
    found = _catalogue(ctx).search(arguments.words, owner=ctx.owner, source=arguments.source, limit=arguments.limit)
    return Found(pointers=found)


def _table(ctx: ToolContext, arguments: TableName) -> TableDetail:
    source, _, name = arguments.table.partition(".")
    found = _catalogue(ctx).table(source, name, owner=ctx.owner)
    if found is None:
        raise NotFound.of(say("refused.tool.table_gone", place=Name(text=arguments.table)))
    return found


def table_place(pointer: AnyPointer) -> str:
    """The place of the table that a pointer opens: a column's pointer opens its table."""
    if not isinstance(pointer, ColumnPointer):
        return pointer.place
    return ".".join(part for part in (pointer.catalog, pointer.schema_name, pointer.table) if part)


def _lineage(ctx: ToolContext, arguments: TableName) -> Lineage:
    source, _, name = arguments.table.partition(".")
    return Lineage(edges=_catalogue(ctx).lineage(source, name, owner=ctx.owner)[:MOST_EDGES])


def _lineage_sql(ctx: ToolContext, arguments: TableName) -> LineageQueries:
    source, _, name = arguments.table.partition(".")
    return LineageQueries(queries=_catalogue(ctx).lineage_queries(source, name, owner=ctx.owner, limit=MOST_QUERIES))


def _query(ctx: ToolContext, arguments: Place) -> KnownQuery:
    found = _catalogue(ctx).query(arguments.place, owner=ctx.owner)
    if found is None:
        raise NotFound.of(say("refused.tool.query_gone", place=Name(text=arguments.place)))
    return found


def _document(ctx: ToolContext, arguments: Place) -> Passage:
    found = _catalogue(ctx).document(arguments.place, owner=ctx.owner)
    if found is None:
        raise NotFound.of(say("refused.tool.passage_gone", place=Name(text=arguments.place)))
    return found


def _metric(ctx: ToolContext, arguments: Place) -> CatalogueNode:
    source, dot, key = arguments.place.partition(".")
    return _catalogue(ctx).node(NodeKind.METRIC, source if dot else "", key if dot else source, owner=ctx.owner)


SEARCH_CATALOGUE = Tool(
    SEARCH_KEY,
    "Finds tables, columns, values, queries, metrics and documents of a source by meaning. Returns pointers; open one with its keys.",
    Search, Found, _search, cost=Cost.LOW, opens=frozenset({"source"}), card="source",
)  # fmt: skip

GET_TABLE_DETAIL = Tool(
    "get_table_detail",
    "The columns of a table with types, descriptions, values and keys, and how many rows it has.",
    TableName, TableDetail, _table, opens=frozenset({"table", "column"}), card="table", place_of=table_place,
)  # fmt: skip

GET_TABLE_LINEAGE = Tool(
    LINEAGE_KEY, "The tables that a table is computed from, and those that are computed from it.", TableName, Lineage, _lineage,
    opens=frozenset({"table"}), card="table",
)  # fmt: skip

GET_LINEAGE_SQL = Tool(
    "get_lineage_sql", "The queries that compute a table, and those that compute other tables directly from it.", TableName,
    LineageQueries, _lineage_sql, opens=frozenset({"table"}), card="table",
)  # fmt: skip

GET_QUERY = Tool(
    "get_query", "A query that was run before or confirmed: its text, tables and question.", Place, KnownQuery, _query,
    opens=frozenset({"sql"}), card="place",
)  # fmt: skip

GET_DOCUMENT = Tool(
    "get_document", "The text of a section of a document.", Place, Passage, _document, opens=frozenset({"document"}), card="place",
)  # fmt: skip

GET_METRIC = Tool(
    "get_metric", "The definition of a metric.", Place, CatalogueNode, _metric, opens=frozenset({"metric"}), card="place",
)  # fmt: skip
