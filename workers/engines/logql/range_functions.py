"""The functions over the samples of a window."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

Window = Sequence[float]


def quantile(share: float, values: Window) -> float:
    """By linear interpolation, as Prometheus does. Below 0 and above 1 it is minus and plus infinity."""
    if share < 0:
        return -math.inf
    if share > 1:
        return math.inf
    ordered = sorted(values)
    rank = share * (len(ordered) - 1)
    low = math.floor(rank)
    high = min(low + 1, len(ordered) - 1)
    weight = rank - low
    return ordered[low] * (1 - weight) + ordered[high] * weight


def variance(values: Window) -> float:
    """Of the population."""
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / len(values)


def increase(values: Window) -> float:
    """How much a counter has grown, resets included."""
    grown = values[-1] - values[0]
    return grown + sum(before for before, after in pairwise(values) if after < before)


_FUNCTIONS: dict[str, Callable[[Window, float, float], float]] = {
    "count_over_time": lambda values, _seconds, _share: float(len(values)),
    "bytes_over_time": lambda values, _seconds, _share: math.fsum(values),
    "bytes_rate": lambda values, seconds, _share: math.fsum(values) / seconds,
    "rate": lambda values, seconds, _share: math.fsum(values) / seconds,
    "rate_counter": lambda values, seconds, _share: increase(values) / seconds,
    "sum_over_time": lambda values, _seconds, _share: math.fsum(values),
    "avg_over_time": lambda values, _seconds, _share: math.fsum(values) / len(values),
    "max_over_time": lambda values, _seconds, _share: max(values),
    "min_over_time": lambda values, _seconds, _share: min(values),
    "first_over_time": lambda values, _seconds, _share: values[0],
    "last_over_time": lambda values, _seconds, _share: values[-1],
    "stdvar_over_time": lambda values, _seconds, _share: variance(values),
    "stddev_over_time": lambda values, _seconds, _share: math.sqrt(variance(values)),
    "quantile_over_time": lambda values, _seconds, share: quantile(share, values),
}


def over_window(function: str, values: Window, seconds: float, share: float) -> float:
    """The number of a window that is not empty. `absent_over_time` has none."""
    return _FUNCTIONS[function](values, seconds, share)
