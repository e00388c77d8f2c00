"""What the user's first words say of each cause, before any question: a score from several kinds of likeness, in nats.

They err on different incidents: the ticket's symptoms as a whole and its phenomena one by one (vectors and rare words, see
workers/tickets/likeness.py), the letters (names, error texts and forms of a word), the concepts (concepts.py: the same symptom in other
words or in the other language), and the cause's own words, for users say what they suspect. A long ticket holds logs and commands, which
have a little in common with everything, so that what it says first counts once more.

`None of them` scores as much as an incident that resembles no ticket more than that: less where the description says what no ticket says,
for that part of it can resemble none.

The weights are those of a softmax over the causes and `none of them`, fitted by maximum likelihood: `python -m tests.bench.opening_weights`
has the procedure, with what it finds on the halves that it did not fit.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, pstdev
from typing import NamedTuple

from contracts.tickets import TicketEvidence
from workers.engines.language import Lang, language_of
from workers.kinds.diagnose.rules.differential.concepts import Concepts
from workers.kinds.diagnose.rules.likeness import normalised
from workers.kinds.diagnose.rules.posterior import priors_of
from workers.kinds.diagnose.rules.profiles import Profile

_LETTERS = 3
_MOST_CHARACTERS = 2_000
_FIRST_CHARACTERS = 300
"""Of a ticket's description, fenced blocks left out, that say what was wrong; evidence and commands follow."""
_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


class Likenesses(NamedTuple):
    """How near a cause is to the description: of each likeness, that of the nearest of its tickets. 0 to 1."""

    ticket: float
    phenomenon: float
    letters: float
    cause: float
    held: float
    """The share of the description's concepts that the ticket names."""
    first: float
    """Concepts, by what the ticket says first."""
    suspected: float
    """Concepts of the cause's own words."""


class Weights(NamedTuple):
    """Nats per unit of each likeness; of `none of them`, its score, and nats per unit of what no ticket says."""

    causes: Likenesses
    none: float
    novelty: float


WEIGHTS = Weights(
    Likenesses(ticket=4.3, phenomenon=3.9, letters=1.9, cause=3.0, held=4.8, first=5.5, suspected=4.0), none=6.0, novelty=-2.2
)


_SHORT = 7.0
"""Tickets over which what a short history lacks falls to a third. Of 7, 10 and 15, and none of it, 7 was best on either half of six
histories of ten tickets: docs/evaluation.md has what it does on the other half."""


_MUTE = 0.8
"""How much of the priors is kept of an opening that resembles no ticket, for each unit of the probability of `none of them` that it has for
that. It says little of which cause it is, and of whether that is new: of 190 openings over seven histories that were not fitted the cause
was new in 19, 23, 32 and 35 % of those at 0 to .2, .2 to .4, .4 to .6 and above."""
_LEAST_IN_A_LANGUAGE = 4
"""Causes in each language from which their means are compared."""
_MOST_SPREAD = 2.0


def lacking(tickets: int) -> float:
    """The share of incidents whose cause a history of this length lacks, beside what every history lacks: 1 of no tickets, 0.24 of ten, 0
    of fifty and more."""
    return math.exp(-tickets / _SHORT)


def for_history(profile: Profile, tickets: int) -> Profile:
    """The profile with the prior of `none of them` by the number of tickets of the history: a short one holds few of the causes that there
    are."""
    return replace(profile, none_prior=profile.none_prior + (1 - profile.none_prior) * lacking(tickets))


def opening(evidence: TicketEvidence, description: str, profile: Profile, weights: Weights | None = None) -> list[float]:
    """The score of each cause with its prior, and that of `none of them` at the end, in nats. `weights`: others than `WEIGHTS`."""
    weights = weights or WEIGHTS
    near = likenesses(evidence, description)
    scores = [_dot(weights.causes, near[cause.cause_id]) for cause in evidence.causes]
    scores.append(weights.none + weights.novelty * novelty(evidence, description))
    priors = [math.log(prior) for prior in priors_of(evidence.causes, profile)]
    level = levelled(scores[:-1], languages_of_causes(evidence), description)
    in_any_language = [prior + score for prior, score in zip(priors, [*level, scores[-1]], strict=True)]
    by_words = mixed(0.5, [prior + score for prior, score in zip(priors, scores, strict=True)], in_any_language)
    return mixed(_MUTE * math.exp(by_words[-1]), priors, by_words)


def mixed(share: float, some: Sequence[float], others: Sequence[float]) -> list[float]:
    """Two beliefs as one, in nats: `share` of the first, and the rest of the other."""
    left, right = (math.log(part) - _total(scores) for part, scores in ((share, some), (1 - share, others)))
    return [_total((left + mine, right + theirs)) for mine, theirs in zip(some, others, strict=True)]


def _total(scores: Sequence[float]) -> float:
    high = max(scores)
    return high + math.log(math.fsum(math.exp(score - high) for score in scores))


