"""A query as vectors, where a model understands it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psycopg

from workers.blackboard.engine import Row
from workers.errors import EngineError
from workers.llm.embedder import Embedder, Role
from workers.loggers import get_logger
from workers.retrieval.fusion import NOTHING, Ranking
from workers.retrieval.vectors import nearest

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

log = get_logger(__name__)


@dataclass(frozen=True)
class Meaning:
    """Texts as vectors of a model."""

    model: str
    vectors: "NDArray[float32]"
    trust: float
    """How much the model has to say about them, above 0 and at most 1; the weight of its ranking is multiplied by it."""


def understand(embedder: Embedder | None, text: str, pieces: Sequence[str] = (), *, role: Role = "query") -> Meaning | None:
    """A text and its pieces as vectors; a question in the role of one. May call a server, so it is done before a transaction begins.
    None: there is no model, it has not learnt the language, or it does not answer now, and the search goes by words alone."""
    trust = embedder.trust(text) if embedder else 0.0
    if embedder is None or not trust:
        return None
    try:
        return Meaning(embedder.model, embedder.embed([text, *pieces], role), trust)
    except EngineError as error:
        log.warning("searched_by_words_only", model=embedder.model, reason=str(error))
        return None


def rank_by_meaning(connection: psycopg.Connection[Row], kind: str, meaning: Meaning | None, limit: int) -> Ranking:
    """The texts of a kind nearest to the whole query."""
    return nearest(connection, meaning.model, kind, meaning.vectors[:1], limit)[0] if meaning else NOTHING
