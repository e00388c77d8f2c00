"""What the replay foretells for each pair, beside what was measured."""

import json
import statistics
from dataclasses import dataclass
from typing import Any

from contracts.whatif import Gain
from tests.bench.spark_pairs.measured import SpeedUp, speed_ups
from tests.bench.spark_pairs.pairs import PAIRS, Pair
from tests.bench.spark_pairs.running import action_ms
from workers.engines.spark.eventlog import read_run
from workers.engines.spark.whatif import Replay

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
    gain: Gain
    """The estimate, of the whole application."""
    took_ms: int
    """The time of the jobs in the log."""

    @property
    def left(self) -> float:
        """The share of the application's time that is left, as measured."""
        return 1 - self.took_ms * (1 - 1 / self.measured.middle) / self.gain.before_ms

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
    return statistics.median(prediction.error for prediction in found)


def _prediction(pair: Pair, measured: SpeedUp) -> Prediction:
    """Speed-ups are of the time of the jobs: what the application takes before and after them is no part of either."""
    run = read_run(pair.log)
    gain = Replay(run).gain(pair.changes)
    took = action_ms(run)
    around = gain.before_ms - took
    foretold, least, most = (took / max(1, ms - around) for ms in (gain.after_ms, gain.high_ms, gain.low_ms))
    return Prediction(pair, foretold, least, most, measured, gain, took)


def run(*, as_json: bool = False) -> int:
    """Print all pairs; 1 when the median error is above the target."""
    found = predictions()
    error = median_error(found)
    if as_json:
        pairs = [_figures(prediction) for prediction in found]
        print(json.dumps({"pairs": pairs, "median_error": round(error, 4), "target": TARGET}, indent=1))
        return int(error > TARGET)
    print(f"{'pair':20} {'foretold':>8} {'80 %':>13} {'measured':>9} {'rounds':>13} {'error':>6}   {'of no gain':>10}")
    for prediction in found:
        taken = prediction.measured
        print(
            f"{prediction.pair.name:20} {prediction.foretold:8.2f} {prediction.least:6.2f} -{prediction.most:5.2f} {taken.middle:9.2f}"
            f" {taken.least:6.2f} -{taken.most:5.2f} {prediction.error:6.0%}   {prediction.error_of_none:10.0%}"
        )
    none = statistics.median(prediction.error_of_none for prediction in found)
    print(f"median error {error:.1%} (target {TARGET:.0%}); of always foretelling no gain {none:.1%}")
    print(f"measured inside the interval: {sum(prediction.inside for prediction in found)} of {len(found)}")
    return int(error > TARGET)


def _figures(prediction: Prediction) -> dict[str, Any]:
    return {
        "pair": prediction.pair.name,
        "fault": prediction.pair.fault,
        "fix": prediction.pair.fix,
        "foretold": round(prediction.foretold, 3),
        "interval": [round(prediction.least, 3), round(prediction.most, 3)],
        "measured": round(prediction.measured.middle, 3),
        "measured_rounds": [round(prediction.measured.least, 3), round(prediction.measured.most, 3)],
        "rounds": prediction.measured.rounds,
        "before_ms": prediction.measured.before_ms,
        "after_ms": prediction.measured.after_ms,
        "error": round(prediction.error, 4),
    }
