"""A network as arrays: cells with their antennas, and the grids of an area with their traffic."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NOMINAL_POWER_DBM = 46.0
"""Transmit power of a macro cell of 20 MHz (TR 36.814, table A.2.1.1-2)."""

MOST_POWER_DBM = 49.0


@dataclass(frozen=True)
class Cells:
    """The cells; all arrays have their length. A site's cells have equal `site`, `x_m`, `y_m` and `height_m`."""

    ids: tuple[str, ...]
    sites: tuple[str, ...]
    """Name of each cell's site."""
    site: Ints
    """Number of each cell's site, from 0."""
    x_m: Floats
    y_m: Floats
    height_m: Floats
    azimuth_deg: Floats
    """Clockwise from north, which is the positive y axis."""
    tilt_deg: Floats
    """Mechanical and electrical, downwards."""
    power_dbm: Floats
    carriers: Ints
    """Carriers of 20 MHz; load is shared between them."""

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def site_places(self) -> Floats:
        """East and north of each site, shape (sites, 2)."""
        _, first = np.unique(self.site, return_index=True)
        return np.stack([self.x_m[first], self.y_m[first]], axis=1)

    @cached_property
    def site_heights(self) -> Floats:
        """Height of each site in metres."""
        _, first = np.unique(self.site, return_index=True)
        return self.height_m[first]


@dataclass(frozen=True)
class Area:
    """Grids: squares of a map that are lived in."""

    x_m: Floats
    y_m: Floats
    """Centres."""
    row: Ints
    column: Ints
    """The place of each grid in the map, to find its neighbours."""
    size_m: float
    demand_mbps: Floats
    """Traffic that the users of a grid ask for in the busy hour."""

    def __len__(self) -> int:
        return len(self.x_m)

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """`G012-034`: row and column."""
        return tuple(f"G{row:03d}-{column:03d}" for row, column in zip(self.row, self.column, strict=True))

    @cached_property
    def borders(self) -> tuple[Ints, Ints]:
        """Pairs of grids with a common side."""
        width = int(self.column.max(initial=0)) + 2
        place = np.full((int(self.row.max(initial=0)) + 2, width), -1, dtype=np.int64)
        place[self.row, self.column] = np.arange(len(self))
        right, below = place[self.row, self.column + 1], place[self.row + 1, self.column]
        own = np.arange(len(self))
        first = np.concatenate([own[right >= 0], own[below >= 0]])
        return first, np.concatenate([right[right >= 0], below[below >= 0]])


@dataclass(frozen=True)
class Network:
    """What is simulated."""

    cells: Cells
    area: Area
    frequency_mhz: float = 2_600.0
    penetration_db: float = 12.0
    """Loss into buildings, where most measurement reports come from (TR 36.814: 20 dB for all users indoors)."""
    shadow_seed: int = 0
    shadow_db: float = 4.0
    """Standard deviation of shadow fading. The 6 dB of TR 36.873 hold for a point; a grid of 50 m is a mean over many."""
    missing: frozenset[tuple[int, int]] = frozenset()
    """Pairs of cells (lower number first) whose neighbour relation is not configured."""

    def with_cells(self, **arrays: Floats | Ints) -> "Network":
        """The same network with other arrays of its cells."""
        return replace(self, cells=replace(self.cells, **arrays))  # type: ignore[arg-type]
