"""Tickets, phenomena and causes as evidence needs them, each read by its id in one statement with others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psycopg

from workers.blackboard.engine import Row
from workers.retrieval.vectors import fetch, read_vectors
from workers.tickets.corpora import PHENOMENA, TICKETS
from workers.tickets.systems import HOST, SYSTEM, names_in

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

Connection = psycopg.Connection[Row]

TEXT_CHARACTERS = 1_000
METHOD_CHARACTERS = 1_500
SOLUTION_CHARACTERS = 4_000
FIX_CHARACTERS = 1_500
"""Of what helped in one ticket: a deliverable of 1 MiB holds up to fifty tickets."""
WHY_CHARACTERS = 300

_WORDINGS = 4
Weigh = Callable[[Sequence[tuple[str, ...]]], list[float]]
"""The squared weights of the words of each text, added up."""


@dataclass(frozen=True, slots=True)
class TicketFacts:
    """A ticket without its label's text."""

    description: str
    solution: str
    cause_id: str
    words: tuple[str, ...]
    whole: float
    """The squared weights of its words, added up."""
    phenomena: tuple[str, ...]
    systems: tuple[str, ...]
    hosts: tuple[str, ...]
    vector: "NDArray[float32] | None"


@dataclass(frozen=True, slots=True)
class PhenomenonFacts:
    """A phenomenon with its links."""

    description: str
    """Whole: observations are compared with it."""
    observation_method: str
    words: tuple[str, ...]
    whole: float
    """The squared weights of its words, added up."""
    cause_count: int
    links: dict[str, tuple[int, str]]
    """cause_id → tickets of that cause that show it, and why it is relevant there; by id"""
    vector: "NDArray[float32] | None"


@dataclass(frozen=True, slots=True)
class CauseFacts:
    """A root cause with what its tickets show most often."""

    description: str
    solution: str
    ticket_count: int
    often: tuple[str, ...]
    """Phenomena, the most frequent first."""
    wordings: tuple[tuple[str, str], ...] = ()
    """Where its tickets word it in several ways: each with its longest solution, the most frequent first."""


@dataclass(frozen=True, slots=True)
class Holders:
    """The tickets that show a phenomenon, and the cause of each."""

    tickets: tuple[str, ...]
    causes: tuple[str, ...]


def read_tickets(connection: Connection, model: str | None, weigh: Weigh, ids: Sequence[str]) -> dict[str, TicketFacts]:
    """Tickets by id."""
    rows = fetch(
        connection,
        """
        SELECT t.ticket_id, left(t.description, %(characters)s), left(t.solution, %(fix)s), t.cause_id,
               ARRAY(SELECT a.phenomenon_id FROM ticket_anomalies a WHERE a.ticket_id = t.ticket_id
                     GROUP BY a.phenomenon_id ORDER BY min(a.position)),
               t.metadata, tsvector_to_array(t.words)
        FROM tickets t
        WHERE t.ticket_id = ANY(%(ids)s)
        """,
        {"ids": list(ids), "characters": TEXT_CHARACTERS, "fix": FIX_CHARACTERS + 1},
    )
    words = [tuple(row[-1]) for row in rows]
    vectors = read_vectors(connection, model, TICKETS.kind, ids) if model else {}
    return {
        ticket: TicketFacts(
            description,
            clip(solution, FIX_CHARACTERS),
            cause,
            held,
            whole,
            tuple(phenomena),
            names_in(metadata, SYSTEM),
            names_in(metadata, HOST),
            vectors.get(ticket),
        )
        for (ticket, description, solution, cause, phenomena, metadata, _), held, whole in zip(rows, words, weigh(words), strict=True)
    }


