"""What tickets were before each change, so that the last change can be undone: an import, an edit, a delete, a merge, feedback."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import psycopg

from contracts.tickets import Ticket
from workers.blackboard.engine import Database, Row

Connection = psycopg.Connection[Row]

What = Literal["import", "edit", "delete", "feedback", "merge", "undo", "reading"]

_KEPT = 50
"""Changes that can be undone. What older ones replaced is forgotten."""

_BEFORE = """
INSERT INTO ticket_changes (batch_id, ticket_id, before)
SELECT %(batch)s, i.id,
       CASE WHEN t.ticket_id IS NULL THEN NULL ELSE jsonb_build_object(
           'ticket_id', t.ticket_id, 'description', t.description, 'root_cause', t.root_cause, 'solution', t.solution,
           'metadata', t.metadata,
           'anomalies', coalesce((SELECT jsonb_agg(jsonb_build_object('description', a.description, 'observation_method',
                                                             a.observation_method, 'why_relevant', a.why_relevant) ORDER BY a.position)
                                  FROM ticket_anomalies a WHERE a.ticket_id = t.ticket_id), '[]')) END
FROM unnest(%(ids)s::text[]) AS i(id) LEFT JOIN tickets t ON t.ticket_id = i.id
ON CONFLICT DO NOTHING
"""


class Batch:
    """One change of the history, of one or many tickets. Its row is written with the first ticket that it changes."""

    def __init__(self, what: What) -> None:
        self._what: What = what
        self._id: int | None = None

    def remember(self, connection: Connection, ticket_ids: Collection[str]) -> None:
        """Keep what these tickets are now, before they are changed in the same transaction."""
        if not ticket_ids:
            return
        if self._id is None:
            row = connection.execute("INSERT INTO ticket_batches (what) VALUES (%s) RETURNING batch_id", (self._what,)).fetchone()
            self._id = row["batch_id"] if row else 0
            connection.execute(
                "DELETE FROM ticket_batches WHERE batch_id <= "
                "(SELECT batch_id FROM ticket_batches ORDER BY batch_id DESC OFFSET %s LIMIT 1)",
                (_KEPT,),
            )
        connection.execute(_BEFORE, {"batch": self._id, "ids": list(ticket_ids)})


@dataclass(frozen=True, slots=True)
class Change:
    """A change that is remembered."""

    batch_id: int
    what: What
    at: datetime
    undone: bool
    added: int
    """Tickets that were not there before."""
    replaced: int
    example: str
    """The first of its tickets by id."""


def list_changes(db: Database, *, limit: int = 20) -> list[Change]:
    """The changes of the history, the newest first."""
    rows = db.statement(_LIST, {"limit": limit, "ticket": None, "open": False})
    return [Change(**row) for row in rows]


_LIST = """
SELECT b.batch_id, b.what, b.at, b.undone, count(*) FILTER (WHERE c.before IS NULL)::int AS added,
       count(*) FILTER (WHERE c.before IS NOT NULL)::int AS replaced, min(c.ticket_id) AS example
  FROM ticket_batches b JOIN ticket_changes c USING (batch_id)
 WHERE NOT %(open)s OR (NOT b.undone AND b.what <> 'undo')
 GROUP BY b.batch_id
HAVING %(ticket)s::text IS NULL OR bool_or(c.ticket_id = %(ticket)s)
 ORDER BY b.batch_id DESC LIMIT %(limit)s
"""


def last_change(connection: Connection, ticket_id: str | None) -> Change | None:
    """The newest change that was not undone, of any ticket or of this one."""
    row = connection.execute(_LIST, {"limit": 1, "ticket": ticket_id, "open": True}).fetchone()
    return None if row is None else Change(**row)


def before(connection: Connection, change: Change) -> tuple[list[Ticket], list[str]]:
    """The tickets as they were, and the ids of those that were not there."""
    rows = connection.execute(
        "SELECT ticket_id, before FROM ticket_changes WHERE batch_id = %s ORDER BY ticket_id", (change.batch_id,)
    ).fetchall()
    return [Ticket.model_validate(row["before"]) for row in rows if row["before"]], [row["ticket_id"] for row in rows if not row["before"]]


def mark_undone(connection: Connection, change: Change) -> None:
    """It cannot be undone again."""
    connection.execute("UPDATE ticket_batches SET undone = true WHERE batch_id = %s", (change.batch_id,))


def forget(connection: Connection, change: Change, ticket_id: str) -> None:
    """This ticket's part of the change is undone; the others' can still be."""
    connection.execute("DELETE FROM ticket_changes WHERE batch_id = %s AND ticket_id = %s", (change.batch_id, ticket_id))
