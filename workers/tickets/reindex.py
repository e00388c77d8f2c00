"""What is derived from the tickets, made again from the tickets alone, in one transaction: readers see the old state until it
ends. Vectors follow in batches. Only rows that differ are written for good, so a second run finds nothing."""

import time
from collections.abc import Callable, Iterator
from typing import LiteralString

import psycopg
from psycopg import sql

from contracts.base import Contract
from workers.blackboard.engine import Database, Row, jsonb
from workers.llm.embedder import Embedder
from workers.retrieval.embedding import embed_again, settle
from workers.retrieval.tokens import tokens
from workers.tickets.corpora import TEXTS, take_turns
from workers.tickets.derived import Touched, drop_orphans, refresh, set_words, tidy
from workers.tickets.wording import cause_id, phenomenon_id, symptoms_of

Connection = psycopg.Connection[Row]
Progress = Callable[[str, int, int], None]
"""What is being done, how many of how many."""

_BATCH = 1_000

_DERIVED: dict[str, LiteralString] = {
    "tickets": "SELECT ticket_id AS key, (cause_id, words, word_count)::text AS row FROM tickets",
    "links of tickets": "SELECT ticket_id || ' ' || position AS key, phenomenon_id AS row FROM ticket_anomalies",
    "phenomena": "SELECT phenomenon_id AS key, p::text AS row FROM phenomena p",
    "causes": "SELECT cause_id AS key, c::text AS row FROM causes c",
    "links of phenomena": "SELECT phenomenon_id || cause_id AS key, (ticket_count, why_relevant)::text AS row FROM phenomenon_causes",
    "words": "SELECT word AS key, ticket_count::text AS row FROM symptom_words",
    "totals": "SELECT 'history' AS key, (tickets, causes, words)::text AS row FROM history_state",
}


class ReindexReport(Contract):
    """What a reindex found."""

    tickets: int
    differed: dict[str, int]
    """What → rows that were missing, too many, or not what the tickets say."""
    duration_s: float


def reindex(db: Database, embedder: Embedder | None, *, progress: Progress | None = None) -> ReindexReport:
    """Derive everything again. Vectors of models other than the embedder's are kept for texts that have not changed."""
    begun = time.monotonic()
    tell: Progress = progress or (lambda what, done, total: None)
    if embedder:
        embedder.embed(["ready?"], "query")
    with db.session() as connection:
        with connection.transaction():
            take_turns(connection)
            _remember(connection)
            total = _count(connection, "SELECT count(*) AS number FROM tickets")
            for done in _read_again(connection):
                tell("Tickets", done, total)
            _count_words(connection)
            everything = Touched(phenomena=_ids(connection, "SELECT phenomenon_id AS id FROM phenomena"))
            everything.causes = _ids(connection, "SELECT cause_id AS id FROM causes")
            refresh(connection, everything)
            _tokenise_phenomena(connection)
            differed = {what: _differing(connection, number) for number, what in enumerate(_DERIVED)}
            orphans = drop_orphans(connection)
            texts = total + _count(connection, "SELECT count(*) AS number FROM phenomena")
        tidy(connection, total)
    differed["vectors"] = orphans + (_embed_again(db, embedder, lambda done: tell("Vectors", done, texts)) if embedder else 0)
    return ReindexReport(tickets=total, differed=differed, duration_s=round(time.monotonic() - begun, 3))


def _embed_again(db: Database, embedder: Embedder, progress: Callable[[int], None]) -> int:
    """Make all vectors of this model again. Returns how many were missing or differed from the new ones."""
    done = differed = 0
    for source in TEXTS:

        def report(made: int, before: int = done) -> None:
            progress(before + made)

        made, changed = embed_again(db, embedder, source, report)
        done += made
        differed += changed
    with db.session() as connection:
        settle(connection, embedder, TEXTS)
    return differed


def _remember(connection: Connection) -> None:
    """The state before, by digests."""
    for number, query in enumerate(_DERIVED.values()):
        connection.execute(
            sql.SQL("CREATE TEMP TABLE {} ON COMMIT DROP AS SELECT key, md5(row) AS row FROM ({}) before").format(
                sql.Identifier(f"before_{number}"), sql.SQL(query)
            )
        )


def _differing(connection: Connection, number: int) -> int:
    statement = sql.SQL(
        """
        SELECT count(*) AS number FROM {before} b FULL JOIN (SELECT key, md5(row) AS row FROM ({query}) now) n USING (key)
        WHERE b.row IS DISTINCT FROM n.row
        """
    ).format(before=sql.Identifier(f"before_{number}"), query=sql.SQL(list(_DERIVED.values())[number]))
    return connection.execute(statement).fetchall()[0]["number"]


