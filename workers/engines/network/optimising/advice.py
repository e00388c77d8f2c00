"""Which parameters to change: those of the culprits, to what their height and place ask for."""

from dataclasses import dataclass, replace

import numpy as np

from contracts.network import Cause, Parameter
from workers.engines.network.causes import Causes
from workers.engines.network.radio.indicators import State
from workers.engines.network.radio.network import MOST_POWER_DBM, Network

AIMED_LOAD = 0.6
"""Carriers are added until the load is below this: half of the way from the limit of 80 % to the usual 40 %."""
MOST_CARRIERS = 4

SMALL_TILT_DEG = 2.0
SMALL_POWER_DB = 3.0
"""Careful steps where no cell's parameters are wrong."""


@dataclass(frozen=True, slots=True)
class Change:
    """A parameter of a cell."""

    cell: int
    parameter: Parameter
    before: float
    after: float
    cause: Cause


@dataclass(frozen=True)
class Advice:
    """All changes, and the network with them."""

    changes: tuple[Change, ...]
    network: Network


def advise(state: State, causes: Causes) -> Advice:
    """Mend each problem's culprits. A parameter is changed once, for the first problem that needs it."""
    plan = _Plan(state, causes)
    for number, cause in enumerate(causes.cells):
        match cause:
            case Cause.NONE:
                pass
            case Cause.WEAK_COVERAGE:
                plan.strengthen(causes.culprits[number], cause)
            case Cause.OVERSHOOT | Cause.OVERLAP_INTERFERENCE:
                plan.restrain(causes.culprits[number], cause)
            case Cause.HIGH_LOAD:
                plan.widen(causes.culprits[number], cause)
            case Cause.MISSING_NEIGHBOUR:
                plan.relate(causes.culprits[number], cause)
    return Advice(tuple(plan.changes.values()), plan.network())


class _Plan:
    """The changes so far."""

    def __init__(self, state: State, causes: Causes) -> None:
        self.state = state
        self.own = causes.configuration
        self.changes: dict[tuple[int, Parameter], Change] = {}
        self.related: set[tuple[int, int]] = set()

    def strengthen(self, cells: tuple[int, ...], cause: Cause) -> None:
        """Take back too much tilt and too little power; where there is neither, a little of both."""
        now = self.state.network.cells
        for cell in cells:
            if self.own.is_weak[cell]:
                self._fit(cell, cause)
                continue
            self._set(cell, Parameter.POWER, now.power_dbm[cell], min(now.power_dbm[cell] + SMALL_POWER_DB, MOST_POWER_DBM), cause)

    def restrain(self, cells: tuple[int, ...], cause: Cause) -> None:
        """Tilt cells that reach too far; where there are none, tilt the strongest disturber a little."""
        strong = [cell for cell in cells if self.own.is_strong[cell]]
        now = self.state.network.cells
        for cell in strong:
            self._fit(cell, cause)
        if not strong:
            self._set(cells[0], Parameter.TILT, now.tilt_deg[cells[0]], now.tilt_deg[cells[0]] + SMALL_TILT_DEG, cause)

    def widen(self, cells: tuple[int, ...], cause: Cause) -> None:
        """Add carriers."""
        now = self.state.network.cells
        for cell in cells:
            needed = int(np.ceil(self.state.load[cell] * now.carriers[cell] / AIMED_LOAD))
            self._set(cell, Parameter.CARRIERS, now.carriers[cell], min(max(needed, int(now.carriers[cell])), MOST_CARRIERS), cause)

    def relate(self, cells: tuple[int, ...], cause: Cause) -> None:
        """Configure the missing relations of the first with the others."""
        first, *others = cells
        fresh = {(min(first, other), max(first, other)) for other in others} - self.related
        if fresh:
            self.related |= fresh
            self._set(first, Parameter.NEIGHBOURS, 0, len(fresh), cause)

    def network(self) -> Network:
        """With all changes."""
        cells = self.state.network.cells
        arrays = {"tilt_deg": cells.tilt_deg.copy(), "power_dbm": cells.power_dbm.copy(), "carriers": cells.carriers.copy()}
        for change in self.changes.values():
            if change.parameter.value in arrays:
                arrays[change.parameter.value][change.cell] = change.after
        return replace(self.state.network.with_cells(**arrays), missing=self.state.network.missing - self.related)

    def _fit(self, cell: int, cause: Cause) -> None:
        now = self.state.network.cells
        self._set(cell, Parameter.TILT, now.tilt_deg[cell], float(round(float(self.own.fitting_tilt_deg[cell]))), cause)
        self._set(cell, Parameter.POWER, now.power_dbm[cell], self.own.usual_power_dbm, cause)

    def _set(self, cell: int, parameter: Parameter, before: float, after: float, cause: Cause) -> None:
        if abs(after - before) > 0.4:
            self.changes.setdefault((cell, parameter), Change(cell, parameter, float(before), float(after), cause))
