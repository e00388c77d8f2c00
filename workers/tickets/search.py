"""Finding tickets by what they say: by meaning (vectors) and by words, the two rankings fused."""

from collections.abc import Iterable, Sequence

import psycopg
from pydantic import Field

from contracts.base import Contract, clean_text
from workers.blackboard.engine import Database, Row
from workers.llm.embeddings import Embedder
from workers.retrieval.tokens import tokens
from workers.retrieval.told import Meaning, understand
from workers.retrieval.vectors import nearest
from workers.tickets.kept import snapshot
from workers.tickets.words import WordWeights, rank_tickets

Connection = psycopg.Connection[Row]
Ranking = Sequence[tuple[str, float]]
"""Ids with their scores, best first."""

NOTHING: Ranking = ()

_K = 60


class TicketHit(Contract):
    """A ticket that a search has found."""

    ticket_id: str
    description: str
    root_cause: str
    score: float
    """Reciprocal ranks, added up and divided by the best sum there can be: 1 is first in every ranking."""
    vector_rank: int | None = Field(ge=1)
    """Its place by meaning; None: not among the nearest, or the text was left to its words."""
    text_rank: int | None = Field(ge=1)
    """Its place by words."""


def search_tickets(db: Database, embedder: Embedder | None, text: str, limit: int = 10) -> list[TicketHit]:
    """The tickets whose symptoms are nearest to the text, best first, ties by id. Causes and solutions are not searched."""
    text = clean_text(text)
    depth = max(4 * limit, 50)
    meaning = understand(embedder, text)
    with snapshot(db, embedder.model if embedder else None) as history:
        connection = history.connection
        weights = WordWeights(history)
        words = tokens(text)
        weights.learn(words)
        by_words = rank_tickets(history, weights, words, depth)
        by_meaning = rank_by_meaning(connection, meaning, depth)
        fused = fuse((1.0, by_words), (meaning.weight if meaning else 0.0, by_meaning))
        best = sorted(fused.items(), key=lambda hit: (-hit[1], hit[0]))[:limit]
        rows = connection.execute(
            "SELECT ticket_id, description, root_cause FROM tickets WHERE ticket_id = ANY(%(ids)s)", {"ids": [hit for hit, _ in best]}
        ).fetchall()
    told = {row["ticket_id"]: row for row in rows}
    text_ranks, vector_ranks = ranks(by_words), ranks(by_meaning)
    return [TicketHit(**told[hit], score=score, vector_rank=vector_ranks.get(hit), text_rank=text_ranks.get(hit)) for hit, score in best]


def rank_by_meaning(connection: Connection, meaning: Meaning | None, limit: int) -> Ranking:
    """The tickets nearest to the whole of what was told."""
    return nearest(connection, meaning.embedder, "ticket", meaning.vectors[:1], limit)[0] if meaning else NOTHING


def ranks(ranking: Ranking) -> dict[str, int]:
    """The place of each id, from 1. Equal scores share a place, so that equal symptoms stay equal."""
    places: dict[str, int] = {}
    place, last = 0, None
    for position, (found, score) in enumerate(ranking, start=1):
        rounded = round(score, 6)
        if rounded != last:
            place, last = position, rounded
        places[found] = place
    return places


def fuse(*rankings: tuple[float, Ranking]) -> dict[str, float]:
    """Weighted reciprocal rank fusion with k = 60 (Cormack, Clarke and Büttcher 2009), scaled to at most 1."""
    scores: dict[str, float] = {}
    for weight, ranking in rankings:
        for found, place in ranks(ranking).items():
            scores[found] = scores.get(found, 0.0) + weight / (_K + place)
    best = sum(weight for weight, _ in rankings) / (_K + 1)
    return {found: round(score / best, 6) for found, score in scores.items() if score > 0}


def best_first(scores: Iterable[tuple[str, float]]) -> list[str]:
    """The ids by falling score, ties by id."""
    return [found for found, _ in sorted(scores, key=lambda hit: (-hit[1], hit[0]))]
