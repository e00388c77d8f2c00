"""What the answer to a question would tell about the cause: mutual information, in nats."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul

from contracts.diagnosis import CauseCard
from workers.engines.diagnosis.families import Family
from workers.engines.diagnosis.posterior import Likelihood


@dataclass(frozen=True, slots=True)
class Prospect:
    """The answer to one question, foreseen. Each list has one place for each cause, and one for `none of them` at the end."""

    chances: list[float]
    """P(confirmed | cause)"""
    entropies: list[float]
    """H(answer | cause)"""

    def gain(self, weights: Sequence[float]) -> float:
        """I(answer; cause) = H(answer) − Σ P(c)·H(answer | c), for weights that sum to 1."""
        return _gain(list(map(mul, weights, self.chances)), list(map(mul, weights, self.entropies)))

    def after(self, weights: Sequence[float]) -> tuple[float, list[float], list[float]]:
        """P(confirmed), and the weights after a yes and after a no."""
        yes = list(map(mul, weights, self.chances))
        total = math.fsum(yes)
        no = [max(weight - part, 0.0) for weight, part in zip(weights, yes, strict=True)]
        rest = math.fsum(no)
        return total, [part / total for part in yes], [part / rest for part in no]


@dataclass(frozen=True, slots=True)
class _Base:
    """The prospect of a phenomenon that no cause shows, and what each cause adds to its gain."""

    chances: list[float]
    entropies: list[float]
    answers: list[float]
    noises: list[float]


class Prospects:
    """The answers to many questions under the same causes with the same weights. Most phenomena are shown by few causes, and
    many are equally frequent: what is the same under the other causes is worked out once for each frequency."""

    def __init__(self, likelihood: Likelihood, causes: Sequence[CauseCard], weights: Sequence[float]) -> None:
        """`weights`: one for each cause, and that of `none of them` at the end; they sum to 1."""
        self._likelihood = likelihood
        self._causes = causes
        self._weights = weights
        self._entropies = _Entropies()
        self._bases: dict[float, _Base] = {}

    def of(self, family: Family) -> tuple[Prospect, float] | None:
        """The answer to a phenomenon and its gain; None: no cause shows it."""
        rate = self._likelihood.rate(family)
        shown = self._likelihood.shown(family, rate, self._causes)
        if not shown:
            return None
        base = self._bases.get(rate) or self._base(rate)
        chances, entropies = base.chances.copy(), base.entropies.copy()
        answers, noises = base.answers.copy(), base.noises.copy()
        for at, chance in shown:
            chances[at], entropies[at] = chance, self._entropies[chance]
            answers[at], noises[at] = self._weights[at] * chance, self._weights[at] * entropies[at]
        return Prospect(chances, entropies), _gain(answers, noises)

    def _base(self, rate: float) -> _Base:
        chances = self._likelihood.absent(rate, self._causes)
        entropies = [self._entropies[chance] for chance in chances]
        base = _Base(chances, entropies, list(map(mul, self._weights, chances)), list(map(mul, self._weights, entropies)))
        self._bases[rate] = base
        return base


class _Entropies(dict[float, float]):
    """Chance → entropy, worked out once: few chances occur, in many phenomena and under most causes."""

    def __missing__(self, chance: float) -> float:
        self[chance] = entropy = _entropy(chance)
        return entropy


def _gain(answers: list[float], noises: list[float]) -> float:
    """From P(c)·P(confirmed | c) and P(c)·H(answer | c), cause by cause."""
    return max(_entropy(math.fsum(answers)) - math.fsum(noises), 0.0)


def _entropy(chance: float) -> float:
    """Entropy of a yes-or-no answer, in nats."""
    if chance <= 0.0 or chance >= 1.0:
        return 0.0
    return -chance * math.log(chance) - (1.0 - chance) * math.log(1.0 - chance)
