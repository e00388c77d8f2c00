"""How wide the likely range of an estimate has to be, and how often it then holds fixes that had no part in the choice.

Cases are the pairs of `tests/bench/spark_pairs` and the fixes that were applied and run here. Of each there are the range that the draws
of the replay give alone, and what was measured, as logarithms of the share of the time that is left."""

import json
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.whatif import Gain
from tests.bench.spark_jobs.applying import figures, measured
from tests.bench.spark_pairs.prediction import predictions
from workers.engines.likely import UNMODELLED, WITHIN

AIM = 0.8
STEP = 0.01
WIDEST = 1.0


@dataclass(frozen=True)
class Case:
    """One fix."""

    of: str
    """`pairs`, or the set of jobs."""
    id: str
    off: float
    """Logarithm of measured to estimated."""
    below: float
    """How far the draws alone reach below the middle, and above."""
    above: float

    def is_inside(self, unmodelled: float) -> bool:
        """The range holds what was measured, with this standard deviation of what is not modelled."""
        drawn = self.above if self.off > 0 else self.below
        return abs(self.off) <= math.hypot(drawn, WITHIN * unmodelled)


def cases() -> list[Case]:
    """All that were measured and have an estimate."""
    found = [_case("pairs", pair.pair.name, pair.left, _estimated(pair.gain), UNMODELLED) for pair in predictions()]
    for of, fix in measured():
        if fix.estimated is not None and min(fix.estimated) > 0:
            found.append(_case(of, fix.id, fix.left, fix.estimated, fix.unmodelled))
    return found


def _estimated(gain: Gain) -> tuple[float, float, float]:
    return gain.after_ms / gain.before_ms, gain.low_ms / gain.before_ms, gain.high_ms / gain.before_ms


def _case(of: str, name: str, left: float, estimated: tuple[float, float, float], unmodelled: float) -> Case:
    """The draws alone: the range without what was added to it for what is not modelled."""
    middle, low, high = estimated
    below, above = (math.sqrt(max(0.0, math.log(end / middle) ** 2 - (WITHIN * unmodelled) ** 2)) for end in (low, high))
    return Case(of, name, math.log(left / middle), below, above)


def least_for(seen: Sequence[Case]) -> float:
    """The least standard deviation with which four of five of these cases lie in their range."""
    steps = (STEP * number for number in range(round(WIDEST / STEP) + 1))
    return next((value for value in steps if sum(case.is_inside(value) for case in seen) >= AIM * len(seen)), WIDEST)


def show() -> None:
    """Print each case, and how often the ranges hold: as they are, left out one by one, and by one set after the other."""
    _by_set()
    every = cases()
    for case in every:
        chosen = least_for([other for other in every if other is not case])
        drawn = f"draws -{case.below:.2f} +{case.above:.2f}"
        print(f"{case.of:8} {case.id:28} off {case.off:+.2f}, {drawn}, {_held([case], chosen)} at {chosen:.2f}")
    left_out = sum(case.is_inside(least_for([other for other in every if other is not case])) for case in every)
    print(f"median error {statistics.median(abs(math.expm1(-case.off)) for case in every):.1%} over {len(every)}")
    print(f"as it is ({UNMODELLED}): {_held(every, UNMODELLED)}; draws alone: {_held(every, 0)}; chosen on all: {least_for(every):.2f}")
    print(f"each case with what the others give: {left_out} of {len(every)}")
    for of in dict.fromkeys(case.of for case in every):
        mine, others = ([case for case in every if (case.of == of) is own] for own in (True, False))
        chosen = least_for(others)
        error = statistics.median(abs(math.expm1(-case.off)) for case in mine)
        print(f"{of}: median error {error:.1%}; {_held(mine, chosen)} with {chosen:.2f} of the other sets")


def _by_set() -> None:
    """What the fixes of each set brought, as the report estimated it."""
    rows = measured()
    for of in (*dict.fromkeys(name for name, _ in rows), ""):
        own = [fix for name, fix in rows if of in ("", name)]
        worst = min(own, key=lambda fix: fix.got)
        print(f"{of or 'all':8} {json.dumps(figures(own))}, the least saved: {worst.got:.1%} ({worst.id})")


def _held(some: Sequence[Case], unmodelled: float) -> str:
    return f"{sum(case.is_inside(unmodelled) for case in some)} of {len(some)}"
