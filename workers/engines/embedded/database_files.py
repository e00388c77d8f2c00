"""Tables of DuckDB and SQLite files, copied into the database file of a folder."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:  # only the children load it
    import duckdb

_SHOWN = 40
"""Characters of a value in a note."""


def copy_duckdb(connection: "duckdb.DuckDBPyConnection", path: Path, stem: str, taken: set[str]) -> list[list[str]]:
    """Each table and view of a DuckDB file, called `stem_table`. Notes on views that cannot be computed here."""
    import duckdb

    notes: list[list[str]] = []
    literal = "'" + str(path.resolve()).replace("'", "''") + "'"  # ATTACH takes no value
    connection.execute(f"ATTACH {literal} AS attached (READ_ONLY)")
    try:
        found = connection.execute(
            "SELECT schema_name, table_name, false FROM duckdb_tables() WHERE database_name = 'attached' AND NOT internal UNION ALL "
            "SELECT schema_name, view_name, true FROM duckdb_views() WHERE database_name = 'attached' AND NOT internal ORDER BY 3, 1, 2"
        ).fetchall()
        for schema, table, is_view in found:
            name = fresh(f"{stem}_{table}", taken)
            place = ".".join(quoted(part) for part in ("attached", schema, table))
            try:
                connection.execute(f"CREATE TABLE {quoted(name)} AS SELECT * FROM {place}")  # noqa: S608 quoted identifiers
            except duckdb.OutOfMemoryException:
                raise
            except duckdb.Error as error:
                if not is_view:
                    raise
                notes.append(["not_read", f"{path.name}, {table}", str(error).partition("\n")[0][:300]])
    finally:
        connection.execute("DETACH attached")
    return notes


def copy_sqlite(connection: "duckdb.DuckDBPyConnection", path: Path, stem: str, taken: set[str]) -> list[list[str]]:
    """By Python's own SQLite: DuckDB's reader is an extension that would have to be downloaded. Notes on columns that hold other values
    than their type says, which are texts."""
    notes: list[list[str]] = []
    with closing(sqlite3.connect(f"file:{quote(path.resolve().as_posix())}?mode=ro", uri=True)) as lite:
        of_users = "type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, rowid"
        for table, sort in lite.execute(f"SELECT name, type FROM sqlite_master WHERE {of_users}").fetchall():  # noqa: S608 a constant
            try:
                lite.execute(f"SELECT 1 FROM {quoted(table)} LIMIT 1").fetchall()  # noqa: S608 a quoted identifier
            except sqlite3.Error as error:
                if sort == "table":
                    raise
                notes.append(["not_read", f"{path.name}, {table}", str(error)[:300]])  # a view of a table that is gone
                continue
            made = fresh(f"{stem}_{table}", taken)
            name = quoted(made)
            columns = lite.execute("SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden <> 1", [table]).fetchall()
            types: list[str] = []
            for column, kind in columns:
                held, example = _held(lite, table, column, _type(kind) if kind else "")
                types.append(f"{quoted(column)} {held}")
                notes += [["other_values", column, made, example]] if example is not None else []
            connection.execute(f"CREATE TABLE {name} ({', '.join(types)})")
            places = ", ".join("?" for _ in columns)
            named = ", ".join(quoted(column) for column, _ in columns)
            cursor = lite.execute(f"SELECT {named} FROM {quoted(table)}")  # noqa: S608 quoted identifiers
            while rows := cursor.fetchmany(1_000):
                connection.executemany(f"INSERT INTO {name} VALUES ({places})", [[_value(cell) for cell in row] for row in rows])  # noqa: S608

    return notes


def _held(lite: sqlite3.Connection, table: str, column: str, kind: str) -> tuple[str, str | None]:
    """The type that takes every value of a column, and a value that the declared one does not take: SQLite keeps any in any column."""
    if kind == "VARCHAR":
        return kind, None
    of, whole = f"FROM {quoted(table)}", quoted(column)
    if not kind:  # a column without a type, and one of a view that computes it
        held = {found for (found,) in lite.execute(f"SELECT DISTINCT typeof({whole}) {of}")} - {"null"}
        kind = "BIGINT" if held and held.isdisjoint(("text", "blob")) else "VARCHAR"
        if kind == "VARCHAR" and held <= {"text", "blob"}:
            return kind, None
    other = lite.execute(f"SELECT {whole} {of} WHERE typeof({whole}) IN ('text', 'blob') LIMIT 1").fetchone()
    if other is not None:
        return "VARCHAR", str(_value(other[0]))[:_SHOWN]
    has_fractions = kind == "BIGINT" and lite.execute(f"SELECT 1 {of} WHERE typeof({whole}) = 'real' LIMIT 1").fetchone()
    return ("DOUBLE" if has_fractions else kind), None


def is_sqlite(path: Path) -> bool:
    """Whether a file begins as one of SQLite."""
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\x00"


def _type(kind: str) -> str:
    """By SQLite's own rules of affinity; what they leave open is text, which every value is."""
    upper = kind.upper()
    if "INT" in upper:
        return "BIGINT"
    if any(word in upper for word in ("REAL", "FLOA", "DOUB", "NUM", "DEC")):
        return "DOUBLE"
    return "VARCHAR"


def _value(cell: Any) -> Any:
    return cell.hex() if isinstance(cell, bytes) else cell


def fresh(name: str, taken: set[str]) -> str:
    """The name, numbered where it is taken; it is taken then."""
    made, number = name, 2
    while made.lower() in taken:
        made, number = f"{name}_{number}", number + 1
    taken.add(made.lower())
    return made


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'
