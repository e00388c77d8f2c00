"""Vectors of experience, made beside the jobs: on a slow machine they take a minute, in which searches go by words and kinds."""

from typing import TYPE_CHECKING

from workers.blackboard.engine import Database, Row, jsonb
from workers.kinds.tune.experience.corpus import EXPERIENCE
from workers.llm.embedder import Embedder
from workers.retrieval.embedding import turn
from workers.retrieval.vectors import store_vectors

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

WRITERS_LOCK = 823649203
"""Held by the process that writes pieces or their vectors, until the transaction ends."""
_TURN_LOCK = 823649207
"""Of the processes that make vectors one is at it."""

_LACKING = """
SELECT e.experience_id || '/' || e.language AS owner, e.content_hash, e.title, e.text
  FROM experience e
 WHERE NOT EXISTS (SELECT 1 FROM embeddings v WHERE v.owner_kind = %(kind)s AND v.owner_id = e.experience_id || '/' || e.language
                      AND v.model = %(model)s AND v.dim = %(dim)s)
 ORDER BY 1
"""

_UNCHANGED = """
SELECT e.experience_id || '/' || e.language AS owner FROM experience e
  JOIN jsonb_each_text(%(hashes)s) h ON h.key = e.experience_id || '/' || e.language AND h.value = e.content_hash
"""


def embed_next(db: Database, embedder: Embedder) -> bool:
    """Make all vectors that the stored pieces lack, in the languages that the model has learnt: if only some had one, these would seem
    nearest to anything. False: none is lacking, or another process is at it. Raises what `embed` does."""
    wanted: dict[str, object] = {"kind": EXPERIENCE.kind, "model": embedder.model, "dim": embedder.dim}
    if not _lacking(db, embedder, wanted):
        return False
    with db.session() as connection, turn(connection, _TURN_LOCK) as is_mine:
        lacking = _lacking(db, embedder, wanted) if is_mine else []
        if lacking:
            made = embedder.embed([text_to_embed(row["title"], row["text"]) for row in lacking], "passage")
            hashes = {row["owner"]: row["content_hash"] for row in lacking}
            _store_unchanged(db, embedder.model, hashes, dict(zip(hashes, made, strict=True)))
        return bool(lacking)


def _lacking(db: Database, embedder: Embedder, wanted: dict[str, object]) -> list[Row]:
    return [row for row in db.statement(_LACKING, wanted) if embedder.trust(row["text"]) > 0]


def text_to_embed(title: str, text: str) -> str:
    """What a piece's vector is made from."""
    return f"{title}\n{text}"


def _store_unchanged(db: Database, model: str, hashes: dict[str, str], vectors: "dict[str, NDArray[float32]]") -> None:
    """Store the vectors of the pieces that are still as they were read."""
    with db.session() as connection, connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%(lock)s)", {"lock": WRITERS_LOCK})
        unchanged = {row["owner"] for row in connection.execute(_UNCHANGED, {"hashes": jsonb(hashes)})}
        store_vectors(connection, model, EXPERIENCE.kind, {owner: vector for owner, vector in vectors.items() if owner in unchanged})
