"""Access to Postgres: the only place that commits, and the single-statement path of the fleet.

There are three ways:

- `unit_of_work()`: a transaction over SQLAlchemy; commits when the block ends, rolls back when it raises.
- `statement()`: one statement that is a transaction of its own, in one round trip (psycopg in autocommit). The fleet's
  protocol consists of such statements. Each is safe to repeat, so after a lost connection it is tried again.
- `statements()`: several of these in one transaction and one round trip; see `shared_statements.py`.
"""

import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING, Any, LiteralString

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb, set_json_dumps

from contracts.base import canonical_json
from workers.errors import ConfigurationError, DatabaseNotMigrated, DatabaseUnavailable
from workers.loggers import get_logger
from workers.secrets import redact_url

if TYPE_CHECKING:  # a worker runs statements only, and SQLAlchemy would double its memory and the time of its start
    from sqlalchemy import Connection, Engine


Row = dict[str, Any]
log = get_logger(__name__)

set_json_dumps(canonical_json)


def jsonb(value: Any) -> Jsonb:
    """A parameter of type jsonb."""
    return Jsonb(value)


CONNECT_S = 10
"""Seconds that a connection may take to be made."""
POOL_TIMEOUT_S = 30.0
"""Seconds to wait for a connection if all connections of the process are busy."""
IDLE_S = 30.0
"""Seconds after which an idle connection above the number to keep is closed. A new one costs both sides as much as several steps: a process
of Postgres, the plan of each statement. It was closed at once, and a worker whose slots and helper threads met at the pool opened one for
every 18 steps."""


_LOOK_UPS: tuple[LiteralString, ...] = ("SET plan_cache_mode = force_generic_plan", "SET enable_seqscan = off")
"""For connections that look up by key. A plan is kept for as long as the connection, so it may not rest on what the table was like when
it was made: with the statistics of a small table, Postgres reads the whole of it, and goes on when it has grown."""


_IN_COMPANY: tuple[LiteralString, ...] = (*_LOOK_UPS, "SET lock_timeout = '200ms'")
"""For connections that run the statements of several threads: who waits for a lock for longer than this must not hold up the others."""


class PoolTimeout(Exception):
    """No connection became free within `POOL_TIMEOUT_S`."""


class _Connections:
    """psycopg connections in autocommit. The most recently used connection is used next.

    So a process uses few connections, and its statements are prepared and planned on them. Planning a statement of the
    protocol costs more than running it; see docs/adr/0003.
    """

    def __init__(self, url: str, *, keep: int, name: str, settings: tuple[LiteralString, ...] = ()) -> None:
        """`keep`: idle connections that stay open; twice that number may be open at once, and the others are closed when they were idle
        for `IDLE_S`. `settings`: run on each new connection."""
        self._url = url
        self._keep = keep
        self._name = name
        self._settings = settings
        self._idle: list[tuple[psycopg.Connection[Row], float]] = []
        """Each with the time since when it is idle (monotonic seconds), the longest idle first."""
        self._forgotten: list[psycopg.Connection[Row]] = []
        self._lock = threading.Lock()
        self._room = threading.BoundedSemaphore(keep * 2)

    @contextmanager
    def lend(self) -> Generator[psycopg.Connection[Row]]:
        """A connection for the caller alone. Raises `PoolTimeout`, or psycopg's `OperationalError`."""
        if not self._room.acquire(timeout=POOL_TIMEOUT_S):
            raise PoolTimeout(f"All connections of this process were busy for {POOL_TIMEOUT_S:.0f} s.")
        try:
            connection = self._pop() or self._connect()
            try:
                yield connection
            except psycopg.errors.ReadOnlySqlTransaction:
                connection.close()  # it leads to a server that is no primary any more, and always will
                raise
            finally:
                self._take_back(connection)
        finally:
            self._room.release()

    def _take_back(self, connection: psycopg.Connection[Row]) -> None:
        """Keep it for the next caller, and close at most one that nobody has needed for a while."""
        now = time.monotonic()
        with self._lock:
            if connection.pgconn.transaction_status == TransactionStatus.IDLE:
                self._idle.append((connection, now))
                needless = self._idle.pop(0)[0] if len(self._idle) > self._keep and self._idle[0][1] < now - IDLE_S else None
            else:
                needless = connection
        if needless is not None:
            needless.close()

    def _pop(self) -> psycopg.Connection[Row] | None:
        with self._lock:
            return self._idle.pop()[0] if self._idle else None

    def _connect(self) -> psycopg.Connection[Row]:
        connection = psycopg.Connection[Row].connect(
            self._url, autocommit=True, prepare_threshold=0, row_factory=dict_row, application_name=self._name, connect_timeout=CONNECT_S
        )
        try:
            for setting in self._settings:
                connection.execute(setting)
        except BaseException:
            connection.close()
            raise
        return connection

    def close_idle(self) -> None:
        """Close the idle connections."""
        while (connection := self._pop()) is not None:
            connection.close()

    def forget(self) -> None:
        """Forget the connections without closing them, since they belong to another process."""
        self._forgotten += [connection for connection, _ in self._idle]
        self._idle.clear()
        self._lock = threading.Lock()  # at the time of the fork another thread may have held it


