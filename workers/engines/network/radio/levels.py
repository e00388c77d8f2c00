"""The received levels of the strongest cells in every grid, computed tile by tile."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workers.engines.network.radio.network import Network
from workers.engines.network.radio.propagation import (
    SUBCARRIERS,
    USER_HEIGHT_M,
    Single,
    antenna_gain_dbi,
    horizontal_loss_db,
    path_loss_db,
    shadow_fading_db,
    shadow_waves,
    vertical_loss_db,
)

STRONGEST = 12
"""Cells that are kept for each grid. The power of all others is kept as a sum."""

REACH_M = 2_500.0
"""Sites further away than this are below the noise in a grid."""

MOST_SITES = 60
"""Sites of a tile: the nearest ones."""

TILE_M = 600.0
"""Side of a tile: large enough for numpy, small enough that its grids have the same sites."""

UNHEARD_DBM = -200.0


@dataclass(frozen=True)
class Levels:
    """Levels by grid; the strongest cell comes first. Shapes are (grids, strongest) or (grids,)."""

    cell: NDArray[np.int32]
    rsrp_dbm: Single
    rest_mw: Single
    """Power of the cells that are not kept, per subcarrier."""
    nearer_sites: NDArray[np.int16]
    """How many sites are nearer to the grid than the site of this cell. Shape (grids, strongest)."""
    distance_m: Single
    """To the site of the strongest cell."""


def levels_of(network: Network) -> Levels:
    """Compute the levels."""
    count, kept = len(network.area), min(STRONGEST, len(network.cells))
    found = Levels(
        cell=np.zeros((count, kept), dtype=np.int32),
        rsrp_dbm=np.full((count, kept), UNHEARD_DBM, dtype=np.float32),
        rest_mw=np.zeros(count, dtype=np.float32),
        nearer_sites=np.zeros((count, kept), dtype=np.int16),
        distance_m=np.zeros(count, dtype=np.float32),
    )
    waves = shadow_waves(len(network.cells.site_places), network.shadow_seed)
    first = np.searchsorted(network.cells.site, np.arange(len(network.cells.site_places) + 1))
    for points, sites in _tiles(network):
        _tile(network, found, points, sites, waves, first)
    return found


def _tiles(network: Network) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Grids of a tile, and the sites that they may hear."""
    area, places = network.area, network.cells.site_places
    across = np.floor(area.x_m / TILE_M).astype(np.int64)
    up = np.floor(area.y_m / TILE_M).astype(np.int64)
    key = (up - up.min(initial=0)) * (int(across.max(initial=0)) - int(across.min(initial=0)) + 1) + across - across.min(initial=0)
    order = np.argsort(key, kind="stable")
    for points in np.split(order, np.flatnonzero(np.diff(key[order])) + 1):
        if len(points):
            centre = np.array([area.x_m[points].mean(), area.y_m[points].mean()])
            distance = np.hypot(*(places - centre).T)
            near = np.argsort(distance, kind="stable")[:MOST_SITES]
            yield points, np.sort(near[(distance[near] <= REACH_M) | (near == near[0])])


def _tile(
    network: Network, found: Levels, points: NDArray[np.int64], sites: NDArray[np.int64], waves: tuple[Single, Single],
    first: NDArray[np.int64],
) -> None:  # fmt: skip
    cells = network.cells
    east, north = network.area.x_m[points].astype(np.float32), network.area.y_m[points].astype(np.float32)
    places, heights = cells.site_places[sites].astype(np.float32), cells.site_heights[sites].astype(np.float32)
    across, up = east[:, None] - places[:, 0], north[:, None] - places[:, 1]
    ground = np.hypot(across, up)
    drop = heights - USER_HEIGHT_M
    bearing = np.degrees(np.arctan2(across, up))
    below = np.degrees(np.arctan2(drop, np.maximum(ground, 1.0)))
    loss = path_loss_db(np.hypot(ground, drop), heights, network.frequency_mhz) + network.penetration_db
    loss += shadow_fading_db(east, north, (waves[0][sites], waves[1][sites]), network.shadow_db)
    own: NDArray[np.int64] = np.concatenate([np.arange(int(first[site]), int(first[site + 1]), dtype=np.int64) for site in sites])
    at = np.searchsorted(sites, cells.site[own])
    gain = antenna_gain_dbi(
        horizontal_loss_db(bearing[:, at] - cells.azimuth_deg[own].astype(np.float32)),
        vertical_loss_db(below[:, at], cells.tilt_deg[own].astype(np.float32)),
    )
    per_carrier = (cells.power_dbm[own] - 10 * np.log10(SUBCARRIERS)).astype(np.float32)
    rsrp = per_carrier + gain - loss[:, at]
    kept = min(found.cell.shape[1], len(own))
    strongest = np.argpartition(-rsrp, kept - 1, axis=1)[:, :kept]
    levels = np.take_along_axis(rsrp, strongest, axis=1)
    order = np.argsort(-levels, axis=1, kind="stable")
    strongest, levels = np.take_along_axis(strongest, order, axis=1), np.take_along_axis(levels, order, axis=1)
    found.cell[points, :kept] = own[strongest]
    found.rsrp_dbm[points, :kept] = levels
    power = np.power(np.float32(10), rsrp / 10)
    found.rest_mw[points] = np.maximum(power.sum(axis=1) - np.power(np.float32(10), levels / 10).sum(axis=1), 0)
    own_ground = np.take_along_axis(ground, at[strongest], axis=1)
    found.nearer_sites[points, :kept] = (ground[:, None, :] < own_ground[:, :, None]).sum(axis=2)
    found.distance_m[points] = own_ground[:, 0]
