"""Phenomena that are one and the same: near-equal wordings, and the two languages of one observation.

The history merges wordings by equal text only. Here "High iowait on the host" and "High iowait on a host" count as one,
and so do an English and a Chinese wording with the same observation method: an answer to one answers the other, their
tickets are counted together, and the user is asked in their own language where the history has it.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, islice
from typing import NamedTuple

from contracts.tickets import PhenomenonCard, TicketEvidence
from workers.engines.language import Lang
from workers.kinds.diagnose.rules.likeness import Wording, normalised, wording
from workers.kinds.diagnose.rules.profiles import Profile

_METHOD_LENGTH = 12
"""A shorter method ("top", "df -h") is shared by too many phenomena to tell them apart."""

_FEW = 8
"""Up to this number, all wordings are compared with each other, because that is cheaper than sorting their trigrams."""


class Family(NamedTuple):
    """One phenomenon in all its wordings."""

    cards: tuple[PhenomenonCard, ...]
    """Sorted by similarity to what the user reported."""
    wordings: tuple[Wording, ...]
    """Their descriptions, prepared for comparison."""
    shown: dict[str, float]
    """cause_id → tickets of that cause that show it, at most (a ticket may use two wordings); a part of one for a ticket that shows
    what may be the same."""
    ids: frozenset[str]
    """Those of its wordings."""

    @property
    def key(self) -> str:
        """The id of its first wording."""
        return self.cards[0].phenomenon_id

    @property
    def similarity(self) -> float:
        """Its similarity to what the user reported."""
        return self.cards[0].similarity

    @property
    def has_method(self) -> bool:
        """Whether the history knows how to observe it."""
        return bool("".join([card.observation_method for card in self.cards]).strip())

    @property
    def cause_count(self) -> int:
        """Causes of the whole history that show it, at least: its wordings may share some."""
        most = sum(count >= 1 for count in self.shown.values())
        for card in self.cards:
            if card.cause_count > most:
                most = card.cause_count
        return most

    def with_causes(self, renamed: dict[str, str]) -> "Family":
        """The same family with some causes counted under another id."""
        if self.shown.keys().isdisjoint(renamed):
            return self
        shown: dict[str, float] = {}
        for cause, count in self.shown.items():
            shown[renamed.get(cause, cause)] = shown.get(renamed.get(cause, cause), 0) + count
        return self._replace(shown=shown)

    def reason(self, cause_id: str, lang: Lang) -> str:
        """Why it speaks for a cause, as a ticket says; empty when none does."""
        reasons = (card.why_relevant.get(cause_id, "") for card in (self.card(lang), *self.cards))
        return next((reason for reason in reasons if reason.strip()), "")

    def card(self, lang: Lang) -> PhenomenonCard:
        """The wording in a language, else the first one."""
        return next((card for card, wording in zip(self.cards, self.wordings, strict=True) if wording.language == lang), self.cards[0])

    def is_worded_in(self, lang: Lang) -> bool:
        """Whether the history words it in a language."""
        return lang in [wording.language for wording in self.wordings]


def families(evidence: TicketEvidence, profile: Profile) -> tuple[Family, ...]:
    """The phenomena of an evidence by family, in the evidence's order."""
    cards = evidence.phenomena
    wordings = [wording(card.description) for card in cards]
    first_of = list(range(len(cards)))
    members = {at: [at] for at in first_of}

    def join(place: int, other: int) -> None:
        low, high = sorted((first_of[place], first_of[other]))
        if low != high:
            for at in members[high]:
                first_of[at] = low
            members[low] += members.pop(high)

    for place, other in _candidates(wordings, profile.same_bar):
        if first_of[place] != first_of[other] and wordings[place].is_same(wordings[other], profile.same_bar):
            join(place, other)
    for place, other in _translations(wordings, cards, evidence.same_causes):
        join(place, other)
    return tuple([_family(sorted(found), cards, wordings) for found in members.values()])


def cards_by_id(groups: Sequence[Family]) -> dict[str, tuple[Family, PhenomenonCard]]:
    """phenomenon_id → its family, and its card."""
    return {card.phenomenon_id: (family, card) for family in groups for card in family.cards}


def _family(members: Sequence[int], cards: Sequence[PhenomenonCard], wordings: Sequence[Wording]) -> Family:
    if len(members) == 1:
        card = cards[members[0]]
        return Family((card,), (wordings[members[0]],), dict(card.cause_tickets), frozenset((card.phenomenon_id,)))
    shown: dict[str, float] = {}
    for at in members:
        for cause, count in cards[at].cause_tickets.items():
            shown[cause] = shown.get(cause, 0) + count
    ids = frozenset([cards[at].phenomenon_id for at in members])
    return Family(tuple([cards[at] for at in members]), tuple([wordings[at] for at in members]), shown, ids)


