"""How alike what the user told is to the tickets and phenomena of the history: one number, made of meaning and of words."""

import re
from collections.abc import Iterable, Sequence

import psycopg

from workers.blackboard.engine import Row
from workers.knowledge.search import trust_in_vectors
from workers.knowledge.tokens import tokens
from workers.knowledge.vectors import OwnerKind, cosines, nearest
from workers.knowledge.wording import phenomenon_id
from workers.knowledge.words import History, WordWeights, rank_phenomena
from workers.llm.embeddings import Embedder

Connection = psycopg.Connection[Row]

_NEAR = 20
_MAX_SENTENCES = 8
_SENTENCE_END = re.compile(r"[。；;！？!?\n]+|\.\s+")


class Likeness:
    """What was told, compared piece by piece: a description may say several phenomena, one in each sentence.

    A ticket is compared with all that was told; a phenomenon with each piece, and the best counts. The likeness is
    w·cosine + (1 − w)·overlap of words, where w is half of the trust in vectors: the mean for English, words alone for
    Chinese under an English model or without any. Both err, on different pairs, so that the mean errs less.
    """

    def __init__(self, connection: Connection, history: History, embedder: Embedder | None, told: Sequence[str]) -> None:
        """`told`: the description, then the observations."""
        self._connection = connection
        self._embedder = embedder
        self.pieces = list(dict.fromkeys([*told, *_sentences(told[0])]))
        self._told = len(set(told))
        everything = "\n".join(told)
        self.all_words = tokens(everything)
        self.weights = WordWeights(connection, history)
        self.weights.learn(self.all_words)
        self._words = [[word for word in tokens(piece) if word in set(self.all_words)] for piece in self.pieces]
        self._profiles = [self.weights.profile(words) for words in (self.all_words, *self._words)]
        self.trust = trust_in_vectors(embedder, everything)
        if embedder:
            self.vectors = embedder.embed([everything, *self.pieces])
        self._tickets: dict[str, float] = {}
        self._phenomena: dict[str, list[float]] = {}
        self._wordings: dict[str, str] = {}

    def near_phenomena(self) -> set[str]:
        """Ids of phenomena that may be like one of the pieces: worded the same, by words, by meaning."""
        first = 1 if len(self.pieces) > self._told else 0  # a text in several sentences is looked up sentence by sentence
        found = {phenomenon_id(piece) for piece in self.pieces}
        for ids in rank_phenomena(self._connection, self.weights, self._words[first:], _NEAR):
            found.update(ids)
        if self._embedder and self.trust:
            for hits in nearest(self._connection, self._embedder, "phenomenon", self.vectors[1 + first :], _NEAR):
                found.update(hit for hit, _ in hits)
        return found

    def read_tickets(self, ids: Iterable[str]) -> None:
        """Compare these tickets with all that was told."""
        rows = self._connection.execute(
            "SELECT ticket_id AS id, tsvector_to_array(words) AS words FROM tickets WHERE ticket_id = ANY(%(ids)s)", {"ids": list(ids)}
        ).fetchall()
        compared = self._compare("ticket", rows, slice(0, 1))
        self._tickets.update({ticket_id: scores[0] for ticket_id, scores in compared.items()})

    def read_phenomena(self, ids: Iterable[str]) -> dict[str, str]:
        """Compare these phenomena with each piece; all phenomena compared so far, id → wording."""
        new = [phenomenon for phenomenon in ids if phenomenon not in self._phenomena]
        if new:
            rows = self._connection.execute(
                """
                SELECT phenomenon_id AS id, description, tsvector_to_array(words) AS words
                FROM phenomena WHERE phenomenon_id = ANY(%(ids)s)
                """,
                {"ids": new},
            ).fetchall()
            self._wordings.update({row["id"]: row["description"] for row in rows})
            self._phenomena.update(self._compare("phenomenon", rows, slice(1, None)))
        return self._wordings

    def of_ticket(self, ticket_id: str) -> float:
        """Likeness of a ticket that was read, from -1 to 1."""
        return self._tickets[ticket_id]

    def of_phenomenon(self, phenomenon_id: str) -> float:
        """Likeness of a phenomenon that was read to the piece that is likest to it."""
        return max(self._phenomena[phenomenon_id])

    def to_piece(self, phenomenon_id: str, piece: str) -> float:
        """Likeness of a phenomenon that was read to one of the texts that were told."""
        return self._phenomena[phenomenon_id][self.pieces.index(piece)]

    def _compare(self, kind: OwnerKind, rows: Sequence[Row], which: slice) -> dict[str, list[float]]:
        profiles = self._profiles[which]
        self.weights.learn(word for row in rows for word in row["words"])
        by_meaning: dict[str, list[float]] = {}
        if self._embedder and self.trust:
            by_meaning = cosines(self._connection, self._embedder, kind, [row["id"] for row in rows], self.vectors[which])
        weight = self.trust / 2
        compared: dict[str, list[float]] = {}
        for row in rows:
            scores = self.weights.overlaps(profiles, row["words"])
            if (found := by_meaning.get(row["id"])) is not None:
                scores = [weight * cosine + (1 - weight) * overlap for cosine, overlap in zip(found, scores, strict=True)]
            compared[row["id"]] = [round(min(max(score, -1.0), 1.0), 4) for score in scores]
        return compared


def _sentences(text: str) -> list[str]:
    sentences = [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]
    return sentences[:_MAX_SENTENCES] if len(sentences) > 1 else []
