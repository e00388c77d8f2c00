"""A posterior over the causes of the evidence and `none of them`, in log space, with every finding's share in it.

    log P(c | findings) = log prior(c) + symptom(c) + Σ w_i · log P(finding_i | c) + const

- prior: tickets of the cause, smoothed; `none of them` has a fixed share.
- symptom: how near the nearest ticket of the cause is to the description, in nats per unit of cosine: little while the
  likeness is slight, because many incidents are described in similar words; much if the description repeats a ticket (retold.py).
- P(confirmed | c) = floor + (ceiling − floor) · (k + s·m) / (n + s), with k of the cause's n tickets showing the
  phenomenon, m its rate over all causes and s the weight of m in tickets: the mean of a Beta posterior, squeezed
  because a ticket lists only what its author wrote. P(denied | c) = 1 − P(confirmed | c). Unknown says nothing.
- w_i: 1 for a finding on its own; less when other findings of the same kind occur in the same tickets, because those are
  not independent; times the strength of an observation that only resembles the phenomenon.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contracts.diagnose.deliverables import Evidence, Finding, Hypothesis
from contracts.tickets import CauseCard, TicketCard, TicketEvidence
from workers.kinds.diagnose.rules.families import Family
from workers.kinds.diagnose.rules.profiles import Profile
from workers.kinds.diagnose.rules.volunteered import Fact

NOTHING_AGAIN: Mapping[str, float] = {}

_MOST_TICKETS = 10
_EXPLAINED = 6
"""Hypotheses that anybody will see: the best, and those shown beside it."""


@dataclass(frozen=True)
class Belief:
    """The state of the diagnosis."""

    hypotheses: tuple[Hypothesis, ...]
    """Best first, ties by id. The best six carry their evidence and tickets."""
    none: float
    """Posterior of `none of them`."""

    @property
    def top(self) -> Hypothesis | None:
        """The best hypothesis; None when there is no cause at all."""
        return self.hypotheses[0] if self.hypotheses else None


class Likelihood:
    """P(confirmed | cause) for the phenomena of one evidence."""

    def __init__(self, evidence: TicketEvidence, profile: Profile) -> None:
        self._total_causes = max(evidence.total_causes, len(evidence.causes), 1)
        self._profile = profile
        self._causes: Sequence[CauseCard] = ()
        self._places: dict[str, int] = {}
        self._absences: dict[float, list[float]] = {}

    def rate(self, family: Family) -> float:
        """The share of the history's causes that show the phenomenon, within its bounds."""
        return min(max(family.cause_count / self._total_causes, self._profile.rate_floor), self._profile.rate_ceiling)

    def _squeezed(self, rate: float) -> float:
        """A rate among tickets as the probability that a user confirms."""
        low, high = self._profile.sight_floor, self._profile.sight_ceiling
        return low + (high - low) * rate

    def confirmed(self, family: Family, causes: Sequence[CauseCard]) -> list[float]:
        """P(confirmed | cause) of one phenomenon for each cause, and for `none of them` (its rate) at the end."""
        rate = self.rate(family)
        chances = self.absent(rate, causes).copy()
        for at, chance in self.shown(family, rate, causes):
            chances[at] = chance
        return chances

    def shown(self, family: Family, rate: float, causes: Sequence[CauseCard]) -> list[tuple[int, float]]:
        """Where its P(confirmed | cause) is not that of an absent phenomenon of its rate: the places of the causes that show
        it, each with the chance."""
        places, strength = self._places_of(causes), self._profile.rate_strength
        found: list[tuple[int, float]] = []
        for cause_id, seen in family.shown.items():
            at = places.get(cause_id)
            if seen and at is not None:
                tickets = causes[at].ticket_count
                share = (min(seen, tickets) + strength * rate) / (tickets + strength)
                found.append((at, self._squeezed(share**self._profile.listing)))
        return found

    def absent(self, rate: float, causes: Sequence[CauseCard]) -> list[float]:
        """P(confirmed | cause) of a phenomenon with this rate that no cause shows, and the rate's own at the end: not to be
        changed. Most phenomena are shown by few causes, and many have one rate."""
        self._places_of(causes)
        if rate not in self._absences:
            strength = self._profile.rate_strength
            chances = [self._squeezed(strength * rate / (cause.ticket_count + strength)) for cause in causes]
            self._absences[rate] = [*chances, self._squeezed(rate)]
        return self._absences[rate]

    def _places_of(self, causes: Sequence[CauseCard]) -> dict[str, int]:
        """cause_id → its place. Kept for the causes that were asked for last."""
        if self._causes is not causes:
            self._causes = causes
            self._places = {cause.cause_id: at for at, cause in enumerate(causes)}
            self._absences = {}
        return self._places


