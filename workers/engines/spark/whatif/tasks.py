"""The tasks of a stage, rebuilt from how their times are spread."""

import numpy as np

from contracts.spark import TaskDistribution
from workers.engines.spark.whatif.schedule import Milliseconds

QUANTILES = (("p25", 0.25), ("median", 0.5), ("p75", 0.75), ("p95", 0.95))

BENDS = 16
"""Halvings of the exponent's range: the sum is then right to a ten thousandth, and the rest is scaled away."""

LARGEST_BEND = 64.0


def rebuilt(spread: TaskDistribution, most: int) -> tuple[Milliseconds, Milliseconds]:
    """Times in the order they are handed out, and how many tasks each of them stands for.

    Count, sum, least, quantiles and the heaviest are those of the log. Between two known values the others rise as
    lo + (hi - lo) * u ** g, with a single g that makes the sum right, or comes nearest. Above `most` tasks, equal runs of the lighter
    tasks are merged: a slot works through them in a row. The heaviest keep their place; the order of the others is arbitrary."""
    values = _values(spread, min(spread.count, max(most, 2 * len(spread.heaviest) + 2)))
    weights = np.ones(len(values))
    light = len(values) - min(len(spread.heaviest), len(values) - 1)
    if spread.count > len(values):
        weights[:light] = (spread.count - (len(values) - light)) / light
    times = values * weights
    rest = max(0.0, spread.sum - float(times[light:].sum()))
    if light and times[:light].sum() > 0:
        times[:light] *= rest / times[:light].sum()
    order = _order(spread, len(values), light)
    return times[order], weights[order]


def _values(spread: TaskDistribution, size: int) -> Milliseconds:
    """Ascending; `size` of them, evenly drawn when that is fewer than there are."""
    known = {0: spread.min, **{int(q * spread.count): getattr(spread, name) for name, q in QUANTILES}}
    known |= {spread.count - 1 - place: heavy.value for place, heavy in enumerate(spread.heaviest) if place < spread.count}
    known[spread.count - 1] = spread.max
    places = np.array(sorted(known), dtype=np.float64)
    measured = np.maximum.accumulate(np.maximum(0.0, np.array([known[int(place)] for place in places], dtype=np.float64)))
    heavy = min(len(spread.heaviest), size - 1)
    wanted = np.concatenate([np.linspace(0, spread.count - 1 - heavy, size - heavy), spread.count - np.arange(heavy, 0, -1.0)])
    left = np.clip(np.searchsorted(places, wanted, side="right") - 1, 0, max(0, len(places) - 2))
    right = np.minimum(left + 1, len(places) - 1)
    part = np.clip((wanted - places[left]) / np.maximum(1.0, places[right] - places[left]), 0.0, 1.0)
    lowest, span = measured[left], measured[right] - measured[left]
    wanted_mean = max(0.0, (spread.sum - float(measured[-1])) / max(1, spread.count - 1))
    low, high = 1 / LARGEST_BEND, LARGEST_BEND
    for _ in range(BENDS):
        bend = (low * high) ** 0.5
        values = lowest + span * part**bend
        low, high = (bend, high) if values[:-1].sum() > wanted_mean * max(1, size - 1) else (low, bend)
    return lowest + span * part ** ((low * high) ** 0.5)


def _order(spread: TaskDistribution, size: int, light: int) -> list[int]:
    """Light ones shuffled, the same way each time; each heavy one at its partition's place."""
    order = np.random.default_rng(spread.count).permutation(light).tolist()
    top = [(heavy.index, size - 1 - place) for place, heavy in enumerate(spread.heaviest) if size - 1 - place >= light]
    for index, value in sorted(top):
        order.insert(min(len(order), max(0, index) * size // spread.count), value)
    return order
