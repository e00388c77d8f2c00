"""Signs that programs write where a value is missing: NULL of a client of databases, \\N of a dump, #N/A and other errors of Excel."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from workers.engines.embedded.database_files import quoted
from workers.engines.embedded.numerals import texts
from workers.engines.embedded.sniffing import literal

if TYPE_CHECKING:  # only the children load it
    import duckdb

_NULL = "NULL"
"""May be a word of people too: it is a sign in a file where a column is one of numbers, dates or truths without it."""
SIGNS = (_NULL, "(null)", "\\N", "#N/A", "#DIV/0!", "#REF!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!")


def signs_in(connection: "duckdb.DuckDBPyConnection", table: str) -> tuple[str, ...]:
    """The signs that cells of texts of a table consist of."""
    places = ", ".join("?" for _ in SIGNS)
    found = {
        sign
        for column in texts(connection, table)
        for (sign,) in connection.execute(
            f"SELECT DISTINCT {quoted(column)} FROM {quoted(table)} WHERE {quoted(column)} IN ({places})",  # noqa: S608 quoted identifiers
            SIGNS,
        ).fetchall()
    }
    return tuple(sign for sign in SIGNS if sign in found)


def are_missing(signs: tuple[str, ...], before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    """Whether cells with these signs are empty. `before`, `after`: the types of the columns where they are texts, and where they are
    nothing."""
    return any(sign != _NULL for sign in signs) or any(kind == "VARCHAR" != after.get(column) for column, kind in before.items())


def types_of(connection: "duckdb.DuckDBPyConnection", table: str) -> dict[str, str]:
    """Column → type of a table."""
    return dict(connection.execute("SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ?", [table]).fetchall())


def listed(signs: tuple[str, ...]) -> str:
    """The option `nullstr` of `read_csv` by which the signs are nothing."""
    return "[" + ", ".join(map(literal, ("", *signs))) + "]"
