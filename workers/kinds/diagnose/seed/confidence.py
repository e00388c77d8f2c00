"""How far a cause is confirmed: a weighted sum of its confirmed phenomena and its share in what was retrieved.

    confidence = [0.6 · confirmed of R / R + 0.2 · min(supporting / 5, 1) + 0.2 · (1 if any of R is confirmed, else 0.5)]
                 × (1 − 0.15 · denied of R), within 0 and 1

R are the phenomena of the cause. It is a score: the confidences of all causes do not sum to one.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from contracts.tickets import CauseCard, PhenomenonCard, TicketEvidence

_PROGRESS = 0.6
_FREQUENCY = 0.2
_RELEVANCE = 0.2
_ENOUGH_SUPPORT = 5
"""Retrieved phenomena, each counted once for every ticket of the cause that shows it, from which more say no more."""
_UNTOUCHED = 0.5
"""Relevance of a cause of which nothing is confirmed."""
_DENIAL = 0.15
"""Part of the confidence that one denied phenomenon takes. Seven take it all, and the order among such causes is lost."""

_LEADS_FROM = 0.45
_LEADS_BY = 0.04
_OTHERS = 0.7


@dataclass(frozen=True)
class Candidate:
    """A cause that the retrieved phenomena lead to."""

    cause: CauseCard
    related: frozenset[str]
    """R: ids of its phenomena in the evidence, retrieved or not."""
    supporting: int
    """Pairs of a retrieved phenomenon and a ticket of the cause that shows it."""


def candidates(evidence: TicketEvidence, retrieved: Sequence[PhenomenonCard]) -> tuple[Candidate, ...]:
    """The causes of the retrieved phenomena, in the order in which they are met."""
    causes = {cause.cause_id: cause for cause in evidence.causes}
    supporting: dict[str, int] = {}
    for card in retrieved:
        for cause_id, tickets in card.cause_tickets.items():
            if tickets and cause_id in causes:
                supporting[cause_id] = supporting.get(cause_id, 0) + tickets
    return tuple(
        Candidate(
            cause=causes[cause_id],
            related=frozenset(card.phenomenon_id for card in evidence.phenomena if card.cause_tickets.get(cause_id)),
            supporting=count,
        )
        for cause_id, count in supporting.items()
    )


def confidence(candidate: Candidate, confirmed: Collection[str], denied: Collection[str]) -> float:
    """The formula above; to nine digits, so that a sum which is 0.50 on paper reaches 0.50."""
    related = candidate.related
    seen = len(related.intersection(confirmed))
    progress = seen / max(len(related), 1)
    frequency = min(candidate.supporting / _ENOUGH_SUPPORT, 1.0)
    relevance = 1.0 if seen else _UNTOUCHED
    base = _PROGRESS * progress + _FREQUENCY * frequency + _RELEVANCE * relevance
    factor = 1.0 - _DENIAL * len(related.intersection(denied))
    return round(min(max(base * factor, 0.0), 1.0), 9)


def exclusive(confidences: Sequence[float]) -> list[float]:
    """Confidences, best first, with all others lowered to 70 % when the best is above 0.45 and more than 0.04 ahead."""
    if len(confidences) < 2 or confidences[0] <= _LEADS_FROM or round(confidences[0] - confidences[1], 9) <= _LEADS_BY:
        return list(confidences)
    return [confidences[0], *(round(_OTHERS * confidence, 9) for confidence in confidences[1:])]
