"""The file that describes the job's tables: JSON by table, or a CSV with a line for each table, column or key."""

import json

from contracts.artefacts import TableMetadata
from contracts.bundles import Information
from contracts.code import ColumnKeys, HotKey, TableFacts
from contracts.statements import say
from workers.engines.artefacts.kinds import Parsed
from workers.engines.artefacts.rows import JSON_DAMAGED, Row, Rows, rows_of
from workers.engines.artefacts.tables import COLUMNS, NAME_CHARS, TABLES, TOP_KEYS, read_tables
from workers.engines.artefacts.texts import Decoded
from workers.engines.counts import exactly

TABLE_FIELDS = frozenset(("rows", "size_bytes", "columns"))
"""One of these says that an object describes a table."""


def sniff_table_metadata(table: Rows, text: str) -> float:
    """An object of tables, or a column of tables with rows, sizes or columns beside it."""
    if text.lstrip().startswith("{"):
        try:
            document = json.loads(text)
        except JSON_DAMAGED:
            quoted = sum(f'"{field}"' in text for field in TABLE_FIELDS)
            return 0.6 if '"columns"' in text and quoted >= 2 else 0.0  # a beginning, cut off
        return 0.85 if _describes_tables(document) else 0.0
    if "table" in table.fields and table.fields & {"records", "size", "distinct", "type", "column"} and "stage" not in table.fields:
        return 0.9
    return 0.0


def _describes_tables(document: object) -> bool:
    tables = read_tables(document)
    return bool(tables) and all(table.rows is not None or table.size_bytes is not None or table.columns for table in tables)


def read_table_metadata(name: str, text: Decoded) -> Parsed:
    """The tables it describes, by name."""
    tables = _of_json(text.text) or _of_rows(rows_of(text.text))
    if not tables:
        return Parsed(problem=say("artefacts.problem.no_tables"))
    facts = TableMetadata(name=name, tables=tables, notes=(text.note,) if text.note else ())
    tells = {
        Information.DATA_VOLUME: any(table.rows or table.size_bytes for table in tables),
        Information.HOT_KEYS: any(keys.top for table in tables for keys in table.keys.values()),
    }
    return Parsed(
        facts=(facts,),
        tells=frozenset(information for information, is_there in tells.items() if is_there),
        summary=say(
            "artefacts.summary.tables",
            tables=say("artefacts.tables", n=exactly(len(tables))),
            n=exactly(sum(table.rows or 0 for table in tables)),
        ),
    )


def _of_json(text: str) -> tuple[TableFacts, ...]:
    if not text.lstrip().startswith("{"):
        return ()
    try:
        document = json.loads(text)
    except JSON_DAMAGED:
        return ()
    return read_tables(document) if _describes_tables(document) else ()


def _of_rows(rows: Rows) -> tuple[TableFacts, ...]:
    """Rows of one table are put together: its size from one that names no column, its columns and keys from the others."""
    tables: dict[str, TableFacts] = {}
    if not rows.fields & {"table", "name"}:
        return ()
    for row in rows.rows:
        name = row.text("table", "name")[:NAME_CHARS]
        if name and (name in tables or len(tables) < TABLES):
            tables[name] = _with_row(tables.get(name) or TableFacts(name=name), row)
    return tuple(_with_shares(table) for _, table in sorted(tables.items()))


def _with_row(table: TableFacts, row: Row) -> TableFacts:
    column = row.text("column")[:NAME_CHARS]
    if not column:
        return table.model_copy(update={"rows": row.count("records"), "size_bytes": row.count("size")})
    columns = table.columns if column in table.columns or len(table.columns) >= COLUMNS else {**table.columns, column: row.text("type")}
    keys = table.keys.get(column, ColumnKeys())
    count = row.count("records")
    if "key" in row.cells and count is not None and len(keys.top) < TOP_KEYS:
        cell = row.cells["key"]
        share = row.number("share")
        hot = HotKey(value=None if cell is None else row.text("key"), rows=count, share=share if share is not None and share <= 1 else 0)
        keys = keys.model_copy(update={"top": tuple(sorted((*keys.top, hot), key=lambda key: -key.rows))})
    distinct = row.count("distinct")
    keys = keys.model_copy(update={"distinct": distinct}) if distinct is not None else keys
    return table.model_copy(update={"columns": columns, "keys": {**table.keys, column: keys} if keys != ColumnKeys() else table.keys})


def _with_shares(table: TableFacts) -> TableFacts:
    """A missing share is worked out from the table's rows, where their number is known."""
    if not table.rows:
        return table
    rows = table.rows
    keys = {
        column: keys.model_copy(
            update={
                "top": tuple(
                    key if key.share else key.model_copy(update={"share": min(1.0, round(key.rows / rows, 4))}) for key in keys.top
                )
            }
        )
        for column, keys in table.keys.items()
    }
    return table.model_copy(update={"keys": keys})
