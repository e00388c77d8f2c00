"""Phenomena that are one and the same: near-equal wordings, and the two languages of one observation.

The history merges wordings by equal text only. Here "High iowait on the host" and "High iowait on a host" count as one,
and so do an English and a Chinese wording with the same observation method: an answer to one answers the other, their
tickets are counted together, and the user is asked in their own language where the history has it.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import NamedTuple

from contracts.diagnosis import PhenomenonCard, TicketEvidence
from workers.engines.diagnosis.likeness import Wording, normalised, wording
from workers.engines.diagnosis.profiles import Profile
from workers.engines.language import Lang

_METHOD_LENGTH = 12
"""A shorter method ("top", "df -h") is shared by too many phenomena to tell them apart."""

_FEW = 32
"""So many wordings are compared each with each: up to there it is cheaper than putting their trigrams in order."""


class Family(NamedTuple):
    """One phenomenon in all its wordings."""

    cards: tuple[PhenomenonCard, ...]
    """Nearest to what was told first."""
    wordings: tuple[Wording, ...]
    """Their descriptions, prepared for comparison."""
    shown: dict[str, int]
    """cause_id → tickets of that cause that show it, at most (a ticket may use two wordings)."""
    ids: frozenset[str]

    @property
    def key(self) -> str:
        """The id of its first wording."""
        return self.cards[0].phenomenon_id

    @property
    def similarity(self) -> float:
        """How near it is to what the user told."""
        return self.cards[0].similarity

    @property
    def has_method(self) -> bool:
        """Whether the history knows how to observe it."""
        return any(card.observation_method.strip() for card in self.cards)

    @property
    def cause_count(self) -> int:
        """Causes of the whole history that show it, at least: its wordings may share some."""
        return max(len(self.shown), *[card.cause_count for card in self.cards])

    def with_causes(self, renamed: dict[str, str]) -> "Family":
        """The same family with some causes counted under another id."""
        if self.shown.keys().isdisjoint(renamed):
            return self
        shown: dict[str, int] = {}
        for cause, count in self.shown.items():
            shown[renamed.get(cause, cause)] = shown.get(renamed.get(cause, cause), 0) + count
        return self._replace(shown=shown)

    def reason(self, cause_id: str, lang: Lang) -> str:
        """Why it speaks for a cause, as a ticket says; empty when none does."""
        reasons = (card.why_relevant.get(cause_id, "") for card in (self.card(lang), *self.cards))
        return next((reason for reason in reasons if reason.strip()), "")

    def card(self, lang: Lang) -> PhenomenonCard:
        """The wording in a language, else the first one."""
        return next((card for card, one in zip(self.cards, self.wordings, strict=True) if one.language == lang), self.cards[0])

    def is_told_in(self, lang: Lang) -> bool:
        """Whether the history words it in a language."""
        return any(one.language == lang for one in self.wordings)


def families(evidence: TicketEvidence, profile: Profile) -> tuple[Family, ...]:
    """The phenomena of an evidence by family, in the evidence's order."""
    cards = evidence.phenomena
    wordings = [wording(card.description) for card in cards]
    group = list(range(len(cards)))

    def root(at: int) -> int:
        while group[at] != at:
            at = group[at]
        return at

    for one, other in (*_near_equal(wordings, profile.same_bar), *_translations(wordings, cards)):
        low, high = sorted((root(one), root(other)))
        group[high] = low
    members: defaultdict[int, list[int]] = defaultdict(list)
    for at in range(len(cards)):
        members[root(at)].append(at)
    return tuple(_family([cards[at] for at in found], [wordings[at] for at in found]) for _, found in sorted(members.items()))


