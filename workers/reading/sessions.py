"""The sessions of an owner, for lists."""

from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString
from uuid import UUID

from workers.blackboard.engine import Database

MOST_SESSIONS = 500

_LIST: LiteralString = """
SELECT s.id, s.owner, s.created_at, j.*
  FROM sessions s
 CROSS JOIN LATERAL (
   SELECT count(*) AS jobs, max(updated_at) AS updated_at, count(*) FILTER (WHERE finished_at IS NULL) AS live,
          count(*) FILTER (WHERE status = 'waiting_human') AS waiting, (array_agg(kind ORDER BY id DESC))[1] AS kind
     FROM jobs WHERE session_id = s.id) j
 WHERE (%(owner)s::text IS NULL OR s.owner = %(owner)s) AND j.jobs >= %(least)s
 ORDER BY s.created_at DESC LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A session in a list."""

    id: UUID
    owner: str
    created_at: datetime
    jobs: int
    updated_at: datetime | None
    """When a job of it last changed."""
    live: int
    """Jobs that have not ended."""
    waiting: int
    """Jobs that wait for an answer."""
    kind: str | None
    """Of the last job."""


def list_sessions(db: Database, *, owner: str | None = None, least_jobs: int = 1, limit: int = 50) -> list[SessionLine]:
    """Sessions, the newest first. Each job without a session of its own has one, so `least_jobs` 2 leaves the conversations."""
    values = {"owner": owner, "least": least_jobs, "limit": min(limit, MOST_SESSIONS)}
    with db.session() as connection:  # the plan depends on whether an owner is given
        return [SessionLine(**row) for row in connection.execute(_LIST, values).fetchall()]