def _softmax(logs: Sequence[float]) -> list[float]:
    """Probabilities of unnormalised logs, without overflow."""
    high = max(logs)
    parts = [math.exp(log - high) for log in logs]
    total = math.fsum(parts)
    return [part / total for part in parts]


def nearest_symptoms(evidence: TicketEvidence) -> dict[str, float]:
    """cause_id → cosine of its nearest ticket; a cause without a ticket here is as far as the farthest."""
    nearest: dict[str, float] = {}
    for ticket in evidence.tickets:
        nearest[ticket.cause_id] = max(ticket.similarity, nearest.get(ticket.cause_id, -1.0))
    far = min((ticket.similarity for ticket in evidence.tickets), default=0.0)
    return {cause.cause_id: nearest.get(cause.cause_id, far) for cause in evidence.causes}


def _overlaps(facts: Sequence[Fact], tickets: Sequence[TicketCard]) -> list[float]:
    """Per fact: the summed overlap (Jaccard of the tickets that show them) with the other facts of the same finding."""
    shown: list[set[str]] = []
    for fact in facts:
        ids = fact.family.ids
        shown.append({ticket.ticket_id for ticket in tickets if not ids.isdisjoint(ticket.phenomenon_ids)})
    sums = [0.0] * len(facts)
    for i, fact in enumerate(facts):
        for j in range(i):
            if facts[j].finding is fact.finding and (both := len(shown[i] & shown[j])):
                overlap = both / len(shown[i] | shown[j])
                sums[i] += overlap * facts[j].strength
                sums[j] += overlap * fact.strength
    return sums


@dataclass(frozen=True)
class _Share:
    """What one fact adds to each cause, and to `none of them` at the end, in nats."""

    fact: Fact
    logs: list[float]


def _shares(evidence: TicketEvidence, facts: Sequence[Fact], likelihood: Likelihood, profile: Profile) -> list[_Share]:
    shares: list[_Share] = []
    for fact, overlap in zip(facts, _overlaps(facts, evidence.tickets), strict=True):
        chances = likelihood.confirmed(fact.family, evidence.causes)
        if fact.finding is Finding.DENIED:
            chances = [1.0 - chance for chance in chances]
        weight = fact.strength / (1.0 + profile.overlap_discount * overlap)
        shares.append(_Share(fact, [weight * math.log(chance) for chance in chances]))
    return shares


def priors_of(causes: Sequence[CauseCard], profile: Profile) -> list[float]:
    """The prior of each cause, and of `none of them` at the end."""
    tickets = math.fsum(cause.ticket_count + profile.prior_tickets for cause in causes)
    priors = [(1 - profile.none_prior) * (cause.ticket_count + profile.prior_tickets) / tickets for cause in causes]
    return [*priors, profile.none_prior]


def begin(evidence: TicketEvidence, profile: Profile, again: Mapping[str, float] = NOTHING_AGAIN) -> list[float]:
    """What the description says of each cause, and of `none of them` at the end, with their priors, in nats. `again`: which causes'
    tickets the description repeats, see retold.py."""
    causes = evidence.causes
    symptoms = nearest_symptoms(evidence)
    priors = priors_of(causes, profile)
    ranked = sorted(symptoms.values())
    near = [symptoms[cause.cause_id] for cause in causes]
    near.append(ranked[min(int(profile.none_rank * len(ranked)), len(ranked) - 1)])
    beyond = [again.get(cause.cause_id, 0.0) for cause in causes] + [0.0]
    return [
        math.log(prior) + profile.symptom_weight * cosine + profile.retold_weight * more
        for prior, cosine, more in zip(priors, near, beyond, strict=True)
    ]