def _family(cards: Sequence[PhenomenonCard], wordings: Sequence[Wording]) -> Family:
    if len(cards) == 1:
        return Family((cards[0],), (wordings[0],), cards[0].cause_tickets, frozenset((cards[0].phenomenon_id,)))
    shown: dict[str, int] = {}
    for card in cards:
        for cause, count in card.cause_tickets.items():
            shown[cause] = shown.get(cause, 0) + count
    return Family(tuple(cards), tuple(wordings), shown, frozenset(card.phenomenon_id for card in cards))


def _near_equal(wordings: Sequence[Wording], bar: float) -> list[tuple[int, int]]:
    """Pairs of wordings that say one thing. Two sets whose Jaccard reaches the bar share one of their rarest elements,
    more exactly of the first n − ⌈bar·n⌉ + 1 in a common order (prefix filter: Chaudhuri, Ganti and Kaushik, ICDE 2006),
    so of many only such pairs are compared; and of all only the ones that name the same things, or read the same."""
    alike: defaultdict[frozenset[str], list[int]] = defaultdict(list)
    equal: defaultdict[str, list[int]] = defaultdict(list)
    pairs: list[tuple[int, int]] = []
    for at, one in enumerate(wordings):
        alike[one.stems].append(at)
        pairs += [(before, at) for before in equal[one.plain]]
        equal[one.plain].append(at)
    for members in alike.values():
        pairs += combinations(members, 2) if len(members) <= _FEW else _near_equal_of(members, wordings, bar)
    return [(one, other) for one, other in pairs if wordings[one].is_same(wordings[other], bar)]


def _near_equal_of(members: Sequence[int], wordings: Sequence[Wording], bar: float) -> Iterator[tuple[int, int]]:
    often = Counter(gram for at in members for gram in wordings[at].grams)
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for at in members:
        rarest = sorted(wordings[at].grams, key=lambda gram: (often[gram], gram))
        prefix = rarest[: len(rarest) - math.ceil(bar * len(rarest)) + 1]
        near = {other for gram in prefix for other in holders[gram]}
        yield from ((other, at) for other in near)
        for gram in prefix:
            holders[gram].append(at)


def _translations(wordings: Sequence[Wording], cards: Sequence[PhenomenonCard]) -> list[tuple[int, int]]:
    """Pairs of one English and one Chinese wording of the same observation method.

    Where a method has several wordings in a language, the one that shares most names and figures is taken; none when
    two share equally many.
    """
    in_chinese = {at for at, one in enumerate(wordings) if one.language == "zh"}
    if len(in_chinese) in (0, len(cards)):
        return []
    methods: defaultdict[str, list[int]] = defaultdict(list)
    for at, card in enumerate(cards):
        method = normalised(card.observation_method)
        if len(method) >= _METHOD_LENGTH:
            methods[method].append(at)
    pairs: list[tuple[int, int]] = []
    for members in methods.values():
        if len(members) < 2:
            continue
        chinese = [at for at in members if at in in_chinese]
        english = [at for at in members if at not in in_chinese]
        holders: defaultdict[str, list[int]] = defaultdict(list)
        for other in english if chinese else ():
            for mark in wordings[other].marks:
                holders[mark].append(other)
        for at in chinese if english else ():
            shared = Counter(other for mark in wordings[at].marks for other in holders.get(mark, ()))
            if (other := _only_best(shared, english, wordings[at], wordings)) is not None:
                pairs.append((at, other))
    return pairs


def _only_best(shared: Counter[int], english: Sequence[int], one: Wording, wordings: Sequence[Wording]) -> int | None:
    """The wording that shares most and does not turn it round; None when there is none, or another that shares as much."""
    by_share: defaultdict[int, list[int]] = defaultdict(list)
    for other, share in shared.items():
        by_share[share].append(other)
    nothing_shared = (other for other in english if other not in shared)
    for others in (*(by_share[share] for share in sorted(by_share, reverse=True)), nothing_shared):
        first_two = list(islice((other for other in others if not one.turns(wordings[other])), 2))
        if first_two:
            return first_two[0] if len(first_two) == 1 else None
    return None