def read_phenomena(connection: Connection, model: str | None, weigh: Weigh, ids: Sequence[str]) -> dict[str, PhenomenonFacts]:
    """Phenomena by id."""
    rows = fetch(
        connection,
        """
        SELECT p.phenomenon_id, p.description, left(p.observation_method, %(method)s), p.cause_count,
               l.causes, l.counts, l.whys, tsvector_to_array(p.words)
        FROM phenomena p
        LEFT JOIN (
            SELECT phenomenon_id, array_agg(cause_id ORDER BY cause_id) AS causes, array_agg(ticket_count ORDER BY cause_id) AS counts,
                   array_agg(left(why_relevant, %(why)s) ORDER BY cause_id) AS whys
            FROM phenomenon_causes WHERE phenomenon_id = ANY(%(ids)s) GROUP BY phenomenon_id
        ) l USING (phenomenon_id)
        WHERE p.phenomenon_id = ANY(%(ids)s)
        """,
        {"ids": list(ids), "method": METHOD_CHARACTERS + 1, "why": WHY_CHARACTERS},
    )
    words = [tuple(row[-1]) for row in rows]
    vectors = read_vectors(connection, model, PHENOMENA.kind, ids) if model else {}
    return {
        phenomenon: PhenomenonFacts(
            description,
            clip(method, METHOD_CHARACTERS),
            held,
            whole,
            cause_count,
            dict(zip(causes or (), zip(counts or (), whys or (), strict=True), strict=True)),
            vectors.get(phenomenon),
        )
        for (phenomenon, description, method, cause_count, causes, counts, whys, _), held, whole in zip(
            rows, words, weigh(words), strict=True
        )
    }


def read_causes(connection: Connection, most_often: int, ids: Sequence[str]) -> dict[str, CauseFacts]:
    """Causes by id, each with its `most_often` most frequent phenomena."""
    rows = connection.execute(
        """
        SELECT c.cause_id, c.description, c.solution, c.ticket_count,
               ARRAY(SELECT o.phenomenon_id FROM phenomenon_causes o WHERE o.cause_id = c.cause_id
                     ORDER BY o.ticket_count DESC, o.phenomenon_id LIMIT %(often)s) AS often,
               ARRAY(SELECT ARRAY[t.root_cause, (array_agg(t.solution ORDER BY length(t.solution) DESC, t.ticket_id))[1]]
                     FROM tickets t WHERE t.cause_id = c.cause_id
                     GROUP BY t.root_cause ORDER BY count(*) DESC, t.root_cause LIMIT %(wordings)s) AS wordings
        FROM causes c WHERE c.cause_id = ANY(%(ids)s)
        """,
        {"ids": list(ids), "often": most_often, "wordings": _WORDINGS},
    )
    return {
        row["cause_id"]: CauseFacts(
            clip(row["description"], TEXT_CHARACTERS),
            clip(row["solution"], SOLUTION_CHARACTERS),
            row["ticket_count"],
            tuple(row["often"]),
            tuple((clip(wording, TEXT_CHARACTERS), clip(solution, SOLUTION_CHARACTERS)) for wording, solution in row["wordings"])
            if len(row["wordings"]) > 1
            else (),
        )
        for row in rows
    }


def read_holders(connection: Connection, ids: Sequence[str]) -> dict[str, Holders]:
    """The holders of phenomena by id."""
    rows = fetch(
        connection,
        """
        SELECT a.phenomenon_id, array_agg(a.ticket_id),
               array_agg((SELECT t.cause_id FROM tickets t WHERE t.ticket_id = a.ticket_id))  -- a join reads all tickets
        FROM (SELECT DISTINCT phenomenon_id, ticket_id FROM ticket_anomalies WHERE phenomenon_id = ANY(%(ids)s)) a
        GROUP BY a.phenomenon_id
        """,
        {"ids": list(ids)},
    )
    return {phenomenon: Holders(tuple(tickets), tuple(causes)) for phenomenon, tickets, causes in rows}


def read_frequent(connection: Connection, most: int) -> dict[str, tuple[str, ...]]:
    """The most frequent causes, the most frequent first, each with two of its tickets."""
    rows = connection.execute(
        """
        SELECT c.cause_id, ARRAY(SELECT t.ticket_id FROM tickets t WHERE t.cause_id = c.cause_id ORDER BY t.ticket_id LIMIT 2) AS tickets
        FROM causes c ORDER BY c.ticket_count DESC, c.cause_id LIMIT %(most)s
        """,
        {"most": most},
    )
    return {row["cause_id"]: tuple(row["tickets"]) for row in rows}


def clip(text: str, characters: int) -> str:
    """The text, cut to this number of characters; an ellipsis shows that it was longer."""
    return text if len(text) <= characters else text[: characters - 1] + "…"
