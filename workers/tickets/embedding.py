"""The vectors of the history: which are missing, and making them."""

import time
from collections.abc import Callable

from workers.blackboard.engine import Database
from workers.llm.embedder import Embedder
from workers.retrieval import embedding
from workers.retrieval.embedding import embed_missing, searchable
from workers.tickets.corpora import KINDS, TEXTS

AT_ONCE_S = 10.0
"""Seconds that an import spends on vectors. What is left is made in the background, and found by words until then."""

_LOCK = 823649204
_POLL_S = 0.3
"""Seconds between looks at whether the vectors that are missing have been made."""


def embed_history(
    db: Database, embedder: Embedder, *, at_most_s: float | None = None, progress: Callable[[int], None] = lambda made: None
) -> int:
    """Give a vector to every ticket and phenomenon that has none; how many were made."""
    return embed_missing(db, embedder, TEXTS, at_most_s=at_most_s, progress=progress)


def embed_next(db: Database, embedder: Embedder) -> bool:
    """Make the next batch of vectors that the history lacks; False: it lacks none, or another process is at it."""
    return embedding.embed_next(db, embedder, TEXTS, lock=_LOCK)


def await_vectors(db: Database, embedder: Embedder | None, *, at_most_s: float, few: int) -> bool:
    """Whether searches go by meaning, where they should: while vectors are missing and they are few, waits for the background that makes
    them, as long as the time allows. True where there is no embedder, since then nothing is to come."""
    until = time.monotonic() + at_most_s
    while embedder is not None and searchable(db, embedder, KINDS) is None:
        if time.monotonic() >= until or count_waiting(db, embedder) > few:
            return False
        time.sleep(_POLL_S)
    return True


def count_waiting(db: Database, embedder: Embedder) -> int:
    """Tickets and phenomena that have no vector of this model yet."""
    return embedding.count_waiting(db, embedder, TEXTS)