def believe(evidence: TicketEvidence, facts: Sequence[Fact], profile: Profile, begun: Sequence[float] | None = None) -> Belief:
    """The posterior over the causes of the evidence, each hypothesis with its findings and their weights. `begun`: what is known of
    each cause, and of `none of them`, before any finding, in nats; by default what `begin` says."""
    causes = evidence.causes
    if not causes:
        return Belief((), none=1.0)
    if begun is None:
        begun = begin(evidence, profile)
    symptoms = nearest_symptoms(evidence)
    priors = priors_of(causes, profile)
    shares = _shares(evidence, facts, Likelihood(evidence, profile), profile)
    logs = [math.fsum((start, *(share.logs[at] for share in shares))) for at, start in enumerate(begun)]
    chances = _softmax(logs)
    before = _softmax(begun)
    expected = [[chance * math.exp(log) for chance, log in zip(before, share.logs, strict=True)] for share in shares]
    confirmed = [fact.family.ids for fact in facts if fact.finding is Finding.CONFIRMED]
    order = sorted(range(len(causes)), key=lambda at: (-chances[at], causes[at].cause_id))
    hypotheses = [
        Hypothesis(
            cause_id=causes[at].cause_id,
            root_cause=causes[at].description,
            confidence=min(max(chances[at], 0.0), 1.0),
            prior=priors[at],
            symptom_similarity=symptoms[causes[at].cause_id],
            evidence=_explained(at, causes[at], shares, before, expected, evidence.tickets) if place < _EXPLAINED else (),
            ticket_ids=tickets_of(causes[at], evidence.tickets, confirmed) if place < _EXPLAINED else (),
        )
        for place, at in enumerate(order)
    ]
    return Belief(tuple(hypotheses), none=chances[-1])


def lowered_by(evidence: TicketEvidence, denied: Sequence[Fact], profile: Profile) -> dict[str, float]:
    """cause_id → what these denials take from each cause compared with `none of them`, in nats, 0 or less."""
    shares = _shares(evidence, denied, Likelihood(evidence, profile), profile)
    return {
        cause.cause_id: math.fsum(min(share.logs[at] - share.logs[-1], 0.0) for share in shares) for at, cause in enumerate(evidence.causes)
    }


def _explained(
    at: int,
    cause: CauseCard,
    shares: Sequence[_Share],
    before: Sequence[float],
    expected: Sequence[Sequence[float]],
    tickets: Sequence[TicketCard],
) -> tuple[Evidence, ...]:
    """Each fact as evidence for or against one cause: its log ratio to the average over the others, as they stood
    before any finding. `expected`: per fact, what each cause adds to that average."""
    found: list[Evidence] = []
    own = [ticket for ticket in tickets if ticket.cause_id == cause.cause_id]
    others = max(math.fsum([*before[:at], *before[at + 1 :]]), 1e-300)
    for share, parts in zip(shares, expected, strict=True):
        average = math.fsum([*parts[:at], *parts[at + 1 :]]) / others
        ids = share.fact.family.ids
        showing = [ticket.ticket_id for ticket in own if not ids.isdisjoint(ticket.phenomenon_ids)]
        card = share.fact.card
        found.append(
            Evidence(
                phenomenon_id=card.phenomenon_id,
                description=card.description,
                finding=share.fact.finding,
                weight=share.logs[at] - math.log(max(average, 1e-300)),
                tickets=tuple(showing),
                source=share.fact.source,
                quote=share.fact.quote,
            )
        )
    found.sort(key=lambda evidence: (-abs(evidence.weight), evidence.phenomenon_id))
    return tuple(found)


def tickets_of(cause: CauseCard, tickets: Sequence[TicketCard], confirmed: Sequence[frozenset[str]]) -> tuple[str, ...]:
    """Tickets of the cause: those that show most of what was confirmed first, then the nearest, then the others.

    `confirmed`: per confirmed phenomenon the ids of its wordings.
    """

    def rank(ticket: TicketCard) -> tuple[float, float, str]:
        shown = sum(not ids.isdisjoint(ticket.phenomenon_ids) for ids in confirmed)
        return (-shown, -ticket.similarity, ticket.ticket_id)

    own = sorted((ticket for ticket in tickets if ticket.cause_id == cause.cause_id), key=rank)
    ids = dict.fromkeys([ticket.ticket_id for ticket in own] + list(cause.ticket_ids))
    return tuple(ids)[:_MOST_TICKETS]
