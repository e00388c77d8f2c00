"""What is true of a scenario: a problem belongs to the fault without which it would not be there."""

from dataclasses import dataclass

import numpy as np

from contracts.network import Cause, Level
from workers.engines.network.causes.by_rules import problems_of
from workers.engines.network.radio.indicators import State, measure
from workers.engines.network.scenarios.planting import Scenario


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
    cells, grids = problems_of(faulty, Level.CELL), problems_of(faulty, Level.GRID)
    old_cells, old_grids = problems_of(healthy, Level.CELL), problems_of(healthy, Level.GRID)
    found_cells: dict[int, Cause] = {}
    found_grids: dict[int, Cause] = {}
    for fault, state in zip(scenario.faults, without, strict=True):
        healed = cells & ~problems_of(state, Level.CELL)
        found_cells |= {int(number): fault.cause for number in np.flatnonzero(healed & ~old_cells) if int(number) not in found_cells}
        healed = grids & ~problems_of(state, Level.GRID)
        found_grids |= {int(number): fault.cause for number in np.flatnonzero(healed & ~old_grids) if int(number) not in found_grids}
    return Truth(found_cells, found_grids, int((cells & old_cells).sum()))
