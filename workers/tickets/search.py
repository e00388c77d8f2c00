"""Finding tickets by what they say: by meaning (vectors) and by words, the two rankings fused."""

from pydantic import Field

from contracts.base import Contract, clean_text
from workers.blackboard.engine import Database
from workers.llm.embedder import Embedder
from workers.retrieval.embedding import searchable
from workers.retrieval.fusion import fuse, ranks, with_lead
from workers.retrieval.meaning import rank_by_meaning, understand
from workers.retrieval.tokens import tokens
from workers.tickets.corpora import KINDS, TICKETS
from workers.tickets.snapshot import snapshot
from workers.tickets.words import WordWeights

WEIGHT_OF_MEANING = 0.5
"""The weight of the ranking by meaning; the ranking by words has weight 1. For incidents in the language of the history both rankings
find about as much, and words are right more often at the first place. For other languages words find little, so the ranking by meaning
decides. Measured by `python -m tests.bench.retrieval`."""


PLACE_OF_NEAREST = 3
"""The ticket that is nearest by meaning has this place at the latest, in a language that the model has learnt. Measured by the same
command: of 48 incidents and 47 descriptions recall@5 and @10 rise or stay, in both languages."""


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
    meaning = understand(searchable(db, embedder, KINDS), text)
    with snapshot(db, meaning.model if meaning else None) as history:
        connection = history.connection
        weights = WordWeights(history)
        words = tokens(text)
        weights.learn(words)
        by_words = weights.rank_tickets(words, depth)
        by_meaning = rank_by_meaning(connection, TICKETS.kind, meaning, depth)
        fused = fuse((1.0, by_words), (WEIGHT_OF_MEANING * meaning.trust if meaning else 0.0, by_meaning))
        if meaning and meaning.trust >= 1:
            fused = with_lead(fused, by_meaning, PLACE_OF_NEAREST)
        best = sorted(fused.items(), key=lambda hit: (-hit[1], hit[0]))[:limit]
        rows = connection.execute(
            "SELECT ticket_id, description, root_cause FROM tickets WHERE ticket_id = ANY(%(ids)s)", {"ids": [hit for hit, _ in best]}
        ).fetchall()
    texts = {row["ticket_id"]: row for row in rows}
    text_ranks, vector_ranks = ranks(by_words), ranks(by_meaning)
    return [TicketHit(**texts[hit], score=score, vector_rank=vector_ranks.get(hit), text_rank=text_ranks.get(hit)) for hit, score in best]
