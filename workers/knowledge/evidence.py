"""The part of the history that bears on an incident: near tickets, their causes, and what could be checked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import psycopg

from contracts.base import Json, canonical_json, clean_text
from contracts.diagnosis import CauseCard, ObservationMatch, PhenomenonCard, TicketCard, TicketEvidence
from workers.blackboard.engine import Database, Row
from workers.knowledge.contradiction import contradict
from workers.knowledge.likeness import Likeness
from workers.knowledge.search import NOTHING, best_first, fuse, rank_by_meaning, snapshot
from workers.knowledge.words import History, rank_tickets, read_history
from workers.llm.embeddings import Embedder

Connection = psycopg.Connection[Row]

MATCH_THRESHOLD = 0.75
"""Likeness from which an observation says a known phenomenon. Of 31,375 pairs of different phenomena in English and
Chinese 15 are above it and do not contradict each other: all of them are wordings, or translations, of one thing."""

_MATCHES_PER_OBSERVATION = 3
_MATCH_MARGIN = 0.1
_DEPTH = 100
_METHOD_CHARACTERS = 1_500
_TEXT_CHARACTERS = 1_000
_WHY_CHARACTERS = 300
_SOLUTION_CHARACTERS = 4_000
_CONTENT_BYTES = 950_000
"""A deliverable may have 1 MiB."""


@dataclass(frozen=True)
class EvidenceLimits:
    """How much evidence is gathered."""

    tickets: int = 50
    causes: int = 40
    phenomena: int = 300
    tickets_per_cause: int = 10


_LIMITS = EvidenceLimits()

_TICKETS = """
    WITH near AS MATERIALIZED (SELECT ticket_id, cause_id FROM tickets WHERE ticket_id = ANY(%(ids)s)),
    often AS (
        SELECT c.cause_id, c.ticket_count FROM causes c
        WHERE NOT EXISTS (SELECT FROM near WHERE near.cause_id = c.cause_id)
        ORDER BY c.ticket_count DESC, c.cause_id
        LIMIT greatest(%(causes)s - (SELECT count(DISTINCT cause_id) FROM near), 0)
    ),
    chosen AS (
        SELECT ticket_id, 0 AS often FROM near
        UNION ALL
        SELECT first.ticket_id, often.ticket_count FROM often CROSS JOIN LATERAL (
            SELECT ticket_id FROM tickets t WHERE t.cause_id = often.cause_id ORDER BY ticket_id LIMIT 2
        ) first
    )
    SELECT t.ticket_id, left(t.description, %(characters)s) AS description, t.cause_id, chosen.often,
           ARRAY(SELECT DISTINCT a.phenomenon_id FROM ticket_anomalies a WHERE a.ticket_id = t.ticket_id ORDER BY 1) AS phenomena
    FROM chosen JOIN tickets t USING (ticket_id)
