"""Files read and written by DuckDB: a folder's files copied into one database file, and rows written as Parquet."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:  # only the children load it
    import duckdb

READERS = {
    ".csv": "read_csv", ".tsv": "read_csv", ".parquet": "read_parquet", ".json": "read_json", ".jsonl": "read_json", ".ndjson": "read_json",
}  # fmt: skip
SQLITE = frozenset({".sqlite", ".sqlite3", ".db"})
DUCKDB = frozenset({".duckdb", ".ddb"})


class NotUtf8(Exception):
    """A file is in another encoding; the message is its name."""


def make(opening: dict[str, Any]) -> None:
    """Copy the files into the new database file `path`. Raises `NotUtf8`, or the engines' errors."""
    import duckdb

    connection = duckdb.connect(opening["path"], config=opening["config"])
    try:
        connection.execute("SET allowed_directories = ?", [[opening["folder"]]])
        connection.execute("SET enable_external_access = false")
        taken: set[str] = set()
        for path in opening["files"]:
            _copy(connection, Path(path), taken)
    finally:
        connection.close()


def write_parquet(opening: dict[str, Any]) -> None:
    """Write the lines of JSON, whose fields are texts `c0`, `c1` .., as Parquet with the columns that are `chosen` of them."""
    import duckdb

    with duckdb.connect(":memory:", config={"threads": 1, "memory_limit": "1GB"}) as connection:
        fields = {f"c{index}": "VARCHAR" for index in range(len(opening["chosen"]))}
        read = connection.read_json(opening["lines"], format="newline_delimited", columns=fields, maximum_object_size=opening["longest"])
        read.project(", ".join(opening["chosen"])).write_parquet(opening["path"])


def _copy(connection: "duckdb.DuckDBPyConnection", path: Path, taken: set[str]) -> None:
    suffix, stem = path.suffix.lower(), _table_name(path.stem)
    if reader := READERS.get(suffix):
        name = _fresh(stem, taken)
        try:
            connection.execute(f"CREATE TABLE {_quoted(name)} AS SELECT * FROM {reader}(?)", [str(path.resolve())])  # noqa: S608 the reader is ours
        except Exception:
            if suffix != ".parquet" and not _is_utf8(path):  # spreadsheets write GBK and others by default
                raise NotUtf8(path.name) from None
            raise
    elif suffix in DUCKDB:
        _copy_duckdb(connection, path, stem, taken)
    elif _is_sqlite(path):
        _copy_sqlite(connection, path, stem, taken)


def _is_utf8(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8") as lines:
            return all(True for _ in lines)
    except UnicodeDecodeError:
        return False


def _copy_duckdb(connection: "duckdb.DuckDBPyConnection", path: Path, stem: str, taken: set[str]) -> None:
    literal = "'" + str(path.resolve()).replace("'", "''") + "'"  # ATTACH takes no value
    connection.execute(f"ATTACH {literal} AS attached (READ_ONLY)")
    try:
        found = connection.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'attached' AND NOT internal ORDER BY ALL"
        ).fetchall()
        for schema, table in found:
            name = _fresh(f"{stem}_{table}", taken)
            place = ".".join(_quoted(part) for part in ("attached", schema, table))
            connection.execute(f"CREATE TABLE {_quoted(name)} AS SELECT * FROM {place}")  # noqa: S608 quoted identifiers
    finally:
        connection.execute("DETACH attached")


def _copy_sqlite(connection: "duckdb.DuckDBPyConnection", path: Path, stem: str, taken: set[str]) -> None:
    """By Python's own SQLite: DuckDB's reader is an extension that would have to be downloaded."""
    with closing(sqlite3.connect(f"file:{quote(path.resolve().as_posix())}?mode=ro", uri=True)) as lite:
        names = lite.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'").fetchall()
        for (table,) in names:
            name = _quoted(_fresh(f"{stem}_{table}", taken))
            columns = lite.execute("SELECT name, type FROM pragma_table_info(?)", [table]).fetchall()
            types = ", ".join(f"{_quoted(column)} {_type(kind)}" for column, kind in columns)
            connection.execute(f"CREATE TABLE {name} ({types})")
            places = ", ".join("?" for _ in columns)
            cursor = lite.execute(f"SELECT * FROM {_quoted(table)}")  # noqa: S608 a quoted identifier
            while rows := cursor.fetchmany(1_000):
                connection.executemany(f"INSERT INTO {name} VALUES ({places})", [[_value(cell) for cell in row] for row in rows])  # noqa: S608


def _is_sqlite(path: Path) -> bool:
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


def _table_name(stem: str) -> str:
    return re.sub(r"\W+", "_", stem).strip("_").lower() or "file"


def _fresh(name: str, taken: set[str]) -> str:
    made, number = name, 2
    while made.lower() in taken:
        made, number = f"{name}_{number}", number + 1
    taken.add(made.lower())
    return made


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
