"""The similarity of an incident to the tickets and phenomena of the history: one number, computed from meaning and words."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from workers.retrieval.tokens import tokens
from workers.retrieval.vectors import nearest
from workers.tickets.corpora import PHENOMENA
from workers.tickets.facts import PhenomenonFacts, TicketFacts, read_phenomena, read_tickets
from workers.tickets.incident_text import IncidentText
from workers.tickets.snapshot import Snapshot
from workers.tickets.wording import phenomenon_id
from workers.tickets.words import WordWeights, overlaps

if TYPE_CHECKING:
    from numpy import float32, float64
    from numpy.typing import NDArray

_NEAR = 20

MEANING = 0.5
"""Weight of meaning in a likeness; words have the remaining weight. See docs/evaluation.md."""


class Likeness:
    """Compares an incident with the history piece by piece, because a description may name several phenomena, one in each sentence.

    A ticket is compared with the whole text; a phenomenon with each piece, and the highest value counts. The likeness is
    w·cosine + (1 − w)·overlap of words, where w is half of the trust in the vectors: at full trust the mean of both, and only words
    without a model or for a language that it has not learnt. The two make errors on different pairs, so their mean makes fewer.
    """

    def __init__(self, snapshot: Snapshot, incident: IncidentText) -> None:
        self._snapshot = snapshot
        self._incident = incident
        self._meaning = incident.meaning
        self.all_words = tokens(incident.everything)
        self.weights = WordWeights(snapshot)
        self.weights.learn(self.all_words)
        known = set(self.all_words)
        self._words = [[word for word in tokens(piece) if word in known] for piece in incident.pieces]
        self._profiles = [self.weights.profile(words) for words in (self.all_words, *self._words)]
        self.tickets: dict[str, TicketFacts] = {}
        """The tickets read so far."""
        self.phenomena: dict[str, PhenomenonFacts] = {}
        """The phenomena read so far."""
        self._of_tickets: dict[str, float] = {}
        self._of_phenomena: dict[str, float] = {}
        self._of_pieces: dict[str, list[float]] = {}

    def near_phenomena(self) -> set[str]:
        """Ids of phenomena that may be similar to one of the pieces: by equal wording, by words, or by meaning."""
        first = 1 if self._incident.sentences_only else 0
        found = {phenomenon_id(piece) for piece in self._incident.pieces}
        for ids in self.weights.rank_phenomena(self._words[first:], _NEAR):
            found.update(ids)
        if self._meaning:
            asked = self._meaning.vectors[1 + first :]
            for hits in nearest(self._snapshot.connection, self._meaning.model, PHENOMENA.kind, asked, _NEAR):
                found.update(hit for hit, _ in hits)
        return found

    def read_tickets(self, ids: Iterable[str]) -> None:
        """Compare these tickets with the whole text."""
        new = read_tickets(self._snapshot.connection, self._snapshot.model, self.weights.weigh, list(ids))
        self.tickets.update(new)
        scores = self._compare(list(new.values()), slice(0, 1))
        self._of_tickets.update(zip(new, scores[:, 0].tolist(), strict=True))

    def read_phenomena(self, ids: Iterable[str]) -> None:
        """Compare these phenomena with each piece."""
        missing = [found for found in ids if found not in self.phenomena]
        new = read_phenomena(self._snapshot.connection, self._snapshot.model, self.weights.weigh, missing)
        self.phenomena.update(new)
        scores = self._compare(list(new.values()), slice(1, None))
        self._of_pieces.update(zip(new, scores.tolist(), strict=True))
        self._of_phenomena.update(zip(new, scores.max(axis=1).tolist(), strict=True))

    def of_ticket(self, ticket_id: str) -> float:
        """Likeness of a ticket that was read, from -1 to 1."""
        return self._of_tickets[ticket_id]

    def of_phenomenon(self, phenomenon_id: str) -> float:
        """Likeness of a phenomenon that was read to the most similar piece."""
        return self._of_phenomena[phenomenon_id]

    def to_piece(self, phenomenon_id: str, piece: str) -> float:
        """Likeness of a phenomenon that was read to one of the pieces."""
        return self._of_pieces[phenomenon_id][self._incident.pieces.index(piece)]

    def between(self, phenomena: Sequence[str]) -> "NDArray[float64]":
        """The likeness of each of these phenomena to each, all of them read before."""
        facts = [self.phenomena[found] for found in phenomena]
        scores = overlaps([self.weights.profile(fact.words) for fact in facts], facts) if facts else _nothing()
        if self._meaning and facts:
            known, vectors = _unit_vectors(facts, self._meaning.vectors.shape[1])
            weight = MEANING * self._meaning.trust
            rows = [[at] for at in known]
            scores[rows, known] = weight * (vectors @ vectors.T) + (1 - weight) * scores[rows, known]
        return scores

    def _compare(self, documents: Sequence[TicketFacts] | Sequence[PhenomenonFacts], which: slice) -> "NDArray[float64]":
        """The likeness of each document (rows) to each of the texts (columns), to four digits."""
        scores = overlaps(self._profiles[which], documents)
        if self._meaning:
            known, cosines = _cosines(self._meaning.vectors[which], documents)
            weight = MEANING * self._meaning.trust
            scores[known] = weight * cosines + (1 - weight) * scores[known]
        return scores.clip(-1.0, 1.0).round(4)


def _cosines(
    asked: "NDArray[float32]", documents: Sequence[TicketFacts] | Sequence[PhenomenonFacts]
) -> tuple[list[int], "NDArray[float64]"]:
    """The documents that have a vector of this model, and the cosine of each with the given vectors. Double precision makes the result
    independent of the other documents in the batch."""
    import numpy as np

    known, rows = _unit_vectors(documents, asked.shape[1])
    columns = asked.astype(np.float64).T
    return known, rows @ (columns / np.linalg.norm(columns, axis=0))


def _unit_vectors(documents: Sequence[TicketFacts] | Sequence[PhenomenonFacts], dim: int) -> tuple[list[int], "NDArray[float64]"]:
    """The documents that have a vector of this dimension, and those vectors with length 1."""
    import numpy as np

    vectors = {at: document.vector for at, document in enumerate(documents) if document.vector is not None}
    known = [at for at, vector in vectors.items() if len(vector) == dim]
    rows = np.concatenate([vectors[at] for at in known] or [np.empty(0)]).reshape(-1, dim).astype(np.float64)
    return known, rows / np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, np.newaxis]


def _nothing() -> "NDArray[float64]":
    import numpy as np

    return np.zeros((0, 0))
