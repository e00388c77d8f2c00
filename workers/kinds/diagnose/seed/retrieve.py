"""The phenomena nearest to the problem: half by likeness, the rest by novelty and keywords."""

from collections.abc import Collection, Sequence

from contracts.tickets import PhenomenonCard

VECTOR_CANDIDATES = 50
"""Phenomena, likest first, that are scored at all."""
TOP_K = 20
"""Phenomena that a turn works with."""

_COSINE = 0.5
_NOVEL = 0.3
"""The novelty of a phenomenon that was not excluded."""
_KNOWN = 0.1
"""The novelty of a phenomenon that was excluded."""
_KEYWORDS = 0.2
"""Weight of the share of keywords found; given in full when there are no keywords."""


def score(card: PhenomenonCard, keywords: Sequence[str], excluded: Collection[str]) -> float:
    """0.5·cosine + 0.3 (0.1 for an excluded id) + 0.2·share of the keywords in its text or method, case put aside."""
    novelty = _KNOWN if card.phenomenon_id in excluded else _NOVEL
    share = len(_found(card, keywords)) / len(keywords) if keywords else 1.0
    return round(_COSINE * card.similarity + novelty + _KEYWORDS * share, 9)


def retrieve(
    cards: Sequence[PhenomenonCard], keywords: Sequence[str] = (), excluded: Collection[str] = frozenset()
) -> tuple[PhenomenonCard, ...]:
    """The best phenomena by `score`, ties in the order of the evidence. Keywords given, only cards with one of them.

    The diagnosis passes neither keywords nor exclusions, as in the earlier design: its hypotheses use only the first problem text, so
    they do not change while answers arrive. There is one difference: the likeness of our cards also includes what the user has
    reported since then.
    """
    likest = sorted(cards, key=lambda card: -card.similarity)[:VECTOR_CANDIDATES]
    kept = [card for card in likest if not keywords or _found(card, keywords)]
    return tuple(sorted(kept, key=lambda card: -score(card, keywords, excluded))[:TOP_K])


def _found(card: PhenomenonCard, keywords: Sequence[str]) -> list[str]:
    text = f"{card.description} {card.observation_method}".lower()
    return [word for word in keywords if word.lower() in text]
