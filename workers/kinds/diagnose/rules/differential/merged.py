"""The history as the differential method sees it: causes and phenomena in other words are one, or one to a degree."""

from collections.abc import Iterable, Sequence

from contracts.tickets import TicketEvidence
from workers.engines.language import Lang, language_of
from workers.kinds.diagnose.rules.causes import merge_causes, translations
from workers.kinds.diagnose.rules.differential.concepts import concepts_of
from workers.kinds.diagnose.rules.differential.rewordings import join_rewordings
from workers.kinds.diagnose.rules.differential.same import Same, may_be_same
from workers.kinds.diagnose.rules.families import Family, families
from workers.kinds.diagnose.rules.profiles import Profile

_NONE_FROM = 0.45
_ALL_FROM = 0.80
"""Likeness from which a ticket's phenomenon begins to count as another one, and from which it does fully."""
_COMMON = 2
"""Concepts that causes in two languages have in common, one of which is mostly the product's name; in short texts a third of them does."""
_LIKELY = 0.5
"""Probability of being one observation from which a phenomenon counts as the other one, in part. Less likely ones as well would leave the
causes harder to distinguish: 420 questions instead of 393 over six histories, and nothing else gained."""
_MOST = 0.9
"""The most that a ticket counts for a phenomenon which it has in other words."""


def merged(evidence: TicketEvidence, profile: Profile, lang: Lang) -> tuple[TicketEvidence, tuple[Family, ...], Same]:
    """The evidence with each cause once, its phenomena with the tickets that show them in any words, and which of them may be one."""
    groups = families(evidence, profile)
    near = [pair for pair in evidence.same_causes if _may_be_one(*pair, evidence)]
    pairs = [*near, *translations(evidence, groups, profile)]
    evidence, groups = merge_causes(evidence, groups, pairs, lang)
    groups = join_rewordings(groups, evidence)
    same = may_be_same(groups, evidence)
    return evidence, soften(groups, same), same


def _may_be_one(left: str, right: str, evidence: TicketEvidence) -> bool:
    """Whether causes in two languages have anything in common that the concepts know. Vectors place all faults of one
    product near each other: disks that are filled unevenly and a broken transceiver are as near as a full pool and its translation."""
    texts = {cause.cause_id: cause.description for cause in evidence.causes if cause.cause_id in (left, right)}
    if len(texts) < 2 or language_of(texts[left]) == language_of(texts[right]):
        return True
    mine, theirs = concepts_of(texts[left]), concepts_of(texts[right])
    return len(mine & theirs) >= _COMMON or 3 * len(mine & theirs) >= min(len(mine), len(theirs))


def soften(groups: Sequence[Family], same: Same) -> tuple[Family, ...]:
    """Each phenomenon counts for a cause, in part, where the cause shows one that is alike, or may be the same."""
    by_id = {card.phenomenon_id: family for family in groups for card in family.cards}
    return tuple(_softened(family, by_id, same) for family in groups)


def _softened(family: Family, by_id: dict[str, Family], same: Same) -> Family:
    shown: dict[str, float] = dict(family.shown)
    for other, part in _parts(family, same):
        if part and other in by_id and other not in family.ids:
            for cause, count in by_id[other].shown.items():
                shown[cause] = max(shown.get(cause, 0.0), min(part, _MOST) * count)
    return family if shown == family.shown else family._replace(shown=shown)


def _parts(family: Family, same: Same) -> Iterable[tuple[str, float]]:
    """Ids of other phenomena, and how far each is this one."""
    for card in family.cards:
        for other, like in card.alike.items():
            yield other, max((like - _NONE_FROM) / (_ALL_FROM - _NONE_FROM), 0.0)
    yield from ((other, chance) for other, chance in same.get(family.key, {}).items() if chance >= _LIKELY)


def alike_to(groups: Sequence[Family], keys: frozenset[str], bar: float) -> frozenset[str]:
    """Ids of phenomena that are alike, from `bar` on, to one of those given: asking them asks the same again."""
    cards = (card for family in groups for card in family.cards if card.phenomenon_id in keys)
    return frozenset(other for card in cards for other, like in card.alike.items() if like >= bar)
