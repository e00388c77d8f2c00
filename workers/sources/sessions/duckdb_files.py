"""DuckDB: a database file, or a folder of CSV, Parquet, JSON lines, SQLite and DuckDB files, in a locked sandbox.

The sandbox opens one database file read-only, with no way out to other files, extensions or settings. A folder is first copied
into such a file (`folders`), so a query never reads the folder itself.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from contracts.sources import SourceKind
from contracts.statements import Name, Statement, passage, say
from workers.errors import SourceUnavailable
from workers.sources.schema import KeysByTable, KnownColumn, KnownKeys, KnownReference, KnownTable, SourceSchema
from workers.sources.sessions.base import Batches, Opening, Session, Values, in_batches

SANDBOX: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": False,
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
    "allow_community_extensions": False,
    "python_enable_replacements": False,
    "lock_configuration": True,
    "memory_limit": "512MB",
    "threads": 1,
    "max_temp_directory_size": "0B",
}
"""The same for every session: a process can open a file with one configuration only."""

SYSTEM = ("information_schema", "pg_catalog")


class DuckDBFiles:
    """The source behind a file. `file` gives the database file, which may have to be made first."""

    value_form = "${}"
    doubles_percent = False

    def __init__(self, file: Callable[[], Path]) -> None:
        self._file = file

    @contextmanager
    def open(self, opening: Opening) -> Generator[Session]:
        """See `SourceEngine`. DuckDB ends a statement by `cancel` alone."""
        path = self._file()
        try:
            connection = duckdb.connect(str(path), read_only=opening.read_only, config=SANDBOX)
        except duckdb.Error as error:
            reason = passage(_first_line(error))
            raise SourceUnavailable.of(
                say("refused.source.unopened", engine=Name(text="DuckDB"), file=Name(text=path.name), reason=reason)
            ) from None
        try:
            yield _Session(connection)
        finally:
            connection.close()

    def introspect(self) -> SourceSchema:
        """See `SourceEngine`."""
        with self.open(Opening(timeout_s=60)) as session:
            rows = _all(session, "SELECT schema_name, table_name, comment, NULL FROM duckdb_tables() WHERE NOT internal AND NOT temporary")
            views = _all(session, "SELECT schema_name, view_name, comment, sql FROM duckdb_views() WHERE NOT internal AND NOT temporary")
            columns = _all(
                session,
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
        return SourceSchema(SourceKind.DUCKDB, tuple(tables), ("main",))

    def keys(self) -> KeysByTable:
        """See `SourceEngine`. DuckDB counts its rows exactly."""
        with self.open(Opening(timeout_s=60)) as session:
            sizes = _all(session, "SELECT schema_name, table_name, estimated_size FROM duckdb_tables() WHERE NOT internal")
            declared = _all(
                session,
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
        if not isinstance(error, duckdb.Error):
            return None
        return type(error).__name__ if values_hidden else _first_line(error)


class _Session:
    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def run(self, statement: str, values: Values) -> Batches:
        if not duckdb.extract_statements(statement):
            raise duckdb.InvalidInputException("There is no statement.")
        cursor = self._connection.execute(statement, dict(values)) if values else self._connection.execute(statement)
        described: list[Any] = list(cursor.description or [])
        return Batches(
            tuple(str(column[0]) for column in described), tuple(str(column[1]) for column in described), in_batches(cursor.fetchmany)
        )

    def cost(self, statement: str, values: Values) -> float | None:
        return None

    def cancel(self) -> None:
        self._connection.interrupt()


def _all(session: Session, statement: str) -> list[tuple[Any, ...]]:
    return [row for batch in session.run(statement, {}).rows for row in batch]


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:500]
