"""What the user's first words say of each cause, before any question: a score from four kinds of likeness, in nats.

The four err on different incidents: the ticket's symptoms as a whole and its phenomena one by one (vectors and rare words, see
workers/tickets/likeness.py), the letters (names, error texts and forms of a word), and the cause's own words, for users say what they
suspect. The weights are rounded from those of a softmax over the causes and `none of them`, fitted by maximum likelihood on one half of
reworded openings of tickets in English and Chinese and of new incidents, with their cause in the history and without it.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from contracts.tickets import TicketEvidence
from workers.kinds.diagnose.rules.likeness import normalised
from workers.kinds.diagnose.rules.posterior import priors_of
from workers.kinds.diagnose.rules.profiles import Profile

_LETTERS = 3
_MOST_CHARACTERS = 2_000


class Weights(NamedTuple):
    """Nats per unit of likeness."""

    ticket: float = 10.0
    phenomenon: float = 7.5
    letters: float = 5.0
    cause: float = 7.0
    none: float = 6.8
    """What `none of them` scores: an incident that resembles no ticket more than this."""


WEIGHTS = Weights()


class Likenesses(NamedTuple):
    """How near a cause is to the description: the nearest of its tickets, by their weighted sum."""

    ticket: float
    phenomenon: float
    letters: float
    cause: float

    def score(self, weights: Weights) -> float:
        """In nats."""
        return sum(weight * like for weight, like in zip(weights, self, strict=False))


def opening(evidence: TicketEvidence, description: str, profile: Profile, weights: Weights = WEIGHTS) -> list[float]:
    """The score of each cause with its prior, and that of `none of them` at the end, in nats."""
    near = likenesses(evidence, description, weights)
    scores = [near[cause.cause_id].score(weights) for cause in evidence.causes]
    return [math.log(prior) + score for prior, score in zip(priors_of(evidence.causes, profile), [*scores, weights.none], strict=True)]


def likenesses(evidence: TicketEvidence, description: str, weights: Weights = WEIGHTS) -> dict[str, Likenesses]:
    """cause_id → how near its nearest ticket is."""
    phenomena = {card.phenomenon_id: card for card in evidence.phenomena}
    texts = [
        "\n".join([ticket.description, *(phenomena[found].description for found in ticket.phenomenon_ids if found in phenomena)])
        for ticket in evidence.tickets
    ]
    letters = shared_letters(description, texts)
    own = {cause.cause_id: cause.similarity for cause in evidence.causes}
    best: dict[str, Likenesses] = {}
    for ticket, like in zip(evidence.tickets, letters, strict=True):
        if ticket.cause_id not in own:
            continue
        shown = max((phenomena[found].similarity for found in ticket.phenomenon_ids if found in phenomena), default=ticket.similarity)
        found = Likenesses(ticket.similarity, max(shown, ticket.similarity), like, own[ticket.cause_id])
        if ticket.cause_id not in best or found.score(weights) > best[ticket.cause_id].score(weights):
            best[ticket.cause_id] = found
    least = min((ticket.similarity for ticket in evidence.tickets), default=0.0)
    return {cause: best.get(cause, Likenesses(least, least, 0.0, near)) for cause, near in own.items()}


def shared_letters(text: str, others: Sequence[str]) -> list[float]:
    """Cosine of TF-IDF over character trigrams, of a text to each of the others."""
    counted = [_trigrams(other) for other in others]
    holders = Counter(gram for grams in counted for gram in grams)
    rarity = {gram: math.log((1 + len(others)) / (1 + count)) + 1 for gram, count in holders.items()}
    asked = _weighed(_trigrams(text), rarity)
    return [sum(weight * asked.get(gram, 0.0) for gram, weight in _weighed(grams, rarity).items()) for grams in counted]


def _trigrams(text: str) -> Counter[str]:
    plain = f" {normalised(text[:_MOST_CHARACTERS])} "
    return Counter(plain[at : at + _LETTERS] for at in range(len(plain) - _LETTERS + 1))


def _weighed(grams: Counter[str], rarity: dict[str, float]) -> dict[str, float]:
    weights = {gram: (1 + math.log(count)) * rarity[gram] for gram, count in grams.items() if gram in rarity}
    length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    return {gram: weight / length for gram, weight in weights.items()}
