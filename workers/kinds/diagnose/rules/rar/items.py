"""From recommendations to items of a question: each one thing, never asked or reported before, at most three.

What the history knows keeps its id, so that the answer counts for its causes. What it does not know gets an id made of
its text (`M-...`): the answer is kept in the dialogue, and passed on to retrieval and to the reasoner.
"""

import hashlib
from collections.abc import Iterable, Sequence

from contracts.diagnose.deliverables import PhenomenonItem, RarRecommendation
from contracts.statements import Sayable
from contracts.tickets import PhenomenonCard
from workers.kinds.diagnose.rules.families import Family
from workers.kinds.diagnose.rules.likeness import Wording, jaccard, normalised
from workers.kinds.diagnose.rules.profiles import OURS
from workers.kinds.diagnose.rules.rar.case import RarCase
from workers.kinds.diagnose.rules.rar.rewording import rewords
from workers.kinds.diagnose.rules.rar.separate import why_separates
from workers.kinds.diagnose.rules.rar.single import plain, single_observations
from workers.kinds.diagnose.rules.rar.vote import Votes
from workers.kinds.diagnose.rules.rar.wording import why_proposed

OWN = "M-"
"""How ids of phenomena begin that the history does not hold."""
_DIGEST = 16


def own_id(text: str) -> str:
    """The id of a phenomenon that the history does not hold: equal wordings have equal ids."""
    return OWN + hashlib.sha256(normalised(text).encode("utf-8", "replace")).hexdigest()[:_DIGEST]


def recognise(text: str, groups: Sequence[Family]) -> tuple[Family, PhenomenonCard] | None:
    """The known phenomenon that a text says, in the same words or nearly so; None when there is none."""
    wording = Wording(text)
    found = [
        (other.plain == wording.plain, jaccard(wording.grams, other.grams), -place, family, card)
        for place, family in enumerate(groups)
        for card, other in zip(family.cards, family.wordings, strict=True)
        if wording.is_same(other, OURS.same_bar)
    ]
    best = max(found, key=lambda entry: entry[:3], default=None)
    return best and best[3:]


def choose_items(recommendations: Iterable[RarRecommendation], case: RarCase, votes: Votes) -> tuple[PhenomenonItem, ...]:
    """The items that may be asked, in the order recommended."""
    chosen: list[PhenomenonItem] = []
    for recommendation in recommendations:
        for item in _items_of(recommendation, case, votes):
            if len(chosen) < OURS.per_turn and _is_new(item, case, chosen):
                chosen.append(item.model_copy(update={"number": len(chosen) + 1}))
    return tuple(chosen)


def _items_of(recommendation: RarRecommendation, case: RarCase, votes: Votes) -> list[PhenomenonItem]:
    """A recommendation as items: the known phenomenon that it says, else each thing that it names."""
    whole = plain(recommendation.observation)
    texts = (whole,) if recognise(whole, case.groups) else single_observations(recommendation.observation)
    items: list[PhenomenonItem] = []
    for text in texts:
        why: Sayable = plain(recommendation.why)
        method = recommendation.method.strip()
        if known := recognise(text, case.groups):
            family, card = known
            methods = (found.observation_method.strip() for found in (card, *family.cards))
            method = next((found for found in methods if found), method)
            why = why or why_separates(family, case, votes)
            text, phenomenon_id = card.description, card.phenomenon_id
        else:
            why = why or why_proposed(recommendation.related_root_causes)
            phenomenon_id = own_id(text)
        items.append(PhenomenonItem(number=1, phenomenon_id=phenomenon_id, description=text, observation_method=method, why=why))
    return items


def _is_new(item: PhenomenonItem, case: RarCase, chosen: Sequence[PhenomenonItem]) -> bool:
    """Whether neither the item nor a rewording of it was asked, reported, or chosen for this turn."""
    wording = Wording(item.description)
    if not wording.plain:
        return False
    before = [*case.asked, *chosen]
    known = recognise(item.description, case.groups)
    if known and (case.known.asked.covers(known[0], OURS.wording_bar) or _settled(known[0], case)):
        return False
    for other in before:
        if other.phenomenon_id == item.phenomenon_id or (known and other.phenomenon_id in known[0].ids):
            return False
        both_known = known and not other.phenomenon_id.startswith(OWN)  # the history distinguishes them
        words = Wording(other.description)
        if wording.asks_the_same(words, OURS.wording_bar) or (not both_known and rewords(wording, words)):
            return False
    return known is not None or not any(rewords(wording, Wording(text)) for text in case.observations)


def _settled(family: Family, case: RarCase) -> bool:
    """Whether the user has already reported exactly this."""
    return any(fact.family.key == family.key and fact.strength >= 1.0 for fact in case.known.facts)
