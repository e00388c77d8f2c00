"""Several queries that see the same moment: one read-only transaction."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, LiteralString

import psycopg

from workers.blackboard.engine import Database, Row


class Snapshot:
    """Runs queries, all of which see the database as it was at the first of them."""

    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        self._connection = connection

    def statement(self, sql: LiteralString, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        """The rows of one query."""
        return self._connection.execute(sql, parameters).fetchall()

    def row(self, sql: LiteralString, parameters: Mapping[str, Any] | None = None) -> Row | None:
        """The first row, or None."""
        return self._connection.execute(sql, parameters).fetchone()


@contextmanager
def snapshot(db: Database) -> Generator[Snapshot]:
    """A moment of the database. Keep it short: it holds a connection and an open transaction."""
    with db.session() as connection, connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield Snapshot(connection)


Reader = Database | Snapshot
"""What a query can be asked of: the database as it is now, or a moment of it."""
