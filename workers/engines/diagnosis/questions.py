"""What to ask next: the phenomena that tell most about the cause for the effort, never one that was asked before.

An item's worth is the mutual information between its answer and the cause under the present posterior (nats), divided
by its effort. Further items of a turn count by what they add to those already chosen, so near-copies do not meet.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul

from contracts.diagnosis import CauseCard, Finding, PhenomenonItem, TicketEvidence
from workers.engines.diagnosis.families import Family
from workers.engines.diagnosis.known import Asked, Known
from workers.engines.diagnosis.posterior import Belief, Likelihood
from workers.engines.diagnosis.profiles import Profile
from workers.engines.diagnosis.wording import why_asked
from workers.engines.language import Lang, language_of

_SEPARATED = 2
"""Causes named on each side of a `why`."""


@dataclass(frozen=True)
class _Candidate:
    """A phenomenon with P(confirmed) under each live cause, `none of them` last."""

    family: Family
    chances: list[float]
    effort: float


def _entropy(chance: float) -> float:
    """Entropy of a yes-or-no answer, in nats."""
    if chance <= 0.0 or chance >= 1.0:
        return 0.0
    return -chance * math.log(chance) - (1.0 - chance) * math.log(1.0 - chance)


class _Entropies(dict[float, float]):
    """Chance → entropy, worked out once: few chances occur, in many phenomena and under most causes."""

    def __missing__(self, chance: float) -> float:
        self[chance] = entropy = _entropy(chance)
        return entropy

    def of(self, chances: Sequence[float]) -> list[float]:
        """The entropy under each cause."""
        return [self[chance] for chance in chances]


def _gain(chances: Sequence[float], entropies: Sequence[float], weights: Sequence[float]) -> float:
    """I(answer; cause) = H(answer) − Σ P(c)·H(answer | c), for weights that sum to 1."""
    answer = math.fsum(map(mul, weights, chances))
    noise = math.fsum(map(mul, weights, entropies))
    return max(_entropy(answer) - noise, 0.0)


def _after(weights: Sequence[float], chances: Sequence[float]) -> tuple[float, list[float], list[float]]:
    """P(confirmed), and the posteriors after a yes and after a no."""
    yes = list(map(mul, weights, chances))
    total = math.fsum(yes)
    no = [max(weight - part, 0.0) for weight, part in zip(weights, yes, strict=True)]
    rest = math.fsum(no)
    return total, [part / total for part in yes], [part / rest for part in no]


def _live(evidence: TicketEvidence, belief: Belief, profile: Profile) -> tuple[list[CauseCard], list[float]]:
    """The causes worth separating, and their weights with `none of them` last."""
    confidence = {hypothesis.cause_id: hypothesis.confidence for hypothesis in belief.hypotheses}
    causes = [cause for cause in evidence.causes if confidence[cause.cause_id] >= profile.negligible]
    weights = [confidence[cause.cause_id] for cause in causes] + [max(belief.none, 1e-12)]
    total = math.fsum(weights)
    return causes, [weight / total for weight in weights]


def _candidates(
    evidence: TicketEvidence,
    groups: Sequence[Family],
    causes: Sequence[CauseCard],
    known: Known,
    profile: Profile,
    lang: Lang,
) -> list[_Candidate]:
    """The phenomena that may be asked: of a live cause, not asked before, not told already."""
    likelihood = Likelihood(evidence, profile)
    settled = {fact.family.key for fact in known.facts if fact.strength >= 1.0}
    seen = [
        wording for fact in known.facts if fact.source == "asked" and fact.finding is Finding.CONFIRMED for wording in fact.family.wordings
    ]
    live = {cause.cause_id for cause in causes}
    found: list[_Candidate] = []
    for family in groups:
        if family.key in settled or not any(family.shown[cause] for cause in family.shown.keys() & live):
            continue
        if known.asked.covers(family, profile.wording_bar) or any(
            own.looks_again(other, profile.seen_bar, profile.passage) for own in family.wordings for other in seen
        ):
            continue
        chances = likelihood.confirmed(family, causes)
        effort = 1.0 if family.has_method else profile.effort_without_method
        if language_of(family.card(lang).description) != lang:
            effort *= profile.effort_other_language
        found.append(_Candidate(family, chances, effort))
    return found


def choose(
    evidence: TicketEvidence, groups: Sequence[Family], belief: Belief, known: Known, profile: Profile, lang: Lang
) -> tuple[Family, ...]:
    """The phenomena of the next turn, the most telling first; empty when nothing is worth asking."""
    causes, weights = _live(evidence, belief, profile)
    entropies_of = _Entropies().of
    pool = [(candidate, entropies_of(candidate.chances)) for candidate in _candidates(evidence, groups, causes, known, profile, lang)]
    worth = [(_gain(c.chances, entropies, weights) / c.effort, c, entropies) for c, entropies in pool]
    worth.sort(key=lambda entry: (-entry[0], -entry[1].family.similarity, entry[1].family.key))
    worth = worth[: profile.candidates]
    if not worth or worth[0][0] < profile.least_gain:
        return ()
    first = worth[0][0]
    branches: list[tuple[float, list[float]]] = [(1.0, list(weights))]
    chosen: list[Family] = []
    while worth:
        gain, best, _ = worth[0]
        if gain < profile.least_gain or (chosen and gain < profile.item_share * first):
            break
        chosen.append(best.family)
        if len(chosen) == profile.per_turn:
            break
        split: list[tuple[float, list[float]]] = []
        for share, branch in branches:
            yes, confirmed, denied = _after(branch, best.chances)
            split += [(share * yes, confirmed), (share * (1.0 - yes), denied)]
        branches = split
        asked = Asked(best.family.ids, best.family.wordings)
        worth = [
            (math.fsum(p * _gain(c.chances, entropies, branch) for p, branch in branches) / c.effort, c, entropies)
            for _, c, entropies in worth[1:]
            if not asked.covers(c.family, profile.wording_bar)
        ]
        worth.sort(key=lambda entry: (-entry[0], -entry[1].family.similarity, entry[1].family.key))
    return tuple(chosen)


def items(chosen: Sequence[Family], evidence: TicketEvidence, belief: Belief, profile: Profile, lang: Lang) -> tuple[PhenomenonItem, ...]:
    """The chosen phenomena as numbered items, each with the causes that its answer separates."""
    found: list[PhenomenonItem] = []
    for number, family in enumerate(chosen, start=1):
        card = family.card(lang)
        methods = (one.observation_method for one in (card, *family.cards) if one.observation_method.strip())
        found.append(
            PhenomenonItem(
                number=number,
                phenomenon_id=card.phenomenon_id,
                description=card.description,
                observation_method=next(methods, ""),
                why=_why(family, evidence, belief, profile, lang),
            )
        )
    return tuple(found)


def _why(family: Family, evidence: TicketEvidence, belief: Belief, profile: Profile, lang: Lang) -> str:
    """For which likely causes a yes would speak, and for which a no; with the reason a ticket gives, if one does."""
    likelihood = Likelihood(evidence, profile)
    causes = {cause.cause_id: cause for cause in evidence.causes}
    *chances, average = likelihood.confirmed(family, evidence.causes)
    usual = {cause.cause_id: chance for cause, chance in zip(evidence.causes, chances, strict=True)}
    speaks_for: list[tuple[CauseCard, int]] = []
    speaks_against: list[CauseCard] = []
    for hypothesis in belief.hypotheses:
        cause = causes[hypothesis.cause_id]
        shown = min(family.shown.get(cause.cause_id, 0), cause.ticket_count)
        if shown and usual[cause.cause_id] > average:
            speaks_for.append((cause, shown))
        elif not shown:
            speaks_against.append(cause)
    reason = family.reason(speaks_for[0][0].cause_id, lang) if speaks_for else ""
    return why_asked(speaks_for[:_SEPARATED], speaks_against[:_SEPARATED], reason, lang)
