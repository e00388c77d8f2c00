"""The sample shop as a catalogue knows it: its tables with comments, keys and domains, read from the file."""

# ruff: noqa: S608 names of the shop

from collections.abc import Sequence

import duckdb

from contracts.tables import MOST_VALUES, ColumnDetail, ForeignKey, TableDetail


def shop_tables(connection: duckdb.DuckDBPyConnection) -> tuple[TableDetail, ...]:
    """The tables of the open database."""
    names = connection.execute("SELECT table_name, comment FROM duckdb_tables() ORDER BY table_name").fetchall()
    keys = connection.execute(
        "SELECT table_name, constraint_type, constraint_column_names, referenced_table, referenced_column_names FROM duckdb_constraints()"
    ).fetchall()
    return tuple(_table(connection, name, comment or "", [key for key in keys if key[0] == name]) for name, comment in names)


def _table(connection: duckdb.DuckDBPyConnection, name: str, comment: str, keys: Sequence[tuple]) -> TableDetail:
    columns = connection.execute(
        "SELECT column_name, data_type, comment FROM duckdb_columns() WHERE table_name = ? ORDER BY column_index", [name]
    ).fetchall()
    primary = next((key[2] for key in keys if key[1] == "PRIMARY KEY"), ())
    foreign = [ForeignKey(columns=tuple(key[2]), table=key[3], references=tuple(key[4])) for key in keys if key[1] == "FOREIGN KEY"]
    rows = connection.execute(f'SELECT COUNT(*) FROM "{name}"').fetchall()[0][0]
    return TableDetail(
        name=name, description=comment, primary_key=tuple(primary), foreign_keys=tuple(foreign), rows=rows,
        columns=tuple(_column(connection, name, *column) for column in columns),
    )  # fmt: skip


def _column(connection: duckdb.DuckDBPyConnection, table: str, name: str, type_: str, comment: str | None) -> ColumnDetail:
    distinct, low, high = connection.execute(
        f'SELECT COUNT(DISTINCT "{name}"), MIN("{name}")::VARCHAR, MAX("{name}")::VARCHAR FROM "{table}"'
    ).fetchall()[0]
    values: list[str] = []
    if type_ == "VARCHAR" and distinct <= MOST_VALUES:
        values = [row[0] for row in connection.execute(f'SELECT DISTINCT "{name}" FROM "{table}" ORDER BY 1').fetchall()]
    return ColumnDetail(
        name=name, type=type_.lower(), description=comment or "", values=tuple(values), minimum=low, maximum=high, distinct=distinct
    )
