"""Several rankings made into one."""

from collections.abc import Iterable, Sequence

Ranking = Sequence[tuple[str, float]]
"""Ids with their scores, best first."""

NOTHING: Ranking = ()

_K = 60
"""Places by which a ranking's first ones are damped. 60 is what Cormack, Clarke and Büttcher found; see `tests.bench.retrieval`."""


def ranks(ranking: Ranking) -> dict[str, int]:
    """The place of each id, from 1. Equal scores share a place, so that equal texts stay equal."""
    places: dict[str, int] = {}
    place, last = 0, None
    for position, (found, score) in enumerate(ranking, start=1):
        rounded = round(score, 6)
        if rounded != last:
            place, last = position, rounded
        places[found] = place
    return places


def fuse(*rankings: tuple[float, Ranking], k: int = _K) -> dict[str, float]:
    """Weighted reciprocal rank fusion (Cormack, Clarke and Büttcher 2009), scaled so that 1 is first in every ranking.

    A weak ranking spoils a good one when both weigh the same, so each corpus has weights of its own, which were measured.
    """
    scores: dict[str, float] = {}
    for weight, ranking in rankings:
        for found, place in ranks(ranking).items():
            scores[found] = scores.get(found, 0.0) + weight / (k + place)
    best = sum(weight for weight, _ in rankings) / (k + 1)
    return {found: round(score / best, 6) for found, score in scores.items() if score > 0}


def with_lead(fused: dict[str, float], lead: Ranking, place: int) -> dict[str, float]:
    """The scores, with the first of a ranking at this place (from 1) at the latest. Where the other ranking puts it far behind, because
    the text says in other words what it means, the sum of both would bury it."""
    order = best_first(fused.items())
    first = lead[0][0] if lead else None
    if first is None or first not in fused or order.index(first) < place:
        return fused
    above = fused[order[place - 2]] if place > 1 else 1.0
    return {**fused, first: round((above + fused[order[place - 1]]) / 2, 6)}


def best_first(scores: Iterable[tuple[str, float]]) -> list[str]:
    """The ids by falling score, ties by id."""
    return [found for found, _ in sorted(scores, key=lambda hit: (-hit[1], hit[0]))]
