"""What JSON has and a table has not: rows in one field of a document, as an answer of a service has them ({"data": [...], "total": 2}), and
values of several types in one column."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from workers.engines.embedded.database_files import quoted
from workers.engines.embedded.missing import types_of

if TYPE_CHECKING:  # only the children load it
    import duckdb

_WRAPPED = re.compile(r'STRUCT\("(\$\w+)" (.+)\)')
_TYPES = {"$numberDecimal": "DOUBLE", "$numberDouble": "DOUBLE", "$numberInt": "BIGINT", "$numberLong": "BIGINT"}
_PLAIN_NUMBER = r"-?(0|[1-9]\d{0,14})(\.\d+)?"
"""A number that is the same as text: no zeros before it."""
_SHOWN = 40
"""Characters of a value in a note."""


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


def unwrap(connection: "duckdb.DuckDBPyConnection", table: str) -> None:
    """Make values of the columns that hold them in an object that only says their type, as exports of document databases do:
    `{"$numberDecimal": "12.50"}`, `{"$date": ..}`."""
    whole = quoted(table)
    while wrapped := [
        (name, found[1], found[2]) for name, kind in types_of(connection, table).items() if (found := _WRAPPED.fullmatch(kind))
    ]:
        for name, key, kind in wrapped:
            column, made = quoted(name), _TYPES.get(key, kind)
            value = f"{column}.{quoted(key)}"
            if key == "$date" and kind.startswith("STRUCT"):
                value, made = f"epoch_ms(CAST({value}.{quoted('$numberLong')} AS BIGINT))", "TIMESTAMP"
            connection.execute(f"ALTER TABLE {whole} ALTER {column} TYPE {made} USING CAST({value} AS {made})")


def mixed_as_text(connection: "duckdb.DuckDBPyConnection", table: str) -> Iterator[tuple[str, str]]:
    """Make texts of the columns that hold values of several types, as 3 and "A2", or numbers where each text is a plain number; those that
    are texts, each with a value. An object stays the JSON that it is."""
    whole = quoted(table)
    for name, kind in types_of(connection, table).items():
        if kind != "JSON":
            continue
        column = quoted(name)
        connection.execute(f"ALTER TABLE {whole} ALTER {column} TYPE VARCHAR USING {column} ->> '$'")
        plain, example = connection.execute(
            f"SELECT bool_and(regexp_full_match({column}, ?)), min({column}) FILTER (NOT regexp_full_match({column}, ?)) FROM {whole}",  # noqa: S608
            [_PLAIN_NUMBER, _PLAIN_NUMBER],
        ).fetchall()[0]
        if plain:
            connection.execute(f"ALTER TABLE {whole} ALTER {column} TYPE DOUBLE")
        elif example is not None:
            yield name, str(example)[:_SHOWN]
