"""What the history says in several ways: phenomena that may be one, and causes that are one.

A phenomenon counts as another one in other words by degrees: the likeness is the mean of the cosine and the overlap of rare words, and
two that contradict each other are not alike. Two tickets of one cause mostly tell the same observations, so that between them much less
likeness is enough.

Causes are merged outright, so more is asked of them. In two languages each has to be the other's nearest: by the texts alone where they are
near and clearly nearer than the next cause, else with phenomena in common. In one language all that the shorter one names is in the longer
one, or the two are each other's nearest by far.
"""

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache
from itertools import combinations, islice
from typing import TYPE_CHECKING

from contracts.tickets import CauseCard, PhenomenonCard, TicketCard
from workers.engines.language import Lang, language_of
from workers.errors import EngineError
from workers.llm.embedder import Embedder
from workers.retrieval.tokens import tokens
from workers.tickets.contradiction import contradict, name_other_things

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

ALIKE_FROM = 0.45
"""Likeness from which two phenomena may be one: 1 % of different ones are above it."""
_MOST_ALIKE = 8
_MOST_TICKETS = 8
"""Tickets of a cause, the nearest first, whose phenomena are compared with each other."""
ALIKE_IN_CAUSE_FROM = 0.20
"""Likeness from which phenomena of two tickets of one cause are one. Of 93 such pairs over eleven systems 77 were one observation; in one
ticket, or between tickets of different causes, hardly any was."""
PERHAPS_IN_CAUSE_FROM = 0.10
"""The same for phenomena that may be one, also where each names particulars of its own: of the pairs that are left when those are taken
out, the nearest first, 28 of 48 were one observation, and none of 9 below."""
_CAUSE_CHARACTERS = 400
"""Beginning of a cause's text that is compared: what follows are details of the case."""
_NEAR_TRANSLATION = 0.28
"""Cosine of two causes in two languages from which the nearest one may be a translation, if their tickets look alike too. By itself a
cosine does not tell: of two causes of one history ("archiving fails, WAL is kept", "an unused slot keeps WAL") it is as high as 0.6."""
_IN_COMMON = 0.3
"""Share of the phenomena of the cause with fewer that the other one shows, in the same or in other words."""
_COMMON_FROM = 0.45
"""Likeness from which a phenomenon counts as in common."""
_LEAD = 0.04
"""How much nearer a translation is than the next cause."""
_SURE_TRANSLATION = 0.45
_SURE_LEAD = 0.12
"""Cosine and lead from which the texts alone decide: 0.99 and 0.98 of such pairs were right on two histories in which two thirds of the
causes had no translation; chosen on the first."""
_NEAR_REWORDING = 0.4
_SURE_REWORDING = 0.55
"""Cosine from which two texts in one language that are each other's nearest are one cause: 10 of 10 were, of 20 from 0.45 on 17."""
_REWORDING_LEAD = 0.08
_CONTAINED = 0.8
"""Share of the shorter cause's words in the longer one, in one language."""
_LINE: dict[Lang, int] = {"zh": 60, "en": 160}
"""Characters up to which a cause's text is one statement. The cosines above were counted on such lines; of longer ones that are each
other's nearest, the tickets have to look alike too."""
_CLAUSE: dict[Lang, int] = {"zh": 10, "en": 24}
"""Characters in a row, white space put aside, that two texts hold word for word, from which they share a clause. Who tells a cause in other
words keeps none (of 32 pairs of English wordings of one cause the longest common part has 17), and two causes that share one ("... writes
it to the log and exits by a panic") differ in the rest. A Chinese character says about as much as two or three letters."""


def alike_phenomena(cards: Sequence[PhenomenonCard], likeness: "NDArray[float64]") -> list[PhenomenonCard]:
    """The cards with the others that each may be, the nearest first. `likeness`: of each to each, in the order of the cards."""

    @cache
    def differ(left: int, right: int) -> bool:
        return contradict(cards[left].description, cards[right].description)

    kept: list[dict[str, float]] = []
    for own, others in enumerate(_nearest_first(cards, likeness)):
        agreeing = (other for other in others if not differ(min(own, other), max(own, other)))
        nearest = islice(agreeing, _MOST_ALIKE)  # reading two texts for what they contradict takes long: of no more than are kept
        kept.append({cards[other].phenomenon_id: _as_share(likeness[own, other]) for other in nearest})
    return [card.model_copy(update={"alike": found}) if found else card for card, found in zip(cards, kept, strict=True)]


def _nearest_first(cards: Sequence[PhenomenonCard], likeness: "NDArray[float64]") -> list[list[int]]:
    """For each card the others that are alike enough, the nearest first, equally near ones by id."""
    import numpy as np

    if not cards:
        return []
    by_id = np.argsort(np.argsort([card.phenomenon_id for card in cards]))
    order = np.lexsort((np.broadcast_to(by_id, likeness.shape), -likeness.clip(max=1.0).round(3)))
    near = np.take_along_axis(likeness >= ALIKE_FROM, order, axis=1)
    return [
        [other for other in found[enough].tolist() if other != own] for own, (found, enough) in enumerate(zip(order, near, strict=True))
    ]


