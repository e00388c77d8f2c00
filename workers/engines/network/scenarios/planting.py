"""Plants faults into a network. A fault is kept when a cell's indicators show it, since what nobody can see is not a scenario."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from contracts.network import Cause
from workers.engines.network.radio.indicators import State, border_pairs, measure
from workers.engines.network.radio.layout import Layout, make_network, planned_tilt
from workers.engines.network.radio.network import MOST_POWER_DBM, Area, Cells, Ints, Network
from workers.engines.network.thresholds import LEAST_SAMPLES, beyond

TRIES = 40
"""Places that are tried for a fault that shows."""

APART_SHARE = 3.2
"""Distance between two faults of a mixed scenario, in distances between sites: so that each has its own effect."""


class Problem(StrEnum):
    """What a scenario is about."""

    WEAK_COVERAGE = "weak_coverage"
    OVERSHOOT = "overshoot"
    INTERFERENCE = "interference"
    CAPACITY = "capacity"
    NEIGHBOURS = "neighbours"
    MIXED = "mixed"


@dataclass(frozen=True)
class Fault:
    """What was planted."""

    cause: Cause
    cells: tuple[int, ...]
    """The cells that are wrong, by number; of a traffic hot spot the cells that carry it."""


@dataclass(frozen=True)
class Scenario:
    """A network with faults, and the network without any of them."""

    problem: Problem
    seed: int
    layout: Layout
    healthy: Network
    faulty: Network
    faults: tuple[Fault, ...]
    without: tuple[Network, ...]
    """The network without the fault of this number, and with the others."""


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where and how a fault is planted: it is planted again without the others to know what it alone does."""

    plant: "Plant"
    place: np.ndarray
    """East and north, shape (2,)."""
    seed: int


Plant = Callable[[Network, State, Layout, np.ndarray, np.random.Generator], tuple[Network, Fault]]


def make_scenario(problem: Problem, seed: int) -> Scenario:
    """The scenario of a seed; the same for the same seed."""
    random = np.random.default_rng([seed, list(Problem).index(problem), 5])
    layout = _layout(problem, seed, random)
    healthy = make_network(layout)
    state = measure(healthy)
    spots: list[_Spot] = []
    for plant in _PLANTS[problem] if problem is not Problem.MIXED else _mixture(random):
        for _ in range(TRIES):
            place = _place(healthy, layout, random, [spot.place for spot in spots])
            if place is None:
                break
            spot = _Spot(plant, place, _seed(random))
            if _shows(state, measure(_planted(healthy, state, layout, [spot])[0])):
                spots.append(spot)
                break
    faulty, faults = _planted(healthy, state, layout, spots)
    without = tuple(_planted(healthy, state, layout, [other for other in spots if other is not spot])[0] for spot in spots)
    return Scenario(problem, seed, layout, healthy, faulty, faults, without)


def _seed(random: np.random.Generator) -> int:
    return int(random.integers(1, 1_000_000_000))


def _planted(network: Network, state: State, layout: Layout, spots: list[_Spot]) -> tuple[Network, tuple[Fault, ...]]:
    faults: list[Fault] = []
    for spot in spots:
        network, fault = spot.plant(network, state, layout, spot.place, np.random.default_rng(spot.seed))
        faults.append(fault)
    return network, tuple(faults)


def _layout(problem: Problem, seed: int, random: np.random.Generator) -> Layout:
    """Weak coverage hurts where walls are thick, interference where sites are dense and busy."""
    distance, loss = {
        Problem.WEAK_COVERAGE: (random.uniform(550, 750), random.uniform(14, 16.5)),
        Problem.INTERFERENCE: (random.uniform(380, 450), random.uniform(8, 12)),
    }.get(problem, (random.uniform(450, 600), random.uniform(12, 14)))
    sites = 61 if problem is Problem.MIXED else 37
    traffic = random.uniform(6.5, 7.5) if problem is Problem.INTERFERENCE else random.uniform(5.0, 6.0)
    return Layout(
        sites=sites, distance_m=round(float(distance), -1), penetration_db=round(float(loss), 1), cell_mbps=round(traffic, 1), seed=seed,
        grid_m=50.0,
    )  # fmt: skip


def _mixture(random: np.random.Generator) -> tuple[Plant, ...]:
    """Two or three kinds of faults."""
    kinds: tuple[Plant, ...] = (_weak_district, _high_site, _hot_spot, _forgotten_neighbours)
    order: Ints = random.permutation(len(kinds))
    return tuple(kinds[int(number)] for number in order[: int(random.integers(2, 4))])


def _place(network: Network, layout: Layout, random: np.random.Generator, taken: list[np.ndarray]) -> np.ndarray | None:
    """A place inside the network and far from other faults."""
    places = network.cells.site_places
    inside = np.hypot(*places.T) < 0.72 * np.hypot(*places.T).max()
    for other in taken:
        inside &= np.hypot(*(places - other).T) > APART_SHARE * layout.distance_m
    free = np.flatnonzero(inside)
    if len(free) == 0:
        return None
    return places[random.choice(free)] + random.normal(0, 0.2 * layout.distance_m, 2)


def _shows(before: State, after: State) -> bool:
    """Whether a healthy cell became a problem."""
    judged = after.cells["samples"] >= LEAST_SAMPLES
    return any(
        bool((beyond(name, after.cells[name]) & ~beyond(name, before.cells[name]) & judged).any())
        for name in ("rsrp_dbm", "mr_coverage_pct", "sinr_db", "overlap_degree", "prb_util_pct", "ho_success_pct", "far_share_pct")
    )  # fmt: skip


