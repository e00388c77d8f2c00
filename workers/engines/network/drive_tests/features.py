"""What the rules look at: figures of the slow seconds of a drive test."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from workers.engines.network.drive_tests.reading import DriveTest, RadioCell, Second

METRES_PER_DEGREE = 111_320.0
"""Of latitude; of longitude at the equator. Distances here are a few kilometres, so that a plane is exact enough."""

VEHICLE_HEIGHT_M = 1.5

SAME_PLACE_M = 30.0
"""Antennas that are nearer to each other are on the same mast or roof."""

UNHEARD_DB = -60.0
"""The level of a neighbour that is not measured: far below anything that matters."""


@dataclass(frozen=True, slots=True)
class Features:
    """Figures of a drive test; of its slow seconds unless it says otherwise. NaN: the data does not have it."""

    slow_seconds: int
    handovers: int
    """Changes of the serving cell in the whole test."""
    speed_kmh: float
    """The highest."""
    blocks: float
    """Mean of the scheduled resource blocks."""
    distance_m: float
    """The largest distance to the serving cell."""
    above_beam_deg: float
    """How far the vehicle is above the upper edge of the serving beam when throughput drops; positive: outside of it."""
    tilt_deg: float
    """Of the serving cell when throughput drops."""
    same_mod_db: float
    """The strongest neighbour with the same PCI modulo 30, relative to the serving cell, in the second in which it is weakest: what
    explains the drop is there all the time."""
    other_site_db: float
    """The same of neighbours of other sites."""
    any_site_db: float
    """The same of all neighbours."""
    rsrp_dbm: float
    """Mean."""
    throughput_mbps: float
    """Mean."""
    other_throughput_mbps: float
    """Mean of the seconds that are not slow."""

    def values(self) -> dict[str, float]:
        """The figures by name, those that are missing left out."""
        figures = {name: getattr(self, name) for name in self.__slots__ if name != "slow_seconds"}
        return {name: round(float(value), 2) for name, value in figures.items() if not math.isnan(value)}


def features_of(test: DriveTest) -> Features:
    """Compute the features. Where no second is below the limit, the slowest one is taken."""
    slow = [second for second in test.seconds if second.throughput_mbps < test.limits.throughput_mbps]
    slow = slow or [min(test.seconds, key=lambda second: _or(second.throughput_mbps, math.inf))]
    rest = [second for second in test.seconds if second not in slow]
    dropped = next((second for second in slow if _serving(test, second) is not None), None)
    cell = _serving(test, dropped) if dropped else None
    return Features(
        slow_seconds=len(slow),
        handovers=sum(before != after for before, after in pairwise(second.pci for second in test.seconds if second.pci is not None)),
        speed_kmh=_max(second.speed_kmh for second in slow),
        blocks=_mean([second.blocks for second in slow]),
        distance_m=_max(_distance(test, second) for second in slow),
        above_beam_deg=_above_beam(cell, _distance(test, dropped)) if cell and dropped else math.nan,
        tilt_deg=cell.tilt_deg if cell else math.nan,
        same_mod_db=min(_strongest(second, lambda pci, at=second: _is_same_mod(at, pci)) for second in slow),
        other_site_db=min(_strongest(second, lambda pci, at=second: _is_elsewhere(test, at, pci)) for second in slow),
        any_site_db=min(_strongest(second, lambda _: True) for second in slow),
        rsrp_dbm=_mean([second.rsrp_dbm for second in slow]),
        throughput_mbps=_mean([second.throughput_mbps for second in slow]),
        other_throughput_mbps=_mean([second.throughput_mbps for second in rest]),
    )  # fmt: skip


def _serving(test: DriveTest, second: Second) -> RadioCell | None:
    return None if second.pci is None else test.cells.get(second.pci)


def _distance(test: DriveTest, second: Second) -> float:
    cell = _serving(test, second)
    return math.nan if cell is None else _metres(cell, second)


def _metres(cell: RadioCell, place: Second | RadioCell) -> float:
    east = (cell.longitude - place.longitude) * METRES_PER_DEGREE * math.cos(math.radians(cell.latitude))
    return math.hypot(east, (cell.latitude - place.latitude) * METRES_PER_DEGREE)


def _above_beam(cell: RadioCell, distance_m: float) -> float:
    """Degrees from the line of sight down to the upper edge of the main beam. Positive: the beam ends before the vehicle."""
    below_horizon = math.degrees(math.atan2(cell.height_m - VEHICLE_HEIGHT_M, max(distance_m, 1.0)))
    return cell.tilt_deg - cell.beamwidth_deg / 2 - below_horizon


def _is_elsewhere(test: DriveTest, second: Second, pci: int) -> bool:
    """Whether the neighbour belongs to another site; a neighbour that the engineering table lacks counts as one."""
    own, other = _serving(test, second), test.cells.get(pci)
    if own is None or other is None:
        return True
    return own.site != other.site if own.site and other.site else _metres(own, other) > SAME_PLACE_M


def _is_same_mod(second: Second, pci: int) -> bool:
    return second.pci is not None and pci % 30 == second.pci % 30


def _strongest(second: Second, counts: Callable[[int], bool]) -> float:
    return max((each.rsrp_dbm - second.rsrp_dbm for each in second.neighbours if counts(each.pci)), default=UNHEARD_DB)


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan


def _max(values: Iterable[float]) -> float:
    return max((value for value in values if not math.isnan(value)), default=math.nan)


def _or(value: float, other: float) -> float:
    return other if math.isnan(value) else value
