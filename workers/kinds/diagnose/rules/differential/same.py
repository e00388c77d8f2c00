"""Which phenomena may be one observation: described by another ticket in its own particulars, in other words, or in the other language.

What is near enough is one (rewordings.py). Of the rest nobody can be sure; what may be the same counts as the other one by its
probability, and is not asked once the other was asked. Never two phenomena of one ticket, for nobody writes the same thing twice.

Between tickets of two causes the concepts of the phenomena, of the causes and of the tickets decide: what two wordings of one cause, or two
of its siblings, list is mostly the same.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations, product

from contracts.tickets import TicketEvidence
from workers.kinds.diagnose.rules.differential.askable import observed
from workers.kinds.diagnose.rules.differential.concepts import Concepts
from workers.kinds.diagnose.rules.differential.opening import ticket_texts
from workers.kinds.diagnose.rules.differential.rewordings import holders_of
from workers.kinds.diagnose.rules.families import Family
from workers.kinds.diagnose.rules.likeness import Wording, jaccard

_IN_CAUSE = 0.55
"""Probability that two phenomena of two tickets of one cause are one observation, which were paired as the nearest of what was left (of 48
such pairs over six histories 28 were one), or whose concepts are alike (15 of 31)."""
_ALIKE = 0.2
"""Cosine of the concepts from which they are."""
_PHENOMENA, _CAUSES, _TICKETS, _NOTHING = 10.4, 5.1, 4.5, -5.9
"""Of phenomena of two causes the log-odds: by the cosine of the concepts of the two, of their causes and of their tickets, and without any.
Fitted on 6,084 pairs over six histories, of which 174 are one observation; for each history fitted on the other five, the area under the
curve is 0.95 (0.89 for the likeness by vectors and words)."""
_NEARLY_EQUAL = 0.4
"""Share of the trigrams of both (Jaccard) from which a different name is what they differ in."""
_LEAST = 0.1
_LIKELY = 0.5
_LEFT_OVER = {(True, 1, 1): 0.75, (True, 1, 2): 0.75, (True, 2, 1): 0.75, (False, 1, 1): 0.45}
"""Whether two tickets have more than one thing in common, and how much each tells besides → the probability that this is one too: of such
pairs over seven histories 11 of 14 were, and of those with one thing in common 10 of 23."""

Same = Mapping[str, Mapping[str, float]]
"""Key of a family → key of another one → the probability that both are one observation."""


def may_be_same(groups: Sequence[Family], evidence: TicketEvidence) -> Same:
    """The families that may be one observation, with the probability, where it is 0.1 or more."""
    holders = holders_of(groups, evidence)
    causes = _Near({cause.cause_id: cause.description for cause in evidence.causes})
    tickets = _Near(dict(zip((ticket.ticket_id for ticket in evidence.tickets), ticket_texts(evidence), strict=True)))
    shown = [{cause for cause, count in family.shown.items() if count >= 1} for family in groups]
    common = Concepts([observed(family.cards[0].description) for family in groups]).each_to_each()
    _compare_checks(common, groups)
    paired = _paired(groups)
    found: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for left, right in sorted({*paired, *((at, other) for at, row in enumerate(common) for other in row if other > at)}):
        if not holders[left].isdisjoint(holders[right]) or _name_two_things(groups[left].wordings[0], groups[right].wordings[0]):
            continue
        alike = common[left].get(right, 0.0)
        if not shown[left].isdisjoint(shown[right]):
            chance = _IN_CAUSE if (left, right) in paired or alike >= _ALIKE else 0.0
        else:
            by_cause, by_ticket = causes.nearest(shown[left], shown[right]), tickets.nearest(holders[left], holders[right])
            chance = 1 / (1 + math.exp(-(_PHENOMENA * alike + _CAUSES * by_cause + _TICKETS * by_ticket + _NOTHING)))
        if chance >= _LEAST:
            found[groups[left].key][groups[right].key] = found[groups[right].key][groups[left].key] = chance
    _add_left_over(found, groups, evidence)
    return found


def _compare_checks(common: Sequence[dict[int, float]], groups: Sequence[Family]) -> None:
    """Between two languages, with the checks that show them: commands and views have one name in both."""
    if len({family.wordings[0].language for family in groups}) < 2:
        return
    checked = Concepts([f"{observed(family.cards[0].description)}\n{_check_of(family)}" for family in groups]).each_to_each()
    for at, row in enumerate(checked):
        for other, cosine in row.items():
            mine, theirs = groups[at].wordings[0], groups[other].wordings[0]
            if mine.language != theirs.language and mine.absent == theirs.absent and _check_of(groups[at]) and _check_of(groups[other]):
                common[at][other] = max(common[at].get(other, 0.0), cosine)


def _check_of(family: Family) -> str:
    return next((card.observation_method for card in family.cards if card.observation_method.strip()), "")


def _name_two_things(text: Wording, other: Wording) -> bool:
    """Whether two texts are nearly equal and differ in what they name: "wait event tuple", "wait event SyncRep"."""
    return not (text.names <= other.names or other.names <= text.names) and jaccard(text.grams, other.grams) >= _NEARLY_EQUAL


def _paired(groups: Sequence[Family]) -> set[tuple[int, int]]:
    """Places of the families whose phenomena were paired between two tickets of one cause, the lower one first."""
    at = {found: place for place, family in enumerate(groups) for found in family.ids}
    pairs = (
        (at[card.phenomenon_id], at[other])
        for family in groups
        for card in family.cards
        for other in (*card.reworded, *card.perhaps)
        if other in at
    )
    return {(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}


def _add_left_over(found: defaultdict[str, dict[str, float]], groups: Sequence[Family], evidence: TicketEvidence) -> None:
    """Between two tickets of two causes that tell the same things but for the last one: these may be one as well."""
    key_of = {phenomenon: family.key for family in groups for phenomenon in family.ids}
    described = [(ticket.cause_id, {key_of[each] for each in ticket.phenomenon_ids if each in key_of}) for ticket in evidence.tickets]
    likely = {key: {other for other, chance in row.items() if chance >= _LIKELY} for key, row in found.items()}
    nothing = set[str]()
    for (cause, mine), (other_cause, theirs) in combinations(described, 2):
        near = nothing.union(*(likely.get(key, nothing) for key in mine)) & theirs
        if cause == other_cause or not (near or mine & theirs):
            continue
        left = {key for key in mine - theirs if likely.get(key, nothing).isdisjoint(theirs)}
        right = theirs - mine - near
        chance = _LEFT_OVER.get((len(mine) - len(left) > 1, len(left), len(right)), 0.0)
        for key, other in product(left if chance else (), right):
            found[key][other] = found[other][key] = max(found[key].get(other, 0.0), chance)


class _Near:
    """How alike texts are by their concepts, by the id of each."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._place = {key: at for at, key in enumerate(texts)}
        self._cosines = Concepts(list(texts.values())).each_to_each()

    def nearest(self, some: Iterable[str], others: Collection[str]) -> float:
        """The cosine of the nearest two, one of each; 0 if they have nothing in common."""
        known = [self._place[key] for key in others if key in self._place]
        return max((self._cosines[self._place[key]].get(at, 0.0) for key in some if key in self._place for at in known), default=0.0)
