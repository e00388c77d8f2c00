"""What is true of a scenario: a problem belongs to the fault without which it would not be there."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from contracts.network import Cause, Level
from workers.engines.network.radio.indicators import State, measure
from workers.engines.network.scenarios.planting import Scenario
from workers.engines.network.thresholds import INDICATORS, LEAST_SAMPLES, beyond


@dataclass(frozen=True)
class Truth:
    """The causes of the problems."""

    cells: dict[int, Cause]
    """Number of a problem cell → the cause of the fault that made it."""
    grids: dict[int, Cause]
    unplanted: int
    """Problem cells that are there without any fault; nothing is claimed about them."""


def truth_of(scenario: Scenario, faulty: State) -> Truth:
    """Measure the network without each fault, and see which problems are gone."""
    healthy, without = measure(scenario.healthy), [measure(network) for network in scenario.without]
    cells, grids = problems(faulty, Level.CELL), problems(faulty, Level.GRID)
    old_cells, old_grids = problems(healthy, Level.CELL), problems(healthy, Level.GRID)
    found_cells: dict[int, Cause] = {}
    found_grids: dict[int, Cause] = {}
    for fault, state in zip(scenario.faults, without, strict=True):
        healed = cells & ~problems(state, Level.CELL)
        found_cells |= {int(number): fault.cause for number in np.flatnonzero(healed & ~old_cells) if int(number) not in found_cells}
        healed = grids & ~problems(state, Level.GRID)
        found_grids |= {int(number): fault.cause for number in np.flatnonzero(healed & ~old_grids) if int(number) not in found_grids}
    return Truth(found_cells, found_grids, int((cells & old_cells).sum()))


def problems(state: State, level: Level) -> NDArray[np.bool_]:
    """Which cells or grids are a problem by any indicator."""
    values = state.cells if level is Level.CELL else state.grids
    total = np.zeros(len(next(iter(values.values()))), dtype=bool)
    for name, indicator in INDICATORS.items():
        if indicator.limit is not None and level in indicator.levels and name in values:
            total |= beyond(name, values[name])
    return total & (state.cells["samples"] >= LEAST_SAMPLES) if level is Level.CELL else total
