"""What is derived from the tickets, kept in step with them: links, counts, words, embeddings. The caller holds the lock.

Which wording, method or solution stands for many is chosen among the tickets that are there now, never by who came
first: so every order of imports and deletes ends in the same rows, which are those of a `reindex`.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

import psycopg

from workers.blackboard.engine import Row, jsonb
from workers.retrieval.tokens import tokens
from workers.retrieval.vectors import forget_vectors
from workers.tickets.corpora import KINDS, PHENOMENA, TICKETS

Connection = psycopg.Connection[Row]

_MANY = 500
"""Tickets."""


@dataclass
class Touched:
    """What an import or a delete has changed, so what must be counted again."""

    phenomena: set[str] = field(default_factory=set[str])
    causes: set[str] = field(default_factory=set[str])
    words: Counter[str] = field(default_factory=Counter[str])
    """word → tickets more (or fewer) that hold it."""


def retract(connection: Connection, ticket_ids: Collection[str], touched: Touched) -> None:
    """Take these tickets' links, words and vectors back. The tickets themselves stay: the caller rewrites or deletes them."""
    ids = {"ids": list(ticket_ids)}
    for row in connection.execute("SELECT cause_id, tsvector_to_array(words) AS words FROM tickets WHERE ticket_id = ANY(%(ids)s)", ids):
        touched.causes.add(row["cause_id"])
        touched.words.subtract(row["words"])
    for row in connection.execute("DELETE FROM ticket_anomalies WHERE ticket_id = ANY(%(ids)s) RETURNING phenomenon_id", ids):
        touched.phenomena.add(row["phenomenon_id"])
    forget_vectors(connection, TICKETS.kind, list(ticket_ids))


def refresh(connection: Connection, touched: Touched) -> bool:
    """Count the touched rows again, and delete those that no ticket uses any more. Returns whether a phenomenon lost its vectors
    because its wording changed."""
    _count_words(connection, touched.words)
    reworded = _refresh_phenomena(connection, touched.phenomena)
    _refresh_causes(connection, touched.causes)
    count_state(connection)
    return reworded


def count_state(connection: Connection) -> None:
    """Write down how much history there is now."""
    connection.execute(
        """
        UPDATE history_state
        SET causes = (SELECT count(*) FROM causes), tickets = held.tickets, words = held.words
        FROM (SELECT count(*) AS tickets, coalesce(sum(word_count), 0) AS words FROM tickets) held
        """
    )


def drop_orphans(connection: Connection) -> int:
    """Remove the vectors of tickets and phenomena that are no longer there; how many."""
    return connection.execute(
        """
        DELETE FROM embeddings e
        WHERE e.owner_kind = ANY(%(kinds)s)
          AND NOT EXISTS (SELECT FROM tickets t WHERE e.owner_kind = 'ticket' AND t.ticket_id = e.owner_id)
          AND NOT EXISTS (SELECT FROM phenomena p WHERE e.owner_kind = 'phenomenon' AND p.phenomenon_id = e.owner_id)
        """,
        {"kinds": list(KINDS)},
    ).rowcount


def tidy(connection: Connection, written: int) -> None:
    """After many tickets were written, outside of a transaction: let Postgres look at the tables at once, and not when it
    gets to it."""
    if written > _MANY:
        connection.execute("VACUUM (ANALYZE) tickets, ticket_anomalies, phenomena, causes, phenomenon_causes, symptom_words")
        connection.execute("ANALYZE embeddings")


def set_words(connection: Connection, descriptions: Mapping[str, str]) -> None:
    """Give these phenomena (id → wording) the words of their wordings."""
    connection.execute(
        """
        UPDATE phenomena p SET words = array_to_tsvector(r.words)
        FROM jsonb_to_recordset(%(rows)s) AS r(phenomenon_id text, words text[]) WHERE p.phenomenon_id = r.phenomenon_id
        """,
        {"rows": jsonb([{"phenomenon_id": key, "words": tokens(text)} for key, text in descriptions.items()])},
    )


def _count_words(connection: Connection, words: Counter[str]) -> None:
    changed = {word: change for word, change in words.items() if change}
    if not changed:
        return
    connection.execute(
        """
        INSERT INTO symptom_words AS w (word, ticket_count)
        SELECT key, value::int FROM jsonb_each_text(%(changed)s)
        ON CONFLICT (word) DO UPDATE SET ticket_count = w.ticket_count + EXCLUDED.ticket_count
        """,
        {"changed": jsonb(changed)},
    )
    if gone := [word for word, change in changed.items() if change < 0]:
        connection.execute("DELETE FROM symptom_words WHERE word = ANY(%(gone)s) AND ticket_count <= 0", {"gone": gone})


