"""The rules: first each grid that is a problem, then each cell.

A grid without level is weak coverage. A grid without quality is disturbed: by cells that reach too far (overshoot if there is one of them,
overlap if there are several), by neighbours that took over what a weak cell left, or by cells that are full. A cell is judged by its own
indicators, and where these do not decide by the causes of its grids. Culprits are the cells whose parameters would have to change.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from contracts.network import Cause, Level
from workers.engines.network.causes.configuration import Configuration, configuration_of
from workers.engines.network.radio.indicators import State, border_pairs
from workers.engines.network.radio.network import Floats, Ints
from workers.engines.network.thresholds import INDICATORS, LEAST_SAMPLES, beyond

NEAR_DB = 10.0
"""Cells within this of the strongest disturb a grid."""

FULL_LOAD = 0.9
"""A cell with a higher load sends nearly all the time."""

DENSE_TRAFFIC = 1.7
"""A cell whose grids ask for this many times the median traffic is a hot spot."""

TAKEN_OVER_SHARE = 0.25
"""A cell that serves this much of what belongs to weak cells is full or far because of them."""

DISTURBED_SHARE = 0.2
"""A full cell of ordinary traffic, this much of which hears a cell that reaches too far, is full because bad radio needs more blocks."""

MOST_CULPRITS = 4

ORDER = (Cause.NONE, *(cause for cause in Cause if cause is not Cause.NONE))
"""Causes by number, for arrays."""
_NUMBER = {cause: number for number, cause in enumerate(ORDER)}


@dataclass(frozen=True)
class Causes:
    """The root causes of a state."""

    configuration: Configuration
    cells: tuple[Cause, ...]
    grids: NDArray[np.int8]
    """Index into `ORDER`, by grid."""
    culprits: dict[int, tuple[int, ...]]
    """Number of a problem cell → the cells that cause it."""

    def grid_cause(self, number: int) -> Cause:
        """The cause of a grid."""
        return ORDER[int(self.grids[number])]


def find_causes(state: State) -> Causes:
    """Apply the rules. What was planted is unknown here: only indicators, places and parameters are read."""
    configuration = configuration_of(state.network)
    blame = _Blame(state, configuration)
    grids = blame.grids()
    cells: list[Cause] = []
    culprits: dict[int, tuple[int, ...]] = {}
    judged = problems_of(state, Level.CELL)
    members = _members(state, judged)
    for number in range(len(state.network.cells)):
        cause, guilty = blame.cell(number, members[number], grids) if judged[number] else (Cause.NONE, ())
        cells.append(cause)
        if cause is not Cause.NONE:
            culprits[number] = guilty
    by_cell = np.array([_NUMBER[cause] for cause in cells], dtype=np.int8)
    full = beyond("prb_util_pct", state.grids["prb_util_pct"]) & (grids == 0)
    grids = np.where(full, by_cell[state.serving], grids).astype(np.int8)
    grids[full & (grids == 0)] = _NUMBER[Cause.HIGH_LOAD]
    return Causes(configuration, tuple(cells), grids, culprits)


def problems_of(state: State, level: Level) -> NDArray[np.bool_]:
    """Which cells or grids are a problem by any indicator."""
    values = state.cells if level is Level.CELL else state.grids
    total = np.zeros(len(next(iter(values.values()))), dtype=bool)
    for name, indicator in INDICATORS.items():
        if indicator.limit is not None and level in indicator.levels and name in values:
            total |= beyond(name, values[name])
    return total & (state.cells["samples"] >= LEAST_SAMPLES) if level is Level.CELL else total


def _members(state: State, judged: NDArray[np.bool_]) -> list[Ints]:
    """The grids of each problem cell."""
    order = np.argsort(state.serving, kind="stable")
    ends = np.searchsorted(state.serving[order], np.arange(len(judged) + 1))
    return [order[ends[number] : ends[number + 1]] if judged[number] else order[:0] for number in range(len(judged))]


def _any(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether a row has a true value."""
    return np.asarray(flags.any(axis=1), dtype=bool)


