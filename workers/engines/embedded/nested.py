"""A JSON document that holds its rows in one of its fields, as an answer of a service does: {"data": [...], "total": 2}."""

from typing import TYPE_CHECKING

from workers.engines.embedded.database_files import quoted
from workers.engines.embedded.missing import types_of

if TYPE_CHECKING:  # only the children load it
    import duckdb


def rows_inside(connection: "duckdb.DuckDBPyConnection", table: str) -> tuple[str, str] | None:
    """Make the rows of a table of one row those of the only field of it that is a list of records; that field, and the others, which are
    left out. None where there is no such field."""
    whole = quoted(table)
    columns = types_of(connection, table)
    lists = [name for name, kind in columns.items() if kind.startswith("STRUCT(") and kind.endswith(")[]")]
    if len(lists) != 1 or connection.execute(f"SELECT count(*) FROM {whole}").fetchall()[0][0] != 1:  # noqa: S608 quoted identifiers
        return None
    field = quoted(lists[0])
    connection.execute(f"CREATE OR REPLACE TABLE {whole} AS SELECT unnest({field}, max_depth := 2) FROM {whole}")  # noqa: S608
    return lists[0], ", ".join(name for name in columns if name != lists[0])
