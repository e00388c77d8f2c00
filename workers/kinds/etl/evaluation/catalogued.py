"""The tables of a case as an import of its source would know them: types, numbers of rows, nulls, and the values of columns with few."""

from collections.abc import Sequence

import duckdb
from sqlglot import exp

from contracts.tables import MOST_VALUES, ColumnDetail, TableDetail
from workers.catalogue.forms.source import is_domain


def catalogued(tables: Sequence[TableDetail], setup: Sequence[str]) -> tuple[TableDetail, ...]:
    """The tables with what their rows show. A table that the setup does not make stays as it is."""
    with duckdb.connect(":memory:") as connection:
        for statement in setup:
            connection.execute(statement)
        there = {str(row[0]) for row in connection.execute("SELECT table_name FROM information_schema.tables").fetchall()}
        return tuple(_sampled(connection, table) if table.name in there else table for table in tables)


def _sampled(connection: duckdb.DuckDBPyConnection, table: TableDetail) -> TableDetail:
    place = exp.to_identifier(table.name, quoted=True).sql("duckdb")
    types = {str(row[0]): str(row[1]) for row in connection.execute(f"DESCRIBE {place}").fetchall()}
    rows = connection.execute(f"SELECT count(*) FROM {place}").fetchall()[0][0]  # noqa: S608 quoted
    columns = tuple(_column(connection, place, column, types[column.name], rows) for column in table.columns)
    return table.model_copy(update={"rows": rows, "columns": columns})


def _column(connection: duckdb.DuckDBPyConnection, table: str, column: ColumnDetail, type_: str, rows: int) -> ColumnDetail:
    place = exp.to_identifier(column.name, quoted=True).sql("duckdb")
    held, distinct = connection.execute(f"SELECT count({place}), count(DISTINCT {place}) FROM {table}").fetchall()[0]  # noqa: S608 quoted
    made = column.model_copy(update={"type": column.type or type_, "nulls": rows - held, "distinct": distinct})
    if not is_domain(made):
        return made
    found = connection.execute(f"SELECT DISTINCT {place} FROM {table} WHERE {place} IS NOT NULL").fetchall()  # noqa: S608 quoted
    values = sorted(str(row[0]).lower() if isinstance(row[0], bool) else str(row[0]) for row in found)
    return made.model_copy(update={"values": tuple(values) if len(values) <= MOST_VALUES else ()})
