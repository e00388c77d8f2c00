"""Makes a network by a seed: sites on hexagons, three sectors each, and an area with its traffic."""

from dataclasses import dataclass, replace

import numpy as np

from workers.engines.network.radio.network import NOMINAL_POWER_DBM, Area, Cells, Floats, Network
from workers.engines.network.radio.propagation import USER_HEIGHT_M

SECTORS = 3

EDGE_SHARE = 0.6
"""A sector is tilted to this share of the distance to the next site: the middle of its beam falls a little before its edge."""

JITTER_SHARE = 0.06
"""How far sites are from the hexagons' centres, as a share of their distance."""


@dataclass(frozen=True)
class Layout:
    """What a network looks like before anything is wrong with it."""

    sites: int = 37
    distance_m: float = 550.0
    """Between sites."""
    grid_m: float = 50.0
    height_m: float = 28.0
    frequency_mhz: float = 2_600.0
    penetration_db: float = 12.0
    cell_mbps: float = 9.0
    """Mean demand of a cell."""
    seed: int = 0


def make_network(layout: Layout) -> Network:
    """The network of a layout; the same for the same layout."""
    random = np.random.default_rng([layout.seed, 17])
    places = _hexagons(layout.sites, layout.distance_m)
    places = places + random.normal(0, JITTER_SHARE * layout.distance_m, places.shape)
    count = len(places)
    heights = np.clip(random.normal(layout.height_m, 2.5, count), layout.height_m - 6, layout.height_m + 6).round()
    offset = random.uniform(0, 360 / SECTORS, count)
    site = np.repeat(np.arange(count), SECTORS)
    azimuth = (offset[site] + np.tile(np.arange(SECTORS) * 360 / SECTORS, count) + random.normal(0, 4, len(site))).round() % 360
    cells = Cells(
        ids=tuple(f"{1001 + number // SECTORS}-{number % SECTORS + 1}" for number in range(len(site))),
        sites=tuple(f"S{number // SECTORS + 1:03d}" for number in range(len(site))),
        site=site,
        x_m=places[site, 0].round(1),
        y_m=places[site, 1].round(1),
        height_m=heights[site],
        azimuth_deg=azimuth,
        tilt_deg=planned_tilt(heights[site], np.full(len(site), layout.distance_m)).round(),
        power_dbm=np.full(len(site), NOMINAL_POWER_DBM),
        carriers=np.ones(len(site), dtype=np.int64),
    )
    return Network(
        cells=cells, area=_area(layout, places, random), frequency_mhz=layout.frequency_mhz, penetration_db=layout.penetration_db,
        shadow_seed=layout.seed,
    )  # fmt: skip


def planned_tilt(height_m: Floats, distance_m: Floats) -> Floats:
    """The tilt that points the beam at `EDGE_SHARE` of the distance to the next sites."""
    return np.degrees(np.arctan2(height_m - USER_HEIGHT_M, EDGE_SHARE * distance_m))


def _hexagons(count: int, distance_m: float) -> Floats:
    """The `count` points of a triangular lattice that are nearest to its middle."""
    half = int(np.ceil(np.sqrt(count))) + 2
    across, up = np.meshgrid(np.arange(-half, half + 1), np.arange(-half, half + 1))
    points = np.stack([(across + 0.5 * (up % 2)).ravel(), (up * np.sqrt(3) / 2).ravel()], axis=1) * distance_m
    return points[np.argsort(np.hypot(*points.T), kind="stable")[:count]]


def _area(layout: Layout, places: Floats, random: np.random.Generator) -> Area:
    """The grids within a cell's reach of a site, with a smooth traffic map."""
    plain = grids_around(places, layout.distance_m, layout.grid_m)
    relief = np.zeros(len(plain))
    for _ in range(6):
        vector, phase = random.normal(0, 2 / layout.distance_m / 3, 2), random.uniform(0, 2 * np.pi)
        relief += np.cos(vector[0] * plain.x_m + vector[1] * plain.y_m + phase)
    weight = np.exp(0.12 * relief + random.normal(0, 0.25, len(plain)))
    return replace(plain, demand_mbps=weight / weight.sum() * layout.cell_mbps * len(places) * SECTORS)


def grids_around(places: Floats, distance_m: float, grid_m: float) -> Area:
    """The grids within a cell's reach of one of the sites, without traffic. `distance_m` is that between sites."""
    low, high = places.min(axis=0) - distance_m / 3, places.max(axis=0) + distance_m / 3
    columns, rows = np.ceil((high - low) / grid_m).astype(int)
    row, column = (part.ravel() for part in np.mgrid[0:rows, 0:columns])
    x, y = low[0] + (column + 0.5) * grid_m, low[1] + (row + 0.5) * grid_m
    inside = _near_a_site(x, y, places, 0.62 * distance_m)
    return Area(
        x_m=x[inside].round(1), y_m=y[inside].round(1), row=row[inside], column=column[inside], size_m=grid_m,
        demand_mbps=np.zeros(int(inside.sum())),
    )  # fmt: skip


def _near_a_site(x: Floats, y: Floats, places: Floats, reach_m: float) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which points have a site within reach. Sites are sorted into squares of the reach, so that few are compared."""
    squares: dict[tuple[int, int], list[int]] = {}
    for number, (east, north) in enumerate(places):
        squares.setdefault((int(east // reach_m), int(north // reach_m)), []).append(number)
    inside = np.zeros(len(x), dtype=bool)
    across, up = (x // reach_m).astype(int), (y // reach_m).astype(int)
    key = across * 100_003 + up
    order = np.argsort(key, kind="stable")
    for points in np.split(order, np.flatnonzero(np.diff(key[order])) + 1):
        here = (int(across[points[0]]), int(up[points[0]]))
        near = [site for i in (-1, 0, 1) for j in (-1, 0, 1) for site in squares.get((here[0] + i, here[1] + j), ())]
        if near:
            distance = np.hypot(x[points, None] - places[near, 0], y[points, None] - places[near, 1])
            inside[points] = distance.min(axis=1) <= reach_m
    return inside
