"""Faults planted on a real Postgres server, each with the check that names its root, and healthy loads that no check may call a cause.

`FAULTS` and `HEALTHY` hold them by name. Each is planted in a plot: a fresh database with an administrator, whose end takes back all that
was set on the server, ends every session and finishes every prepared transaction.
"""
# ruff: noqa: S608  statements are made of constants of this file

import os
import signal
import struct
import subprocess
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Any, LiteralString, Self, cast
from urllib.parse import quote, urlsplit

import psycopg
from psycopg import sql

from workers.local.binaries import postgres_programs
from workers.local.postgres import EmbeddedPostgres
from workers.local.process import LOOPBACK

Connection = psycopg.Connection[Any]

PATIENCE_S = 30.0
"""How long a planted state may take to come about."""

ENOUGH_S = 2.1
"""A little longer than what checks of waits let pass."""

CONNECTIONS = 40
OPTIONS = {
    "max_connections": str(CONNECTIONS),
    "wal_level": "logical",
    "max_prepared_transactions": "10",
    "archive_mode": "on",
    "autovacuum_freeze_max_age": "100000",
    "scram_iterations": "1",
    "log_line_prefix": "%m [%p] user=%u ",
}
SETTINGS = {"archive_command": "true", "autovacuum_naptime": "1d"}
"""What faults change while the server runs. Autovacuum is on, but would heal what is planted."""

ROLES = {"shop": "LOGIN", "watcher": "LOGIN IN ROLE pg_monitor", "stranger": "LOGIN"}
"""The application, and two accounts that look: a member of pg_monitor, and one that may see nothing special."""

PASSWORD = "planted"  # noqa: S105  of a server that lives for a test


def text(statement: str) -> LiteralString:
    """A statement that was put together from constants of this file."""
    return cast("LiteralString", statement)


class FaultyServer:
    """A server of its own, on which faults are planted."""

    def __init__(self, folder: Path) -> None:
        self.postgres = EmbeddedPostgres(folder, durable=True, options=OPTIONS)
        self.plots = 0

    def __enter__(self) -> Self:
        self.postgres.start()
        with psycopg.connect(self.postgres.admin_url, autocommit=True) as admin:
            for setting, value in SETTINGS.items():
                admin.execute(sql.SQL("ALTER SYSTEM SET {} = {}").format(sql.Identifier(setting), sql.Literal(value)))
            admin.execute("SELECT pg_reload_conf()")
            for role, rights in ROLES.items():
                admin.execute(sql.SQL(text(f"CREATE ROLE {{}} {rights} PASSWORD {{}}")).format(sql.Identifier(role), sql.Literal(PASSWORD)))
            admin.execute("ALTER ROLE watcher SET log_statement = 'mod'")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.postgres.stop()

    def url(self, role: str, database: str) -> str:
        """For one of the roles."""
        return f"postgresql://{role}:{PASSWORD}@{LOOPBACK}:{self.postgres.port}/{quote(database)}"

    def admin_url(self, database: str) -> str:
        """For the superuser."""
        return urlsplit(self.postgres.admin_url)._replace(path=f"/{quote(database)}").geturl()

    def plot(self) -> "Plot":
        """A fresh database on it."""
        self.plots += 1
        return Plot(self, f"plot_{self.plots}")


