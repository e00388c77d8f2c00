"""What to ask next: the phenomena with the most information about the cause for the effort, never one that was asked before.

An item's worth is the mutual information between its answer and the cause under the present posterior (nats), divided
by its effort. Further items of a turn count by what they add to those already chosen, so near-copies do not meet.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import islice, tee
from operator import itemgetter
from typing import NamedTuple

from contracts.diagnose.deliverables import Finding, PhenomenonItem
from contracts.statements import Statement
from contracts.tickets import CauseCard, TicketEvidence
from workers.engines.language import Lang
from workers.kinds.diagnose.rules.families import Family
from workers.kinds.diagnose.rules.gains import Prospect, Prospects, Weighing
from workers.kinds.diagnose.rules.known import Asked, Known
from workers.kinds.diagnose.rules.posterior import Belief, Likelihood
from workers.kinds.diagnose.rules.profiles import Profile
from workers.kinds.diagnose.rules.wording import why_asked

_ROUNDING = 1e-9
"""Nats that the sums of a gain may be wrong by, and more."""
_SEPARATED = 2
"""Causes named on each side of a `why`."""


class _Candidate(NamedTuple):
    """A phenomenon that may be asked. Sorted by falling worth; ties by similarity to what the user reported, then by key."""

    less: float
    """Nats by effort, negative."""
    farther: float
    key: str
    family: Family
    prospect: Prospect
    effort: float

    @property
    def worth(self) -> float:
        """Nats by effort."""
        return -self.less

    def under(self, branches: Sequence[tuple[float, Weighing]]) -> "_Candidate":
        """The same phenomenon, weighed under the answers to others: how likely they are, and what they leave to tell."""
        gain = math.fsum([share * branch.gain(self.prospect) for share, branch in branches])
        return self._replace(less=-gain / self.effort)


def _live(evidence: TicketEvidence, belief: Belief, profile: Profile) -> tuple[list[CauseCard], list[float]]:
    """The causes worth separating, and their weights with `none of them` last."""
    confidence = {hypothesis.cause_id: hypothesis.confidence for hypothesis in belief.hypotheses}
    causes = [cause for cause in evidence.causes if confidence[cause.cause_id] >= profile.negligible]
    weights = [confidence[cause.cause_id] for cause in causes] + [max(belief.none, 1e-12)]
    total = math.fsum(weights)
    return causes, [weight / total for weight in weights]


def _askable(
    groups: Sequence[Family], prospects: Prospects, present: Weighing, known: Known, profile: Profile, lang: Lang
) -> Iterator[_Candidate]:
    """The phenomena that live causes show and on which there is no full finding, in order. One by one, for few of them are
    wanted: until one's gain may make it the next, nothing else of it is looked at."""
    settled = {fact.family.key for fact in known.facts if fact.strength >= 1.0}
    least_effort = min(1.0, profile.effort_without_method) * min(1.0, profile.effort_other_language)
    weighed = [(present.gain(prospect), family, prospect) for family in groups if (prospect := prospects.of(family)) is not None]
    weighed.sort(key=itemgetter(0), reverse=True)
    ready: list[_Candidate] = []
    for gain, family, prospect in weighed:
        while ready and ready[0].worth > gain / least_effort:
            yield heappop(ready)
        if family.key in settled:
            continue
        effort = 1.0 if family.has_method else profile.effort_without_method
        if not family.is_worded_in(lang):
            effort *= profile.effort_other_language
        heappush(ready, _Candidate(-gain / effort, -family.similarity, family.key, family, prospect, effort))
    while ready:
        yield heappop(ready)


def _new(candidates: Iterable[_Candidate], known: Known, profile: Profile) -> Iterator[_Candidate]:
    """Those that were not asked before and are no other look at what was confirmed. One by one: comparing texts costs more
    than ranking them, and only the first ones are wanted."""
    seen = [
        wording for fact in known.facts if fact.source == "asked" and fact.finding is Finding.CONFIRMED for wording in fact.family.wordings
    ]
    for candidate in candidates:
        family = candidate.family
        if known.asked.covers(family, profile.wording_bar) or any(
            own.looks_again(other, profile.seen_bar, profile.passage) for own in family.wordings for other in seen
        ):
            continue
        yield candidate


