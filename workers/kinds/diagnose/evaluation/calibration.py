"""Whether a confidence of 0.8 is right eight times in ten: Brier score, and the expected calibration error.

Brier 1950 for the score; equal-mass bins as Naeini, Cooper and Hauskrecht 2015 and Roelofs et al. 2022 advise, for bins of
equal width are empty where nobody is that unsure; the interval by percentile bootstrap (Efron 1979).
"""

import random
from collections import defaultdict
from collections.abc import Hashable, Sequence

from contracts.base import Contract

Outcomes = Sequence[tuple[float, bool]]
"""Confidence, and whether the answer was right."""

_BINS = 10
_RESAMPLES = 1000


class Calibration(Contract):
    """How much confidence and accuracy differ."""

    cases: int
    brier: float
    """Mean squared difference of confidence and outcome: 0 is perfect, 0.25 is what always saying 0.5 gets."""
    ece: float
    """Expected calibration error: the mean gap between confidence and accuracy over bins of equal mass."""
    ece_low: float
    ece_high: float
    """95 % interval of the error, by bootstrap over the cases. A resample is further off than the sample it is drawn from,
    so the interval is widened to hold `ece` where it does not."""


def calibrate(outcomes: Outcomes, *, cases: Sequence[Hashable] | None = None, seed: int = 1) -> Calibration | None:
    """Brier score and calibration error; None without outcomes. `cases`: which case each outcome is of, where a case was
    played several times; the bootstrap draws cases, for the plays of one say little more than one of them."""
    if not outcomes:
        return None
    plays: defaultdict[Hashable, list[tuple[float, bool]]] = defaultdict(list)
    for case, outcome in zip(range(len(outcomes)) if cases is None else cases, outcomes, strict=True):
        plays[case].append(outcome)
    error = expected_error(outcomes)
    low, high = _interval(list(plays.values()), seed)
    return Calibration(
        cases=len(plays),
        brier=round(brier(outcomes), 4),
        ece=round(error, 4),
        ece_low=round(min(low, error), 4),
        ece_high=round(max(high, error), 4),
    )


def brier(outcomes: Outcomes) -> float:
    """Mean squared difference of confidence and outcome."""
    return sum((confidence - right) ** 2 for confidence, right in outcomes) / len(outcomes)


def expected_error(outcomes: Outcomes) -> float:
    """The mean gap over ten bins that hold equally many cases, fewer when there are fewer than ten cases.

    Equal confidences count as equally right, each by the share of them that was: else the order of the sort would put the
    wrong ones into one bin and the right ones into the next.
    """
    rights: defaultdict[float, list[bool]] = defaultdict(list)
    for confidence, right in outcomes:
        rights[confidence].append(right)
    ordered = [(confidence, sum(rights[confidence]) / len(rights[confidence])) for confidence in sorted(c for c, _ in outcomes)]
    bins = min(_BINS, len(ordered))
    error = 0.0
    for number in range(bins):
        members = ordered[number * len(ordered) // bins : (number + 1) * len(ordered) // bins]
        gap = sum(confidence for confidence, _ in members) - sum(right for _, right in members)
        error += abs(gap)
    return error / len(ordered)


def _interval(plays: Sequence[Outcomes], seed: int) -> tuple[float, float]:
    chance = random.Random(seed)
    drawn: list[float] = []
    for _ in range(_RESAMPLES):
        chosen = chance.choices(plays, k=len(plays))
        drawn.append(expected_error([outcome for case in chosen for outcome in case]))
    drawn.sort()
    return drawn[int(0.025 * _RESAMPLES)], drawn[int(0.975 * _RESAMPLES) - 1]
