"""Statements that several threads of one process run at the same time, in one transaction and one round trip.

A statement of the protocol costs Postgres and its client less than its round trip and its commit do. Statements of one purpose share these:
reports wait for the disk and claims do not, so each has a `SharedStatements` of its own. See docs/adr/0003.
"""

from collections.abc import Mapping
from typing import Any, LiteralString

from workers.blackboard.engine import Database, Row
from workers.blackboard.together import Together
from workers.loggers import get_logger

log = get_logger(__name__)

_Statement = tuple[LiteralString, Mapping[str, Any]]


class SharedStatements:
    """Runs statements as `Database.statement` does. Safe to share between threads."""

    def __init__(self, db: Database, *, order: str) -> None:
        """`order`: the parameter that names the row that a statement locks first. Rows of one transaction are locked in its order."""
        self._db = db
        self._order = order
        self._together = Together[_Statement, list[Row] | None](self._go)

    def statement(self, sql: LiteralString, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        """The rows of one statement that is safe to repeat: what could not be written in company is written alone."""
        if parameters is None:
            return self._db.statement(sql)
        rows = self._together.do((sql, parameters))
        return self._db.statement(sql, parameters) if rows is None else rows

    def _go(self, statements: list[_Statement]) -> list[list[Row] | None]:
        """None: nothing was written, or the connection was lost and nobody knows. Its own thread goes on then, outside of the round: a
        lock, an error or a server that is away holds up nobody else."""
        places = sorted(range(len(statements)), key=lambda place: statements[place][1][self._order])
        try:
            found = self._db.statements([statements[place] for place in places])
        except Exception as error:  # its own thread will meet it again
            log.info("statements_not_shared", count=len(statements), error=type(error).__name__, reason=str(error)[:200])
            return [None] * len(statements)
        rows = dict(zip(places, found, strict=True))
        return [rows[place] for place in range(len(statements))]