class _Blame:
    """The evidence of one state."""

    def __init__(self, state: State, configuration: Configuration) -> None:
        self.state = state
        self.configuration = configuration
        levels = state.levels
        near = levels.rsrp_dbm >= levels.rsrp_dbm[:, :1] - NEAR_DB
        self.strong = configuration.is_strong[levels.cell] & near
        """Shape (grids, strongest): cells that reach too far and are heard."""
        tall: NDArray[np.bool_] = configuration.is_tall[levels.cell] & near & (levels.nearer_sites > 0)
        self.tall = _any(tall)
        """A tall site disturbs the grid though another site is nearer."""
        self.full = (state.load[levels.cell] >= FULL_LOAD) & near
        self.full[:, 0] = False
        self.weak_owner = configuration.is_weak[configuration.owner]
        density = np.bincount(state.serving, weights=state.network.area.demand_mbps, minlength=len(configuration.is_weak))
        grids = np.bincount(state.serving, minlength=len(density))
        self.density: Floats = np.divide(density, grids, out=np.zeros(len(density)), where=grids > 0)
        self.usual_density = float(np.median(self.density[grids > 0]))
        self.partners = self._missing()

    def grids(self) -> NDArray[np.int8]:
        """The cause of each grid that level or quality makes a problem."""
        values = self.state.grids
        weak = beyond("rsrp_dbm", values["rsrp_dbm"])
        bad = (beyond("sinr_db", values["sinr_db"]) | beyond("overlap_degree", values["overlap_degree"])) & ~weak
        found = np.zeros(len(weak), dtype=np.int8)
        found[weak] = _NUMBER[Cause.WEAK_COVERAGE]
        found[bad] = self._quality(np.flatnonzero(bad))
        return found

    def _quality(self, numbers: Ints) -> NDArray[np.int8]:
        """Who disturbs these grids."""
        cells, strong = self.state.levels.cell[numbers], self.strong[numbers]
        crowded = _any(strong & self.configuration.is_crowded[cells])
        conditions: list[NDArray[np.bool_]] = [
            crowded, _any(strong) | self.tall[numbers], self.weak_owner[numbers], _any(self.full[numbers]),
        ]  # fmt: skip
        choices = [Cause.OVERLAP_INTERFERENCE, Cause.OVERSHOOT, Cause.WEAK_COVERAGE, Cause.HIGH_LOAD]
        return np.select(conditions, [_NUMBER[cause] for cause in choices], _NUMBER[Cause.OVERLAP_INTERFERENCE]).astype(np.int8)

    def cell(self, number: int, members: Ints, grids: NDArray[np.int8]) -> tuple[Cause, tuple[int, ...]]:
        """The cause of a problem cell, and the cells that make it."""
        values = {name: found[number] for name, found in self.state.cells.items()}
        shows = {name for name in INDICATORS if beyond(name, np.array([values[name]]))[0]}
        cause = self._cell_cause(number, members, grids, shows)
        return cause, self._culprits(cause, number, members)

    def _cell_cause(self, number: int, members: Ints, grids: NDArray[np.int8], shows: set[str]) -> Cause:
        own = self.configuration
        taken = float(self.state.samples[members][self.weak_owner[members]].sum() / max(self.state.samples[members].sum(), 1e-9))
        dense = self.density[number] >= DENSE_TRAFFIC * self.usual_density
        reaching = Cause.OVERLAP_INTERFERENCE if own.is_crowded[number] else Cause.OVERSHOOT
        rules = (
            (bool(shows & {"rsrp_dbm", "mr_coverage_pct"}), Cause.WEAK_COVERAGE),
            ("prb_util_pct" in shows and bool(dense), Cause.HIGH_LOAD),
            (bool(own.is_strong[number]) and shows != {"ho_success_pct"}, reaching),
            (shows == {"ho_success_pct"} and number in self.partners, Cause.MISSING_NEIGHBOUR),
            (bool(shows & {"sinr_db", "overlap_degree"}), self._vote(members, grids)),
            (taken >= TAKEN_OVER_SHARE, Cause.WEAK_COVERAGE),
            ("prb_util_pct" in shows and self._disturbed(members) >= DISTURBED_SHARE, self._disturber(members)),
            ("ho_success_pct" in shows and number in self.partners, Cause.MISSING_NEIGHBOUR),
            ("far_share_pct" in shows, self._disturber(members)),
        )
        return next((cause for holds, cause in rules if holds), Cause.HIGH_LOAD)

    def _disturbed(self, members: Ints) -> float:
        """The share of samples that hear a cell that reaches too far."""
        samples = self.state.samples[members]
        return float(samples[_any(self.strong[members])].sum() / max(samples.sum(), 1e-9))

    def _disturber(self, members: Ints) -> Cause:
        """Overlap where one of several cells that reach too far is heard in these grids, else overshoot."""
        crowded = bool((self.strong[members] & self.configuration.is_crowded[self.state.levels.cell[members]]).any())
        return Cause.OVERLAP_INTERFERENCE if crowded else Cause.OVERSHOOT

    def _vote(self, members: Ints, grids: NDArray[np.int8]) -> Cause:
        """The cause of most samples in the cell's problem grids; without any, of the quarter with the lowest quality."""
        bad = members[grids[members] > 0]
        if len(bad) == 0:
            worst = members[np.argsort(self.state.grids["sinr_db"][members], kind="stable")[: max(len(members) // 4, 1)]]
            votes = np.bincount(self._quality(worst), weights=self.state.samples[worst], minlength=len(ORDER))
        else:
            votes = np.bincount(grids[bad], weights=self.state.samples[bad], minlength=len(ORDER))
        return ORDER[int(votes.argmax())]

    def _culprits(self, cause: Cause, number: int, members: Ints) -> tuple[int, ...]:
        cells, samples = self.state.levels.cell[members], self.state.samples[members]
        if cause is Cause.WEAK_COVERAGE:
            at = self.weak_owner[members]
            return self._most(self.configuration.owner[members][at], samples[at]) or (number,)
        if cause in (Cause.OVERSHOOT, Cause.OVERLAP_INTERFERENCE):
            if self.configuration.is_strong[number] and cause is Cause.OVERSHOOT:
                return (number,)
            at = self.strong[members]
            guilty = self._most(cells[at], np.broadcast_to(samples[:, None], cells.shape)[at])
            if guilty:
                return guilty
            return self._most(cells[:, 1:4].ravel(), np.repeat(samples, cells[:, 1:4].shape[1]))
        if cause is Cause.HIGH_LOAD and self.state.load[number] < FULL_LOAD:
            at = self.full[members]
            return self._most(cells[at], np.broadcast_to(samples[:, None], cells.shape)[at]) or (number,)
        if cause is Cause.MISSING_NEIGHBOUR:
            return (number, *self.partners.get(number, ()))
        return (number,)

    @staticmethod
    def _most(cells: NDArray[np.integer], weights: Floats) -> tuple[int, ...]:
        """The cells with the largest weight."""
        if len(cells) == 0:
            return ()
        numbers, place = np.unique(cells, return_inverse=True)
        total = np.bincount(place, weights=weights)
        return tuple(int(numbers[at]) for at in np.argsort(-total, kind="stable")[:MOST_CULPRITS])

    def _missing(self) -> dict[int, tuple[int, ...]]:
        """Cell → the cells with which it has a border and no neighbour relation."""
        found: dict[int, list[int]] = {}
        if self.state.network.missing:
            low, high, _ = border_pairs(self.state.network, self.state.serving)
            for first, second in sorted({(int(i), int(j)) for i, j in zip(low, high, strict=True)} & self.state.network.missing):
                found.setdefault(first, []).append(second)
                found.setdefault(second, []).append(first)
        return {cell: tuple(others) for cell, others in found.items()}
