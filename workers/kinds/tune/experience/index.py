"""Experience in Postgres, kept equal to the pieces of the skill packs. Pieces are compared by content, so that a second run finds
nothing to do, and two runs at the same time do the same."""

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import psycopg

from contracts.base import content_hash
from contracts.tune.plan import FixKind
from contracts.verdicts import TuningClass, VerdictKind
from workers.blackboard.engine import Database, Row, jsonb
from workers.errors import EngineError
from workers.kinds.tune.experience.corpus import EXPERIENCE
from workers.kinds.tune.experience.embedding import WRITERS_LOCK, text_to_embed
from workers.llm.embedder import Embedder
from workers.loggers import get_logger
from workers.retrieval.tokens import tokens
from workers.retrieval.vectors import forget_vectors, store_vectors

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

Connection = psycopg.Connection[Row]

log = get_logger(__name__)


@dataclass(frozen=True)
class Piece:
    """One piece of advice in one language, as its pack's file has it."""

    pack: str
    slug: str
    language: str
    title: str
    tuning_class: TuningClass
    kinds: tuple[VerdictKind, ...]
    engines: tuple[str, ...]
    remedies: tuple[FixKind, ...]
    priority: int
    text: str

    @property
    def experience_id(self) -> str:
        """The id of the advice, the same in every language."""
        return f"{self.pack}/{self.slug}"

    @property
    def owner_id(self) -> str:
        """The key of this wording's vector."""
        return f"{self.experience_id}/{self.language}"

    @cached_property
    def content_hash(self) -> str:
        """The hash of all that a row is made from, and of how its words are made."""
        return content_hash({**asdict(self), "words": self.words})

    @cached_property
    def words(self) -> list[str]:
        """By which it is found."""
        return tokens(f"{self.title}\n{self.text}")


@dataclass(frozen=True)
class IndexReport:
    """What was done to make the index equal to the packs."""

    pieces: int
    """In the packs, each language counted."""
    stored: int = 0
    """New, changed, or without a vector that it should have."""
    removed: int = 0
    """No longer in the packs."""


def index_experience(db: Database, embedder: Embedder | None, pieces: Collection[Piece], *, rebuild: bool = False) -> IndexReport:
    """Make the index hold these pieces and no others; `anew`: write each of them, changed or not.

    Safe to run in many processes at once. When the embedding model does not answer, the words are stored without vectors,
    and the next run tries again.
    """
    by_owner = {piece.owner_id: piece for piece in pieces}
    standing = _standing(db, embedder)
    wanted = {owner: piece for owner, piece in by_owner.items() if rebuild or _lacks(standing.get(owner), piece, embedder)}
    gone = [owner for owner in standing if owner not in by_owner]
    if not wanted and not gone:
        return IndexReport(len(by_owner))
    vectors = _embed(embedder, wanted)
    with db.session() as connection, connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%(lock)s)", {"lock": WRITERS_LOCK})  # row and vector of a piece are of one hand
        _remove(connection, gone)
        _store(connection, wanted)
        if embedder and vectors:
            store_vectors(connection, embedder.model, EXPERIENCE.kind, vectors)
    log.info("experience_indexed", pieces=len(by_owner), stored=len(wanted), removed=len(gone), vectors=len(vectors))
    return IndexReport(len(by_owner), len(wanted), len(gone))


def _standing(db: Database, embedder: Embedder | None) -> dict[str, tuple[str, bool]]:
    """Owner's id → hash of its content, and whether it has a vector of the embedder."""
    model = {"model": embedder.model, "dim": embedder.dim} if embedder else {"model": "", "dim": 0}
    rows = db.statement(
        """
        SELECT e.experience_id || '/' || e.language AS owner, e.content_hash, v.owner_id IS NOT NULL AS has_vector
        FROM experience e
        LEFT JOIN embeddings v ON v.owner_kind = 'experience' AND v.owner_id = e.experience_id || '/' || e.language
                              AND v.model = %(model)s AND v.dim = %(dim)s
        """,
        model,
    )
    return {row["owner"]: (row["content_hash"], row["has_vector"]) for row in rows}


def _lacks(standing: tuple[str, bool] | None, piece: Piece, embedder: Embedder | None) -> bool:
    if standing is None or standing[0] != piece.content_hash:
        return True
    return not standing[1] and embedder is not None and embedder.trust(piece.text) > 0


def _embed(embedder: Embedder | None, pieces: Mapping[str, Piece]) -> "dict[str, NDArray[float32]]":
    """Vectors of those whose language the model has learnt."""
    if embedder is None:
        return {}
    texts = {owner: text_to_embed(piece.title, piece.text) for owner, piece in pieces.items() if embedder.trust(piece.text)}
    try:
        return dict(zip(texts, embedder.embed(list(texts.values()), "passage"), strict=True))
    except EngineError as error:
        log.warning("vectors_missing", reason=str(error))
        return {}


def _remove(connection: Connection, owners: list[str]) -> None:
    ids = {"ids": owners}
    connection.execute("DELETE FROM experience WHERE experience_id || '/' || language = ANY(%(ids)s)", ids)
    forget_vectors(connection, EXPERIENCE.kind, owners)


def _store(connection: Connection, pieces: Mapping[str, Piece]) -> None:
    """Replace the stored rows of the same ids by these. Vectors of the old wordings are deleted, for every model."""
    _remove(connection, list(pieces))
    rows = [
        {**asdict(piece), "experience_id": piece.experience_id, "words": piece.words, "content_hash": piece.content_hash}
        for piece in pieces.values()
    ]
    connection.execute(
        """
        INSERT INTO experience (experience_id, language, pack, title, tuning_class, kinds, engines, remedies, priority, text,
                                words, word_count, content_hash)
        SELECT experience_id, language, pack, title, tuning_class, kinds, engines, remedies, priority, text,
               array_to_tsvector(words), cardinality(words), content_hash
        FROM jsonb_to_recordset(%(rows)s) AS r(
            experience_id text, language text, pack text, title text, tuning_class text, kinds text[], engines text[],
            remedies text[], priority smallint, text text, words text[], content_hash text)
        ORDER BY experience_id, language
        """,
        {"rows": jsonb(rows)},
    )
