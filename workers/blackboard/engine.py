"""The door to Postgres: one pool a process, one place that commits, and the single-statement path of the fleet.

Two ways in, both over the same SQLAlchemy pool:

- `unit_of_work()`: a transaction; commits when the block ends, rolls back when it raises.
- `statement()`: one statement that is a transaction of its own, in one round trip (psycopg in autocommit). The fleet's
  protocol is made of these. Each of them is safe to repeat, so a lost connection is answered by trying again.
"""

import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, LiteralString, cast

import psycopg
import structlog
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb, set_json_dumps
from sqlalchemy import Connection, create_engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from contracts.base import canonical_json
from workers.errors import DatabaseNotMigrated, DatabaseUnavailable
from workers.telemetry import redact_url

log = structlog.get_logger()

Row = dict[str, Any]

set_json_dumps(canonical_json)


def jsonb(value: Any) -> Jsonb:
    """A parameter of type jsonb."""
    return Jsonb(value)


class Database:
    """One Postgres with the blackboard in it. Makes no connection before the first use; share it between threads."""

    def __init__(self, url: str, *, pool_size: int = 5, name: str = "bullpen", reconnect_s: float = 15.0) -> None:
        """`reconnect_s`: how long a statement is tried again after its connection was lost."""
        self.url = url
        self._reconnect_s = reconnect_s
        self.engine = create_engine(
            make_url(url.replace("postgres://", "postgresql://", 1)).set(drivername="postgresql+psycopg"),
            pool_size=pool_size,
            max_overflow=pool_size,
            pool_timeout=30,
            connect_args={"application_name": name, "connect_timeout": 10},
        )

    @contextmanager
    def unit_of_work(self) -> Generator[Connection]:
        """A transaction over SQLAlchemy: the one commit. Raises `DatabaseUnavailable` when Postgres does not answer."""
        with self._translated(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def session(self) -> Generator[psycopg.Connection[Row]]:
        """A psycopg connection in autocommit, for several statements; `with connection.transaction()` groups them."""
        with self._translated():
            pooled = self.engine.raw_connection()
            connection = cast("psycopg.Connection[Row]", pooled.driver_connection)
            try:
                connection.autocommit = True
                connection.row_factory = dict_row
                yield connection
            except psycopg.OperationalError:
                if connection.closed or connection.broken:
                    pooled.invalidate()
                raise
            finally:
                if pooled.is_valid and not connection.closed:
                    connection.autocommit = False
                pooled.close()

    def statement(self, sql: LiteralString, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        """Run one statement that may be repeated; its rows, or an empty list. Survives a restart of Postgres."""
        give_up_at = time.monotonic() + self._reconnect_s
        pause_s = 0.05
        while True:
            try:
                with self.session() as connection:
                    cursor = connection.execute(sql, parameters)
                    return cursor.fetchall() if cursor.description else []
            except DatabaseUnavailable:
                if time.monotonic() + pause_s > give_up_at:
                    raise
                log.warning("database_reconnecting", pause_s=pause_s)
                self.engine.dispose()
                time.sleep(pause_s)
                pause_s = min(pause_s * 2, 1.0)

    def row(self, sql: LiteralString, parameters: Mapping[str, Any] | None = None) -> Row | None:
        """The first row of `statement`, or None."""
        rows = self.statement(sql, parameters)
        return rows[0] if rows else None

    def close(self) -> None:
        """Close the pool."""
        self.engine.dispose()

    def forget_connections(self) -> None:
        """After a fork: drop the parent's connections without closing them under it."""
        self.engine.dispose(close=False)

    @contextmanager
    def _translated(self) -> Generator[None]:
        try:
            yield
        except (psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn) as error:
            raise DatabaseNotMigrated(_not_migrated(error)) from error
        except (psycopg.OperationalError, PoolTimeout) as error:
            if isinstance(error, psycopg.OperationalError) and _is_our_fault(error):
                raise
            raise DatabaseUnavailable(self._unavailable(error)) from error
        except OperationalError as error:
            if isinstance(error.orig, psycopg.OperationalError) and _is_our_fault(error.orig):
                raise
            raise DatabaseUnavailable(self._unavailable(error)) from error
        except Exception as error:
            original = getattr(error, "orig", None)
            if isinstance(original, psycopg.errors.UndefinedTable | psycopg.errors.UndefinedColumn):
                raise DatabaseNotMigrated(_not_migrated(original)) from error
            raise

    def _unavailable(self, error: Exception) -> str:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        return (
            f"Postgres at {redact_url(self.url)} does not answer: {redact_url(reason)} "
            "Check BULLPEN_DATABASE_URL and that the server runs; `bullpen up` starts one for you."
        )


def _not_migrated(error: Exception) -> str:
    return f"The database lacks what this release needs ({str(error).splitlines()[0]}). Run `bullpen db migrate`."


def _is_our_fault(error: psycopg.OperationalError) -> bool:
    """Operational errors that no reconnection cures: cancelled, out of a limit. Lock and serialization faults too."""
    state = error.sqlstate or ""
    return state.startswith(("40", "53", "54", "55", "57014")) and state not in ("53300",)
