"""What a trivial method reaches on the same cases: the nearest ticket by TF-IDF, and chance."""

import math
from collections import Counter
from collections.abc import Sequence

from contracts.diagnosis import Ticket
from workers.evaluation.cases import cause_of
from workers.knowledge.tokens import tokens

_Vector = dict[str, float]


class NearestTicket:
    """Causes by their nearest ticket: cosine of TF-IDF over words (CJK pairs). `texts`: what each ticket is compared by."""

    def __init__(self, tickets: Sequence[Ticket], texts: Sequence[str]) -> None:
        self._tickets = tickets
        words = [tokens(text) for text in texts]
        counts = Counter(word for found in words for word in found)
        self._weights = {word: math.log((1 + len(texts)) / (1 + count)) + 1 for word, count in counts.items()}
        self._vectors = [self._vector(found) for found in words]

    def ranked_causes(self, text: str, *, without: str | None = None) -> list[str]:
        """Causes by their nearest ticket, best first, ties by id; `without`: the id of a ticket left out."""
        asked = self._vector(tokens(text))
        near = [
            (-sum(weight * vector.get(word, 0.0) for word, weight in asked.items()), cause_of(ticket))
            for ticket, vector in zip(self._tickets, self._vectors, strict=True)
            if ticket.ticket_id != without
        ]
        return list(dict.fromkeys(cause for _, cause in sorted(near)))

    def _vector(self, words: Sequence[str]) -> _Vector:
        weights = {word: self._weights[word] for word in words if word in self._weights}
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        return {word: weight / length for word, weight in weights.items()}


def symptom_of(ticket: Ticket) -> str:
    """A ticket by its description alone."""
    return ticket.description


def phenomena_of(ticket: Ticket) -> str:
    """A ticket by all its phenomena."""
    return "\n".join(anomaly.description for anomaly in ticket.anomalies)
