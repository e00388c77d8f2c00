"""How alike what the user told is to the tickets and phenomena of the history: one number, made of meaning and of words."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from workers.knowledge.facts import PhenomenonFacts, TicketFacts
from workers.knowledge.kept import Snapshot, read_phenomena, read_tickets
from workers.knowledge.search import trust_in_vectors
from workers.knowledge.tokens import tokens
from workers.knowledge.vectors import nearest
from workers.knowledge.wording import phenomenon_id
from workers.knowledge.words import WordWeights, rank_phenomena
from workers.llm.embeddings import Embedder

_NEAR = 20
_MAX_SENTENCES = 8
_SENTENCE_END = re.compile(r"[。；;！？!?\n]+|\.\s+")


class Likeness:
    """What was told, compared piece by piece: a description may say several phenomena, one in each sentence.

    A ticket is compared with all that was told; a phenomenon with each piece, and the best counts. The likeness is
    w·cosine + (1 − w)·overlap of words, where w is half of the trust in vectors: the mean for English, words alone for
    Chinese under an English model or without any. Both err, on different pairs, so that the mean errs less.
    """

    def __init__(self, snapshot: Snapshot, embedder: Embedder | None, told: Sequence[str]) -> None:
        """`told`: the description, then the observations."""
        self._snapshot = snapshot
        self._embedder = embedder
        self.pieces = list(dict.fromkeys([*told, *_sentences(told[0])]))
        self._told = len(set(told))
        everything = "\n".join(told)
        self.all_words = tokens(everything)
        self.weights = WordWeights(snapshot)
        self.weights.learn(self.all_words)
        known = set(self.all_words)
        self._words = [[word for word in tokens(piece) if word in known] for piece in self.pieces]
        self._profiles = [self.weights.profile(words) for words in (self.all_words, *self._words)]
        self.trust = trust_in_vectors(embedder, everything)
        if embedder:
            self.vectors = embedder.embed([everything, *self.pieces])
        self.tickets: dict[str, TicketFacts] = {}
        """Those that were read."""
        self.phenomena: dict[str, PhenomenonFacts] = {}
        """Those that were read."""
        self._of_tickets: dict[str, float] = {}
        self._of_phenomena: dict[str, list[float]] = {}

    def near_phenomena(self) -> set[str]:
        """Ids of phenomena that may be like one of the pieces: worded the same, by words, by meaning."""
        first = 1 if len(self.pieces) > self._told else 0  # a text in several sentences is looked up sentence by sentence
        found = {phenomenon_id(piece) for piece in self.pieces}
        for ids in rank_phenomena(self._snapshot, self.weights, self._words[first:], _NEAR):
            found.update(ids)
        if self._embedder and self.trust:
            for hits in nearest(self._snapshot.connection, self._embedder, "phenomenon", self.vectors[1 + first :], _NEAR):
                found.update(hit for hit, _ in hits)
        return found

    def read_tickets(self, ids: Iterable[str]) -> None:
        """Compare these tickets with all that was told."""
        new = read_tickets(self._snapshot, ids)
        self.tickets.update(new)
        self._of_tickets.update({found: scores[0] for found, scores in self._compare(new, slice(0, 1)).items()})

    def read_phenomena(self, ids: Iterable[str]) -> None:
        """Compare these phenomena with each piece."""
        new = read_phenomena(self._snapshot, (found for found in ids if found not in self.phenomena))
        self.phenomena.update(new)
        self._of_phenomena.update(self._compare(new, slice(1, None)))

    def of_ticket(self, ticket_id: str) -> float:
        """Likeness of a ticket that was read, from -1 to 1."""
        return self._of_tickets[ticket_id]

    def of_phenomenon(self, phenomenon_id: str) -> float:
        """Likeness of a phenomenon that was read to the piece that is likest to it."""
        return max(self._of_phenomena[phenomenon_id])

    def to_piece(self, phenomenon_id: str, piece: str) -> float:
        """Likeness of a phenomenon that was read to one of the texts that were told."""
        return self._of_phenomena[phenomenon_id][self.pieces.index(piece)]

    def _compare(self, facts: Mapping[str, TicketFacts] | Mapping[str, PhenomenonFacts], which: slice) -> dict[str, list[float]]:
        profiles = self._profiles[which]
        self.weights.learn(chain.from_iterable(fact.words for fact in facts.values()))
        by_meaning = self._cosines(facts, which) if self._embedder and self.trust else {}
        weight = self.trust / 2
        compared: dict[str, list[float]] = {}
        for found, fact in facts.items():
            scores = self.weights.overlaps(profiles, fact.words)
            if (cosines := by_meaning.get(found)) is not None:
                scores = [weight * cosine + (1 - weight) * overlap for cosine, overlap in zip(cosines, scores, strict=True)]
            compared[found] = [round(min(max(score, -1.0), 1.0), 4) for score in scores]
        return compared

    def _cosines(self, facts: Mapping[str, TicketFacts] | Mapping[str, PhenomenonFacts], which: slice) -> dict[str, list[float]]:
        """id → the cosine of its vector with those of the pieces; what has no vector is absent. In double precision, so that
        it is the same in whatever company it is worked out."""
        import numpy as np

        vectors = {found: fact.vector for found, fact in facts.items() if fact.vector is not None}
        if not vectors:
            return {}
        rows = np.array(list(vectors.values()), dtype=np.float64)
        asked = self.vectors[which].astype(np.float64)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        cosines: list[list[float]] = (rows @ (asked / np.linalg.norm(asked, axis=1, keepdims=True)).T).tolist()
        return dict(zip(vectors, cosines, strict=True))


def _sentences(text: str) -> list[str]:
    sentences = [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]
    return sentences[:_MAX_SENTENCES] if len(sentences) > 1 else []