def _as_share(likeness: "float64") -> float:
    return round(min(float(likeness), 1.0), 3)


def alike_in_causes(
    cards: Sequence[PhenomenonCard], likeness: "NDArray[float64]", tickets: Sequence[TicketCard], same: Sequence[tuple[str, str]]
) -> list[PhenomenonCard]:
    """The cards with the pairs, besides, that two tickets of one cause tell in other words, or may tell so. `same`: pairs of causes that
    are one."""
    places = {card.phenomenon_id: place for place, card in enumerate(cards)}
    described: dict[int, dict[str, float]] = {}
    perhaps: dict[int, dict[str, float]] = {}
    for left, right in _of_one_cause(tickets, same):
        mine, theirs = ([places[each] for each in ticket.phenomenon_ids if each in places] for ticket in (left, right))
        for own, other in _paired(mine, theirs, likeness):
            value = _as_share(likeness[own, other])
            is_described = value >= ALIKE_IN_CAUSE_FROM and not contradict(cards[own].description, cards[other].description)
            found = described if is_described else perhaps
            found.setdefault(own, {})[cards[other].phenomenon_id] = value
            found.setdefault(other, {})[cards[own].phenomenon_id] = value
    return [
        card.model_copy(update={"reworded": described.get(place, {}), "perhaps": perhaps.get(place, {})})
        if place in described or place in perhaps
        else card
        for place, card in enumerate(cards)
    ]


def _of_one_cause(tickets: Sequence[TicketCard], same: Sequence[tuple[str, str]]) -> Iterator[tuple[TicketCard, TicketCard]]:
    """Every two tickets whose causes are one."""
    kept: dict[str, str] = {}
    for cause, other in same:
        first, second = kept.get(cause, cause), kept.get(other, other)
        kept |= dict.fromkeys((cause, other, *(each for each, now in kept.items() if now == second)), first)
    held: dict[str, list[TicketCard]] = {}
    for ticket in tickets:
        held.setdefault(kept.get(ticket.cause_id, ticket.cause_id), []).append(ticket)
    for own in held.values():
        yield from combinations(own[:_MOST_TICKETS], 2)


def _paired(mine: Sequence[int], theirs: Sequence[int], likeness: "NDArray[float64]") -> Iterator[tuple[int, int]]:
    """The phenomena of two tickets in pairs, the nearest first, each in one. What both have is such a pair already."""
    left, right = {each for each in mine if each not in theirs}, {each for each in theirs if each not in mine}
    near = [(float(likeness[own, other]), own, other) for own in left for other in right]
    for like, own, other in sorted(near, key=lambda pair: (-pair[0], pair[1:])):
        if like >= PERHAPS_IN_CAUSE_FROM and own in left and other in right:
            left.remove(own)
            right.remove(other)
            yield own, other


def compare_causes(
    embedder: Embedder | None,
    description: str,
    causes: Sequence[CauseCard],
    tickets: Sequence[TicketCard],
    phenomena: Sequence[PhenomenonCard] = (),
) -> tuple[tuple[CauseCard, ...], tuple[tuple[str, str], ...]]:
    """The causes with how near each is to the description, and pairs that are one cause. Without a model neither is known.
    May call a server."""
    if embedder is None or not causes or not embedder.trust(description):
        return tuple(causes), ()
    try:
        vectors = embedder.embed([description, *(cause.description[:_CAUSE_CHARACTERS] for cause in causes)], "query").astype("float64")
    except EngineError:
        return tuple(causes), ()
    near = (vectors[1:] @ vectors[0]).clip(-1, 1).round(4).tolist()
    cards = tuple(cause.model_copy(update={"similarity": value}) for cause, value in zip(causes, near, strict=True))
    pairs = _same(cards, vectors[1:] @ vectors[1:].T, _systems(tickets))
    return cards, tuple((each, other) for each, other, sure in pairs if sure or _look_alike(each, other, phenomena))


def _look_alike(cause: str, other: str, phenomena: Sequence[PhenomenonCard]) -> bool:
    """Whether two causes show mostly the same."""
    own = {card.phenomenon_id: card for card in phenomena if cause in card.cause_tickets}
    theirs = {card.phenomenon_id: card for card in phenomena if other in card.cause_tickets}
    fewer, more = sorted((own, theirs), key=len)
    common = sum(
        key in more or any(like >= _COMMON_FROM and found in more for found, like in card.alike.items()) for key, card in fewer.items()
    )
    return bool(fewer) and common >= _IN_COMMON * len(fewer)


