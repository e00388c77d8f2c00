"""The range in which the time after a change is likely to lie: what the draws of a replay differ by, and what no replay models."""

import math
from collections.abc import Sequence

import numpy as np

LIKELY = (10, 90)
"""Percentiles: four draws of five lie between them."""

WITHIN = 1.28
"""Standard deviations at both sides of the mean that hold four of five."""

UNMODELLED = 0.35
"""Standard deviation of the logarithm of the time after, beside what is drawn: slots that slow each other down, disks, what a run differs
by from the next. The least with which four of five fixes of tests/bench that were applied and run lie in their range; measured by
cross-validation (workers/engines/spark/whatif/README.md)."""


def likely_ms(before_ms: float, shares: Sequence[float]) -> tuple[int, int]:
    """(low, high), in ms, of the shares of the time before that remain in the draws. Both causes are independent, so their squares add up;
    times multiply, so it is their logarithms that spread."""
    middle = float(np.median(shares))
    if middle <= 0:
        return 0, 0
    ends = np.percentile(np.array(shares), LIKELY).tolist()
    low, high = (math.hypot(math.log(max(end, middle / 100) / middle), WITHIN * UNMODELLED) for end in ends)
    return math.floor(before_ms * middle * math.exp(-low)), math.ceil(before_ms * middle * math.exp(high))
