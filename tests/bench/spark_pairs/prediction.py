"""What the replay foretells for each pair, beside what was measured."""

import statistics
from dataclasses import dataclass

from tests.bench.spark_pairs.measured import SpeedUp, speed_ups
from tests.bench.spark_pairs.pairs import PAIRS, Pair
from tests.bench.spark_pairs.running import action_ms
from workers.engines.tuning.eventlog import read_run
from workers.engines.tuning.whatif import estimate

TARGET = 0.25


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
