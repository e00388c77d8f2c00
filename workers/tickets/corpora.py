"""Where searches find the history: the words of tickets and phenomena, and the texts that their vectors are made of."""

from dataclasses import replace

import psycopg

from workers.blackboard.engine import Row
from workers.retrieval.embedding import TextSource
from workers.retrieval.words import Corpus

TICKETS = Corpus(kind="ticket", table="tickets", key="ticket_id", counted=("symptom_words", "ticket_count"))
PHENOMENA = replace(TICKETS, kind="phenomenon", table="phenomena", key="phenomenon_id", length="length(words)")
"""Words of phenomena are weighed by how many tickets hold them."""

KINDS = (TICKETS.kind, PHENOMENA.kind)


def take_turns(connection: psycopg.Connection[Row]) -> None:
    """Writers of the history take turns until their transaction ends: they touch the same counts, and would deadlock."""
    connection.execute("SELECT pg_advisory_xact_lock(823649202)")


TEXTS = (
    TextSource(
        kind=TICKETS.kind,
        table="tickets",
        key="ticket_id",
        # as `wording.symptoms_of` joins them
        text="concat_ws(E'\\n', description, (SELECT string_agg(a.description, E'\\n' ORDER BY a.position)"
        " FROM ticket_anomalies a WHERE a.ticket_id = tickets.ticket_id))",
        role="query",
        take_turns=take_turns,
    ),
    TextSource(kind=PHENOMENA.kind, table="phenomena", key="phenomenon_id", text="description", role="query", take_turns=take_turns),
)
"""An incident is compared with other incidents, an observation with other observations: like with like, so all are queries."""
