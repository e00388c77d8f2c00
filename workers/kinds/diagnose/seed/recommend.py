"""Which phenomena to ask for: a sum of four grounds, and a cap for each cause so that the questions spread.

score = 0.15 · popularity + 0.20 · specificity + 0.40 · priority + 0.25 · information gain
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.diagnose.deliverables import Hypothesis
from contracts.tickets import PhenomenonCard, TicketEvidence
from workers.kinds.diagnose.seed.findings import Findings

PER_TURN = 5
"""Phenomena asked in one turn at most."""
FOCUS_FROM = 0.80
"""Confidence of the best hypothesis from which nothing spreads the questions any more."""
_EARLY = 3
"""Confirmed phenomena that end the early phase."""
_PER_CAUSE_EARLY = 1
_PER_CAUSE = 2

_POPULARITY = 0.15
_SPECIFICITY = 0.20
_PRIORITY = 0.40
_GAIN = 0.25
_CONFIRMATION = 0.6
_DISCRIMINATION = 0.4
_PRIORITY_BASE = 0.7
_PRIORITY_TICKETS = 0.3
_ONLY_FIRST, _ONLY_SECOND, _BOTH, _NEITHER = 1.0, 0.8, 0.2, 0.1
"""How well a phenomenon tells the best two hypotheses apart, by which of them it belongs to."""


@dataclass(frozen=True)
class Recommendation:
    """A phenomenon with the four grounds of its score, each 0 to 1."""

    card: PhenomenonCard
    popularity: float
    specificity: float
    priority: float
    gain: float

    @property
    def score(self) -> float:
        """The weighted sum, to nine digits."""
        total = _POPULARITY * self.popularity + _SPECIFICITY * self.specificity + _PRIORITY * self.priority + _GAIN * self.gain
        return round(total, 9)


def popularity(card: PhenomenonCard, evidence: TicketEvidence) -> float:
    """Tickets of its most frequent cause, of those of the most frequent cause of all: constant where every cause has as
    many tickets."""
    tickets = {cause.cause_id: cause.ticket_count for cause in evidence.causes}
    own = max((tickets[cause_id] for cause_id in _causes(card) if cause_id in tickets), default=0)
    return own / max(tickets.values()) if own else 0.0


def specificity(card: PhenomenonCard) -> float:
    """One divided by the number of causes, of the whole history, that show it."""
    return 1.0 / card.cause_count


def priority(card: PhenomenonCard, standing: Sequence[Hypothesis]) -> float:
    """The best of confidence · (0.7 + 0.3 · √(tickets / most tickets)) over its causes; tickets are those that show it."""
    tickets = _causes(card)
    most = max(tickets.values(), default=1)
    weights = {cause_id: _PRIORITY_BASE + _PRIORITY_TICKETS * math.sqrt(count / most) for cause_id, count in tickets.items()}
    return max((item.confidence * weights[item.cause_id] for item in standing if item.cause_id in weights), default=0.0)


def information_gain(card: PhenomenonCard, evidence: TicketEvidence, standing: Sequence[Hypothesis], findings: Findings) -> float:
    """0.6 · the part of the best hypothesis that is not confirmed yet, if the phenomenon is its own, + 0.4 · how well it
    tells the best two apart."""
    if not standing:
        return 0.0
    first = standing[0].cause_id
    open_part = 0.0
    if first in _causes(card):
        own = [item.phenomenon_id for item in evidence.phenomena if first in _causes(item)]
        open_part = 1.0 - len(findings.confirmed.intersection(own)) / len(own)
    return _CONFIRMATION * open_part + _DISCRIMINATION * discrimination(card, standing)


def discrimination(card: PhenomenonCard, standing: Sequence[Hypothesis]) -> float:
    """Only of the best hypothesis 1.0, only of the second 0.8, of both 0.2, of neither 0.1; 0 without a second one."""
    if len(standing) < 2:
        return 0.0
    causes = _causes(card)
    first, second = (item.cause_id in causes for item in standing[:2])
    if first:
        return _BOTH if second else _ONLY_FIRST
    return _ONLY_SECOND if second else _NEITHER


def recommend(evidence: TicketEvidence, standing: Sequence[Hypothesis], findings: Findings) -> tuple[Recommendation, ...]:
    """What to ask next, best first: phenomena of the hypotheses that nobody answered or asked in these very words."""
    live = {item.cause_id for item in standing}
    settled = findings.confirmed | findings.denied
    scored = [
        Recommendation(
            card=card,
            popularity=popularity(card, evidence),
            specificity=specificity(card),
            priority=priority(card, standing),
            gain=information_gain(card, evidence, standing, findings),
        )
        for card in evidence.phenomena
        if card.phenomenon_id not in settled and card.description not in findings.asked and not live.isdisjoint(_causes(card))
    ]
    scored.sort(key=lambda item: -item.score)
    return spread(scored, standing, confirmed=len(findings.confirmed))


def spread(ranked: Sequence[Recommendation], standing: Sequence[Hypothesis], *, confirmed: int) -> tuple[Recommendation, ...]:
    """The best five of which each hypothesis gets one while fewer than three phenomena are confirmed, then two; without a
    cap when the best hypothesis has reached 0.80. A phenomenon of several hypotheses counts for each of them."""
    if standing and standing[0].confidence >= FOCUS_FROM:
        return tuple(ranked[:PER_TURN])
    most = _PER_CAUSE_EARLY if confirmed < _EARLY else _PER_CAUSE
    used: Counter[str] = Counter()
    chosen: list[Recommendation] = []
    for item in ranked:
        own = [hypothesis.cause_id for hypothesis in standing if hypothesis.cause_id in _causes(item.card)]
        if len(chosen) < PER_TURN and all(used[cause_id] < most for cause_id in own):
            chosen.append(item)
            used.update(own)
    return tuple(chosen)


def _causes(card: PhenomenonCard) -> dict[str, int]:
    """cause_id → tickets, without the causes that show it in none."""
    return {cause_id: count for cause_id, count in card.cause_tickets.items() if count}
