"""A JSON document that holds its rows in one of its fields, as an answer of a service does: {"data": [...], "total": 2}."""

from typing import TYPE_CHECKING

from workers.engines.embedded.database_files import quoted

if TYPE_CHECKING:  # only the children load it
    import duckdb


def rows_inside(connection: "duckdb.DuckDBPyConnection", table: str) -> tuple[str, str] | None:
    """Make the rows of a table of one row those of the only field of it that is a list of records; that field, and the others, which are
    left out. None where there is no such field."""
    whole = quoted(table)
    columns = connection.execute("SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ?", [table]).fetchall()
    lists = [name for name, kind in columns if kind.startswith("STRUCT(") and kind.endswith(")[]")]
    if len(lists) != 1 or connection.execute(f"SELECT count(*) FROM {whole}").fetchall()[0][0] != 1:  # noqa: S608 quoted identifiers
        return None
    field = quoted(lists[0])
    connection.execute(f"CREATE OR REPLACE TABLE {whole} AS SELECT unnest({field}, max_depth := 2) FROM {whole}")  # noqa: S608
    return lists[0], ", ".join(name for name, _ in columns if name != lists[0])