def _systems(tickets: Sequence[TicketCard]) -> dict[str, set[str]]:
    """cause_id → the systems that its tickets name first."""
    found: dict[str, set[str]] = {}
    for ticket in tickets:
        if ticket.systems:
            found.setdefault(ticket.cause_id, set()).add(ticket.systems[0].casefold())
    return found


def _same(causes: Sequence[CauseCard], cosines: "NDArray[float64]", systems: dict[str, set[str]]) -> tuple[tuple[str, str, bool], ...]:
    """Pairs that may be one cause, and whether the texts alone say so."""
    texts = _Texts(causes, cosines, systems)
    reworded = [(left, right) for left, right in combinations(range(len(causes)), 2) if texts.reword(left, right)]
    pairs = [(left, right, texts.hold(left, right) or texts.are_lines(left, right)) for left, right in reworded]
    near = [texts.translation(at, reworded) for at in range(len(causes))]
    for left, found in enumerate(near):
        if found is not None and left < found[0] and (back := near[found[0]]) is not None and back[0] == left:
            pairs.append((left, found[0], found[1] and back[1]))
    return tuple((causes[left].cause_id, causes[right].cause_id, sure) for left, right, sure in pairs)


class _Texts:
    """What the texts of causes say of which are one."""

    def __init__(self, causes: Sequence[CauseCard], cosines: "NDArray[float64]", systems: dict[str, set[str]]) -> None:
        self._causes = causes
        self._cosines = cosines
        self._systems = [systems.get(cause.cause_id, set[str]()) for cause in causes]
        self._languages: list[Lang] = [language_of(cause.description) for cause in causes]
        self._words = [frozenset(word[:5] for word in tokens(cause.description[:_CAUSE_CHARACTERS])) for cause in causes]
        self._own = [self._ranked(at, lambda other, at=at: self._languages[other] == self._languages[at]) for at in range(len(causes))]

    def _may(self, left: int, right: int) -> bool:
        mine, theirs = self._systems[left], self._systems[right]
        return not (mine and theirs and mine.isdisjoint(theirs))

    def _ranked(self, at: int, fits: Callable[[int], bool]) -> list[int]:
        others = [other for other in range(len(self._causes)) if other != at and fits(other) and self._may(at, other)]
        return sorted(others, key=lambda other: -self._cosines[at, other])

    def _lead(self, at: int, ranked: Sequence[int]) -> float:
        """How much nearer the first is than the second; without a second, how near it is."""
        first = float(self._cosines[at, ranked[0]])
        return first - float(self._cosines[at, ranked[1]]) if len(ranked) > 1 else first

    def reword(self, left: int, right: int) -> bool:
        """Whether two texts in one language say the same cause."""
        if self._languages[left] != self._languages[right] or not self._may(left, right):
            return False
        if name_other_things(self._causes[left].description, self._causes[right].description):
            return False
        if self.hold(left, right):
            return True
        each_nearest = self._own[left][:1] == [right] and self._own[right][:1] == [left]
        leads = each_nearest and all(self._lead(at, self._own[at]) >= _REWORDING_LEAD for at in (left, right))
        return leads and bool(self._cosines[left, right] >= _SURE_REWORDING) and not self._share_a_clause(left, right)

    def hold(self, left: int, right: int) -> bool:
        """Whether the longer text says what the shorter one says, and more."""
        short, long = sorted((self._words[left], self._words[right]), key=len)
        held = len(short) > 1 and len(short & long) >= _CONTAINED * len(short)
        return held and bool(self._cosines[left, right] >= _NEAR_REWORDING)

    def are_lines(self, left: int, right: int) -> bool:
        """Whether both texts are short enough for their cosine to tell what they state. That of paragraphs tells what they are about."""
        return all(len(self._causes[at].description) <= _LINE[self._languages[at]] for at in (left, right))

    def _share_a_clause(self, left: int, right: int) -> bool:
        """Whether a part of both texts is the same, word for word."""
        mine, theirs = ("".join(self._causes[at].description[:_CAUSE_CHARACTERS].casefold().split()) for at in (left, right))
        found = SequenceMatcher(None, mine, theirs, autojunk=False).find_longest_match()
        return found.size >= _CLAUSE[self._languages[left]]

    def translation(self, at: int, reworded: Sequence[tuple[int, int]]) -> tuple[int, bool] | None:
        """The nearest cause in the other language, if it leads, and whether by far. Other wordings of that one are no rivals of it."""
        ranked = self._ranked(at, lambda other: self._languages[other] != self._languages[at])
        if not ranked or self._cosines[at, ranked[0]] < _NEAR_TRANSLATION:
            return None
        ranked = [other for other in ranked if other == ranked[0] or tuple(sorted((other, ranked[0]))) not in reworded]
        lead = self._lead(at, ranked)
        sure = bool(self._cosines[at, ranked[0]] >= _SURE_TRANSLATION) and lead >= _SURE_LEAD
        return (ranked[0], sure) if lead >= _LEAD else None
