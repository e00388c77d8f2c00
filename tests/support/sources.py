"""One small shop in every engine: tables, views, an account that can only read, and a way to see whether anything was written."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import psycopg
from psycopg import sql

from contracts.sources import SourceKind
from tests.support.mariadb import MariaDB
from tests.support.servers import Servers
from workers.sources.sessions.base import SourceEngine
from workers.sources.sessions.duckdb_files import DuckDBFiles
from workers.sources.sessions.mysql import MySQL
from workers.sources.sessions.postgres import Postgres
from workers.sources.sessions.sqlite_file import SQLiteFile

SHOP = (
    "CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(80), email VARCHAR(80))",
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, region VARCHAR(20), total INTEGER, note VARCHAR(80))",
    "INSERT INTO customers VALUES (1, 'Ada', 'ada@example.com'), (2, 'Ben', 'ben@example.com'), (3, 'O''Neil', 'o@example.com')",
    "INSERT INTO orders VALUES (1, 1, 'EU', 10, 'first'), (2, 1, 'EU', 20, 'second'), (3, 2, 'US', 40, 'SECRET-3'), "
    "(4, 3, 'US', 80, 'SECRET-4')",
    "CREATE VIEW all_orders AS SELECT * FROM orders",
    "CREATE VIEW totals (who, total) AS SELECT c.name, o.total FROM all_orders o JOIN customers c ON c.id = o.customer_id",
)
"""Bob may see the orders of EU, without notes: 1 and 2. Any sight of 3, 4, `SECRET`, 40 or 80 is a leak."""


@dataclass
class Shop:
    """The shop in one engine."""

    kind: SourceKind
    engine: SourceEngine
    url: str
    fingerprint: Callable[[], Any]
    """Everything that is in the database: tables and rows."""
    runs_still: Callable[[str], bool]
    """Whether the engine still runs a statement. Of a file: whether any process has it open, so that it cannot be written."""
    admin: SourceEngine | None = None
    """The same by an account that can write."""


@contextmanager
def duckdb_shop(folder: Path) -> Iterator[Shop]:
    path = folder / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        for statement in SHOP:
            connection.execute(statement)

    def is_open(_: str) -> bool:
        try:
            duckdb.connect(str(path)).close()
        except duckdb.Error:  # a process has it open for reading
            return True
        return False

    yield Shop(SourceKind.DUCKDB, DuckDBFiles(lambda: path), f"duckdb://{path}", path.read_bytes, is_open)


@contextmanager
def sqlite_shop(folder: Path) -> Iterator[Shop]:
    path = folder / "shop.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        for statement in SHOP:
            connection.execute(statement)
        connection.commit()

    def is_open(_: str) -> bool:
        with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
            try:
                connection.execute("BEGIN EXCLUSIVE")
                connection.execute("ROLLBACK")
            except sqlite3.OperationalError:  # locked by somebody who reads
                return True
        return False

    yield Shop(SourceKind.SQLITE, SQLiteFile(path), f"sqlite://{path}", lambda: (path.read_bytes(), sorted(folder.iterdir())), is_open)


@contextmanager
def postgres_shop(servers: Servers) -> Iterator[Shop]:
    name = "source_shop"
    admin_url = servers.database_url(name)
    with psycopg.connect(servers.postgres.url, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        admin.execute("DROP ROLE IF EXISTS source_reader")
        admin.execute("CREATE ROLE source_reader LOGIN PASSWORD 'secret'")
    with psycopg.connect(admin_url, autocommit=True) as admin:
        for statement in SHOP:
            admin.execute(statement.encode())
        admin.execute("CREATE MATERIALIZED VIEW kept AS SELECT * FROM orders")
        admin.execute("CREATE TABLE events (id integer, region text) PARTITION BY LIST (region)")
        admin.execute("CREATE TABLE events_us PARTITION OF events FOR VALUES IN ('US')")
        admin.execute("CREATE TABLE events_eu PARTITION OF events FOR VALUES IN ('EU')")
        admin.execute("INSERT INTO events VALUES (1, 'EU'), (2, 'US')")
        admin.execute("CREATE FUNCTION poke() RETURNS integer LANGUAGE sql AS 'INSERT INTO customers VALUES (99, NULL, NULL) RETURNING id'")
        admin.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO source_reader")
    url = admin_url.replace(f"{admin_url.split('://')[1].split('@')[0]}@", "source_reader:secret@")

    def fingerprint() -> Any:
        with psycopg.connect(admin_url) as admin:
            counts = [admin.execute(f"SELECT * FROM {table} ORDER BY 1".encode()).fetchall() for table in ("customers", "orders", "events")]
            return counts, admin.execute("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1").fetchall()

    def runs(statement: str) -> bool:
        active = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() AND position(%s IN query) > 0"
        with psycopg.connect(admin_url, autocommit=True) as admin:
            return admin.execute(active, [statement]).fetchone() != (0,)

    try:
        yield Shop(SourceKind.POSTGRES, Postgres(url), url, fingerprint, runs, Postgres(admin_url))
    finally:
        with psycopg.connect(servers.postgres.url, autocommit=True) as admin:
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@contextmanager
def mariadb_shop(server: MariaDB) -> Iterator[Shop]:
    server.execute("CREATE DATABASE shop CHARACTER SET utf8mb4", "USE shop", *SHOP)
    server.execute("CREATE USER reader@'127.0.0.1' IDENTIFIED BY 'secret'", "GRANT SELECT, SHOW VIEW ON shop.* TO reader@'127.0.0.1'")
    server.execute("CREATE DATABASE beside", "CREATE TABLE beside.notes (id INT)", "GRANT SELECT ON beside.* TO reader@'127.0.0.1'")

    def fingerprint() -> Any:
        return (
            server.execute("SELECT * FROM shop.customers"),
            server.execute("SELECT * FROM shop.orders"),
            server.execute("SHOW TABLES IN shop"),
        )

    def runs(statement: str) -> bool:
        return any(statement in str(info) for *_, info in server.execute("SELECT id, info FROM information_schema.processlist"))

    yield Shop(
        SourceKind.MYSQL, MySQL(server.url("reader", "shop")), server.url("reader", "shop"), fingerprint, runs,
        MySQL(server.url("admin", "shop")),
    )  # fmt: skip
