"""How alike what the user told is to the tickets and phenomena of the history: one number, made of meaning and of words."""

from collections.abc import Iterable, Mapping

from workers.knowledge.facts import PhenomenonFacts, TicketFacts
from workers.knowledge.kept import Snapshot, read_phenomena, read_tickets
from workers.knowledge.tokens import tokens
from workers.knowledge.told import Meaning, Told
from workers.knowledge.vectors import nearest
from workers.knowledge.wording import phenomenon_id
from workers.knowledge.words import WordWeights, rank_phenomena

_NEAR = 20


class Likeness:
    """What was told, compared piece by piece: a description may say several phenomena, one in each sentence.

    A ticket is compared with all that was told; a phenomenon with each piece, and the best counts. The likeness is
    w·cosine + (1 − w)·overlap of words, where w is half of the trust in vectors: the mean for English, words alone for
    Chinese under an English model or without any. Both err, on different pairs, so that the mean errs less.
    """

    def __init__(self, snapshot: Snapshot, told: Told) -> None:
        self._snapshot = snapshot
        self._told = told
        self._meaning = told.meaning
        self.all_words = tokens(told.everything)
        self.weights = WordWeights(snapshot)
        self.weights.learn(self.all_words)
        known = set(self.all_words)
        self._words = [[word for word in tokens(piece) if word in known] for piece in told.pieces]
        self._profiles = [self.weights.profile(words) for words in (self.all_words, *self._words)]
        self.tickets: dict[str, TicketFacts] = {}
        """Those that were read."""
        self.phenomena: dict[str, PhenomenonFacts] = {}
        """Those that were read."""
        self._of_tickets: dict[str, float] = {}
        self._of_phenomena: dict[str, list[float]] = {}

    def near_phenomena(self) -> set[str]:
        """Ids of phenomena that may be like one of the pieces: worded the same, by words, by meaning."""
        first = 1 if self._told.sentences_only else 0
        found = {phenomenon_id(piece) for piece in self._told.pieces}
        for ids in rank_phenomena(self._snapshot, self.weights, self._words[first:], _NEAR):
            found.update(ids)
        if self._meaning:
            vectors = self._meaning.vectors[1 + first :]
            for hits in nearest(self._snapshot.connection, self._meaning.embedder, "phenomenon", vectors, _NEAR):
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
        return self._of_phenomena[phenomenon_id][self._told.pieces.index(piece)]

    def _compare(self, facts: Mapping[str, TicketFacts] | Mapping[str, PhenomenonFacts], which: slice) -> dict[str, list[float]]:
        profiles = self._profiles[which]
        self.weights.weigh(fact.words for fact in facts.values())
        by_meaning = self._cosines(self._meaning, facts, which) if self._meaning else {}
        weight = self._meaning.weight if self._meaning else 0.0
        compared: dict[str, list[float]] = {}
        for found, fact in facts.items():
            scores = self.weights.overlaps(profiles, fact.words)
            if (cosines := by_meaning.get(found)) is not None:
                scores = [weight * cosine + (1 - weight) * overlap for cosine, overlap in zip(cosines, scores, strict=True)]
            compared[found] = [round(min(max(score, -1.0), 1.0), 4) for score in scores]
        return compared

    @staticmethod
    def _cosines(
        meaning: Meaning, facts: Mapping[str, TicketFacts] | Mapping[str, PhenomenonFacts], which: slice
    ) -> dict[str, list[float]]:
        """id → the cosine of its vector with those of the pieces; what has no vector is absent. In double precision, so that
        it is the same in whatever company it is worked out."""
        import numpy as np

        asked = meaning.vectors[which].astype(np.float64)
        vectors = {found: fact.vector for found, fact in facts.items() if fact.vector is not None and len(fact.vector) == asked.shape[1]}
        if not vectors:
            return {}
        rows = np.array(list(vectors.values()), dtype=np.float64)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        cosines: list[list[float]] = (rows @ (asked / np.linalg.norm(asked, axis=1, keepdims=True)).T).tolist()
        return dict(zip(vectors, cosines, strict=True))