def _refresh_phenomena(connection: Connection, phenomena: Iterable[str]) -> bool:
    ids = {"ids": sorted(phenomena)}
    connection.execute("DELETE FROM phenomenon_causes WHERE phenomenon_id = ANY(%(ids)s)", ids)
    connection.execute(
        """
        INSERT INTO phenomenon_causes (phenomenon_id, cause_id, ticket_count, why_relevant)
        SELECT a.phenomenon_id, t.cause_id, count(DISTINCT a.ticket_id),
               coalesce((array_agg(a.why_relevant ORDER BY a.ticket_id, a.position) FILTER (WHERE a.why_relevant <> ''))[1], '')
        FROM ticket_anomalies a JOIN tickets t USING (ticket_id)
        WHERE a.phenomenon_id = ANY(%(ids)s)
        GROUP BY a.phenomenon_id, t.cause_id
        """,
        ids,
    )
    connection.execute(
        """
        UPDATE phenomena p
        SET ticket_count = shown.tickets, cause_count = shown.causes, observation_method = shown.method
        FROM (
            SELECT a.phenomenon_id, count(DISTINCT a.ticket_id) AS tickets, count(DISTINCT t.cause_id) AS causes,
                   (array_agg(a.observation_method ORDER BY length(a.observation_method) DESC, a.observation_method))[1] AS method
            FROM ticket_anomalies a JOIN tickets t USING (ticket_id)
            WHERE a.phenomenon_id = ANY(%(ids)s)
            GROUP BY a.phenomenon_id
        ) shown
        WHERE p.phenomenon_id = shown.phenomenon_id
        """,
        ids,
    )
    connection.execute(
        """
        WITH gone AS (
            DELETE FROM phenomena p
            WHERE p.phenomenon_id = ANY(%(ids)s)
              AND NOT EXISTS (SELECT FROM ticket_anomalies a WHERE a.phenomenon_id = p.phenomenon_id)
            RETURNING p.phenomenon_id
        )
        DELETE FROM embeddings e USING gone WHERE e.owner_kind = 'phenomenon' AND e.owner_id = gone.phenomenon_id
        """,
        ids,
    )
    return _reword(connection, ids)


def _reword(connection: Connection, ids: Mapping[str, list[str]]) -> bool:
    """Give each phenomenon the wording of the first ticket, by id, that shows it. A changed wording needs new vectors."""
    rows = connection.execute(
        """
        UPDATE phenomena p SET description = first.description
        FROM (
            SELECT DISTINCT ON (a.phenomenon_id) a.phenomenon_id, a.description FROM ticket_anomalies a
            WHERE a.phenomenon_id = ANY(%(ids)s) ORDER BY a.phenomenon_id, a.ticket_id, a.position
        ) first
        WHERE p.phenomenon_id = first.phenomenon_id AND p.description <> first.description
        RETURNING p.phenomenon_id, p.description
        """,
        ids,
    ).fetchall()
    if not rows:
        return False
    reworded = {row["phenomenon_id"]: row["description"] for row in rows}
    set_words(connection, reworded)
    forget_vectors(connection, PHENOMENA.kind, list(reworded))
    return True


def _refresh_causes(connection: Connection, causes: Iterable[str]) -> None:
    ids = {"ids": sorted(causes)}
    connection.execute(
        """
        UPDATE causes c
        SET ticket_count = held.tickets, solution = held.solution, description = held.description
        FROM (
            SELECT cause_id, count(*) AS tickets, (array_agg(root_cause ORDER BY ticket_id))[1] AS description,
                   (array_agg(solution ORDER BY length(solution) DESC, ticket_id))[1] AS solution
            FROM tickets WHERE cause_id = ANY(%(ids)s) GROUP BY cause_id
        ) held
        WHERE c.cause_id = held.cause_id
        """,
        ids,
    )
    connection.execute(
        "DELETE FROM causes c WHERE c.cause_id = ANY(%(ids)s) AND NOT EXISTS (SELECT FROM tickets t WHERE t.cause_id = c.cause_id)",
        ids,
    )
