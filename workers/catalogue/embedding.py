"""The vectors of the catalogue: which are missing, and making them."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from workers.blackboard.engine import Database
from workers.catalogue.corpora import SEAM, SOURCES
from workers.llm.embedder import Embedder, Role
from workers.retrieval import embedding
from workers.retrieval.embedding import embed_missing

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

AT_ONCE_S = 20.0
"""Seconds that an import spends on vectors: enough for some 300 tables. What is left is made in the background, and found by words
until then."""

_LOCK = 823649206


class TwoTexts:
    """An embedder that gives a text of two parts the mean of their vectors. It is shorter than a unit: its product with a question's
    vector is the mean of the two cosines."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def model(self) -> str:
        """See `Embedder`."""
        return self._embedder.model

    @property
    def dim(self) -> int:
        """See `Embedder`."""
        return self._embedder.dim

    def trust(self, text: str) -> float:
        """See `Embedder`."""
        return self._embedder.trust(text)

    def embed(self, texts: Sequence[str], role: Role) -> "NDArray[float32]":
        """See `Embedder`."""
        parts = [text.split(SEAM, 1) for text in texts]
        first = self._embedder.embed([part[0] for part in parts], role)
        second = self._embedder.embed([part[-1] for part in parts if len(part) == 2], role)
        made, place = first.copy(), 0
        for number, part in enumerate(parts):
            if len(part) == 2:
                made[number] = (first[number] + second[place]) / 2
                place += 1
        return made


def embed_catalogue(
    db: Database, embedder: Embedder, *, at_most_s: float | None = None, progress: Callable[[int], None] = lambda made: None
) -> int:
    """Give a vector to every text that has none; how many were made."""
    return embed_missing(db, TwoTexts(embedder), SOURCES, at_most_s=at_most_s, progress=progress)


def embed_next(db: Database, embedder: Embedder) -> bool:
    """Make the next batch of vectors that the catalogue lacks; False: it lacks none, or another process is at it."""
    return embedding.embed_next(db, TwoTexts(embedder), SOURCES, lock=_LOCK)


def count_waiting(db: Database, embedder: Embedder) -> int:
    """Texts that have no vector of this model yet."""
    return embedding.count_waiting(db, embedder, SOURCES)
