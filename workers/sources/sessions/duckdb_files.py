"""DuckDB: a database file, or a folder of CSV, Parquet, JSON lines, SQLite and DuckDB files, in a locked sandbox.

The sandbox opens one database file read-only, with no way out to other files, extensions or settings. A folder is first copied
into such a file (`folders`), so a query never reads the folder itself.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from contracts.sources import SourceKind
from contracts.statements import Statement
from workers.engines.embedded.process import UNLIMITED_BYTES
from workers.sources.schema import KeysByTable, KnownColumn, KnownKeys, KnownReference, KnownTable, SourceSchema
from workers.sources.sessions.base import Opening
from workers.sources.sessions.embedded import LOOK_S, EmbeddedSession, brief_of, memory_bytes, open_session, reading_schema

SANDBOX: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": False,
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
    "allow_community_extensions": False,
    "python_enable_replacements": False,
    "lock_configuration": True,
    "threads": 1,
    "max_temp_directory_size": "0B",
    "temp_directory": "",
}
"""Of every session, with a memory limit of its own: the engine holds it for sorts and joins, the operating system for the rest."""

MEMORY_SHARE = 3
"""The engine's own limit is a third of what its process may map: about 260 MB are mapped before the first row, and a function may double a
value."""

SYSTEM = ("information_schema", "pg_catalog")


class DuckDBFiles:
    """The source behind a file. `file` gives the database file, which may have to be made first; `notes` what its reader has to know."""

    value_form = "${}"
    doubles_percent = False

    def __init__(self, file: Callable[[], Path], notes: Callable[[Path], tuple[Statement, ...]] = lambda _: ()) -> None:
        self._file = file
        self._notes = notes

    @contextmanager
    def open(self, opening: Opening) -> Generator[EmbeddedSession]:
        """See `SourceEngine`. A statement ends with its process."""
        path = self._file()
        config = {**SANDBOX, "memory_limit": f"{memory_bytes() // MEMORY_SHARE}B"}
        asked = {"engine": "duckdb", "path": str(path), "read_only": opening.read_only, "config": config}
        with open_session(asked, engine="DuckDB", file=path.name, timeout_s=opening.timeout_s, written_bytes=_written(opening)) as session:
            yield session

    def introspect(self) -> SourceSchema:
        """See `SourceEngine`."""
        with self.open(Opening(timeout_s=LOOK_S)) as session, reading_schema(self._file().name):
            rows = session.rows("SELECT schema_name, table_name, comment, NULL FROM duckdb_tables() WHERE NOT internal AND NOT temporary")
            views = session.rows("SELECT schema_name, view_name, comment, sql FROM duckdb_views() WHERE NOT internal AND NOT temporary")
            columns = session.rows(
                "SELECT schema_name, table_name, column_name, data_type, comment FROM duckdb_columns() WHERE NOT internal "
                "ORDER BY column_index",
            )
        by_table: dict[tuple[str, str], list[KnownColumn]] = {}
        for schema, table, name, kind, comment in columns:
            by_table.setdefault((schema, table), []).append(KnownColumn(name, kind, comment))
        tables = [
            KnownTable(schema, name, tuple(by_table.get((schema, name), ())), comment, is_view=sql is not None, definition=sql)
            for schema, name, comment, sql in [*rows, *views]
            if schema not in SYSTEM
        ]
        return SourceSchema(SourceKind.DUCKDB, tuple(tables), ("main",), notes=self._notes(self._file()))

    def keys(self) -> KeysByTable:
        """See `SourceEngine`. DuckDB counts its rows exactly."""
        with self.open(Opening(timeout_s=LOOK_S)) as session, reading_schema(self._file().name):
            sizes = session.rows("SELECT schema_name, table_name, estimated_size FROM duckdb_tables() WHERE NOT internal")
            declared = session.rows(
                "SELECT schema_name, table_name, constraint_type, constraint_column_names, referenced_table, referenced_column_names "
                "FROM duckdb_constraints() ORDER BY table_oid, constraint_index",
            )
        found: KeysByTable = {(schema, table): KnownKeys(rows=rows) for schema, table, rows in sizes}
        for schema, table, kind, columns, other, others in declared:
            keys = found.setdefault((schema, table), KnownKeys())
            match kind:
                case "PRIMARY KEY":
                    keys.primary_key = tuple(columns)
                case "UNIQUE":
                    keys.unique.append(tuple(columns))
                case "NOT NULL":
                    keys.not_null.update(columns)
                case "FOREIGN KEY":
                    keys.references.append(KnownReference(tuple(columns), schema, other, tuple(others)))
                case _:
                    continue
        return found

    def faults(self) -> list[Statement]:
        """A file has no accounts; the sandbox holds."""
        return []

    def brief(self, error: Exception, *, values_hidden: bool) -> str | None:
        """See `SourceEngine`."""
        return brief_of(error, values_hidden=values_hidden)


def _written(opening: Opening) -> int:
    return 0 if opening.read_only else UNLIMITED_BYTES