def _candidates(wordings: Sequence[Wording], bar: float) -> Iterator[tuple[int, int]]:
    """Pairs among which are all wordings that say one thing: those that name the same things, or read the same."""
    alike: defaultdict[frozenset[str], list[int]] = defaultdict(list)
    for at, text in enumerate(wordings):
        alike[text.stems].append(at)
    equal: defaultdict[str, list[int]] = defaultdict(list)
    if len({wording.plain for wording in wordings}) < len(wordings):
        for at, text in enumerate(wordings):
            equal[text.plain].append(at)
    for members in chain(alike.values(), equal.values()):
        if len(members) > 1:
            yield from combinations(members, 2) if len(members) <= _FEW else _sharing_rare_trigrams(members, wordings, bar)


def _sharing_rare_trigrams(members: Sequence[int], wordings: Sequence[Wording], bar: float) -> Iterator[tuple[int, int]]:
    """Two sets whose Jaccard reaches the bar share one of their rarest elements, more exactly of the first n − ⌈bar·n⌉ + 1
    in a common order (prefix filter: Chaudhuri, Ganti and Kaushik, ICDE 2006), so of many only such pairs are compared."""
    often = Counter(chain.from_iterable([wordings[at].grams for at in members]))
    rarity = {gram: place for place, gram in enumerate(sorted(often, key=often.__getitem__))}
    holders: defaultdict[int, list[int]] = defaultdict(list)
    for at in members:
        rarest = sorted(map(rarity.__getitem__, wordings[at].grams))
        prefix = rarest[: len(rarest) - math.ceil(bar * len(rarest)) + 1]
        near = {other for place in prefix for other in holders[place]}
        yield from ((other, at) for other in near)
        for place in prefix:
            holders[place].append(at)


def _translations(
    wordings: Sequence[Wording], cards: Sequence[PhenomenonCard], same_causes: Sequence[tuple[str, str]]
) -> list[tuple[int, int]]:
    """Pairs of one English and one Chinese wording of the same observation method.

    Where a method has several wordings in a language, the one that shares most names and figures is taken; none when
    two share equally many. Two that share none are one only if their tickets have one cause (`same_causes`: the pairs that are one in two
    languages): the same check shows "slot inactive" under one cause and "all slots active" under another.
    """
    same = {frozenset(pair) for pair in same_causes}
    chinese = _by_method("zh", wordings, cards)
    english = _by_method("en", wordings, cards) if chinese else {}
    pairs: list[tuple[int, int]] = []
    for method in chinese.keys() & english.keys():
        holders: defaultdict[str, list[int]] = defaultdict(list)
        for other in english[method]:
            for mark in wordings[other].marks:
                holders[mark].append(other)
        for at in chinese[method]:
            shared = Counter(other for mark in wordings[at].marks for other in holders.get(mark, ()))
            left = [other for other in english[method] if other in shared or _of_one_cause(cards[at], cards[other], same)]
            if (other := _only_best(shared, left, wordings[at], wordings)) is not None:
                pairs.append((at, other))
    return pairs


def _of_one_cause(card: PhenomenonCard, other: PhenomenonCard, same: set[frozenset[str]]) -> bool:
    return any(mine == theirs or frozenset((mine, theirs)) in same for mine in card.cause_tickets for theirs in other.cause_tickets)


def _by_method(lang: Lang, wordings: Sequence[Wording], cards: Sequence[PhenomenonCard]) -> dict[str, list[int]]:
    """The wordings in a language by their observation method, where it is one that tells phenomena apart."""
    found: dict[str, list[int]] = {}
    for at, text in enumerate(wordings):
        if text.language == lang and len(method := normalised(cards[at].observation_method)) >= _METHOD_LENGTH:
            found.setdefault(method, []).append(at)
    return found


def _only_best(shared: Counter[int], english: Sequence[int], wording: Wording, wordings: Sequence[Wording]) -> int | None:
    """The wording that shares most and does not turn it round; None when there is none, or another that shares as much."""
    by_share: defaultdict[int, list[int]] = defaultdict(list)
    for other, share in shared.items():
        by_share[share].append(other)
    nothing_shared = (other for other in english if other not in shared)
    for others in (*(by_share[share] for share in sorted(by_share, reverse=True)), nothing_shared):
        first_two = list(islice((other for other in others if not wording.turns(wordings[other])), 2))
        if first_two:
            return first_two[0] if len(first_two) == 1 else None
    return None
