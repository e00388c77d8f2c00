"""What JSON has and a table has not: rows in one field of a document, as an answer of a service has them ({"data": [...], "total": 2}), and
values of several types in one column."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from workers.engines.embedded.database_files import quoted
from workers.engines.embedded.missing import types_of

if TYPE_CHECKING:  # only the children load it
    import duckdb

_TYPES = {"$numberDouble": "DOUBLE", "$numberInt": "BIGINT", "$numberLong": "BIGINT"}
_MILLISECONDS = ('STRUCT("$numberLong" VARCHAR)', 'STRUCT("$numberLong" BIGINT)')
"""Types of a moment as milliseconds since 1970."""
_EXACT = "$numberDecimal"
_DECIMAL = r"-?\d+(\.\d+)?"
_PLAIN_NUMBER = r"-?(0|[1-9]\d*)(\.\d*[1-9])?"
"""A number that is the same as text: no zeros before it or behind its fraction, as a version has them."""
_EXACT_DIGITS = 15
"""Digits that a DOUBLE keeps."""
_MOST_DIGITS = 38
"""Of a DECIMAL."""
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
    `{"$numberDecimal": "12.50"}`, `{"$date": ..}`. A reference, `{"$ref": .., "$id": ..}`, is no such object. A text that is not of the
    type stays one, and a decimal keeps its digits."""
    whole = quoted(table)
    while wrapped := list(_wrapped(connection, table)):
        for name, key, kind in wrapped:
            column = quoted(name)
            value = f"{column}.{quoted(key)}"
            if key == "$date" and kind in _MILLISECONDS:
                value, made = f"epoch_ms(TRY_CAST({value}.{quoted('$numberLong')} AS BIGINT))", "TIMESTAMP"
            elif kind != "VARCHAR":
                made = kind
            else:
                made = _decimal(connection, whole, value) if key == _EXACT else _TYPES.get(key, kind)
                made = made if _fits(connection, whole, value, made) else kind
            connection.execute(f"ALTER TABLE {whole} ALTER {column} TYPE {made} USING CAST({value} AS {made})")


def _wrapped(connection: "duckdb.DuckDBPyConnection", table: str) -> Iterator[tuple[str, str, str]]:
    """The columns of objects with one field, which begins with `$`: column, field, its type."""
    found = connection.table(quoted(table))
    for name, kind in zip(found.columns, found.types, strict=True):
        if kind.id == "struct" and len(kind.children) == 1 and kind.children[0][0].startswith("$"):
            yield name, kind.children[0][0], str(kind.children[0][1])


def _fits(connection: "duckdb.DuckDBPyConnection", whole: str, value: str, kind: str) -> bool:
    others = f"SELECT count(*) FROM {whole} WHERE {value} IS NOT NULL AND TRY_CAST({value} AS {kind}) IS NULL"  # noqa: S608 quoted
    return connection.execute(others).fetchall()[0][0] == 0


def _decimal(connection: "duckdb.DuckDBPyConnection", whole: str, value: str) -> str:
    """The decimal type that keeps every digit of these texts; VARCHAR: there is none."""
    plain, before, behind = connection.execute(
        f"SELECT bool_and(regexp_full_match({value}, ?)), max(length(ltrim(split_part({value}, '.', 1), '-'))), "  # noqa: S608 quoted
        f"max(length(split_part({value}, '.', 2))) FROM {whole}",
        [_DECIMAL],
    ).fetchall()[0]
    return f"DECIMAL({_MOST_DIGITS}, {behind})" if plain and before + behind <= _MOST_DIGITS else "VARCHAR"


def mixed_as_text(connection: "duckdb.DuckDBPyConnection", table: str) -> Iterator[tuple[str, str]]:
    """Make texts of the columns that hold values of several types, as 3 and "A2", or numbers where each text is the number as it is
    written; those that are texts, each with a value. An object stays the JSON that it is."""
    whole = quoted(table)
    for name, kind in types_of(connection, table).items():
        if kind != "JSON":
            continue
        column = quoted(name)
        text = f"({column} ->> '$')"
        is_number = (
            f"json_type({column}) = 'DOUBLE' OR (regexp_full_match({text}, ?) AND {text} <> '-0' "
            f"AND length(regexp_replace({text}, '[-.]', '', 'g')) <= {_EXACT_DIGITS})"
        )
        plain, example = connection.execute(
            f"SELECT bool_and({is_number}), min({text}) FILTER (NOT ({is_number})) FROM {whole}",  # noqa: S608 quoted identifiers
            [_PLAIN_NUMBER, _PLAIN_NUMBER],
        ).fetchall()[0]
        connection.execute(f"ALTER TABLE {whole} ALTER {column} TYPE VARCHAR USING {text}")
        if plain:
            connection.execute(f"ALTER TABLE {whole} ALTER {column} TYPE DOUBLE")
        elif example is not None:
            yield name, str(example)[:_SHOWN]
