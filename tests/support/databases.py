"""Databases of the tests: most tests only write rows, and to delete them takes a fifth of the time of a new database."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import psycopg
from psycopg import sql

from tests.support.servers import Servers

LARGEST_BYTES = 4_000_000
"""Deleted rows keep their pages, and a scan reads them. A database whose tables have grown beyond this is dropped."""

_CATALOGUES = {
    **dict.fromkeys(
        (
            "pg_attrdef", "pg_attribute", "pg_class", "pg_constraint", "pg_default_acl", "pg_depend", "pg_enum", "pg_extension", "pg_index",
            "pg_largeobject_metadata", "pg_policy", "pg_proc", "pg_publication", "pg_rewrite", "pg_statistic_ext", "pg_trigger", "pg_type",
        ),
        "TRUE",
    ),
    "pg_namespace": "nspname !~ '^pg_(toast_)?temp_'",  # made for the first temporary table, and kept
    "pg_statistic": "starelid >= 16384",  # of our tables: plans rest on them
}  # fmt: skip
_SHAPE: Any = " UNION ALL ".join(
    f"SELECT '{name}', count(*), max(xmin::text::bigint) FROM pg_catalog.{name} WHERE {which}"  # noqa: S608
    for name, which in _CATALOGUES.items()
)
"""How many objects there are, and the transaction that made or changed the last of them: a clone has its template's."""
_TABLES = "SELECT relname, pg_relation_size(oid) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
_END_CLIENTS = (
    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
_SEQUENCES = "SELECT setval(seqrelid, seqstart, false) FROM pg_sequence"


class Databases:
    """Clones of a migrated, empty database. Each is lent under a new name, so that nobody who had it before can write into it."""

    def __init__(self, servers: Servers, template: str) -> None:
        """`template`: the name of that database, on these servers."""
        self._servers = servers
        self._template = template
        self._admin = psycopg.connect(servers.postgres.url, autocommit=True)
        self._emptied: list[str] = []
        with self._connected(template) as connection:
            self._shape = connection.execute(_SHAPE).fetchall()
            written = [table for table, size in connection.execute(_TABLES).fetchall() if size]
            self._rows = {table: _rows(connection, table) for table in written}

    @contextmanager
    def lend(self) -> Generator[str]:
        """The URL of a migrated, empty database of the caller's own. A client that is connected at the end is cut off."""
        name = f"test_{uuid4().hex[:12]}"
        while self._emptied:
            before = self._emptied.pop()
            try:
                self._run("ALTER DATABASE {} RENAME TO {}", before, name)
                break
            except psycopg.errors.ObjectInUse:  # a client of an earlier test has come back
                self._run("DROP DATABASE IF EXISTS {} WITH (FORCE)", before)
        else:
            self._run("CREATE DATABASE {} TEMPLATE {}", name, self._template)
        try:
            yield self._servers.database_url(name)
        finally:
            if self._empty(name):
                self._emptied.append(name)
            else:
                self._run("DROP DATABASE IF EXISTS {} WITH (FORCE)", name)

    def close(self) -> None:
        """Disconnect; the databases go with their server."""
        self._admin.close()

    def _empty(self, name: str) -> bool:
        """Make it again what its template is. False: it cannot be, and is to be dropped."""
        try:
            with self._connected(name) as connection:
                connection.execute(_END_CLIENTS)
                if connection.execute(_SHAPE).fetchall() != self._shape:
                    return False
                sizes: dict[str, int] = dict(connection.execute(_TABLES).fetchall())
                if sum(sizes.values()) > LARGEST_BYTES:
                    return False
                with connection.transaction():
                    connection.execute("SET LOCAL session_replication_role = replica")  # no triggers: neither ours nor foreign keys'
                    for table in sizes:
                        self._restore(connection, table, is_written=sizes[table] > 0)
                    connection.execute(_SEQUENCES)
        except psycopg.Error:  # the test has dropped it, or taken rights away
            return False
        return True

    def _restore(self, connection: psycopg.Connection[Any], table: str, *, is_written: bool) -> None:
        named = sql.Identifier(table)
        rows = self._rows.get(table, [])
        if not is_written or (rows and _rows(connection, table) == rows):
            return
        connection.execute(sql.SQL("DELETE FROM {}").format(named))
        if rows:
            again = sql.SQL("INSERT INTO {0} SELECT (kept::{0}).* FROM unnest(%s::text[]) AS kept").format(named)
            connection.execute(again, [rows])

    def _connected(self, name: str) -> psycopg.Connection[Any]:
        return psycopg.connect(self._servers.database_url(name), autocommit=True)

    def _run(self, statement: Any, *names: str) -> None:
        self._admin.execute(sql.SQL(statement).format(*(sql.Identifier(name) for name in names)))


def _rows(connection: psycopg.Connection[Any], table: str) -> list[str]:
    return [row for (row,) in connection.execute(sql.SQL("SELECT t::text FROM {} AS t ORDER BY 1").format(sql.Identifier(table)))]