class Database:
    """A Postgres database with the blackboard. It connects on first use, and can be shared between threads."""

    def __init__(self, url: str, *, pool_size: int = 5, name: str = "bullpen", reconnect_s: float = 15.0) -> None:
        """`reconnect_s`: how long a statement is retried after its connection was lost."""
        self.url = url
        self._reconnect_s = reconnect_s
        self._dsn = "postgresql://" + url.split("://", 1)[1]
        self._name = name
        self._pool_size = pool_size
        self._lane = _Connections(self._dsn, keep=pool_size, name=name, settings=_LOOK_UPS)
        self._company = _Connections(self._dsn, keep=2, name=name, settings=_IN_COMPANY)
        self._sessions = _Connections(self._dsn, keep=pool_size, name=name)

    @cached_property
    def engine(self) -> "Engine":
        """A SQLAlchemy engine for the same database, for migrations and for code that uses SQLAlchemy's expressions."""
        from sqlalchemy import create_engine

        return create_engine(
            self._dsn.replace("postgresql:", "postgresql+psycopg:", 1),
            pool_size=1,
            max_overflow=self._pool_size,
            pool_timeout=POOL_TIMEOUT_S,
            connect_args={"application_name": self._name, "connect_timeout": CONNECT_S},
        )

    @contextmanager
    def unit_of_work(self) -> Generator["Connection"]:
        """A SQLAlchemy transaction, which commits when the block ends. Raises `DatabaseUnavailable` if Postgres does not answer."""
        with self._translated(), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def session(self) -> Generator[psycopg.Connection[Row]]:
        """A psycopg connection in autocommit, for several statements; `with connection.transaction()` groups them."""
        with self._translated(), self._sessions.lend() as connection:
            yield connection

    def statement(self, sql: LiteralString, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        """Run one statement that is safe to repeat, and return its rows. It survives a restart of Postgres.

        The statement is planned once per connection, independent of its parameters, which suits look-ups by key. A search
        whose plan depends on a parameter belongs in a `session`.
        """
        return self._until_connected(lambda connection: _rows(connection.execute(sql, parameters)))

    def in_turn(
        self, turn: LiteralString, sql: LiteralString, parameters: Mapping[str, Any], before: Mapping[str, Any] | None = None
    ) -> list[Row]:
        """As `statement`, behind `turn` in the same transaction: a statement that takes locks, with the parameters `before`. So `sql` sees
        what was committed before the locks were had, and keeps them until it is committed itself. One round trip."""

        def both(connection: psycopg.Connection[Row]) -> list[Row]:
            try:
                with connection.pipeline():
                    connection.execute(turn, before)
                    cursor = connection.execute(sql, parameters)
                return _rows(cursor)
            except Exception:
                connection.close()  # which of its statements were prepared is not certain any more
                raise

        return self._until_connected(both)

    def _until_connected(self, run: Callable[[psycopg.Connection[Row]], list[Row]]) -> list[Row]:
        give_up_at = time.monotonic() + self._reconnect_s
        pause_s = 0.05
        while True:
            try:
                with self._translated(), self._lane.lend() as connection:
                    return run(connection)
            except DatabaseUnavailable:
                if time.monotonic() + pause_s > give_up_at:
                    raise
                log.warning("database_reconnecting", pause_s=pause_s)
                self.close()
                time.sleep(pause_s)
                pause_s = min(pause_s * 2, 1.0)

    def statements(self, statements: Sequence[tuple[LiteralString, Mapping[str, Any]]]) -> list[list[Row]]:
        """Run several statements in this order, in one transaction and one round trip. The rows of each. They are not tried again.

        If it raises, nothing was written; with `DatabaseUnavailable`, nobody knows.
        """
        with self._translated(), self._company.lend() as connection:
            try:
                with connection.pipeline() if len(statements) > 1 else nullcontext():
                    cursors = [connection.execute(sql, parameters) for sql, parameters in statements]
                return [_rows(cursor) for cursor in cursors]
            except Exception:
                connection.close()  # which of its statements were prepared is not certain any more
                raise

    def row(self, sql: LiteralString, parameters: Mapping[str, Any] | None = None) -> Row | None:
        """The first row of `statement`, or None."""
        rows = self.statement(sql, parameters)
        return rows[0] if rows else None

    def require_sessions(self) -> None:
        """Raise `ConfigurationError` behind a pooler that gives a connection away between two transactions, as PgBouncer does with
        `pool_mode = transaction`: then two clients that are both connected meet in one backend, or one of them changes it."""
        with self._translated(), ExitStack() as opened:
            first, second = (
                opened.enter_context(
                    psycopg.connect(
                        self._dsn, autocommit=True, prepare_threshold=None, application_name=self._name, connect_timeout=CONNECT_S
                    )
                )
                for _ in range(2)
            )
            pids = [connection.execute("SELECT pg_backend_pid()").fetchall()[0][0] for connection in (first, second, first)]
        if pids[0] in pids[1:2] or pids[0] != pids[2]:
            raise ConfigurationError(
                f"Postgres at {redact_url(self.url)} is behind a pooler that gives connections away between transactions. Bullpen needs "
                "sessions (prepared statements, settings, LISTEN, advisory locks): set `pool_mode = session` in PgBouncer, or let "
                "BULLPEN_DATABASE_URL lead to Postgres itself."
            )

    def close(self) -> None:
        """Close the idle connections."""
        self._lane.close_idle()
        self._company.close_idle()
        self._sessions.close_idle()
        if "engine" in self.__dict__:
            self.engine.dispose()

    def forget_connections(self) -> None:
        """Call this after a fork: it forgets the parent's connections without closing them."""
        self._lane.forget()
        self._company.forget()
        self._sessions.forget()
        if "engine" in self.__dict__:
            self.engine.dispose(close=False)

    @contextmanager
    def _translated(self) -> Generator[None]:
        try:
            yield
        except Exception as error:
            cause = getattr(error, "orig", None) or error  # SQLAlchemy wraps psycopg's errors
            if isinstance(cause, psycopg.errors.UndefinedTable | psycopg.errors.UndefinedColumn):
                raise DatabaseNotMigrated(_not_migrated(cause)) from error
            if isinstance(cause, psycopg.errors.ReadOnlySqlTransaction):
                self.close()  # the other idle connections were made at the same time, and lead to the same server
                raise DatabaseUnavailable(self._unavailable(cause)) from error
            if isinstance(cause, PoolTimeout) or (isinstance(cause, psycopg.OperationalError) and not _is_our_fault(cause)):
                raise DatabaseUnavailable(self._unavailable(cause)) from error
            raise

    def _unavailable(self, error: Exception) -> str:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        reason = redact_url(reason).rstrip(".")
        return (
            f"Postgres at {redact_url(self.url)} does not answer: {reason}. "
            "Check BULLPEN_DATABASE_URL and that the server runs; `bullpen up` starts one for you."
        )


def _rows(cursor: psycopg.Cursor[Row]) -> list[Row]:
    """What a statement returned. (Asking for its `description` would describe each column.)"""
    return cursor.fetchall() if cursor.pgresult is not None and cursor.pgresult.nfields else []


def _not_migrated(error: Exception) -> str:
    return f"The database lacks what this release needs ({str(error).splitlines()[0]}). Run `bullpen db migrate`."


def _is_our_fault(error: psycopg.OperationalError) -> bool:
    """Operational errors that a new connection does not solve: cancelled statements, exceeded limits, lock and serialization failures."""
    state = error.sqlstate or ""
    return state.startswith(("40", "53", "54", "55", "57014")) and state not in ("53300",)
