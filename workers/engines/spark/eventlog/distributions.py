"""Quantiles of a column of task numbers: exact from the numbers themselves, or within 1 % (or 1) from logarithmic buckets."""

from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from contracts.spark import HeavyTask, TaskDistribution

Column = NDArray[np.int64]
"""One number of each task; where a function says so, several beside each other."""

QUANTILES = (0.25, 0.5, 0.75, 0.95)
HEAVIEST = 5

GAMMA = 1.01
"""Ratio of a bucket's bounds. Its middle is at most 0.5 % off, and rounded (DDSketch; Masson, Rim, Lee, VLDB 2019)."""

LOW_BITS = 30
LOW_MASK = (1 << LOW_BITS) - 1


def column_sums(matrix: Column) -> list[int]:
    """The sum of each column, also where it is beyond 64 bits."""
    high, low = (matrix >> LOW_BITS).sum(axis=0).tolist(), (matrix & LOW_MASK).sum(axis=0).tolist()
    return [(upper << LOW_BITS) + lower for upper, lower in zip(high, low, strict=True)]


def exact_quantiles(matrix: Column) -> list[list[int]]:
    """Minimum, quantiles and maximum of each column."""
    ordered = np.sort(matrix, axis=0)
    places = [min(int(q * len(ordered)), len(ordered) - 1) for q in (0.0, *QUANTILES, 1.0)]
    return ordered[places].T.tolist()


class Buckets:
    """Counts by magnitude. Takes any number of columns one after the other; its size does not grow with them."""

    def __init__(self) -> None:
        self.count = 0
        self.sum = 0
        self.min: int | None = None
        self.max = 0
        self._counts: Counter[int] = Counter()

    def add(self, column: Column) -> None:
        """Count the numbers of a column."""
        low, high = int(column.min()), int(column.max())
        self.min = low if self.min is None else min(self.min, low)
        self.max = max(self.max, high) if self.count else high
        self.count += len(column)
        self.sum += column_sums(column.reshape(-1, 1))[0]
        positive = column[column > 0]
        self._counts[-1] += len(column) - len(positive)
        keys, counts = np.unique(np.ceil(np.log(positive) / np.log(GAMMA)).astype(np.int64), return_counts=True)
        for key, count in zip(keys.tolist(), counts.tolist(), strict=True):
            self._counts[key] += count

    def quantiles(self) -> list[int]:
        """Min and max are exact; between them the middle of the bucket."""
        low = self.min or 0
        return [low, *(self._at(int(q * self.count), low) for q in QUANTILES), self.max]

    def _at(self, position: int, low: int) -> int:
        seen = 0
        for key in sorted(self._counts):
            seen += self._counts[key]
            if seen > position:
                middle = 0 if key < 0 else round(2 * GAMMA**key / (GAMMA + 1))
                return min(max(middle, low), self.max)
        return self.max


def distribution(count: int, total: int, marks: list[int], heaviest: Iterable[HeavyTask], *, exact: bool) -> TaskDistribution:
    """The contract, from what `exact_quantiles` or `Buckets.quantiles` gives."""
    low, p25, median, p75, p95, high = marks
    return TaskDistribution(
        count=count, sum=total, min=low, p25=p25, median=median, p75=p75, p95=p95, max=high, exact=exact, heaviest=tuple(heaviest)
    )
