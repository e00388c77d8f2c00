"""What the pairs' runs took, as kept beside the logs: the speed-up of a fix and how far it spreads."""

import json
import statistics
from dataclasses import dataclass

from tests.bench.spark_pairs.pairs import MEASURED


@dataclass(frozen=True)
class SpeedUp:
    """Time before to time after."""

    middle: float
    """Of the rounds. Runs of a round follow each other, so that both had about the same share of the machine."""
    least: float
    most: float
    before_ms: float
    """Median, as the next."""
    after_ms: float
    rounds: int


def speed_ups() -> dict[str, SpeedUp]:
    """Of every pair that was measured, by its name."""
    return {name: _speed_up(taken["before_ms"], taken["after_ms"]) for name, taken in json.loads(MEASURED.read_text("utf-8")).items()}


def _speed_up(before_ms: list[int], after_ms: list[int]) -> SpeedUp:
    ratios = [before / after for before, after in zip(before_ms, after_ms, strict=True)]
    return SpeedUp(
        middle=statistics.median(ratios),
        least=min(ratios),
        most=max(ratios),
        before_ms=statistics.median(before_ms),
        after_ms=statistics.median(after_ms),
        rounds=len(ratios),
    )
