"""Whether a confidence of 0.8 is right eight times in ten: Brier score, and the expected calibration error.

Brier 1950 for the score; equal-mass bins as Naeini, Cooper and Hauskrecht 2015 and Roelofs et al. 2022 advise, for bins of
equal width are empty where nobody is that unsure; the interval by percentile bootstrap (Efron 1979).
"""

import random
from collections.abc import Callable, Sequence

from contracts.base import Contract

Outcomes = Sequence[tuple[float, bool]]
"""Confidence, and whether the answer was right."""

_BINS = 10
_RESAMPLES = 1000


class Calibration(Contract):
    """How far confidence and accuracy are apart."""

    cases: int
    brier: float
    """Mean squared difference of confidence and outcome: 0 is perfect, 0.25 is what always saying 0.5 gets."""
    ece: float
    """Expected calibration error: the mean gap between confidence and accuracy over bins of equal mass."""
    ece_low: float
    ece_high: float
    """95 % interval of the error, by bootstrap over the cases."""


def calibrate(outcomes: Outcomes, *, seed: int = 1) -> Calibration | None:
    """Brier score and calibration error; None without cases."""
    if not outcomes:
        return None
    low, high = _interval(outcomes, expected_error, seed)
    return Calibration(
        cases=len(outcomes), brier=round(brier(outcomes), 4), ece=round(expected_error(outcomes), 4), ece_low=low, ece_high=high
    )


def brier(outcomes: Outcomes) -> float:
    """Mean squared difference of confidence and outcome."""
    return sum((confidence - right) ** 2 for confidence, right in outcomes) / len(outcomes)


def expected_error(outcomes: Outcomes) -> float:
    """The mean gap over ten bins that hold equally many cases, fewer when there are fewer than ten cases."""
    ordered = sorted(outcomes)
    bins = min(_BINS, len(ordered))
    error = 0.0
    for number in range(bins):
        members = ordered[number * len(ordered) // bins : (number + 1) * len(ordered) // bins]
        gap = sum(confidence for confidence, _ in members) - sum(right for _, right in members)
        error += abs(gap)
    return error / len(ordered)


def _interval(outcomes: Outcomes, figure: Callable[[Outcomes], float], seed: int) -> tuple[float, float]:
    chance = random.Random(seed)
    drawn = sorted(figure(chance.choices(outcomes, k=len(outcomes))) for _ in range(_RESAMPLES))
    return round(drawn[int(0.025 * _RESAMPLES)], 4), round(drawn[int(0.975 * _RESAMPLES) - 1], 4)
