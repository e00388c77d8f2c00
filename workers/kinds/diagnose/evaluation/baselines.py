"""What a trivial method reaches on the same cases: the cause of the nearest ticket by TF-IDF."""

import math
from collections import Counter
from collections.abc import Callable, Sequence

from contracts.tickets import Ticket
from workers.kinds.diagnose.evaluation.cases import Case, Evaluation, cause_of
from workers.kinds.diagnose.evaluation.figures import BaselineFigures
from workers.retrieval.tokens import tokens

_Vector = dict[str, float]


class NearestTicket:
    """Ranks causes by their nearest ticket: cosine of TF-IDF over words (CJK pairs). `texts` are the texts of each ticket to compare."""

    def __init__(self, tickets: Sequence[Ticket], texts: Sequence[str]) -> None:
        self._tickets = tickets
        words = [tokens(text) for text in texts]
        counts = Counter(word for found in words for word in found)
        self._weights = {word: math.log((1 + len(texts)) / (1 + count)) + 1 for word, count in counts.items()}
        self._vectors = [self._vector(found) for found in words]

    def ranked_causes(self, text: str, *, without: str | None = None, unread: str | None = None, absent: str | None = None) -> list[str]:
        """Causes by their nearest ticket, best first, ties by id. `without`: the id of a ticket left out; `unread`: of one
        that stays, with nothing to be compared by; `absent`: a cause whose tickets are left out."""
        asked = self._vector(tokens(text))
        near = [
            (-self._cosine(asked, {} if ticket.ticket_id == unread else vector), cause_of(ticket))
            for ticket, vector in zip(self._tickets, self._vectors, strict=True)
            if ticket.ticket_id != without and cause_of(ticket) != absent
        ]
        return list(dict.fromkeys(cause for _, cause in sorted(near)))

    @staticmethod
    def _cosine(vector: _Vector, other: _Vector) -> float:
        return round(sum(weight * other.get(word, 0.0) for word, weight in vector.items()), 9)

    def _vector(self, words: Sequence[str]) -> _Vector:
        weights = {word: self._weights[word] for word in words if word in self._weights}
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        return {word: weight / length for word, weight in weights.items()}


def baselines_of(evaluation: Evaluation, *, withhold: bool = False) -> tuple[BaselineFigures, ...]:
    """The nearest ticket by TF-IDF: the opening against descriptions, the opening against phenomena, and all the hidden
    phenomena against phenomena. The same tickets are left out, and the same descriptions withheld, as for the methods."""
    return (
        _baseline("TF-IDF, opening to descriptions", evaluation, _symptom, lambda case: case.opening, withhold),
        _baseline("TF-IDF, opening to phenomena", evaluation, _phenomena, lambda case: case.opening),
        _baseline("TF-IDF, all phenomena given", evaluation, _phenomena, lambda case: _phenomena(case.ticket)),
    )


def _baseline(
    name: str, evaluation: Evaluation, text_of: Callable[[Ticket], str], asked: Callable[[Case], str], withhold: bool = False
) -> BaselineFigures:
    nearest = {key: NearestTicket(tickets, [text_of(ticket) for ticket in tickets]) for key, tickets in evaluation.histories.items()}
    top1 = top3 = 0
    for case in evaluation.cases:
        hidden = case.ticket.ticket_id
        ranked = nearest[case.history].ranked_causes(
            asked(case),
            without=hidden if case.left_out else None,
            unread=hidden if withhold else None,
            absent=case.cause_id if case.absent else None,
        )
        top1 += not case.right_causes.isdisjoint(ranked[:1])
        top3 += not case.right_causes.isdisjoint(ranked[:3])
    count = max(sum(bool(case.right_causes) for case in evaluation.cases), 1)
    return BaselineFigures(name=name, cases=count, top1=round(top1 / count, 4), top3=round(top3 / count, 4))


def _symptom(ticket: Ticket) -> str:
    return ticket.description


def _phenomena(ticket: Ticket) -> str:
    return "\n".join(anomaly.description for anomaly in ticket.anomalies)
