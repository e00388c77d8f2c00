"""What the answer to a question would tell about the cause: mutual information, in nats."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import mul

from contracts.tickets import CauseCard
from workers.kinds.diagnose.rules.families import Family
from workers.kinds.diagnose.rules.posterior import Likelihood


@dataclass(frozen=True, slots=True, eq=False)
class Prospect:
    """The answer to one question, foreseen: as that of a phenomenon of its rate which no cause shows, but for a few causes.
    Phenomena that the same causes show as often, and many do, have one and the same."""

    rate: float
    shown: tuple[tuple[int, float, float], ...]
    """The causes that show it: place, P(confirmed | cause), H(answer | cause)"""


@dataclass(frozen=True, slots=True)
class _Base:
    """What each cause, and `none of them` at the end, adds to the gain of a phenomenon that no cause shows."""

    answers: list[float]
    """P(c)·P(confirmed | c)"""
    noises: list[float]
    """P(c)·H(answer | c)"""


class Prospects:
    """The answers to many questions under the same causes. Most phenomena are shown by few causes, many of them by the same
    ones, and many are equally frequent: what they have in common is worked out once."""

    def __init__(self, likelihood: Likelihood, causes: Sequence[CauseCard]) -> None:
        self._likelihood = likelihood
        self._causes = causes
        self._rates: dict[int, float] = {}
        self._known: dict[tuple[object, ...], Prospect | None] = {}

    def of(self, family: Family) -> Prospect | None:
        """The answer to a phenomenon; None: no cause shows it."""
        count = family.cause_count
        if (rate := self._rates.get(count)) is None:
            rate = self._rates[count] = self._likelihood.rate(family)
        key = (rate, *family.shown.items())
        if key not in self._known:
            shown = self._likelihood.shown(family, rate, self._causes)
            parts = tuple([(at, chance, _noise(chance)) for at, chance in shown])
            self._known[key] = Prospect(rate, parts) if parts else None
        return self._known[key]

    def weigh(self, weights: Sequence[float]) -> "Weighing":
        """`weights`: one for each cause, and that of `none of them` at the end; they sum to 1."""
        return Weighing(self, weights)

    def absent(self, rate: float) -> list[float]:
        """P(confirmed | cause) of a phenomenon with this rate that no cause shows: not to be changed."""
        return self._likelihood.absent(rate, self._causes)

    def entropies(self, chances: Sequence[float]) -> list[float]:
        """H(answer | cause) for these."""
        return list(map(_noise, chances))


class Weighing:
    """What questions tell under one belief about the causes."""

    def __init__(self, prospects: Prospects, weights: Sequence[float]) -> None:
        self._prospects = prospects
        self._weights = weights
        self._bases: dict[float, _Base] = {}
        self._gains: dict[Prospect, float] = {}

    def gain(self, prospect: Prospect) -> float:
        """I(answer; cause) = H(answer) − Σ P(c)·H(answer | c)."""
        if prospect not in self._gains:
            self._gains[prospect] = self._gain(prospect)
        return self._gains[prospect]

    def _gain(self, prospect: Prospect) -> float:
        base = self._bases.get(prospect.rate) or self._base(prospect.rate)
        answers, noises = base.answers.copy(), base.noises.copy()
        for at, chance, entropy in prospect.shown:
            weight = self._weights[at]
            answers[at], noises[at] = weight * chance, weight * entropy
        return max(_entropy(math.fsum(answers)) - math.fsum(noises), 0.0)

    def after(self, prospect: Prospect) -> tuple[float, list[float], list[float]]:
        """P(confirmed), and the weights after a yes and after a no."""
        chances = self._prospects.absent(prospect.rate).copy()
        for at, chance, _ in prospect.shown:
            chances[at] = chance
        yes = list(map(mul, self._weights, chances))
        total = math.fsum(yes)
        no = [max(weight - part, 0.0) for weight, part in zip(self._weights, yes, strict=True)]
        rest = math.fsum(no)
        return total, [part / total for part in yes], [part / rest for part in no]

    def _base(self, rate: float) -> _Base:
        chances = self._prospects.absent(rate)
        entropies = self._prospects.entropies(chances)
        self._bases[rate] = base = _Base(list(map(mul, self._weights, chances)), list(map(mul, self._weights, entropies)))
        return base


def _entropy(chance: float) -> float:
    """Entropy of a yes-or-no answer, in nats."""
    if chance <= 0.0 or chance >= 1.0:
        return 0.0
    return -chance * math.log(chance) - (1.0 - chance) * math.log(1.0 - chance)


_noise = lru_cache(8_192)(_entropy)
"""The same, worked out once: few chances occur, in many phenomena and under most causes, turn after turn. At most 2 MB."""