"""
"""These tickets; and, where they have fewer causes than evidence may hold, two tickets of each of the most frequent other
causes: how an incident is told says little about its cause, so a small history comes whole."""


def gather_evidence(
    db: Database,
    embedder: Embedder | None,
    description: str,
    observations: Sequence[str] = (),
    confirmed: Sequence[str] = (),
    limits: EvidenceLimits = _LIMITS,
) -> TicketEvidence:
    """What the history knows of an incident that is described so, with these observations and confirmed phenomena (ids).

    Reads one snapshot in about a dozen statements. Everything counted (`ticket_count`, `cause_tickets`, `cause_count`)
    is counted over the whole history. Similarities mix the embedding's cosine with the overlap of rare words and are
    rounded to 4 decimals; without an embedder they are the overlap alone.
    """
    told = [clean_text(text) for text in (description, *observations) if text.strip()]
    with db.session() as connection, connection.transaction():
        snapshot(connection)
        history = read_history(connection)
        if not told or not history.tickets:
            return TicketEvidence(causes=(), phenomena=(), tickets=(), total_tickets=history.tickets, total_causes=history.causes)
        likeness = Likeness(connection, history, embedder, told)
        near = likeness.near_phenomena()
        matches = _match(likeness, near, told[1:]) if len(told) > 1 else []
        shown = [*confirmed, *(match.phenomenon_id for match in matches)]
        tickets = _candidates(connection, history, embedder, likeness, shown, limits)
        likeness.read_tickets(row["ticket_id"] for row in tickets)
        causes = _causes(connection, likeness, tickets, limits)
        kept = {cause.cause_id for cause in causes}
        tickets = [row for row in tickets if row["cause_id"] in kept]
        wanted = {phenomenon for row in tickets for phenomenon in row["phenomena"]} | set(shown) | near
        room = _CONTENT_BYTES - _size([card.to_json() for card in causes]) - _size([row["description"] for row in tickets])
        phenomena = _phenomena(connection, likeness, causes, wanted, set(shown), limits.phenomena, room)
    known = {card.phenomenon_id for card in phenomena}
    return TicketEvidence(
        causes=tuple(causes),
        phenomena=tuple(phenomena),
        tickets=tuple(_ticket_card(row, likeness, known) for row in _by_likeness(tickets, likeness)),
        observations=tuple(match for match in matches if match.phenomenon_id in known),
        total_tickets=history.tickets,
        total_causes=history.causes,
    )


def _match(likeness: Likeness, near: Iterable[str], observations: Sequence[str]) -> list[ObservationMatch]:
    """For each observation the phenomena that it says: the likest, and others about as like, which may be the same
    phenomenon in the words of another ticket."""
    candidates = likeness.read_phenomena(near)
    matches: list[ObservationMatch] = []
    for observation in dict.fromkeys(observations):
        like = {found: likeness.to_piece(found, observation) for found, text in candidates.items() if not contradict(observation, text)}
        best = best_first((found, score) for found, score in like.items() if score >= MATCH_THRESHOLD)
        matches += [
            ObservationMatch(text=observation, phenomenon_id=found, similarity=like[found])
            for found in best[:_MATCHES_PER_OBSERVATION]
            if like[found] >= like[best[0]] - _MATCH_MARGIN
        ]
    return matches


def _candidates(
    connection: Connection, history: History, embedder: Embedder | None, likeness: Likeness, shown: Sequence[str], limits: EvidenceLimits
) -> list[Row]:
    """The tickets nearest by words and meaning, and those of each cause that show most of what is known to be there."""
    depth = max(_DEPTH, limits.tickets)
    by_words = rank_tickets(connection, history, likeness.weights, likeness.all_words, depth)
    by_meaning = rank_by_meaning(connection, embedder, likeness.vectors, depth) if embedder and likeness.trust else NOTHING
    by_phenomena: list[tuple[str, float]] = []
    if shown:
        rows = connection.execute(
            """
            SELECT ticket_id, shown FROM (
                SELECT a.ticket_id, count(DISTINCT a.phenomenon_id) AS shown,
                       row_number() OVER (PARTITION BY t.cause_id ORDER BY count(DISTINCT a.phenomenon_id) DESC, a.ticket_id) AS place
                FROM ticket_anomalies a JOIN tickets t USING (ticket_id)
                WHERE a.phenomenon_id = ANY(%(shown)s)
                GROUP BY a.ticket_id, t.cause_id
            ) counted ORDER BY shown DESC, place, ticket_id LIMIT %(depth)s
            """,
            {"shown": list(shown), "depth": depth},
        )
        by_phenomena = [(row["ticket_id"], float(row["shown"])) for row in rows]
    fused = fuse((1.0, by_words), (likeness.trust / 2, by_meaning), (1.0, by_phenomena))
    chosen = best_first(fused.items())[: limits.tickets]
    rows = connection.execute(_TICKETS, {"ids": chosen, "characters": _TEXT_CHARACTERS, "causes": limits.causes}).fetchall()
    place = {ticket_id: number for number, ticket_id in enumerate(chosen)}
    return sorted(rows, key=lambda row: (place.get(row["ticket_id"], len(place)), -row["often"], row["ticket_id"]))


def _causes(connection: Connection, likeness: Likeness, tickets: Sequence[Row], limits: EvidenceLimits) -> list[CauseCard]:
    chosen = list(dict.fromkeys(row["cause_id"] for row in tickets))[: limits.causes]
    held: dict[str, list[str]] = {cause: [] for cause in chosen}
    for row in _by_likeness(tickets, likeness):
        if row["cause_id"] in held:
            held[row["cause_id"]].append(row["ticket_id"])
    rows = connection.execute(
        "SELECT cause_id, description, solution, ticket_count FROM causes WHERE cause_id = ANY(%(ids)s)", {"ids": chosen}
    )
    cards = [
        CauseCard(
            cause_id=row["cause_id"],
            description=_clip(row["description"], _TEXT_CHARACTERS),
            solution=_clip(row["solution"], _SOLUTION_CHARACTERS),
            ticket_count=row["ticket_count"],
            ticket_ids=tuple(held[row["cause_id"]][: limits.tickets_per_cause]),
        )
        for row in rows
    ]
    return sorted(cards, key=lambda card: (-likeness.of_ticket(card.ticket_ids[0]), -card.ticket_count, card.cause_id))


def _phenomena(
    connection: Connection, likeness: Likeness, causes: Sequence[CauseCard], wanted: set[str], shown: set[str], limit: int, room: int
) -> list[PhenomenonCard]:
    """What can be checked about these causes: everything if it fits, else what was told, what is nearest to it, and what
    the tickets of a cause show most often. `room` in bytes."""
    total = {cause.cause_id: cause.ticket_count for cause in causes}
    per_cause = max(12, -(-4 * limit // (3 * max(len(causes), 1))))
    rows = connection.execute(
        """
        SELECT l.phenomenon_id, l.cause_id, l.ticket_count FROM phenomenon_causes l
        WHERE l.cause_id = ANY(%(causes)s) AND l.phenomenon_id IN (
            SELECT unnest(%(wanted)s::text[])
            UNION
            SELECT often.phenomenon_id FROM unnest(%(causes)s::text[]) AS c(cause_id) CROSS JOIN LATERAL (
                SELECT o.phenomenon_id FROM phenomenon_causes o WHERE o.cause_id = c.cause_id
                ORDER BY o.ticket_count DESC, o.phenomenon_id LIMIT %(per_cause)s
            ) often
        )
        """,
        {"causes": list(total), "wanted": sorted(wanted), "per_cause": per_cause},
    )
    links: dict[str, dict[str, int]] = {}
    for row in rows:
        links.setdefault(row["phenomenon_id"], {})[row["cause_id"]] = row["ticket_count"]
    likeness.read_phenomena(links)
    worth = {
        found: (found in shown, max(likeness.of_phenomenon(found), *(count / total[cause] for cause, count in counts.items())))
        for found, counts in links.items()
    }
    chosen = sorted(links, key=lambda found: (not worth[found][0], -worth[found][1], found))[:limit]
    while len(cards := _cards(connection, likeness, links, chosen)) > 1 and _size([card.to_json() for card in cards]) > room:
        chosen = chosen[: len(chosen) * 3 // 4]
    return cards


def _cards(connection: Connection, likeness: Likeness, links: dict[str, dict[str, int]], chosen: Sequence[str]) -> list[PhenomenonCard]:
    rows = connection.execute(
        """
        SELECT p.phenomenon_id, p.description, p.observation_method, p.cause_count,
               ARRAY(SELECT ARRAY[l.cause_id, left(l.why_relevant, %(why)s)] FROM phenomenon_causes l
                     WHERE l.phenomenon_id = p.phenomenon_id AND l.cause_id = ANY(%(causes)s) AND l.why_relevant <> ''
                     ORDER BY l.cause_id) AS whys
        FROM phenomena p WHERE p.phenomenon_id = ANY(%(ids)s)
        """,
        {"ids": list(chosen), "causes": sorted({cause for found in chosen for cause in links[found]}), "why": _WHY_CHARACTERS},
    )
    cards = [
        PhenomenonCard(
            phenomenon_id=row["phenomenon_id"],
            description=_clip(row["description"], _TEXT_CHARACTERS),
            observation_method=_clip(row["observation_method"], _METHOD_CHARACTERS),
            similarity=likeness.of_phenomenon(row["phenomenon_id"]),
            cause_tickets=dict(sorted(links[row["phenomenon_id"]].items())),
            cause_count=row["cause_count"],
            why_relevant=dict(row["whys"]),
        )
        for row in rows
    ]
    return sorted(cards, key=lambda card: (-card.similarity, -sum(card.cause_tickets.values()), card.phenomenon_id))


def _ticket_card(row: Row, likeness: Likeness, known: set[str]) -> TicketCard:
    return TicketCard(
        ticket_id=row["ticket_id"],
        description=row["description"],
        cause_id=row["cause_id"],
        similarity=likeness.of_ticket(row["ticket_id"]),
        phenomenon_ids=tuple(phenomenon for phenomenon in row["phenomena"] if phenomenon in known),
    )


def _by_likeness(tickets: Iterable[Row], likeness: Likeness) -> list[Row]:
    return sorted(tickets, key=lambda row: (-likeness.of_ticket(row["ticket_id"]), row["ticket_id"]))


def _clip(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[: characters - 1] + "…"


def _size(values: Sequence[Json] | Sequence[str]) -> int:
    return len(canonical_json(values).encode())
