"""Which phenomena separate the causes that compete for the votes.

A phenomenon's worth is the variance, between the causes and weighted by their votes, of the share of a cause's tickets
that show it: 0 when all show it alike, 1/4 when half of the votes are for causes that always show it and half for causes
that never do. Further phenomena of a turn count by what they add, for every answer to the previous ones.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.statements import Statement
from contracts.tickets import CauseCard
from workers.kinds.diagnose.rules.families import Family
from workers.kinds.diagnose.rules.profiles import OURS
from workers.kinds.diagnose.rules.rar.case import RarCase
from workers.kinds.diagnose.rules.rar.vote import SEEN, UNSEEN, Votes
from workers.kinds.diagnose.rules.wording import why_asked

LEAST_WORTH = 0.002
"""Variance below which a phenomenon is not worth asking."""
_NAMED = 2
"""Causes named on each side of a reason."""


@dataclass(frozen=True)
class Separating:
    """A phenomenon with P(confirmed) under each competing cause, in the order of the votes, `none of them` last."""

    family: Family
    chances: list[float]


def _shown(family: Family, case: RarCase, votes: Votes) -> dict[str, float]:
    """cause_id → the part of its candidates, by vote, that shows a phenomenon."""
    total: dict[str, float] = {}
    shown: dict[str, float] = {}
    for view in case.tickets:
        weight = votes.weights[view.ticket_id] + 1e-12
        total[view.cause_id] = total.get(view.cause_id, 0.0) + weight
        if not view.phenomenon_ids.isdisjoint(family.ids):
            shown[view.cause_id] = shown.get(view.cause_id, 0.0) + weight
    return {cause: shown.get(cause, 0.0) / whole for cause, whole in total.items()}


def _variance(chances: Sequence[float], weights: Sequence[float]) -> float:
    """Of the chances, under weights that need not sum to 1."""
    total = math.fsum(weights)
    if total <= 0:
        return 0.0
    mean = math.fsum(weight * chance for weight, chance in zip(weights, chances, strict=True)) / total
    return math.fsum(weight * (chance - mean) ** 2 for weight, chance in zip(weights, chances, strict=True)) / total


def separating(case: RarCase, votes: Votes, most: int = OURS.per_turn) -> tuple[Family, ...]:
    """The phenomena of the candidates that separate the competing causes best, best first; none that was asked or reported."""
    known = {fact.family.key for fact in case.known.facts if fact.strength >= 1.0}
    pool: list[Separating] = []
    for family in case.groups:
        shares = _shown(family, case, votes)
        if family.key in known or not any(shares.values()) or case.known.asked.covers(family, OURS.wording_bar):
            continue
        chances = [UNSEEN + (SEEN - UNSEEN) * shares[cause] for cause in votes.shares]
        pool.append(Separating(family, [*chances, UNSEEN]))
    branches = [[*votes.shares.values(), votes.none]]
    chosen: list[Family] = []
    while pool and len(chosen) < most:
        worth = {candidate.family.key: math.fsum(math.fsum(b) * _variance(candidate.chances, b) for b in branches) for candidate in pool}
        best = max(pool, key=lambda candidate: (worth[candidate.family.key], candidate.family.similarity, candidate.family.key))
        if worth[best.family.key] < LEAST_WORTH:
            break
        chosen.append(best.family)
        pool.remove(best)
        branches = [split for branch in branches for split in _split(branch, best.chances)]
    return tuple(chosen)


def _split(branch: Sequence[float], chances: Sequence[float]) -> tuple[list[float], list[float]]:
    """The weights after a yes and after a no."""
    yes = [weight * chance for weight, chance in zip(branch, chances, strict=True)]
    return yes, [weight - part for weight, part in zip(branch, yes, strict=True)]


def why_separates(family: Family, case: RarCase, votes: Votes) -> Statement:
    """For which of the competing causes a yes would speak, and for which a no."""
    causes = {cause.cause_id: cause for cause in case.evidence.causes}
    speaks_for: list[tuple[CauseCard, int]] = []
    speaks_against: list[CauseCard] = []
    for cause in votes.shares:
        shown = min(int(family.shown.get(cause, 0)), causes[cause].ticket_count)
        if shown:
            speaks_for.append((causes[cause], shown))
        else:
            speaks_against.append(causes[cause])
    reason = family.reason(speaks_for[0][0].cause_id, case.lang) if speaks_for else ""
    return why_asked(speaks_for[:_NAMED], speaks_against[:_NAMED], reason)
