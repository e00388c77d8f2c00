"""A specification to edit: what search finds for a requirement, and TODO where nothing is known. Nothing is understood here."""

from contracts.catalogue import NodeKind
from contracts.pointers import ColumnPointer, TablePointer
from contracts.tables import TableDetail
from workers.catalogue import Catalogue
from workers.engines.sql.schema_text import identifier, joins_text

MOST_TABLES = 3
"""Likely tables that are listed."""
MOST_COLUMNS = 40
_INDENT = "  "


def draft_spec(catalogue: Catalogue, source: tuple[str, str], target: str, requirement: str, owner: str) -> str:
    """A YAML text that `read_spec` takes once its TODOs are done. `source`: its name and dialect."""
    name, dialect = source
    words = requirement or target.rpartition(".")[2].replace("_", " ")
    pointers = catalogue.search(words[:4_000], owner=owner, source=name, kinds=frozenset({NodeKind.TABLE, NodeKind.COLUMN}))
    order: dict[str, None] = {}
    for pointer in pointers:
        if isinstance(pointer, TablePointer | ColumnPointer):
            order.setdefault(f"{pointer.schema_name}.{pointer.table}" if pointer.schema_name else pointer.table)
    by_name = {table.full_name: table for table in catalogue.tables(name, owner=owner)}
    likely = [by_name[full] for full in order if full in by_name][:MOST_TABLES]
    joins = joins_text(catalogue.joins(name, [table.full_name for table in likely], owner=owner), dialect)
    return "\n".join(
        [
            "# yaml-language-server: $schema=./etl_spec.schema.json",
            f"target: {target}",
            f"source: {name}",
            *_described(requirement),
            "mode: overwrite            # overwrite, append, upsert or history",
            f"grain: [{', '.join(_grain(likely))}]",
            "columns:                   # in their order; leave them out to take those of the query",
            *_columns(likely),
            "# Likely tables, those that search finds first:",
            *(f"#   {line}" for table in likely for line in _table(table)),
            *(f"#   join: {line}" for line in joins),
            "sql: |",
            *_query(likely, dialect),
            "",
        ]
    )


def _described(requirement: str) -> list[str]:
    if not requirement.strip():
        return ["description: TODO what the table is for"]
    return ["description: |", *(f"{_INDENT}{line}".rstrip() for line in requirement.strip().splitlines())]


def _grain(likely: list[TableDetail]) -> list[str]:
    return list(likely[0].primary_key) if likely else []


def _columns(likely: list[TableDetail]) -> list[str]:
    if not likely:
        return [f"{_INDENT}- {{name: TODO, meaning: TODO}}"]
    return [f"{_INDENT}- {{name: {column.name}, meaning: TODO}}" for column in likely[0].columns[:MOST_COLUMNS]]


def _table(table: TableDetail) -> list[str]:
    columns = ", ".join(column.name for column in table.columns[:MOST_COLUMNS])
    key = f"; key: {', '.join(table.primary_key)}" if table.primary_key else ""
    return [f"{table.full_name} ({columns}){key}"]


def _query(likely: list[TableDetail], dialect: str) -> list[str]:
    if not likely:
        return [f"{_INDENT}SELECT 1 AS todo"]
    columns = [f"{_INDENT * 2}{identifier(column.name, dialect)}" for column in likely[0].columns[:MOST_COLUMNS]]
    return [f"{_INDENT}SELECT", ",\n".join(columns), f"{_INDENT}FROM {identifier(likely[0].full_name, dialect)}"]
