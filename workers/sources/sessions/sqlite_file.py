"""SQLite: a file, opened read-only, with an authorizer that allows reading and nothing else.

`mode=ro` alone is no wall: ATTACH of a new file, CREATE in it and temporary tables pass. The authorizer refuses them.
"""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from contracts.sources import SourceKind
from contracts.statements import Name, Statement, say
from workers.engines.sql.ddl_comments import DdlComments, ddl_comments
from workers.errors import SourceUnavailable
from workers.saying.reasons import reason_of
from workers.sources.schema import KeysByTable, KnownColumn, KnownKeys, KnownReference, KnownTable, SourceSchema
from workers.sources.sessions.base import Batches, Opening, Session, Values, in_batches

_READING = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE)
_NO_FUNCTION = frozenset({"load_extension", "fts3_tokenizer", "writefile", "readfile", "edit"})

VALUE_BYTES = 16 << 20
"""Longest text that a statement may make: SQLite's own limit is a gigabyte."""


class SQLiteFile:
    """The source behind a file."""

    value_form = ":{}"
    doubles_percent = False

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def open(self, opening: Opening) -> Generator[Session]:
        """See `SourceEngine`. SQLite ends a statement by `cancel` alone."""
        connection = self._connect(opening.read_only)
        try:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_BYTES)
            connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            if opening.read_only:
                connection.set_authorizer(_authorize)
            yield _Session(connection)
        finally:
            connection.close()

    def _connect(self, read_only: bool) -> sqlite3.Connection:
        if not self._path.is_file():
            raise SourceUnavailable.of(say("refused.source.no_sqlite", file=Name(text=self._path.name)))
        try:
            return sqlite3.connect(
                f"file:{quote(str(self._path))}?mode={'ro' if read_only else 'rw'}", uri=True, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise SourceUnavailable.of(
                say("refused.source.unopened", engine=Name(text="SQLite"), file=Name(text=self._path.name), reason=reason_of(error))
            ) from None

    def introspect(self) -> SourceSchema:
        """See `SourceEngine`. Reads pragmas, so it has no authorizer."""
        connection = self._connect(read_only=True)
        try:
            made = connection.execute(
                "SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
            ).fetchall()
            tables = [_table(connection, name, kind == "view", sql or "") for name, kind, sql in made]
        except sqlite3.Error as error:
            raise SourceUnavailable.of(say("refused.source.unread", file=Name(text=self._path.name), reason=reason_of(error))) from None
        finally:
            connection.close()
        return SourceSchema(SourceKind.SQLITE, tuple(tables), ("main",))

    def keys(self) -> KeysByTable:
        """See `SourceEngine`. The numbers of rows are those of ANALYZE, where it was run."""
        connection = self._connect(read_only=True)
        try:
            names = [str(row[0]) for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            found: KeysByTable = {("main", name): _keys(connection, name) for name in names if not name.startswith("sqlite_")}
            if "sqlite_stat1" in names:
                for name, stat in connection.execute("SELECT tbl, stat FROM sqlite_stat1 WHERE stat IS NOT NULL"):
                    first = str(stat).split(" ", 1)[0]
                    if ("main", name) in found and first.isdigit():
                        found["main", name].rows = int(first)
        except sqlite3.Error as error:
            raise SourceUnavailable.of(say("refused.source.unread", file=Name(text=self._path.name), reason=reason_of(error))) from None
        finally:
            connection.close()
        return found

    def faults(self) -> list[Statement]:
        """A file has no accounts; the authorizer holds."""
        return []

    def brief(self, error: Exception, *, values_hidden: bool) -> str | None:
        """See `SourceEngine`."""
        if not isinstance(error, sqlite3.Error):
            return None
        return type(error).__name__ if values_hidden else str(error)[:500]


class _Session:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def run(self, statement: str, values: Values) -> Batches:
        cursor = self._connection.execute(statement, dict(values))
        names = tuple(str(column[0]) for column in cursor.description or ())
        return Batches(names, ("",) * len(names), in_batches(cursor.fetchmany))

    def cost(self, statement: str, values: Values) -> float | None:
        return None

    def cancel(self) -> None:
        self._connection.interrupt()


def _authorize(action: int, first: str | None, second: str | None, database: str | None, trigger: str | None) -> int:
    if action in _READING:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() not in _NO_FUNCTION:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _table(connection: sqlite3.Connection, name: str, is_view: bool, made_by: str) -> KnownTable:
    """SQLite keeps the text of the statement that made a table; the comments in it are the only ones that it has."""
    stated = DdlComments() if is_view else ddl_comments(made_by, "sqlite")
    found: list[Any] = connection.execute("SELECT name, type FROM pragma_table_xinfo(?)", [name]).fetchall()
    columns = tuple(KnownColumn(str(column), str(kind), stated.columns.get(str(column).lower())) for column, kind in found)
    return KnownTable("main", name, columns, stated.table or None, is_view=is_view, definition=made_by if is_view else None)


def _keys(connection: sqlite3.Connection, table: str) -> KnownKeys:
    keys = KnownKeys()
    columns: list[Any] = connection.execute('SELECT name, "notnull", pk FROM pragma_table_xinfo(?)', [table]).fetchall()
    keys.not_null = {str(name) for name, never_null, place in columns if never_null or place}
    keys.primary_key = tuple(str(name) for name, _, place in sorted(columns, key=lambda column: column[2]) if place)
    for name, origin in connection.execute('SELECT name, origin FROM pragma_index_list(?) WHERE "unique" AND NOT partial', [table]):
        parts = [row[0] for row in connection.execute("SELECT name FROM pragma_index_info(?) ORDER BY seqno", [name])]
        if origin != "pk" and parts and all(parts):  # a part without a name is an expression
            keys.unique.append(tuple(map(str, parts)))
    references: dict[int, tuple[str, list[str], list[str | None]]] = {}
    for number, other, column, reference in connection.execute(
        'SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq', [table]
    ):
        known = references.setdefault(number, (str(other), [], []))
        known[1].append(str(column))
        known[2].append(reference)
    for other, names, others in references.values():
        named = tuple(str(name) for name in others if name is not None) if all(others) else _primary_key(connection, other)
        if len(named) == len(names):
            keys.references.append(KnownReference(tuple(names), "main", other, named))
    return keys


def _primary_key(connection: sqlite3.Connection, table: str) -> tuple[str, ...]:
    return tuple(str(row[0]) for row in connection.execute("SELECT name FROM pragma_table_xinfo(?) WHERE pk ORDER BY pk", [table]))