def languages_of_causes(evidence: TicketEvidence) -> list[frozenset[Lang]]:
    """For each cause, the languages in which its tickets are written."""
    found: defaultdict[str, set[Lang]] = defaultdict(set)
    for ticket in evidence.tickets:
        found[ticket.cause_id].add(language_of(ticket.description))
    return [frozenset(found[cause.cause_id]) for cause in evidence.causes]


def levelled(scores: Sequence[float], languages: Sequence[frozenset[Lang]], description: str) -> list[float]:
    """The scores, where the history is in two languages, without what a cause has before others for being written in that of the
    description: words and letters are only shared within one, and vectors lie nearer to each other in it. Those in the other language get
    the mean of the description's, and its spread up to `_MOST_SPREAD` times their own."""
    own = language_of(description)
    is_far = [bool(spoken) and own not in spoken for spoken in languages]
    near = [score for score, spoken in zip(scores, languages, strict=True) if own in spoken]
    far = [score for score, is_one in zip(scores, is_far, strict=True) if is_one]
    if min(len(near), len(far)) < _LEAST_IN_A_LANGUAGE or (usual := fmean(near)) <= (theirs := fmean(far)):
        return list(scores)
    spread = min(max(pstdev(near) / max(pstdev(far), 1e-9), 1.0), _MOST_SPREAD)
    return [usual + (score - theirs) * spread if is_one else score for score, is_one in zip(scores, is_far, strict=True)]


def novelty(evidence: TicketEvidence, description: str) -> float:
    """The share of what the description says that no ticket and no cause says, 0 to 1."""
    return Concepts([*ticket_texts(evidence), *(cause.description for cause in evidence.causes)]).novelty(description)


def likenesses(evidence: TicketEvidence, description: str) -> dict[str, Likenesses]:
    """cause_id → how near it is."""
    phenomena = {card.phenomenon_id: card for card in evidence.phenomena}
    texts = ticket_texts(evidence)
    whole = Concepts(texts)
    of_tickets = zip(
        evidence.tickets,
        shared_letters(description, texts),
        whole.holding(description),
        Concepts([first_words(ticket.description) for ticket in evidence.tickets]).to(description),
        strict=True,
    )
    of_causes = Concepts([cause.description for cause in evidence.causes]).to(description)
    least = min((ticket.similarity for ticket in evidence.tickets), default=0.0)
    best = {
        cause.cause_id: Likenesses(least, least, 0.0, cause.similarity, 0.0, 0.0, alike)
        for cause, alike in zip(evidence.causes, of_causes, strict=True)
    }
    for ticket, letters, held, first in of_tickets:
        if (known := best.get(ticket.cause_id)) is not None:
            shown = max((phenomena[found].similarity for found in ticket.phenomenon_ids if found in phenomena), default=ticket.similarity)
            own = (ticket.similarity, max(shown, ticket.similarity), letters, known.cause, held, first, known.suspected)
            best[ticket.cause_id] = Likenesses(*map(max, known, own))
    return best


def first_words(description: str) -> str:
    """What a ticket says first, without logs and commands."""
    return " ".join(_FENCED.sub(" ", description).split())[:_FIRST_CHARACTERS] or description[:_FIRST_CHARACTERS]


def shared_letters(text: str, others: Sequence[str]) -> list[float]:
    """Cosine of TF-IDF over character trigrams, of a text to each of the others."""
    counted = [_trigrams(other) for other in others]
    holders = Counter(gram for grams in counted for gram in grams)
    rarity = {gram: math.log((1 + len(others)) / (1 + count)) + 1 for gram, count in holders.items()}
    asked = _weighed(_trigrams(text), rarity)
    return [sum(weight * asked.get(gram, 0.0) for gram, weight in _weighed(grams, rarity).items()) for grams in counted]


def ticket_texts(evidence: TicketEvidence) -> list[str]:
    """Of each ticket, what was wrong and all that was seen."""
    shown = {card.phenomenon_id: card.description for card in evidence.phenomena}
    return [
        "\n".join([ticket.description, *(shown[found] for found in ticket.phenomenon_ids if found in shown)]) for ticket in evidence.tickets
    ]


def _dot(weights: Likenesses, near: Likenesses) -> float:
    return math.fsum(weight * like for weight, like in zip(weights, near, strict=True))


def _trigrams(text: str) -> Counter[str]:
    plain = f" {normalised(text[:_MOST_CHARACTERS])} "
    return Counter(plain[at : at + _LETTERS] for at in range(len(plain) - _LETTERS + 1))


def _weighed(grams: Counter[str], rarity: dict[str, float]) -> dict[str, float]:
    weights = {gram: (1 + math.log(count)) * rarity[gram] for gram, count in grams.items() if gram in rarity}
    length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    return {gram: weight / length for gram, weight in weights.items()}