class Plot:
    """A database in which one fault is planted."""

    def __init__(self, server: FaultyServer, database: str) -> None:
        self.server = server
        self.database = database
        self.admin: Connection
        self._stack = ExitStack()
        self._threads: list[Thread] = []
        self._connections: list[Connection] = []
        self._ends = Event()

    def __enter__(self) -> Self:
        with psycopg.connect(self.server.postgres.admin_url, autocommit=True) as admin:
            admin.execute(sql.SQL("CREATE DATABASE {} OWNER shop").format(sql.Identifier(self.database)))
            admin.execute("SELECT pg_stat_reset_shared('checkpointer'), pg_stat_reset_shared('wal')")
        self.open_admin()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ends.set()
        self._stack.close()
        self._end_sessions()
        for thread in self._threads:
            thread.join(PATIENCE_S)
            assert not thread.is_alive(), f"{self.database}: a session does not end"
        for connection in self._connections:
            connection.close()
        for (gid,) in self.rows("SELECT gid FROM pg_prepared_xacts WHERE database = current_database()"):
            self.admin.execute(sql.SQL("ROLLBACK PREPARED {}").format(sql.Literal(gid)))
        for (slot,) in self.rows("SELECT slot_name FROM pg_replication_slots"):
            self.admin.execute("SELECT pg_drop_replication_slot(%s)", [slot])
        self.admin.close()
        with psycopg.connect(self.server.postgres.admin_url, autocommit=True) as admin:
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(self.database)))

    def open_admin(self) -> None:
        """The administrator's session; also after a crash."""
        self.admin = psycopg.connect(self.server.admin_url(self.database), autocommit=True, application_name="planter")
        self.admin.execute("SET synchronous_commit = local")  # also where commits wait for a standby that never comes

    def at_end(self, undo: Callable[[], Any]) -> None:
        """What the administrator does when the plot ends, the latest first."""
        self._stack.callback(undo)

    def until_restarted(self) -> None:
        """Waits until the server has ended all sessions after a crash, and takes new ones."""
        ends = time.monotonic() + PATIENCE_S
        with suppress(psycopg.Error):
            while time.monotonic() < ends:
                self.admin.execute("SELECT pg_sleep(0.02)")
        self.admin.close()
        while True:
            try:
                return self.open_admin()
            except psycopg.OperationalError:
                if time.monotonic() > ends:
                    raise
                time.sleep(0.05)

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """What the administrator reads."""
        return self.admin.execute(text(query), values or None).fetchall()

    def until(self, condition: str, *values: Any) -> None:
        """Waits until a condition on the server's views is true."""
        ends = time.monotonic() + PATIENCE_S
        while not self.rows(f"SELECT {condition}", *values)[0][0]:
            if time.monotonic() > ends:
                raise TimeoutError(f"{self.database}: not within {PATIENCE_S} s: {condition}")
            time.sleep(0.02)

    def until_waiting(self, sessions: int, for_s: float = 0.0) -> None:
        """Waits until sessions wait for locks, the first of them for some time."""
        since = f"min(coalesce(waitstart, now())) <= clock_timestamp() - interval '{for_s} s'"
        self.until(f"count(*) = {sessions} AND {since} FROM pg_locks WHERE NOT granted")

    def connect(self, application: str = "shop", role: str = "shop") -> Connection:
        """A session of an application, which stays until the end of the plot."""
        connection = psycopg.connect(self.server.url(role, self.database), autocommit=True, application_name=application)
        self._connections.append(connection)
        return connection

    def work(self, *statements: str, role: str = "shop") -> None:
        """Runs statements in a session of their own; its end sends its counters to the statistics."""
        url = self.server.url(role, self.database) if role in ROLES else self.server.admin_url(self.database)
        with psycopg.connect(url, autocommit=True, application_name="loader") as connection:
            for statement in statements:
                connection.execute(text(statement))

    def start(self, *statements: str, application: str = "shop") -> None:
        """Runs statements in the background, in one session, until they end or the plot does."""
        self._in_background(self.connect(application), statements)

    def repeat(self, statement: str, application: str = "shop") -> None:
        """Runs a statement again and again in the background."""
        self._in_background(self.connect(application), cycle((statement,)))

    def _in_background(self, connection: Connection, statements: Iterable[str]) -> None:
        def run() -> None:
            with suppress(psycopg.Error):  # it ends with the plot
                for statement in statements:
                    if self._ends.is_set():
                        return
                    self._execute(connection, statement)

        thread = Thread(target=run, daemon=True)
        self._threads.append(thread)
        thread.start()

    @staticmethod
    def _execute(connection: Connection, statement: str) -> None:
        if not statement.startswith("COPY"):
            connection.execute(text(statement))
            return
        with connection.cursor().copy(text(statement)) as copy:
            for _ in copy:
                pass

    def set_server(self, **settings: str) -> None:
        """Changes settings of the server until the plot ends."""
        before = {name: self.rows("SELECT current_setting(%s)", name)[0][0] for name in settings}
        self.at_end(lambda: self._alter_system(before))
        self._alter_system(settings)

    def _alter_system(self, settings: dict[str, str]) -> None:
        for name, value in settings.items():
            self.admin.execute(sql.SQL("ALTER SYSTEM SET {} = {}").format(sql.Identifier(name), sql.Literal(value)))
        loaded = self.rows("SELECT pg_conf_load_time()")[0][0]
        self.admin.execute("SELECT pg_reload_conf()")
        self.until("pg_conf_load_time() > %s", loaded)

    def set_database(self, setting: str, value: str) -> None:
        """For new sessions of this database."""
        self.admin.execute(
            sql.SQL("ALTER DATABASE {} SET {} = {}").format(sql.Identifier(self.database), sql.Identifier(setting), sql.Literal(value))
        )

    def orders(self, rows: int = 1000, options: str = "") -> None:
        """A table, analysed. By a later session: what one inserts would be counted once more after its own ANALYZE."""
        self.work(
            f"CREATE TABLE orders (id int PRIMARY KEY, customer int, amount int) {options}",
            f"INSERT INTO orders SELECT n, n, 1 FROM generate_series(1, {rows}) AS n",
        )
        self.work("VACUUM (ANALYZE) orders")

    def churn(self, rows: int, times: int = 3) -> None:
        """Every row of the table becomes as many dead ones."""
        self.work(*(f"UPDATE orders SET amount = {n} WHERE id <= {rows}" for n in range(times)))
        self.until("n_dead_tup >= 0.9 * %s FROM pg_stat_user_tables WHERE relname = 'orders'", rows * times)

    def write_wal(self, megabytes: int) -> None:
        """That much WAL, which nobody needs."""
        for _ in range(megabytes // 8):
            self.admin.execute("SELECT pg_logical_emit_message(false, 'planted', repeat('x', 8388000))")

    def skip_wal(self, files: int) -> None:
        """As if files of WAL had been written."""
        for _ in range(files):
            self.admin.execute("SELECT pg_logical_emit_message(false, 'planted', 'x')")
            self.admin.execute("SELECT pg_switch_wal()")

    def burn(self, transactions: int) -> None:
        """Uses up transaction ids."""
        self.work(
            """
            CREATE PROCEDURE burn(n int) LANGUAGE plpgsql AS $$
            BEGIN
              CREATE TEMP TABLE burnt (n int);
              FOR i IN 1..n LOOP
                BEGIN
                  INSERT INTO burnt VALUES (i);
                  RAISE division_by_zero;
                EXCEPTION WHEN division_by_zero THEN NULL;
                END;
              END LOOP;
            END $$
            """,
            f"CALL burn({transactions})",
        )

    def log(self) -> str:
        """The server's log."""
        return self.server.postgres.log_path.read_text(errors="replace")

    def _end_sessions(self) -> None:
        query = "FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        self.rows(f"SELECT pg_terminate_backend(pid) {query}")
        self.until(f"count(*) = 0 {query}")


@dataclass(frozen=True)
class Fault:
    """A fault and the check that names its root."""

    root: str
    plant: Callable[[Plot], None]
    later_s: float = 0.0
    """It is looked at as if so many seconds had gone by."""
    is_last: bool = False
    """The server is of no use afterwards."""


@dataclass(frozen=True)
class Load:
    """A healthy load."""

    begin: Callable[[Plot], None]
    later_s: tuple[float, ...] = ()
    """It is looked at once more as if this many seconds had gone by."""


FAULTS: dict[str, Fault] = {}
HEALTHY: dict[str, Load] = {}

Plant = Callable[[Plot], None]


def fault(root: str, *, later_s: float = 0.0, is_last: bool = False) -> Callable[[Plant], Plant]:
    """Registers a function that plants a fault."""

    def register(plant: Plant) -> Plant:
        FAULTS[plant.__name__] = Fault(root, plant, later_s, is_last)
        return plant

    return register


def healthy(*later_s: float) -> Callable[[Plant], Plant]:
    """Registers a function that begins a healthy load."""

    def register(begin: Plant) -> Plant:
        HEALTHY[begin.__name__] = Load(begin, later_s)
        return begin

    return register


SLOW = "CREATE FUNCTION slow(n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.1); RETURN n; END'"
"""An index over this takes as long as one wants."""


# ------------------------------------------------------------------------------------------------------------------ locks


@fault("idle_transaction_blocks")
def idle_transaction_blocks_a_row(plot: Plot) -> None:
    plot.orders()
    holder = plot.connect("checkout")
    holder.execute("BEGIN")
    holder.execute("UPDATE orders SET amount = 0 WHERE id = 1")
    plot.start("UPDATE orders SET amount = 2 WHERE id = 1")
    plot.until_waiting(1, ENOUGH_S)


@fault("idle_transaction_blocks")
def idle_transaction_blocks_a_crowd(plot: Plot) -> None:
    """So many wait that the connections run out too."""
    plot.orders()
    holder = plot.connect("checkout")
    holder.execute("BEGIN")
    holder.execute("LOCK TABLE orders")
    for _ in range(30):
        plot.start("SELECT FROM orders WHERE id = 1")
    plot.until_waiting(30, ENOUGH_S)


@fault("idle_transaction_blocks")
def idle_reader_blocks_ddl_and_what_follows(plot: Plot) -> None:
    plot.orders()
    holder = plot.connect("notebook")
    holder.execute("BEGIN")
    holder.execute("SELECT count(*) FROM orders")
    plot.start("ALTER TABLE orders ADD COLUMN note text", application="migration")
    plot.until_waiting(1)
    for _ in range(3):
        plot.start("SELECT FROM orders WHERE id = 1")
    plot.until_waiting(4, ENOUGH_S)


@fault("statement_blocks")
def chain_of_locks_behind_a_long_update(plot: Plot) -> None:
    plot.orders()
    plot.start("WITH u AS (UPDATE orders SET amount = 0 WHERE id = 1 RETURNING id) SELECT pg_sleep(60) FROM u", application="batch")
    plot.until("count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
    plot.start("BEGIN; UPDATE orders SET amount = 2 WHERE id = 2; UPDATE orders SET amount = 2 WHERE id = 1")
    plot.until_waiting(1)
    plot.start("UPDATE orders SET amount = 3 WHERE id = 2")
    plot.until_waiting(2, ENOUGH_S)


@fault("statement_blocks")
def index_build_blocks_writers(plot: Plot) -> None:
    plot.orders()
    plot.work(SLOW)
    plot.start("CREATE INDEX orders_slow ON orders (slow(id))", application="migration")
    plot.until("count(*) > 0 FROM pg_stat_progress_create_index")
    for number in range(3):
        plot.start(f"INSERT INTO orders VALUES ({5000 + number}, 1, 1)")
    plot.until_waiting(3, ENOUGH_S)


@fault("ddl_waits")
def ddl_waits_behind_a_long_reader(plot: Plot) -> None:
    plot.orders()
    plot.start("SELECT pg_sleep(60) FROM orders", application="report")
    plot.until("count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
    plot.start("ALTER TABLE orders ADD COLUMN note text", application="migration")
    plot.until_waiting(1)
    for _ in range(3):
        plot.start("SELECT FROM orders WHERE id = 1")
    plot.until_waiting(4, ENOUGH_S)


@fault("prepared_transaction_blocks")
def prepared_transaction_blocks_a_row(plot: Plot) -> None:
    plot.orders()
    plot.connect("payments").execute("BEGIN; UPDATE orders SET amount = 0 WHERE id = 1; PREPARE TRANSACTION 'payment 1'")
    for _ in range(2):
        plot.start("UPDATE orders SET amount = 2 WHERE id = 1")
    plot.until_waiting(2, ENOUGH_S)


@fault("advisory_lock_blocks")
def advisory_lock_is_held(plot: Plot) -> None:
    plot.connect("importer").execute("SELECT pg_advisory_lock(42)")
    for _ in range(3):
        plot.start("SELECT pg_advisory_lock(42)", application="importer")
    plot.until_waiting(3, ENOUGH_S)


@fault("hot_row")
def one_row_is_hot(plot: Plot) -> None:
    """Nobody holds it for long."""
    plot.work("CREATE TABLE counters (id int PRIMARY KEY, n int)", "INSERT INTO counters VALUES (1, 0)")
    for _ in range(10):
        plot.repeat("BEGIN; UPDATE counters SET n = n + 1 WHERE id = 1; SELECT pg_sleep(0.9); COMMIT")
    plot.until("n >= 2 FROM counters")
    plot.until(
        "count(*) >= 8 AND min(waitstart) > clock_timestamp() - interval '0.3 s' "
        "FROM pg_locks WHERE NOT granted AND locktype IN ('transactionid', 'tuple')"
    )


@fault("lock_table_full")
def one_session_fills_the_lock_table(plot: Plot) -> None:
    names = ("max_connections", "max_prepared_transactions", "max_worker_processes", "max_wal_senders", "autovacuum_worker_slots")
    slots = sum(int(plot.rows("SELECT current_setting(%s)", name)[0][0]) for name in names) + 1
    plot.connect("importer").execute(text(f"SELECT count(pg_advisory_lock(n)) FROM generate_series(1, {int(slots * 64 * 0.85)}) AS n"))


# ----------------------------------------------------------------------------------------------------- transactions, vacuum


@fault("prepared_transaction")
def prepared_transaction_is_forgotten(plot: Plot) -> None:
    plot.orders()
    plot.connect("payments").execute("BEGIN; UPDATE orders SET amount = 0 WHERE id = 1; PREPARE TRANSACTION 'payment 2'")
    plot.until("prepared <= clock_timestamp() - interval '2.1 s' FROM pg_prepared_xacts")


@fault("vacuum_held_by_session")
def idle_transaction_holds_vacuum_back(plot: Plot) -> None:
    plot.orders(20_000)
    holder = plot.connect("notebook")
    holder.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    holder.execute("SELECT count(*) FROM orders")
    plot.churn(20_000)
    plot.until("xact_start <= clock_timestamp() - interval '2.1 s' FROM pg_stat_activity WHERE application_name = 'notebook'")
    plot.work("VACUUM orders")
    began = "(SELECT xact_start FROM pg_stat_activity WHERE application_name = 'notebook')"
    plot.until(f"last_vacuum > {began} AND n_dead_tup >= 50000 FROM pg_stat_user_tables WHERE relname = 'orders'")


@fault("vacuum_held_by_prepared")
def prepared_transaction_holds_vacuum_back(plot: Plot) -> None:
    plot.orders(20_000)
    plot.work("CREATE TABLE payments (id int)")
    plot.connect("payments").execute("BEGIN; INSERT INTO payments VALUES (1); PREPARE TRANSACTION 'payment 3'")
    plot.churn(20_000)
    plot.work("VACUUM orders")
    plot.until("n_dead_tup >= 50000 FROM pg_stat_user_tables WHERE relname = 'orders'")
    plot.until("prepared <= clock_timestamp() - interval '2.1 s' FROM pg_prepared_xacts")


@fault("autovacuum_off_on_table")
def autovacuum_is_off_on_a_table(plot: Plot) -> None:
    plot.orders(20_000, "WITH (autovacuum_enabled = off)")
    plot.churn(20_000)


@fault("autovacuum_off")
def autovacuum_is_off(plot: Plot) -> None:
    plot.set_server(autovacuum="off")
    plot.orders(20_000)
    plot.churn(20_000)


@fault("dead_rows")
def most_rows_were_deleted(plot: Plot) -> None:
    plot.orders(60_000)
    plot.work("DELETE FROM orders WHERE id > 8000")
    plot.until("n_dead_tup >= 50000 FROM pg_stat_user_tables WHERE relname = 'orders'")


@fault("autovacuum_busy", later_s=700)
def autovacuum_workers_are_all_busy(plot: Plot) -> None:
    """There are two of them."""
    plot.set_server(autovacuum_max_workers="2")
    slow = "WITH (autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1)"
    for number in range(4):
        plot.work(
            f"CREATE TABLE orders_{number} (id int, amount int) {slow}",
            f"INSERT INTO orders_{number} SELECT n, 1 FROM generate_series(1, 12000) AS n",
            f"UPDATE orders_{number} SET amount = 2",
        )
        plot.work(f"ANALYZE orders_{number}")
    plot.until("count(*) = 4 FROM pg_stat_user_tables WHERE n_dead_tup >= 11000")
    plot.set_server(autovacuum_naptime="1s")
    plot.until("count(*) = 2 FROM pg_stat_progress_vacuum WHERE datname = current_database()")


@fault("stale_statistics")
def bulk_load_was_not_analysed(plot: Plot) -> None:
    plot.orders(1000)
    plot.work("INSERT INTO orders SELECT n, n % 10, 1 FROM generate_series(1001, 101000) AS n")
    plot.until("n_mod_since_analyze >= 100000 FROM pg_stat_user_tables WHERE relname = 'orders'")


@fault("wraparound_near", is_last=True)
def transaction_ids_run_out(plot: Plot) -> None:
    """More than three times the age at which the server freezes; its vacuum is throttled to nothing."""
    plot.set_server(autovacuum_vacuum_cost_delay="100", autovacuum_vacuum_cost_limit="1")
    plot.burn(310_000)
    plot.until("age(datfrozenxid) > 300000 FROM pg_database WHERE datname = current_database()")


# ---------------------------------------------------------------------------------------------------------------- replication


@fault("slot_inactive")
def nobody_reads_a_slot(plot: Plot) -> None:
    plot.admin.execute("SELECT pg_create_physical_replication_slot('standby_2', true)")
    plot.skip_wal(7)


@fault("slot_lost")
def slot_lost_its_wal(plot: Plot) -> None:
    plot.set_server(max_slot_wal_keep_size="16MB")
    plot.admin.execute("SELECT pg_create_physical_replication_slot('standby_3', true)")
    plot.skip_wal(5)
    plot.admin.execute("CHECKPOINT")
    plot.until("wal_status = 'lost' FROM pg_replication_slots")


@fault("commits_wait_for_standby")
def synchronous_standby_is_away(plot: Plot) -> None:
    plot.orders()
    plot.set_server(synchronous_standby_names="standby_4")
    for number in range(3):
        plot.start(f"UPDATE orders SET amount = 7 WHERE id = {number}")
    plot.start("UPDATE orders SET amount = 8 WHERE id = 1")
    plot.until("max(query_start) <= clock_timestamp() - interval '2.1 s' FROM pg_stat_activity WHERE wait_event = 'SyncRep'")


@fault("archiver_fails")
def archiver_fails(plot: Plot) -> None:
    def heal() -> None:
        plot.skip_wal(1)
        plot.until("last_archived_time > last_failed_time FROM pg_stat_archiver")

    plot.at_end(heal)
    plot.set_server(archive_command="false")
    plot.skip_wal(2)
    plot.until("last_failed_time > coalesce(last_archived_time, '-infinity') FROM pg_stat_archiver")


class FakeStandby:
    """A client of the replication protocol that says of itself what the test wants."""

    def __init__(self, plot: Plot) -> None:
        server = urlsplit(plot.server.admin_url("postgres"))
        self._place = int(plot.rows("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')")[0][0])
        self._client = psycopg.pq.PGconn.connect(f"{server.geturl()}?replication=true&application_name=standby_5".encode())
        plot.at_end(self._client.finish)
        started = self._client.exec_(f"START_REPLICATION PHYSICAL {self._place >> 32:X}/{self._place & 0xFF000000:X}".encode())
        assert started.status == psycopg.pq.ExecStatus.COPY_BOTH, self._client.error_message

    def says_where_it_is(self) -> None:
        """What it has written and applied: all up to where it began."""
        self._send(struct.pack(">cQQQQB", b"r", self._place, self._place, self._place, 0, 0))

    def says_what_it_needs(self, xid: int) -> None:
        """The oldest transaction that its queries still see, as with `hot_standby_feedback`."""
        self._send(struct.pack(">cQIIII", b"h", 0, xid, 0, 0, 0))

    def _send(self, message: bytes) -> None:
        self._client.put_copy_data(message)
        self._client.flush()


@fault("standby_lag")
def standby_is_behind(plot: Plot) -> None:
    FakeStandby(plot).says_where_it_is()
    plot.until("count(*) > 0 FROM pg_stat_replication WHERE replay_lsn IS NOT NULL")
    plot.skip_wal(7)


@fault("vacuum_held_by_replication")
def standby_holds_vacuum_back(plot: Plot) -> None:
    plot.orders(20_000)
    standby = FakeStandby(plot)
    standby.says_what_it_needs(int(plot.rows("SELECT pg_snapshot_xmax(pg_current_snapshot())::text")[0][0]))
    plot.until("count(*) > 0 FROM pg_stat_replication WHERE backend_xmin IS NOT NULL")
    plot.burn(2000)
    plot.churn(20_000)
    plot.work("VACUUM orders")
    plot.until("n_dead_tup >= 50000 AND last_vacuum IS NOT NULL FROM pg_stat_user_tables WHERE relname = 'orders'")


@fault("subscription_stopped")
def subscription_finds_no_publisher(plot: Plot) -> None:
    started = plot.log().count('logical replication apply worker for subscription "prices" has started')
    plot.set_server(wal_retrieve_retry_interval="60s")
    nowhere = "'host=127.0.0.1 port=1 dbname=shop'"
    plot.admin.execute(text(f"CREATE SUBSCRIPTION prices CONNECTION {nowhere} PUBLICATION p WITH (connect = false, slot_name = prices)"))
    plot.at_end(lambda: plot.work("ALTER SUBSCRIPTION prices DISABLE", "ALTER SUBSCRIPTION prices SET (slot_name = NONE)",
                                  "DROP SUBSCRIPTION prices", role="admin"))  # fmt: skip
    plot.admin.execute("ALTER SUBSCRIPTION prices ENABLE")
    ends = time.monotonic() + PATIENCE_S
    while plot.log().count('logical replication apply worker for subscription "prices" has started') == started:
        assert time.monotonic() < ends
        time.sleep(0.02)
    plot.until("pid IS NULL FROM pg_stat_subscription WHERE subname = 'prices'")


# ---------------------------------------------------------------------------------------------------------------- connections


@fault("connections_near_limit")
def connections_run_out(plot: Plot) -> None:
    for application in ("web", "api", "cron", "mail", "search", "billing", "export", "admin"):
        for _ in range(4):
            plot.connect(application)


@fault("connection_hog")
def one_application_leaks_connections(plot: Plot) -> None:
    for _ in range(31):
        plot.connect("leaky").execute("SELECT 1")
    plot.until("max(state_change) <= clock_timestamp() - interval '2.1 s' FROM pg_stat_activity WHERE application_name = 'leaky'")


@fault("connection_limit_reached")
def role_is_at_its_limit(plot: Plot) -> None:
    plot.admin.execute("ALTER ROLE shop CONNECTION LIMIT 5")
    plot.at_end(lambda: plot.admin.execute("ALTER ROLE shop CONNECTION LIMIT -1"))
    for _ in range(5):
        plot.connect("batch")


@fault("password_expired")
def password_has_expired(plot: Plot) -> None:
    plot.at_end(lambda: plot.admin.execute("ALTER ROLE shop VALID UNTIL 'infinity'"))
    yesterday = plot.rows("SELECT now() - interval '1 day'")[0][0]
    plot.admin.execute(sql.SQL("ALTER ROLE shop VALID UNTIL {}").format(sql.Literal(str(yesterday))))


# ----------------------------------------------------------------------------------------------------------------- statements


@fault("long_statement")
def statement_runs_long(plot: Plot) -> None:
    plot.orders()
    plot.start("SELECT count(*), pg_sleep(60) FROM orders", application="report")
    plot.until("max(query_start) <= clock_timestamp() - interval '3.1 s' FROM pg_stat_activity WHERE application_name = 'report'")


@fault("same_statement_many")
def sessions_stampede(plot: Plot) -> None:
    plot.orders()
    for number in range(8):
        plot.start(f"SELECT count(*), pg_sleep(60) FROM orders WHERE customer = {number}", application="web")
    plot.until("max(query_start) <= clock_timestamp() - interval '1.1 s' FROM pg_stat_activity WHERE application_name = 'web'")


@fault("missing_index")
def index_is_missing(plot: Plot) -> None:
    plot.orders(60_000)
    for number in range(4):
        plot.repeat(f"SELECT amount FROM orders WHERE customer = {number}", "web")
    plot.until("seq_scan >= 100 FROM pg_stat_user_tables WHERE relname = 'orders'")


@fault("foreign_key_without_index")
def foreign_key_has_no_index(plot: Plot) -> None:
    plot.orders(20_000)
    plot.work(
        "CREATE TABLE customers (id int PRIMARY KEY)",
        "INSERT INTO customers SELECT n FROM generate_series(1, 40000) AS n",
        "ALTER TABLE orders ADD CONSTRAINT orders_customer FOREIGN KEY (customer) REFERENCES customers",
        "VACUUM (ANALYZE) customers",
        "DELETE FROM customers WHERE id > 39700",
    )
    plot.until("n_tup_del >= 300 FROM pg_stat_user_tables WHERE relname = 'customers'")


@fault("invalid_index")
def index_is_invalid(plot: Plot) -> None:
    plot.orders()
    plot.work("UPDATE orders SET customer = 1 WHERE id < 3")
    try:
        plot.work("CREATE UNIQUE INDEX CONCURRENTLY orders_customer ON orders (customer)")
    except psycopg.errors.UniqueViolation:
        return
    raise AssertionError("the duplicate was not found")


@fault("temp_files_large")
def one_sort_fills_the_disk(plot: Plot) -> None:
    reader = plot.connect("export")
    reader.execute("BEGIN")
    reader.execute("DECLARE rows CURSOR FOR SELECT n, repeat('x', 600) AS note FROM generate_series(1, 150000) AS n ORDER BY -n")
    reader.execute("FETCH 1 FROM rows")


@fault("work_mem_small")
def work_mem_is_tiny(plot: Plot) -> None:
    plot.set_database("work_mem", "64kB")
    plot.orders(5000)
    plot.work(*["SELECT count(*) FROM (SELECT * FROM orders ORDER BY amount, -id OFFSET 0) AS sorted"] * 15)
    plot.until("temp_files >= 15 FROM pg_stat_database WHERE datname = current_database()")


# ------------------------------------------------------------------------------------------------- disk, settings, changes


@fault("checkpoints_requested")
def checkpoints_come_too_often(plot: Plot) -> None:
    plot.set_server(max_wal_size="32MB", checkpoint_completion_target="0")
    ends = time.monotonic() + PATIENCE_S
    while not plot.rows("SELECT num_requested >= 12 FROM pg_stat_checkpointer")[0][0]:
        assert time.monotonic() < ends
        plot.write_wal(16)
    plot.admin.execute("SELECT pg_stat_force_next_flush()")


@fault("durability_off")
def fsync_is_off(plot: Plot) -> None:
    plot.set_server(fsync="off")


@fault("statistics_off")
def counters_are_off(plot: Plot) -> None:
    plot.set_server(track_counts="off")
    plot.orders(20_000)


@fault("writes_refused")
def database_refuses_writes(plot: Plot) -> None:
    plot.set_database("default_transaction_read_only", "on")


@fault("sequence_near_end")
def sequence_is_near_its_end(plot: Plot) -> None:
    plot.work(
        "CREATE TABLE visits (id serial)",
        "SELECT setval('visits_id_seq', 2100000000)",
        "GRANT SELECT ON SEQUENCE visits_id_seq TO watcher",  # pg_monitor does not show the state of a sequence
    )


@fault("collation_changed")
def collation_has_another_version(plot: Plot) -> None:
    plot.admin.execute("UPDATE pg_database SET datcollversion = '0.9' WHERE datname = current_database()")


@fault("unlogged_table_emptied")
def crash_emptied_an_unlogged_table(plot: Plot) -> None:
    plot.work("CREATE UNLOGGED TABLE carts (id int)", "INSERT INTO carts SELECT generate_series(1, 1000)", "VACUUM (ANALYZE) carts")
    plot.admin.execute("CHECKPOINT")
    os.kill(plot.connect().info.backend_pid, signal.SIGKILL)
    plot.until_restarted()
    plot.until("count(*) = 0 FROM carts")


# -------------------------------------------------------------------------------------------------------------- healthy loads


@healthy()
def oltp(plot: Plot) -> None:
    """Short transactions on their own rows, with autovacuum at work."""
    plot.set_server(autovacuum_naptime="1s")
    plot.orders(20_000)
    for number in range(6):
        plot.repeat(f"BEGIN; SELECT FROM orders WHERE id = {number}; UPDATE orders SET amount = amount + 1 WHERE id = {number}; COMMIT")
    plot.until("idx_scan >= 2000 FROM pg_stat_user_tables WHERE relname = 'orders'")


@healthy(60)
def backup_runs(plot: Plot) -> None:
    """pg_basebackup, and the long transaction of a pg_dump."""
    plot.orders(20_000)
    dump = ("BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT count(*) FROM orders", "COPY (SELECT pg_sleep(60) FROM orders) TO STDOUT")
    plot.start(*dump, application="pg_dump")
    server = urlsplit(plot.server.admin_url("postgres"))
    command = [postgres_programs(None) / "pg_basebackup", "-h", LOOPBACK, "-p", str(server.port), "-U", str(server.username)]
    child = subprocess.Popen(
        [*command, *("-D", "-", "-Ft", "-X", "none", "-r", "1M", "-c", "fast")],
        env={**os.environ, "PGPASSWORD": str(server.password)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip

    def end() -> None:
        child.kill()
        child.wait()

    plot.at_end(end)
    plot.until("count(*) > 0 FROM pg_stat_progress_basebackup WHERE phase = 'streaming database files'")
    plot.until("count(*) > 0 FROM pg_stat_activity WHERE application_name = 'pg_dump' AND wait_event = 'PgSleep'")


@healthy()
def bulk_load_was_analysed(plot: Plot) -> None:
    """By the session that loaded it: depending on the moment, the server then counts the load as changes after the ANALYZE."""
    plot.orders(1000)
    plot.work("INSERT INTO orders SELECT n, n % 10, 1 FROM generate_series(1001, 101000) AS n", "ANALYZE orders")
    plot.until("n_live_tup > 100000 FROM pg_stat_user_tables WHERE relname = 'orders'")


@healthy(600)
def pool_is_idle(plot: Plot) -> None:
    """A third of the connections."""
    for _ in range(CONNECTIONS * 3 // 10):
        plot.connect("web").execute("SELECT 1")


@healthy()
def small_table_is_scanned_often(plot: Plot) -> None:
    plot.orders(5000)
    plot.work(*["SELECT FROM orders WHERE customer = 1"] * 500)
    plot.until("seq_scan >= 500 FROM pg_stat_user_tables WHERE relname = 'orders'")


@healthy(10)
def index_is_being_built(plot: Plot) -> None:
    plot.orders()
    plot.work(SLOW)
    plot.start("CREATE INDEX CONCURRENTLY orders_slow ON orders (slow(id))", application="migration")
    plot.until("count(*) > 0 FROM pg_stat_progress_create_index WHERE phase LIKE 'building index%'")


@healthy(60)
def report_runs_and_blocks_nobody(plot: Plot) -> None:
    """While a third of a table changes, and VACUUM cannot remove the old versions yet."""
    plot.orders(40_000)
    plot.start("SELECT pg_sleep(60) FROM orders", application="report")
    plot.until("count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
    plot.churn(13_000, times=1)
    plot.work("VACUUM (ANALYZE) orders")
    plot.until("last_vacuum IS NOT NULL AND n_dead_tup >= 12000 FROM pg_stat_user_tables WHERE relname = 'orders'")


@healthy(60)
def vacuum_is_at_work(plot: Plot) -> None:
    plot.orders(40_000)
    plot.churn(40_000, times=1)
    plot.start("SET vacuum_cost_delay = 100", "SET vacuum_cost_limit = 1", "VACUUM (ANALYZE) orders")
    plot.until("count(*) > 0 FROM pg_stat_progress_vacuum")


@healthy(60)
def second_instance_waits_for_its_turn(plot: Plot) -> None:
    """The leader holds an advisory lock for as long as it lives."""
    plot.connect("scheduler").execute("SELECT pg_advisory_lock(7)")
    plot.start("SELECT pg_advisory_lock(7)", application="scheduler")
    plot.until_waiting(1, 0.2)


@healthy(5)
def two_phase_commit_in_passing(plot: Plot) -> None:
    plot.orders()
    plot.connect("payments").execute("BEGIN; UPDATE orders SET amount = 0 WHERE id = 1; PREPARE TRANSACTION 'payment 4'")


@healthy()
def half_of_a_table_was_deleted(plot: Plot) -> None:
    """Autovacuum comes within a minute."""
    plot.orders(60_000)
    plot.work("DELETE FROM orders WHERE id > 30000")
    plot.until("n_dead_tup >= 29000 FROM pg_stat_user_tables WHERE relname = 'orders'")


@healthy()
def short_waits_for_a_row(plot: Plot) -> None:
    plot.orders()
    holder = plot.connect("web")
    holder.execute("BEGIN")
    holder.execute("UPDATE orders SET amount = 0 WHERE id = 1")
    plot.start("UPDATE orders SET amount = 2 WHERE id = 1", application="web")
    plot.until_waiting(1, 0.3)