def choose(
    evidence: TicketEvidence, groups: Sequence[Family], belief: Belief, known: Known, profile: Profile, lang: Lang
) -> tuple[Family, ...]:
    """The phenomena of the next turn, the most telling first; empty when nothing is worth asking."""
    causes, weights = _live(evidence, belief, profile)
    prospects = Prospects(Likelihood(evidence, profile), causes)
    branches = [(1.0, prospects.weigh(weights))]
    askable = _askable(groups, prospects, branches[0][1], known, profile, lang)
    pool = islice(_new(askable, known, profile), profile.candidates)
    least = profile.least_gain
    chosen: list[Family] = []
    while len(chosen) < profile.per_turn:
        ids = frozenset[str]().union(*[family.ids for family in chosen])
        asked = Asked(ids, tuple([wording for family in chosen for wording in family.wordings]))
        pool, again = tee(pool)
        best = _best((candidate for candidate in again if not asked.covers(candidate.family, profile.wording_bar)), branches, least)
        if best is None:
            break
        if not chosen:
            least = max(least, profile.item_share * best.worth)
        chosen.append(best.family)
        branches = [split for branch in branches for split in _split(branch, best.prospect, prospects)]
    return tuple(chosen)


def gain_of(family: Family, evidence: TicketEvidence, belief: Belief, profile: Profile) -> float:
    """What the answer to one phenomenon would tell of the cause, in nats; 0 where no live cause shows it."""
    causes, weights = _live(evidence, belief, profile)
    prospects = Prospects(Likelihood(evidence, profile), causes)
    prospect = prospects.of(family)
    return 0.0 if prospect is None else prospects.weigh(weights).gain(prospect)


def _best(pool: Iterable[_Candidate], branches: Sequence[tuple[float, Weighing]], least: float) -> _Candidate | None:
    """The most telling one after the answers to those chosen, if it is worth `least`. `pool`: by falling worth before them.

    Given the cause, answers are independent, so that the answer to one takes from what another tells and never adds to it
    (the gain is submodular: Krause and Guestrin, UAI 2005): what was worth less before any need not be weighed again
    (Minoux's accelerated greedy, 1978).
    """
    best: _Candidate | None = None
    for candidate in pool:
        if candidate.worth < (best.worth if best else least) - _ROUNDING:
            break
        now = candidate.under(branches)
        if now.worth >= least and (best is None or now < best):
            best = now
    return best


def _split(branch: tuple[float, Weighing], prospect: Prospect, prospects: Prospects) -> Iterator[tuple[float, Weighing]]:
    """A branch by the answer to one more question: yes, and no."""
    share, weighing = branch
    yes, confirmed, denied = weighing.after(prospect)
    yield share * yes, prospects.weigh(confirmed)
    yield share * (1.0 - yes), prospects.weigh(denied)


def items(chosen: Sequence[Family], evidence: TicketEvidence, belief: Belief, profile: Profile, lang: Lang) -> tuple[PhenomenonItem, ...]:
    """The chosen phenomena as numbered items, each with the causes that its answer separates."""
    found: list[PhenomenonItem] = []
    for number, family in enumerate(chosen, start=1):
        card = family.card(lang)
        methods = (candidate.observation_method for candidate in (card, *family.cards) if candidate.observation_method.strip())
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


def _why(family: Family, evidence: TicketEvidence, belief: Belief, profile: Profile, lang: Lang) -> Statement:
    """For which likely causes a yes would speak, and for which a no; with the reason a ticket gives, if one does."""
    likelihood = Likelihood(evidence, profile)
    causes = {cause.cause_id: cause for cause in evidence.causes}
    *chances, average = likelihood.confirmed(family, evidence.causes)
    usual = {cause.cause_id: chance for cause, chance in zip(evidence.causes, chances, strict=True)}
    speaks_for: list[tuple[CauseCard, int]] = []
    speaks_against: list[CauseCard] = []
    for hypothesis in belief.hypotheses:
        cause = causes[hypothesis.cause_id]
        shown = min(int(family.shown.get(cause.cause_id, 0)), cause.ticket_count)
        if shown and usual[cause.cause_id] > average:
            speaks_for.append((cause, shown))
        elif cause.cause_id not in family.shown:
            speaks_against.append(cause)
    reason = family.reason(speaks_for[0][0].cause_id, lang) if speaks_for else ""
    return why_asked(speaks_for[:_SEPARATED], speaks_against[:_SEPARATED], reason)