def _nearest_sites(network: Network, place: np.ndarray) -> Ints:
    return np.argsort(np.hypot(*(network.cells.site_places - place).T), kind="stable")


def _with(network: Network, cells: Cells) -> Network:
    return replace(network, cells=cells)


def _weak_district(network: Network, _: State, __: Layout, place: np.ndarray, random: np.random.Generator) -> tuple[Network, Fault]:
    """Two or three sites got wrong parameters: too much tilt, or too little power."""
    cells = network.cells
    wrong = np.isin(cells.site, _nearest_sites(network, place)[: random.integers(2, 4)])
    if random.random() < 0.5:
        made = replace(cells, tilt_deg=np.where(wrong, cells.tilt_deg + random.integers(11, 15), cells.tilt_deg))
    else:
        made = replace(cells, power_dbm=np.where(wrong, cells.power_dbm - random.integers(14, 20), cells.power_dbm))
    return _with(network, made), Fault(Cause.WEAK_COVERAGE, _numbers(wrong))


def _high_site(network: Network, _: State, layout: Layout, place: np.ndarray, random: np.random.Generator) -> tuple[Network, Fault]:
    """A site on a tower, a sector of which has hardly any tilt and full power."""
    cells = network.cells
    site = cells.site == _nearest_sites(network, place)[0]
    height = float(random.integers(48, 62))
    wrong = np.arange(len(cells)) == random.choice(np.flatnonzero(site))
    fitting = float(planned_tilt(np.array([height]), np.array([layout.distance_m])).round()[0])
    tilt = np.where(site, fitting, cells.tilt_deg)
    made = replace(
        cells, height_m=np.where(site, height, cells.height_m), tilt_deg=np.where(wrong, float(random.integers(0, 2)), tilt),
        power_dbm=np.where(wrong, MOST_POWER_DBM, cells.power_dbm),
    )  # fmt: skip
    return _with(network, made), Fault(Cause.OVERSHOOT, _numbers(wrong))


def _crowded_spot(network: Network, _: State, __: Layout, place: np.ndarray, random: np.random.Generator) -> tuple[Network, Fault]:
    """The sectors of several sites that look at a spot have too little tilt and too much power."""
    cells = network.cells
    wrong = np.zeros(len(cells), dtype=bool)
    for site in _nearest_sites(network, place)[1 : int(random.integers(7, 11))]:
        own = np.flatnonzero(cells.site == site)
        bearing = np.degrees(np.arctan2(place[0] - cells.x_m[own], place[1] - cells.y_m[own]))
        off = np.abs((cells.azimuth_deg[own] - bearing + 180) % 360 - 180)
        wrong[own[off.argmin()]] = True
    made = replace(
        cells, tilt_deg=np.where(wrong, float(random.integers(0, 2)), cells.tilt_deg),
        power_dbm=np.where(wrong, MOST_POWER_DBM, cells.power_dbm),
    )  # fmt: skip
    return _with(network, made), Fault(Cause.OVERLAP_INTERFERENCE, _numbers(wrong))


def _hot_spot(network: Network, state: State, _: Layout, place: np.ndarray, random: np.random.Generator) -> tuple[Network, Fault]:
    """The users of one to three neighbouring cells ask for several times the traffic."""
    area: Area = network.area
    distance = np.hypot(area.x_m - place[0], area.y_m - place[1])
    order = state.serving[np.argsort(distance, kind="stable")]
    busy = list(dict.fromkeys(order.tolist()))[: int(random.integers(1, 4))]
    hot = np.isin(state.serving, busy)
    area = replace(area, demand_mbps=np.where(hot, area.demand_mbps * random.uniform(3.0, 5.0), area.demand_mbps))
    return replace(network, area=area), Fault(Cause.HIGH_LOAD, tuple(sorted(busy)))


def _forgotten_neighbours(
    network: Network, state: State, _: Layout, place: np.ndarray, random: np.random.Generator
) -> tuple[Network, Fault]:  # fmt: skip
    """The relations of a cell with the neighbours of its longest borders are not configured."""
    cell = int(state.serving[np.argmin(np.hypot(network.area.x_m - place[0], network.area.y_m - place[1]))])
    low, high, _at = border_pairs(network, state.serving)
    own = (low == cell) | (high == cell)
    pairs, lengths = np.unique(np.stack([low[own], high[own]], axis=1), axis=0, return_counts=True)
    longest = pairs[np.argsort(-lengths, kind="stable")][: int(random.integers(2, 4))]
    missing = frozenset((int(i), int(j)) for i, j in longest)
    return replace(network, missing=network.missing | missing), Fault(Cause.MISSING_NEIGHBOUR, (cell,))


_PLANTS: dict[Problem, tuple[Plant, ...]] = {
    Problem.WEAK_COVERAGE: (_weak_district,),
    Problem.OVERSHOOT: (_high_site,),
    Problem.INTERFERENCE: (_crowded_spot,),
    Problem.CAPACITY: (_hot_spot,),
    Problem.NEIGHBOURS: (_forgotten_neighbours,),
}


def _numbers(chosen: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> tuple[int, ...]:
    return tuple(int(number) for number in np.flatnonzero(chosen))
