"""The statistics of findings: a trend with its test, a level that shifts, outliers, a cycle. Robust ones: medians and ranks."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, sqrt

import numpy as np
from numpy.typing import NDArray

MAD_TO_SIGMA = 1.4826
"""The median absolute deviation of a normal distribution times this is its standard deviation."""


@dataclass(frozen=True, slots=True)
class Trend:
    """A monotone trend by Mann and Kendall, its slope by Theil and Sen."""

    slope: float
    """Per point."""
    p_value: float
    """Two-sided, by the normal approximation with ties."""
    start: float
    """The fitted line at the first point."""
    end: float
    """And at the last one."""


def trend_of(values: Sequence[float]) -> Trend:
    """The trend of at least 4 values."""
    y = np.asarray(values, dtype=float)
    n = len(y)
    first, second = np.triu_indices(n, 1)
    differences = y[second] - y[first]
    score = float(np.sign(differences).sum())
    _, ties = np.unique(y, return_counts=True)
    variance = (n * (n - 1) * (2 * n + 5) - float((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18
    z = 0.0 if variance <= 0 or score == 0 else (abs(score) - 1) / sqrt(variance)
    slope = float(np.median(differences / (second - first)))
    middle = float(np.median(y - slope * np.arange(n)))
    return Trend(slope, erfc(z / sqrt(2)), middle, middle + slope * (n - 1))


@dataclass(frozen=True, slots=True)
class Shift:
    """A level that changes once and stays."""

    index: int
    """The first point of the new level."""
    before: float
    """Median."""
    after: float
    strength: float
    """The difference in units of the spread within the levels."""


def shift_of(values: Sequence[float], least: int = 4) -> Shift | None:
    """The best single change of level, each level having at least `least` points; None when there are too few."""
    y = np.asarray(values, dtype=float)
    n = len(y)
    if n < 2 * least:
        return None
    costs = [float(_spread(y[:cut]) * cut + _spread(y[cut:]) * (n - cut)) for cut in range(least, n - least + 1)]
    cut = least + int(np.argmin(costs))
    before, after = float(np.median(y[:cut])), float(np.median(y[cut:]))
    within = np.concatenate([y[:cut] - before, y[cut:] - after])
    sigma = MAD_TO_SIGMA * float(np.median(np.abs(within)))
    if sigma == 0:
        return Shift(cut, before, after, float("inf")) if before != after else None
    return Shift(cut, before, after, abs(after - before) / sigma)


def _spread(values: NDArray[np.float64]) -> float:
    """Mean absolute deviation from the median."""
    return float(np.abs(values - np.median(values)).mean())


def outliers_of(values: Sequence[float], limit: float = 5.0) -> list[tuple[int, float]]:
    """(index, distance from the median in standard deviations) beyond the limit, the farthest first; robust against the outliers."""
    y = np.asarray(values, dtype=float)
    middle = float(np.median(y))
    sigma = MAD_TO_SIGMA * float(np.median(np.abs(y - middle)))
    if sigma == 0:
        return []
    distances = (y - middle) / sigma
    found = [(int(index), float(distances[index])) for index in np.flatnonzero(np.abs(distances) > limit)]
    return sorted(found, key=lambda item: -abs(item[1]))


@dataclass(frozen=True, slots=True)
class Cycle:
    """A pattern that repeats."""

    period: int
    f_value: float
    """Variance that the pattern explains over what is left, each by its degrees of freedom; the trend is taken out before."""
    high: int
    """The place in the cycle that is highest, counted from that of the first point."""
    low: int
    high_level: float
    """Median at the highest place over the median of all."""
    low_level: float


def cycle_of(values: Sequence[float], period: int, at: Sequence[int]) -> Cycle | None:
    """The pattern of a period; None with fewer than two whole cycles. `at`: how many points each value is behind the first."""
    y = np.asarray(values, dtype=float)
    n = len(y)
    places = np.asarray(at) % period
    if n < 2 * period or len(np.unique(places)) < period:
        return None
    trend = trend_of(values)
    rest = y - (trend.start + trend.slope * np.arange(n))
    means = np.array([rest[places == place].mean() for place in range(period)])
    total = float(((rest - rest.mean()) ** 2).sum())
    if total == 0:
        return None
    residual = float(((rest - means[places]) ** 2).sum())
    left = residual / max(1, n - period)
    f_value = (total - residual) / (period - 1) / left if left > 0 else float("inf")
    levels = np.array([np.median(y[places == place]) for place in range(period)])
    middle = float(np.median(y))
    if middle == 0:
        return None
    high, low = int(np.argmax(means)), int(np.argmin(means))
    return Cycle(period, f_value, high, low, float(levels[high]) / middle, float(levels[low]) / middle)
