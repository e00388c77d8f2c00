"""What the history says in several ways: phenomena that may be one, and causes that are one.

A phenomenon counts as another one in other words by degrees: the likeness is the mean of the cosine and the overlap of rare words, and
two that contradict each other are not alike. Causes are merged outright, so more is asked of them: two languages, each the other's
nearest, with half of their phenomena in common; or one language, and all that the shorter one names is in the longer one.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from contracts.tickets import CauseCard, PhenomenonCard, TicketCard
from workers.engines.language import language_of
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
_NEAR_REWORDING = 0.4
_CONTAINED = 0.8
"""Share of the shorter cause's words in the longer one, in one language."""


def alike_phenomena(cards: Sequence[PhenomenonCard], likeness: "NDArray[float64]") -> list[PhenomenonCard]:
    """The cards with the others that each may be. `likeness`: of each to each, in the order of the cards."""
    near: list[dict[str, float]] = [{} for _ in cards]
    rows, columns = (likeness >= ALIKE_FROM).nonzero()
    for left, right in zip(rows.tolist(), columns.tolist(), strict=True):
        if left < right and not contradict(cards[left].description, cards[right].description):
            value = round(min(float(likeness[left, right]), 1.0), 3)
            near[left][cards[right].phenomenon_id] = value
            near[right][cards[left].phenomenon_id] = value
    kept = [dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST_ALIKE]) for found in near]
    return [card.model_copy(update={"alike": found}) if found else card for card, found in zip(cards, kept, strict=True)]


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
    languages = {cause.cause_id: language_of(cause.description) for cause in causes}
    return cards, tuple(
        (each, other) for each, other in pairs if languages[each] == languages[other] or _look_alike(each, other, phenomena)
    )


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


def _same(causes: Sequence[CauseCard], cosines: "NDArray[float64]", systems: dict[str, set[str]]) -> tuple[tuple[str, str], ...]:
    languages = [language_of(cause.description) for cause in causes]
    words = [frozenset(word[:5] for word in tokens(cause.description[:_CAUSE_CHARACTERS])) for cause in causes]

    def may(left: int, right: int) -> bool:
        mine, theirs = (systems.get(causes[at].cause_id, set[str]()) for at in (left, right))
        return not (mine and theirs and mine.isdisjoint(theirs))

    def best(at: int) -> int | None:
        """The nearest cause in the other language, if it leads."""
        others = [other for other in range(len(causes)) if languages[other] != languages[at] and may(at, other)]
        ranked = sorted(others, key=lambda other: -cosines[at, other])
        if not ranked or cosines[at, ranked[0]] < _NEAR_TRANSLATION:
            return None
        return ranked[0] if len(ranked) < 2 or cosines[at, ranked[0]] - cosines[at, ranked[1]] >= _LEAD else None

    nearest = [best(at) for at in range(len(causes))]
    pairs: list[tuple[str, str]] = []
    for left, right in combinations(range(len(causes)), 2):
        if languages[left] != languages[right]:
            same = nearest[left] == right and nearest[right] == left
        else:
            short, long = sorted((words[left], words[right]), key=len)
            same = (
                len(short) > 1
                and cosines[left, right] >= _NEAR_REWORDING
                and len(short & long) >= _CONTAINED * len(short)
                and may(left, right)
                and not name_other_things(causes[left].description, causes[right].description)
            )
        if same:
            pairs.append((causes[left].cause_id, causes[right].cause_id))
    return tuple(pairs)
