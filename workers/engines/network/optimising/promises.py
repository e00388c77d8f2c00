"""What changes promise before they are simulated, and what they reach.

The estimate is made with the loads and the serving areas of before, so that it costs a single look at the levels; the simulation moves
both. What is promised is `PROMISED_SHARE` of the estimate.
"""

from dataclasses import dataclass

import numpy as np

from contracts.network import Cause
from workers.engines.network.causes import Causes
from workers.engines.network.optimising.advice import Advice
from workers.engines.network.radio.indicators import (
    FAR_RANK,
    IDLE_LOAD,
    MR_DEVIATION_DB,
    MR_LEVEL_DBM,
    NOISE_MW,
    OVERLAP_DB,
    OVERLAP_LEAST_DBM,
    State,
    share_above,
)
from workers.engines.network.radio.levels import levels_of
from workers.engines.network.radio.network import Floats, Ints
from workers.engines.network.thresholds import INDICATORS, beyond

PROMISED_SHARE = 0.7
"""Of the estimate. On the seeds 2000 to 2099, the simulation gives 0.72 of the estimate at least, and mostly more than all of it."""

NOTICED_SHARE = 0.2
"""A gain below this share of what would be called a loss is not promised: the simulation is not more exact."""

PREFERRED: dict[Cause, tuple[str, ...]] = {
    Cause.WEAK_COVERAGE: ("mr_coverage_pct", "rsrp_dbm", "far_share_pct"),
    Cause.OVERSHOOT: ("sinr_db", "far_share_pct", "overlap_degree"),
    Cause.OVERLAP_INTERFERENCE: ("sinr_db", "overlap_degree", "far_share_pct"),
    Cause.HIGH_LOAD: ("prb_util_pct",),
    Cause.MISSING_NEIGHBOUR: ("ho_success_pct",),
}
"""The indicators by which a cause's gain is promised; of several, the one that most of its cells are a problem by."""


@dataclass(frozen=True, slots=True)
class Promised:
    """A gain; positive is better."""

    cause: Cause
    indicator: str
    cells: tuple[int, ...]
    gain: float


@dataclass(frozen=True, slots=True)
class Reached:
    """A promise and what the simulation gave."""

    promised: Promised
    gain: float

    @property
    def is_kept(self) -> bool:
        """Whether the gain is at least the promised one."""
        return self.gain >= self.promised.gain


def promise(state: State, causes: Causes, advice: Advice) -> tuple[Promised, ...]:
    """A promise for each cause for which something is changed, if the estimate is a gain that can be noticed."""
    changed = {change.cause for change in advice.changes}
    estimate = _Estimate(state, advice)
    found: list[Promised] = []
    for cause in Cause:
        cells = tuple(number for number, own in enumerate(causes.cells) if own is cause)
        if cause is Cause.NONE or not cells or cause not in changed:
            continue
        indicator = _indicator(state, cause, cells)
        gain = PROMISED_SHARE * _gain(indicator, state.cells[indicator], estimate.of(indicator), cells)
        if gain >= NOTICED_SHARE * INDICATORS[indicator].tolerance:
            found.append(Promised(cause, indicator, cells, gain))
    return tuple(found)


def reached_by(promises: tuple[Promised, ...], before: State, after: State) -> tuple[Reached, ...]:
    """Compare the promises with the simulation."""
    return tuple(
        Reached(made, _gain(made.indicator, before.cells[made.indicator], after.cells[made.indicator], made.cells)) for made in promises
    )


def _indicator(state: State, cause: Cause, cells: tuple[int, ...]) -> str:
    numbers = np.array(cells)
    return max(PREFERRED[cause], key=lambda name: int(beyond(name, state.cells[name][numbers]).sum()))


def _gain(indicator: str, before: Floats, after: Floats, cells: tuple[int, ...]) -> float:
    """The improvement of the mean over the cells that serve somebody before and after."""
    numbers = np.array(cells)
    change = (after - before)[numbers]
    change = change[~np.isnan(change)]
    if len(change) == 0:
        return 0.0
    return float(change.mean()) * (1 if INDICATORS[indicator].is_better_high else -1)


class _Estimate:
    """Indicators of cells with the changes, with loads and serving areas of before."""

    def __init__(self, state: State, advice: Advice) -> None:
        self.state = state
        self.network = advice.network
        levels = levels_of(advice.network)
        power = np.power(10.0, levels.rsrp_dbm.astype(np.float64) / 10)
        busy = np.maximum(np.minimum(state.load * state.network.cells.carriers / advice.network.cells.carriers, 1.0), IDLE_LOAD)
        rest = (power[:, 1:] * busy[levels.cell[:, 1:]]).sum(axis=1) + levels.rest_mw * busy.mean()
        rsrp = levels.rsrp_dbm[:, 0].astype(np.float64)
        near = (levels.rsrp_dbm >= levels.rsrp_dbm[:, :1] - OVERLAP_DB) & (levels.rsrp_dbm >= OVERLAP_LEAST_DBM)
        self.grids: dict[str, Floats] = {
            "rsrp_dbm": rsrp,
            "mr_coverage_pct": 100 * share_above((rsrp - MR_LEVEL_DBM) / MR_DEVIATION_DB),
            "sinr_db": 10 * np.log10(power[:, 0] / (rest + NOISE_MW)),
            "overlap_degree": near.sum(axis=1).astype(np.float64),
            "far_share_pct": np.where(levels.nearer_sites[:, 0] >= FAR_RANK, 100.0, 0.0),
        }
        self.served: Ints = levels.cell[:, 0].astype(np.int64)

    def of(self, indicator: str) -> Floats:
        """Estimated values by cell."""
        before = self.state
        if indicator == "prb_util_pct":
            return 100 * np.minimum(before.load * before.network.cells.carriers / self.network.cells.carriers, 1.0)
        if indicator == "ho_success_pct":
            return np.where(before.cells[indicator] < 95.0, 99.0, before.cells[indicator])
        members = before.serving if indicator != "far_share_pct" else self.served
        count = len(before.load)
        weight = np.bincount(members, weights=before.samples, minlength=count)
        total = np.bincount(members, weights=before.samples * self.grids[indicator], minlength=count)
        return np.divide(total, weight, out=np.full(count, np.nan), where=weight > 0)
