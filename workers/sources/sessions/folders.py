"""A folder of files as one database file: what a query of a folder runs on.

The folder is copied when one of its files changed (name, size, time), so a query never reads it and needs no way out of the sandbox.
CSV, TSV, Parquet and JSON lines become tables named after the file; the tables of SQLite and DuckDB files are `file_table`.
"""

import hashlib
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from threading import Lock as Mutex
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import duckdb

from contracts.statements import Name, passage, say, size
from workers.errors import InvalidInput, SourceUnavailable

FOLDER_BYTES = 5 << 30
"""Bytes of all files of a folder. A larger one belongs in a database of its own."""

_READERS = {
    ".csv": "read_csv", ".tsv": "read_csv", ".parquet": "read_parquet", ".json": "read_json", ".jsonl": "read_json", ".ndjson": "read_json",
}  # fmt: skip
_SQLITE = frozenset({".sqlite", ".sqlite3", ".db"})
_DUCKDB = frozenset({".duckdb", ".ddb"})

_mutex = Mutex()


def copied(folder: Path, kept: Path, name: str) -> Path:
    """The database file of a folder, made when the kept one is older than the folder. Raises `SourceUnavailable`, `InvalidInput`."""
    files = list(_files(folder))
    target = kept / f"{name}-{_state(files)}.duckdb"
    with _mutex:
        if not target.exists():
            kept.mkdir(parents=True, exist_ok=True)
            _make(folder, files, target)
            for old in kept.glob(f"{name}-????????????????.duckdb"):
                if old != target:
                    with suppress(OSError):  # Windows: a query still has it open
                        old.unlink()
    return target


def _files(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        raise SourceUnavailable.of(say("refused.source.no_folder", folder=Name(text=folder.name)))
    root = folder.resolve()
    total = 0
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() not in {*_READERS, *_SQLITE, *_DUCKDB} or not path.is_file():
            continue
        if not path.resolve().is_relative_to(root):  # a link that leads out of the folder
            raise InvalidInput.of(say("refused.source.leads_out", file=Name(text=str(path.relative_to(folder)))))
        total += path.stat().st_size
        if total > FOLDER_BYTES:
            raise InvalidInput.of(say("refused.source.folder_size", folder=Name(text=folder.name), most=size(FOLDER_BYTES)))
        yield path


def _state(files: list[Path]) -> str:
    facts = [f"{path}\0{path.stat().st_size}\0{path.stat().st_mtime_ns}" for path in files]
    return hashlib.sha256("\n".join(facts).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _make(folder: Path, files: list[Path], target: Path) -> None:
    unfinished = target.with_name(f"{target.name}.{uuid4().hex[:8]}")
    try:
        connection = duckdb.connect(str(unfinished), config={"autoinstall_known_extensions": False, "memory_limit": "1GB"})
        try:
            connection.execute("SET allowed_directories = ?", [[str(folder.resolve()) + os.sep]])
            connection.execute("SET enable_external_access = false")
            taken: set[str] = set()
            for path in files:
                _copy(connection, path, taken)
        finally:
            connection.close()
        unfinished.replace(target)
    except (duckdb.Error, sqlite3.Error) as error:
        reason = passage(str(error).splitlines()[0][:300])
        raise InvalidInput.of(say("refused.source.folder_file", folder=Name(text=folder.name), reason=reason)) from None
    finally:
        unfinished.unlink(missing_ok=True)


def _copy(connection: duckdb.DuckDBPyConnection, path: Path, taken: set[str]) -> None:
    suffix, stem = path.suffix.lower(), _table_name(path.stem)
    if reader := _READERS.get(suffix):
        name = _fresh(stem, taken)
        try:
            connection.execute(f"CREATE TABLE {_quoted(name)} AS SELECT * FROM {reader}(?)", [str(path.resolve())])  # noqa: S608 the reader is ours
        except duckdb.Error:
            if suffix != ".parquet" and not _is_utf8(path):  # spreadsheets write GBK and others by default
                raise InvalidInput.of(say("refused.source.not_utf8", file=Name(text=path.name))) from None
            raise
    elif suffix in _DUCKDB:
        _copy_duckdb(connection, path, stem, taken)
    elif _is_sqlite(path):
        _copy_sqlite(connection, path, stem, taken)


def _is_utf8(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8") as lines:
            return all(True for _ in lines)
    except UnicodeDecodeError:
        return False


def _copy_duckdb(connection: duckdb.DuckDBPyConnection, path: Path, stem: str, taken: set[str]) -> None:
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


def _copy_sqlite(connection: duckdb.DuckDBPyConnection, path: Path, stem: str, taken: set[str]) -> None:
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
