"""Files read and written by DuckDB: a folder's files copied into one database file, and rows written as Parquet."""

import json
import re
import shutil
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
NOTES = ".notes"
"""Ending of the file beside the database file that says what was done with which file."""

_PIECE = 1 << 16
_COMMA_NUMBER = r"\s*[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?\s*"
_PLAINLY_COMMA = r"\s*[+-]?(\d{1,3}(\.\d{3})+,\d+|\d+,(\d{1,2}|\d{4,})|0,\d+)\s*"
"""A comma that cannot separate thousands."""
_MOST_DECIMALS = 6


def make(opening: dict[str, Any]) -> None:
    """Copy the files into the new database file `path`, and write what was done beside it, `NOTES`. Raises the engines' errors."""
    import duckdb

    connection = duckdb.connect(opening["path"], config=opening["config"])
    try:
        text = Path(opening["path"] + ".text")
        connection.execute("SET allowed_directories = ?", [[opening["folder"]]])
        connection.execute("SET allowed_paths = ?", [[str(text.resolve())]])
        connection.execute("SET enable_external_access = false")
        copy = _Copy(connection, text, opening["encoding"])
        for path in opening["files"]:
            copy.take(Path(path))
    finally:
        connection.close()
    Path(opening["path"] + NOTES).write_text(json.dumps(copy.notes), encoding="utf-8")


def write_parquet(opening: dict[str, Any]) -> None:
    """Write the lines of JSON, whose fields are texts `c0`, `c1` .., as Parquet with the columns that are `chosen` of them."""
    import duckdb

    with duckdb.connect(":memory:", config={"threads": 1, "memory_limit": "1GB"}) as connection:
        fields = {f"c{index}": "VARCHAR" for index in range(len(opening["chosen"]))}
        read = connection.read_json(opening["lines"], format="newline_delimited", columns=fields, maximum_object_size=opening["longest"])
        read.project(", ".join(opening["chosen"])).write_parquet(opening["path"])


class _Copy:
    """Takes files into a database, one after another."""

    def __init__(self, connection: "duckdb.DuckDBPyConnection", text: Path, encoding: str) -> None:
        """`text`: where a file is written as UTF-8 while it is read; `encoding`: of those that are not UTF-8, as a person says it."""
        self._connection = connection
        self._text = text
        self._encoding = encoding
        self._taken: set[str] = set()
        self.notes: list[list[str]] = []

    def take(self, path: Path) -> None:
        """Make tables of a file."""
        suffix, stem = path.suffix.lower(), _table_name(path.stem)
        if suffix in READERS:
            self._read(path, suffix, stem)
        elif suffix in DUCKDB:
            _copy_duckdb(self._connection, path, stem, self._taken)
        elif _is_sqlite(path):
            _copy_sqlite(self._connection, path, stem, self._taken)

    def _read(self, path: Path, suffix: str, stem: str) -> None:
        name, place = _fresh(stem, self._taken), path.resolve()
        statement = f"CREATE TABLE {_quoted(name)} AS SELECT * FROM {READERS[suffix]}(?)"  # noqa: S608 the reader is ours
        try:
            self._connection.execute(statement, [str(place)])
        except Exception:
            if suffix == ".parquet" or _is_utf8(path):
                raise
            if not self._as_utf8(path):
                self._taken.discard(name.lower())
                return
            try:
                self._connection.execute(statement, [str(self._text.resolve())])
            finally:
                self._text.unlink()
        if suffix in (".csv", ".tsv"):
            self._decimal_commas(name)

    def _as_utf8(self, path: Path) -> bool:
        """Write a file again as UTF-8; false where its encoding is not clear."""
        from workers.engines import encodings

        read = encodings.decode(_sample(path), self._encoding, is_whole=False)
        if read.rival:
            self.notes.append(["left_out", path.name, read.encoding, read.rival])
            return False
        self.notes.append(["encoding", path.name, read.encoding])
        codec = encodings.CODECS[read.encoding]
        with path.open(encoding=codec, errors="replace", newline="") as old, self._text.open("w", encoding="utf-8", newline="") as new:
            shutil.copyfileobj(old, new, _PIECE)
        return True

    def _decimal_commas(self, table: str) -> None:
        """Make numbers of the columns of which every value is one with a decimal comma, as in 2.021,52. One in which a comma may separate
        thousands stays text."""
        columns = self._connection.execute(
            "SELECT column_name FROM duckdb_columns() WHERE table_name = ? AND data_type = 'VARCHAR'", [table]
        ).fetchall()
        for (column,) in columns:
            whole, table_named = _quoted(column), _quoted(table)
            fits, shown, digits = self._connection.execute(
                f"SELECT bool_and(regexp_full_match({whole}, ?)), bool_or(regexp_full_match({whole}, ?)), "  # noqa: S608 quoted identifiers
                f"max(CASE WHEN contains({whole}, ',') THEN length({whole}) - instr({whole}, ',') ELSE 0 END) FROM {table_named}",
                [_COMMA_NUMBER, _PLAINLY_COMMA],
            ).fetchall()[0]
            if not (fits and shown):
                continue
            kind = f"DECIMAL(18, {digits})" if digits <= _MOST_DECIMALS else "DOUBLE"
            number = f"CAST(replace(replace({whole}, '.', ''), ',', '.') AS {kind})"
            self._connection.execute(f"ALTER TABLE {table_named} ALTER {whole} TYPE {kind} USING {number}")
            self.notes.append(["decimal_comma", column, table])


def _sample(path: Path) -> bytes:
    """The beginning of a text, and lines beyond it that are not ASCII."""
    with path.open("rb") as file:
        found = [file.read(_PIECE)]
        size = 0
        for line in file:
            if size < _PIECE and not line.isascii():
                found.append(line[:_PIECE])
                size += len(line)
    return b"".join(found)


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