def _read_again(connection: Connection) -> Iterator[int]:
    """Correct the derived columns of the tickets' own rows: cause, words, phenomena. Yields how many were read."""
    after, done = "", 0
    while rows := connection.execute(
        """
        SELECT t.ticket_id, t.description, t.root_cause, t.metadata, t.cause_id, t.word_count, tsvector_to_array(t.words) AS words,
               ARRAY(SELECT jsonb_build_object('position', a.position, 'description', a.description, 'phenomenon_id', a.phenomenon_id)
                     FROM ticket_anomalies a WHERE a.ticket_id = t.ticket_id ORDER BY a.position) AS anomalies
        FROM tickets t WHERE t.ticket_id > %(after)s ORDER BY t.ticket_id LIMIT %(limit)s
        """,
        {"after": after, "limit": _BATCH},
    ).fetchall():
        _correct_tickets(connection, rows)
        _correct_links(connection, rows)
        after = rows[-1]["ticket_id"]
        done += len(rows)
        yield done


def _correct_tickets(connection: Connection, rows: list[Row]) -> None:
    wrong: list[Row] = []
    causes: dict[str, str] = {}
    for row in rows:
        words = tokens(symptoms_of(row["description"], (anomaly["description"] for anomaly in row["anomalies"])))
        cause = cause_id(row["root_cause"], row["metadata"])
        if (cause, len(words), set(words)) != (row["cause_id"], row["word_count"], set(row["words"])):
            causes.setdefault(cause, row["root_cause"])
            wrong.append({"ticket_id": row["ticket_id"], "cause_id": cause, "words": words})
    if wrong:
        connection.execute(
            """
            INSERT INTO causes (cause_id, description, solution)
            SELECT key, value, '' FROM jsonb_each_text(%(rows)s) ON CONFLICT DO NOTHING
            """,
            {"rows": jsonb(causes)},
        )
        connection.execute(
            """
            UPDATE tickets t SET cause_id = r.cause_id, words = array_to_tsvector(r.words), word_count = cardinality(r.words)
            FROM jsonb_to_recordset(%(rows)s) AS r(ticket_id text, cause_id text, words text[]) WHERE t.ticket_id = r.ticket_id
            """,
            {"rows": jsonb(wrong)},
        )


def _correct_links(connection: Connection, rows: list[Row]) -> None:
    wrong: list[Row] = []
    for row in rows:
        for anomaly in row["anomalies"]:
            found = phenomenon_id(anomaly["description"])
            if found != anomaly["phenomenon_id"]:
                wrong.append({**anomaly, "ticket_id": row["ticket_id"], "phenomenon_id": found})
    if wrong:
        connection.execute(
            """
            INSERT INTO phenomena (phenomenon_id, description, observation_method, words)
            SELECT DISTINCT ON (phenomenon_id) phenomenon_id, description, '', ''::tsvector
            FROM jsonb_to_recordset(%(rows)s) AS r(phenomenon_id text, description text) ON CONFLICT DO NOTHING
            """,
            {"rows": jsonb(wrong)},
        )
        connection.execute(
            """
            UPDATE ticket_anomalies a SET phenomenon_id = r.phenomenon_id
            FROM jsonb_to_recordset(%(rows)s) AS r(ticket_id text, position smallint, phenomenon_id text)
            WHERE (a.ticket_id, a.position) = (r.ticket_id, r.position)
            """,
            {"rows": jsonb(wrong)},
        )


def _count_words(connection: Connection) -> None:
    connection.execute("CREATE TEMP TABLE counted ON COMMIT DROP AS SELECT word, ndoc FROM ts_stat('SELECT words FROM tickets')")
    connection.execute("DELETE FROM symptom_words w WHERE NOT EXISTS (SELECT FROM counted c WHERE c.word = w.word)")
    connection.execute(
        """
        INSERT INTO symptom_words AS w (word, ticket_count) SELECT word, ndoc FROM counted
        ON CONFLICT (word) DO UPDATE SET ticket_count = EXCLUDED.ticket_count WHERE w.ticket_count <> EXCLUDED.ticket_count
        """
    )


def _tokenise_phenomena(connection: Connection) -> None:
    after = ""
    while rows := connection.execute(
        """
        SELECT phenomenon_id AS id, description, tsvector_to_array(words) AS words FROM phenomena
        WHERE phenomenon_id > %(after)s ORDER BY phenomenon_id LIMIT %(limit)s
        """,
        {"after": after, "limit": _BATCH},
    ).fetchall():
        wrong = {row["id"]: row["description"] for row in rows if set(tokens(row["description"])) != set(row["words"])}
        if wrong:
            set_words(connection, wrong)
        after = rows[-1]["id"]


def _count(connection: Connection, query: LiteralString) -> int:
    return connection.execute(query).fetchall()[0]["number"]


def _ids(connection: Connection, query: LiteralString) -> set[str]:
    return {row["id"] for row in connection.execute(query)}
