"""Trino and ClickHouse, through their SQLAlchemy dialects: extras, which no test here runs against a server.

Neither tells an account's rights in a way that can be verified, so such a source is added only when the operator insists.
ClickHouse's own `readonly` setting is switched on; Trino has no read-only session, so its access control has to hold.
"""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import create_engine, inspect, text
from sqlalchemy.engine import Connection, CursorResult, Engine
from sqlalchemy.exc import NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from contracts.sources import SourceKind
from contracts.statements import Name, Statement, name, say
from workers.errors import ConfigurationError, SourceUnavailable
from workers.extras import install_command
from workers.secrets import redact_url
from workers.sources.schema import KeysByTable, KnownColumn, KnownTable, SourceSchema
from workers.sources.sessions.base import EVERYTHING, Batches, Opening, Session, Values, Wanted, in_batches

_PREFIX = {SourceKind.TRINO: "trino", SourceKind.CLICKHOUSE: "clickhousedb"}


class ByDialect:
    """The source behind a URL that SQLAlchemy takes."""

    value_form = ":{}"
    doubles_percent = False

    def __init__(self, kind: SourceKind, url: str) -> None:
        self._kind = kind
        self._url = f"{_PREFIX[kind]}://{url.split('://', 1)[1]}"

    def engine(self, timeout_s: float) -> Engine:
        """The SQLAlchemy engine, which connects to nothing yet. Raises `ConfigurationError` when the extra is not installed."""
        arguments: dict[str, Any] = (
            {"settings": {"readonly": 2, "max_execution_time": timeout_s}, "query_limit": 0}
            if self._kind is SourceKind.CLICKHOUSE
            else {"session_properties": {"query_max_run_time": f"{timeout_s}s"}, "source": "bullpen"}
        )
        try:
            return create_engine(self._url, connect_args=arguments, poolclass=NullPool)
        except (NoSuchModuleError, ImportError):
            raise ConfigurationError(f"Sources of kind {self._kind} need an extra: {install_command(self._kind)}") from None

    @contextmanager
    def _connected(self, timeout_s: float) -> Generator[Connection]:
        engine = self.engine(timeout_s)
        try:
            connection = engine.connect()
        except (SQLAlchemyError, OSError) as error:
            where, reason = Name(text=redact_url(self._url)), Name(text=f"{type(error).__name__}.")
            raise SourceUnavailable.of(say("refused.source.away", engine=Name(text=self._kind), where=where, reason=reason)) from None
        try:
            yield connection
        finally:
            connection.close()
            engine.dispose()

    @contextmanager
    def open(self, opening: Opening) -> Generator[Session]:
        """See `SourceEngine`."""
        with self._connected(opening.timeout_s) as connection:
            yield _Session(connection)

    def introspect(self) -> SourceSchema:
        """See `SourceEngine`."""
        tables: list[KnownTable] = []
        with self._connected(60.0) as connection:
            inspector = inspect(connection)
            for schema in inspector.get_schema_names():
                if schema in ("information_schema", "INFORMATION_SCHEMA", "system"):
                    continue
                views = set(inspector.get_view_names(schema))
                for name in [*inspector.get_table_names(schema), *views]:
                    found = inspector.get_columns(name, schema)
                    columns = tuple(KnownColumn(column["name"], str(column["type"]), column.get("comment")) for column in found)
                    tables.append(KnownTable(schema, name, columns, is_view=name in views))
            default = inspector.default_schema_name
        return SourceSchema(self._kind, tuple(dict.fromkeys(tables)), (default,) if default else ())

    def keys(self) -> KeysByTable:
        """See `SourceEngine`. Neither engine has keys that hold."""
        return {}

    def faults(self) -> list[Statement]:
        """See `SourceEngine`."""
        return [say("refused.account.unknown", kind=name(str(self._kind)))]

    def brief(self, error: Exception, *, values_hidden: bool) -> str | None:
        """See `SourceEngine`."""
        if not isinstance(error, SQLAlchemyError):
            return None
        cause = getattr(error, "orig", None) or error
        return type(cause).__name__ if values_hidden else redact_url(str(cause))[:500]


class _Session:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._running: CursorResult[Any] | None = None

    def run(self, statement: str, values: Values, wanted: Wanted = EVERYTHING) -> Batches:
        self._running = result = self._connection.execution_options(stream_results=True).execute(
            text(_escaped(statement, values)), dict(values)
        )
        names = tuple(result.keys())
        return Batches(names, ("",) * len(names), in_batches(lambda size: [tuple(row) for row in result.fetchmany(size)]))

    def cost(self, statement: str, values: Values) -> float | None:
        return None

    def cancel(self) -> None:
        cursor: Any = getattr(self._running, "cursor", None)
        if cursor is not None and hasattr(cursor, "cancel"):
            cursor.cancel()
        self._connection.invalidate()


def _escaped(statement: str, values: Values) -> str:
    """Colons of the statement itself are no values."""
    import re

    return re.sub(r"(?<!:):(\w+)", lambda found: found[0] if found[1] in values else f"\\:{found[1]}", statement)
