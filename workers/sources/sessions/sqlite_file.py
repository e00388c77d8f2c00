"""SQLite: a file, opened read-only, with an authorizer that allows reading and nothing else.

`mode=ro` alone is no wall: ATTACH of a new file, CREATE in it and temporary tables pass. The authorizer refuses them.
"""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from contracts.sources import SourceKind
from contracts.statements import Name, Statement, say
from workers.engines.sql.ddl_comments import DdlComments, ddl_comments
from workers.errors import SourceUnavailable
from workers.sources.schema import KeysByTable, KnownColumn, KnownKeys, KnownReference, KnownTable, SourceSchema
from workers.sources.sessions.base import Opening
from workers.sources.sessions.embedded import LOOK_S, EmbeddedSession, brief_of, memory_bytes, open_session, reading_schema

VALUE_BYTES = 16 << 20
"""Longest text that a statement may make: SQLite's own limit is a gigabyte."""


class SQLiteFile:
    """The source behind a file."""

    value_form = ":{}"
    doubles_percent = False

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def open(self, opening: Opening) -> Generator[EmbeddedSession]:
        """See `SourceEngine`. A statement ends with its process."""
        with self._open(opening, authorized=opening.read_only) as session:
            yield session

    @contextmanager
    def _open(self, opening: Opening, *, authorized: bool) -> Generator[EmbeddedSession]:
        if not self._path.is_file():
            raise SourceUnavailable.of(say("refused.source.no_sqlite", file=Name(text=self._path.name)))
        address = f"file:{quote(str(self._path))}?mode={'ro' if opening.read_only else 'rw'}"
        asked = {"engine": "sqlite", "path": address, "authorized": authorized, "value_bytes": VALUE_BYTES}
        with open_session(
            asked, engine="SQLite", file=self._path.name, timeout_s=opening.timeout_s, written_bytes=memory_bytes()
        ) as session:
            yield session

    @contextmanager
    def _look(self) -> Generator[EmbeddedSession]:
        """To read the schema by pragmas, which the authorizer refuses."""
        with self._open(Opening(timeout_s=LOOK_S), authorized=False) as session, reading_schema(self._path.name):
            yield session

    def introspect(self) -> SourceSchema:
        """See `SourceEngine`."""
        with self._look() as session:
            made = session.rows(
                "SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
            )
            tables = [_table(session, name, kind == "view", sql or "") for name, kind, sql in made]
        return SourceSchema(SourceKind.SQLITE, tuple(tables), ("main",))

    def keys(self) -> KeysByTable:
        """See `SourceEngine`. The numbers of rows are those of ANALYZE, where it was run."""
        with self._look() as session:
            names = [str(row[0]) for row in session.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
            found: KeysByTable = {("main", name): _keys(session, name) for name in names if not name.startswith("sqlite_")}
            if "sqlite_stat1" in names:
                for name, stat in session.rows("SELECT tbl, stat FROM sqlite_stat1 WHERE stat IS NOT NULL"):
                    first = str(stat).split(" ", 1)[0]
                    if ("main", name) in found and first.isdigit():
                        found["main", name].rows = int(first)
        return found

    def faults(self) -> list[Statement]:
        """A file has no accounts; the authorizer holds."""
        return []

    def brief(self, error: Exception, *, values_hidden: bool) -> str | None:
        """See `SourceEngine`."""
        return brief_of(error, values_hidden=values_hidden)


def _table(session: EmbeddedSession, name: str, is_view: bool, made_by: str) -> KnownTable:
    """SQLite keeps the text of the statement that made a table; the comments in it are the only ones that it has."""
    stated = DdlComments() if is_view else ddl_comments(made_by, "sqlite")
    found: list[Any] = session.rows("SELECT name, type FROM pragma_table_xinfo(?)", name)
    columns = tuple(KnownColumn(str(column), str(kind), stated.columns.get(str(column).lower())) for column, kind in found)
    return KnownTable("main", name, columns, stated.table or None, is_view=is_view, definition=made_by if is_view else None)


def _keys(session: EmbeddedSession, table: str) -> KnownKeys:
    keys = KnownKeys()
    columns: list[Any] = session.rows('SELECT name, "notnull", pk FROM pragma_table_xinfo(?)', table)
    keys.not_null = {str(name) for name, never_null, place in columns if never_null or place}
    keys.primary_key = tuple(str(name) for name, _, place in sorted(columns, key=lambda column: column[2]) if place)
    for name, origin in session.rows('SELECT name, origin FROM pragma_index_list(?) WHERE "unique" AND NOT partial', table):
        parts = [row[0] for row in session.rows("SELECT name FROM pragma_index_info(?) ORDER BY seqno", name)]
        if origin != "pk" and parts and all(parts):  # a part without a name is an expression
            keys.unique.append(tuple(map(str, parts)))
    references: dict[int, tuple[str, list[str], list[str | None]]] = {}
    for number, other, column, reference in session.rows(
        'SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq', table
    ):
        known = references.setdefault(number, (str(other), [], []))
        known[1].append(str(column))
        known[2].append(reference)
    for other, names, others in references.values():
        named = tuple(str(name) for name in others if name is not None) if all(others) else _primary_key(session, other)
        if len(named) == len(names):
            keys.references.append(KnownReference(tuple(names), "main", other, named))
    return keys


def _primary_key(session: EmbeddedSession, table: str) -> tuple[str, ...]:
    return tuple(str(row[0]) for row in session.rows("SELECT name FROM pragma_table_xinfo(?) WHERE pk ORDER BY pk", table))
