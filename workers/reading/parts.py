"""Rows that belong to a job, read alone or as one column of the statement that reads the job: one round trip instead of one a table."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString
from uuid import UUID

from workers.blackboard.engine import Row


@dataclass(frozen=True, slots=True)
class RowsOfJob:
    """The rows of one table that belong to a job."""

    query: LiteralString
    """In the order of its rows; the job is `%(id)s`."""
    ids: tuple[str, ...]
    """Columns of type uuid."""
    times: tuple[str, ...]
    """Columns of type timestamptz."""

    @property
    def column(self) -> LiteralString:
        """The rows as one value of another statement, for `rows`."""
        return f"(SELECT json_agg(part) FROM ({self.query}) part)"  # noqa: S608  made of constants

    def rows(self, found: Iterable[dict[str, Any]] | None) -> list[Row]:
        """The rows in that value, with ids and times as psycopg reads them from columns of their own."""
        return [self._typed(row) for row in found or ()]

    def _typed(self, row: dict[str, Any]) -> Row:
        for name in self.ids:
            row[name] = row[name] and UUID(row[name])
        for name in self.times:
            row[name] = row[name] and datetime.fromisoformat(row[name])
        return row
