"""Which phenomena may be one observation: told by another ticket in its own particulars, in other words, or in the other language.

What is near enough is one (rewordings.py). Of the rest nobody can be sure; what may be the same counts as the other one by its
probability, and is not asked once the other was asked. Never two phenomena of one ticket, for nobody writes the same thing twice.

Between tickets of two causes it is told by the concepts of the phenomena and those of the causes: what two wordings of one cause, or two of
its siblings, list is mostly the same.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from contracts.tickets import TicketEvidence
from workers.kinds.diagnose.rules.differential.askable import observed
from workers.kinds.diagnose.rules.differential.concepts import Concepts
from workers.kinds.diagnose.rules.differential.opening import ticket_texts
from workers.kinds.diagnose.rules.differential.rewordings import holders_of
from workers.kinds.diagnose.rules.families import Family

_IN_CAUSE = 0.55
"""Probability that two phenomena of two tickets of one cause are one observation, which were paired as the nearest of what was left (of 48
such pairs over six histories 28 were one), or whose concepts are alike (15 of 31)."""
_ALIKE = 0.2
"""Cosine of the concepts from which they are."""
_PHENOMENA, _CAUSES, _TICKETS, _NOTHING = 10.4, 5.1, 4.5, -5.9
"""Of phenomena of two causes the log-odds: by the cosine of the concepts of the two, of their causes and of their tickets, and without any.
Fitted on 6,084 pairs over six histories, of which 174 are one observation; for each history fitted on the other five, the area under the
curve is 0.95 (0.89 for the likeness by vectors and words)."""
_LEAST = 0.1

Same = Mapping[str, Mapping[str, float]]
"""Key of a family → key of another one → the probability that both are one observation."""


def may_be_same(groups: Sequence[Family], evidence: TicketEvidence) -> Same:
    """The families that may be one observation, with the probability, where it is 0.1 or more."""
    holders = holders_of(groups, evidence)
    causes = _Near({cause.cause_id: cause.description for cause in evidence.causes})
    tickets = _Near(dict(zip((ticket.ticket_id for ticket in evidence.tickets), ticket_texts(evidence), strict=True)))
    shown = [{cause for cause, count in family.shown.items() if count >= 1} for family in groups]
    common = Concepts([observed(family.cards[0].description) for family in groups]).each_to_each()
    paired = {(card.phenomenon_id, other) for family in groups for card in family.cards for other in (*card.reworded, *card.perhaps)}
    family_of = {found: at for at, family in enumerate(groups) for found in family.ids}
    of_pairs = {frozenset((family_of[own], family_of[other])) for own, other in paired if own in family_of and other in family_of}
    found: defaultdict[str, dict[str, float]] = defaultdict(dict)
    candidates = {*of_pairs, *(frozenset((at, other)) for at, row in enumerate(common) for other in row)}
    for pair in candidates:
        if len(pair) < 2:
            continue
        left, right = sorted(pair)
        if not holders[left].isdisjoint(holders[right]):
            continue
        alike = common[left].get(right, 0.0)
        if not shown[left].isdisjoint(shown[right]):
            chance = _IN_CAUSE if pair in of_pairs or alike >= _ALIKE else 0.0
        else:
            by_cause, by_ticket = causes.nearest(shown[left], shown[right]), tickets.nearest(holders[left], holders[right])
            chance = 1 / (1 + math.exp(-(_PHENOMENA * alike + _CAUSES * by_cause + _TICKETS * by_ticket + _NOTHING)))
        if chance >= _LEAST:
            found[groups[left].key][groups[right].key] = found[groups[right].key][groups[left].key] = chance
    return found


class _Near:
    """How alike texts are by their concepts, by the id of each."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._place = {key: at for at, key in enumerate(texts)}
        self._cosines = Concepts(list(texts.values())).each_to_each()

    def nearest(self, some: Iterable[str], others: Collection[str]) -> float:
        """The cosine of the nearest two, one of each; 0 if they have nothing in common."""
        known = [self._place[key] for key in others if key in self._place]
        return max((self._cosines[self._place[key]].get(at, 0.0) for key in some if key in self._place for at in known), default=0.0)
