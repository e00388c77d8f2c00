"""How each cell is configured, compared with what its place and height ask for."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workers.engines.network.radio.layout import planned_tilt
from workers.engines.network.radio.levels import Levels, levels_of
from workers.engines.network.radio.network import Floats, Ints, Network

Flags = NDArray[np.bool_]

NEAR_SITES = 3
"""The mean distance to this number of next sites is a site's own."""

TOO_MUCH_TILT_DEG = 6.0
"""More than the fitting tilt by this: 4.3 dB at the edge of a beam of 10 degrees, growing with the square."""
TOO_LITTLE_POWER_DB = 6.0
"""Below the usual power by this: a quarter of it."""
TOO_LITTLE_TILT_DEG = 2.0
"""Less than the fitting tilt by this: a beam that should end at the next site reaches twice as far."""

TALL = 1.5
"""Times the median height: such a site looks over the roofs that stop the others."""

GROUP = 3
"""This number of cells with too much reach around a spot interfere with each other; fewer overshoot, each by itself."""
GROUP_SHARE = 2.6
"""They belong to a spot within this many distances between sites."""

SITES_AT_ONCE = 1_000
"""Rows of the matrix of distances that are computed at once, for memory."""


@dataclass(frozen=True)
class Configuration:
    """The cells' parameters, judged."""

    distance_m: Floats
    """Mean distance of each cell's site to the next ones."""
    fitting_tilt_deg: Floats
    usual_power_dbm: float
    is_weak: Flags
    """Too much tilt or too little power."""
    is_strong: Flags
    """Too little tilt for height and distance, so that it reaches too far."""
    is_tall: Flags
    is_crowded: Flags
    """A strong cell among others."""
    owner: Ints
    """The cell that would be the strongest in each grid if all were configured as fits."""


def configuration_of(network: Network) -> Configuration:
    """Judge the parameters, and compute who would serve each grid."""
    cells = network.cells
    distance = site_distance(cells.site_places)[cells.site]
    fitting = planned_tilt(cells.height_m, distance)
    usual = float(np.median(cells.power_dbm))
    strong = cells.tilt_deg <= fitting - TOO_LITTLE_TILT_DEG
    planned = network.with_cells(tilt_deg=fitting, power_dbm=np.full(len(cells), usual))
    owner: Levels = levels_of(planned)
    return Configuration(
        distance_m=distance,
        fitting_tilt_deg=fitting,
        usual_power_dbm=usual,
        is_weak=(cells.tilt_deg >= fitting + TOO_MUCH_TILT_DEG) | (cells.power_dbm <= usual - TOO_LITTLE_POWER_DB),
        is_strong=strong,
        is_tall=cells.height_m >= TALL * np.median(cells.height_m),
        is_crowded=_crowded(network, strong, distance),
        owner=owner.cell[:, 0].astype(np.int64),
    )


def site_distance(places: Floats) -> Floats:
    """Mean distance of each site to its next ones; of a lone site a kilometre."""
    count = len(places)
    near = min(NEAR_SITES, count - 1)
    if near == 0:
        return np.full(count, 1_000.0)
    found = np.zeros(count)
    for start in range(0, count, SITES_AT_ONCE):
        part = places[start : start + SITES_AT_ONCE]
        distance = np.hypot(part[:, None, 0] - places[:, 0], part[:, None, 1] - places[:, 1])
        found[start : start + SITES_AT_ONCE] = np.partition(distance, near, axis=1)[:, 1 : near + 1].mean(axis=1)
    return found


def _crowded(network: Network, strong: Flags, distance_m: Floats) -> Flags:
    """Strong cells that have enough others, of other sites, around them."""
    numbers = np.flatnonzero(strong)
    found = np.zeros(len(strong), dtype=bool)
    x, y, site = network.cells.x_m[numbers], network.cells.y_m[numbers], network.cells.site[numbers]
    for place, number in enumerate(numbers):
        near = np.hypot(x - x[place], y - y[place]) <= GROUP_SHARE * distance_m[number]
        found[number] = len(np.unique(site[near])) >= GROUP
    return found
