"""What the replay foretells for each pair, beside what was measured."""

import json
import statistics
from dataclasses import dataclass
from typing import Any

from tests.bench.spark_pairs.measured import SpeedUp, speed_ups
from tests.bench.spark_pairs.pairs import PAIRS, Pair
from tests.bench.spark_pairs.running import action_ms
from workers.engines.spark.eventlog import read_run
from workers.engines.spark.whatif import estimate

TARGET = 0.25
"""Of the median error over the pairs, at most."""


@dataclass(frozen=True)
class Prediction:
    """One pair's speed-up, foretold and measured."""

    pair: Pair
    foretold: float
    least: float
    """The lower end of the estimate's interval, as the next the upper one."""
    most: float
    measured: SpeedUp

    @property
    def error(self) -> float:
        """Of the foretold speed-up, in proportion to the measured one."""
        return abs(self.foretold / self.measured.middle - 1)

    @property
    def error_of_none(self) -> float:
        """Of somebody who always says that nothing changes."""
        return abs(1 / self.measured.middle - 1)

    @property
    def inside(self) -> bool:
        """The measured speed-up lies in the interval."""
        return self.least <= self.measured.middle <= self.most


def predictions() -> list[Prediction]:
    """Of all pairs, in their order."""
    measured = speed_ups()
    return [_prediction(pair, measured[pair.name]) for pair in PAIRS if pair.name in measured]


def median_error(found: list[Prediction]) -> float:
    """Over the pairs."""
    return statistics.median(one.error for one in found)


def _prediction(pair: Pair, measured: SpeedUp) -> Prediction:
    """Speed-ups are of the time of the jobs: what the application takes before and after them is no part of either."""
    run = read_run(pair.log)
    gain = estimate(run, pair.changes)
    took = action_ms(run)
    around = gain.before_ms - took
    foretold, least, most = (took / max(1, ms - around) for ms in (gain.after_ms, gain.high_ms, gain.low_ms))
    return Prediction(pair=pair, foretold=foretold, least=least, most=most, measured=measured)


def run(*, as_json: bool = False) -> int:
    """Print all pairs; 1 when the median error is above the target."""
    found = predictions()
    error = median_error(found)
    if as_json:
        pairs = [_figures(one) for one in found]
        print(json.dumps({"pairs": pairs, "median_error": round(error, 4), "target": TARGET}, indent=1))
        return int(error > TARGET)
    print(f"{'pair':20} {'foretold':>8} {'80 %':>13} {'measured':>9} {'rounds':>13} {'error':>6}   {'of no gain':>10}")
    for one in found:
        taken = one.measured
        print(
            f"{one.pair.name:20} {one.foretold:8.2f} {one.least:6.2f} -{one.most:5.2f} {taken.middle:9.2f}"
            f" {taken.least:6.2f} -{taken.most:5.2f} {one.error:6.0%}   {one.error_of_none:10.0%}"
        )
    none = statistics.median(one.error_of_none for one in found)
    print(f"median error {error:.1%} (target {TARGET:.0%}); of always foretelling no gain {none:.1%}")
    print(f"measured inside the interval: {sum(one.inside for one in found)} of {len(found)}")
    return int(error > TARGET)


def _figures(one: Prediction) -> dict[str, Any]:
    return {
        "pair": one.pair.name,
        "fault": one.pair.fault,
        "fix": one.pair.fix,
        "foretold": round(one.foretold, 3),
        "interval": [round(one.least, 3), round(one.most, 3)],
        "measured": round(one.measured.middle, 3),
        "measured_rounds": [round(one.measured.least, 3), round(one.measured.most, 3)],
        "rounds": one.measured.rounds,
        "before_ms": one.measured.before_ms,
        "after_ms": one.measured.after_ms,
        "error": round(one.error, 4),
    }
