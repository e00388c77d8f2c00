"""Load, quality and throughput, and the indicators of cells and grids.

- Load: the cells' loads depend on the interference that their loads make; the fixed point is found by repeating (Siomina and Yuan,
  "Analysis of Cell Load Coupling for LTE Network Planning and Optimization", IEEE Trans. Wireless Communications 11(6), 2012).
- Spectral efficiency: the truncated Shannon bound of 3GPP TR 36.942 V15.0.0, annex A.2.
- Throughput of a user: processor sharing, so that a user has the part of the cell that the others leave.
"""

from dataclasses import dataclass
from math import erf

import numpy as np
from numpy.typing import NDArray

from workers.engines.network.radio.levels import UNHEARD_DBM, Levels, levels_of
from workers.engines.network.radio.network import Floats, Ints, Network

NOISE_MW = 10 ** ((-174.0 + 10 * np.log10(15_000) + 7.0) / 10)
"""Thermal noise of a subcarrier of 15 kHz, with a noise figure of 7 dB."""

BANDWIDTH_MHZ = 18.0
"""100 resource blocks of 180 kHz."""

SHANNON_SHARE = 0.6
LOWEST_SINR_DB = -10.0
HIGHEST_BITS_PER_HZ = 4.4

IDLE_LOAD = 0.1
"""Part of the power that a cell without traffic sends: reference and control signals."""

LEAST_SENT = 1 / 6
"""Part of the subcarriers that carry reference signals where they are measured: without traffic and interference RSRQ is -3 dB."""

ROUNDS = 15
"""Repetitions to the fixed point of the load; then no load moves by a per cent."""

OVERLAP_DB = 10.0
"""Cells within this of the strongest count into the overlap degree."""
OVERLAP_LEAST_DBM = -118.0

MR_LEVEL_DBM = -110.0
"""A measurement report is covered from this level on."""
MR_DEVIATION_DB = 6.0
"""Spread of the reports within a grid: floors, rooms and bodies."""

MBPS_PER_USER = 0.1
"""Mean demand of a connected user in the busy hour."""

FAR_RANK = 3
"""A sample is far when at least this number of sites is nearer than the serving one."""

HANDOVER_LOSS = 0.006
"""Handovers that fail with good radio and a configured neighbour."""
MISSING_LOSS = 0.9
"""Handovers to a cell that is not configured as a neighbour and fail."""


@dataclass(frozen=True)
class State:
    """A network, measured. Arrays of cells have NaN where a cell serves no grid."""

    network: Network
    levels: Levels
    grids: dict[str, Floats]
    """Indicator → value of each grid."""
    cells: dict[str, Floats]
    """Indicator → value of each cell."""
    serving: Ints
    """The serving cell of each grid."""
    samples: Floats
    """Users of each grid: the weight of its reports."""
    load: Floats
    """Load of each cell; above 1 when it cannot carry its traffic."""


def measure(network: Network) -> State:
    """Simulate the busy hour."""
    levels = levels_of(network)
    serving = levels.cell[:, 0].astype(np.int64)
    power = np.power(10.0, levels.rsrp_dbm.astype(np.float64) / 10)
    power[levels.rsrp_dbm <= UNHEARD_DBM] = 0.0
    load, sinr = _fixed_point(network, levels, serving, power)
    busy = np.maximum(np.minimum(load, 1.0), IDLE_LOAD)
    samples = network.area.demand_mbps / MBPS_PER_USER
    rsrp = levels.rsrp_dbm[:, 0].astype(np.float64)
    rate = _bits_per_hz(sinr) * BANDWIDTH_MHZ * network.cells.carriers[serving]
    sent = np.maximum(busy, LEAST_SENT)
    total = (power * sent[levels.cell]).sum(axis=1) + levels.rest_mw * sent.mean() + NOISE_MW
    heard = (levels.rsrp_dbm >= levels.rsrp_dbm[:, :1] - OVERLAP_DB) & (levels.rsrp_dbm >= OVERLAP_LEAST_DBM)
    grids = {
        "rsrp_dbm": rsrp,
        "sinr_db": sinr,
        "rsrq_db": 10 * np.log10(power[:, 0] / (12 * total)),
        "overlap_degree": heard.sum(axis=1).astype(np.float64),
        "prb_util_pct": 100 * np.minimum(load, 1.0)[serving],
        "throughput_mbps": rate * np.maximum(1 - np.minimum(load, 1.0)[serving], 0.02),
        "mr_coverage_pct": 100 * share_above((rsrp - MR_LEVEL_DBM) / MR_DEVIATION_DB),
        "far": (levels.nearer_sites[:, 0] >= FAR_RANK).astype(np.float64),
    }
    return State(network, levels, grids, _cells(network, grids, serving, samples, load), serving, samples, load)


def _fixed_point(network: Network, levels: Levels, serving: Ints, power: Floats) -> tuple[Floats, Floats]:
    """The load of each cell and the SINR of each grid. A cell above full load sends at full power."""
    count = len(network.cells)
    load = np.full(count, 0.5)
    sinr = np.zeros(len(serving))
    for _ in range(ROUNDS):
        busy = np.maximum(np.minimum(load, 1.0), IDLE_LOAD)
        heard = (power[:, 1:] * busy[levels.cell[:, 1:]]).sum(axis=1) + levels.rest_mw * busy.mean()
        sinr = 10 * np.log10(power[:, 0] / (heard + NOISE_MW))
        need = network.area.demand_mbps / (_bits_per_hz(sinr) * BANDWIDTH_MHZ)
        load = np.bincount(serving, weights=need, minlength=count) / network.cells.carriers
    return load, sinr


def _bits_per_hz(sinr_db: Floats) -> Floats:
    bits = SHANNON_SHARE * np.log2(1 + np.power(10.0, np.maximum(sinr_db, LOWEST_SINR_DB) / 10))
    return np.minimum(bits, HIGHEST_BITS_PER_HZ)


_ERF = np.vectorize(erf, otypes=[np.float64])


def share_above(value: Floats) -> Floats:
    """The distribution function of the normal distribution, from a table of steps of 0.01."""
    steps = np.arange(-6.0, 6.01, 0.01)
    table: Floats = 0.5 * (1 + _ERF(steps / np.sqrt(2)))
    return np.asarray(np.interp(value, steps, table), dtype=np.float64)


def _cells(network: Network, grids: dict[str, Floats], serving: Ints, samples: Floats, load: Floats) -> dict[str, Floats]:
    count = len(network.cells)
    weight: Floats = np.bincount(serving, weights=samples, minlength=count).astype(np.float64)

    def mean(values: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.bincount(serving, weights=samples * values, minlength=count) / weight

    served = np.minimum(load, 1.0)
    demand: Floats = np.bincount(serving, weights=network.area.demand_mbps, minlength=count).astype(np.float64)
    carried: Floats = np.divide(demand * served, load, out=np.zeros(count), where=load > 0)
    found: dict[str, Floats] = {
        "rsrp_dbm": mean(grids["rsrp_dbm"]),
        "mr_coverage_pct": mean(grids["mr_coverage_pct"]),
        "sinr_db": mean(grids["sinr_db"]),
        "rsrq_db": mean(grids["rsrq_db"]),
        "overlap_degree": mean(grids["overlap_degree"]),
        "prb_util_pct": 100 * served,
        "dl_traffic_gb": carried * 3600 / 8 / 1000,
        "rrc_users": weight,
        "throughput_mbps": mean(grids["throughput_mbps"]),
        "ho_success_pct": 100 * (1 - _handover_loss(network, grids["sinr_db"], serving)),
        "far_share_pct": 100 * mean(grids["far"]),
        "samples": weight,
    }
    return found


def border_pairs(network: Network, serving: Ints) -> tuple[Ints, Ints, NDArray[np.int64]]:
    """Cells with a common border: the lower number, the higher number, and the first grid of each side of the border."""
    first, second = network.area.borders
    differs = serving[first] != serving[second]
    here, there = serving[first[differs]], serving[second[differs]]
    return np.minimum(here, there), np.maximum(here, there), first[differs]


def _handover_loss(network: Network, sinr: Floats, serving: Ints) -> Floats:
    """The share of handovers that fail, by cell: more where quality is low, nearly all where the neighbour is not configured."""
    low, high, at = border_pairs(network, serving)
    count = len(network.cells)
    lost = HANDOVER_LOSS + 0.04 / (1 + np.exp((sinr[at] + 6) / 1.5))
    if network.missing:
        missing = np.isin(low * count + high, np.array([i * count + j for i, j in network.missing], dtype=np.int64))
        lost = np.where(missing, MISSING_LOSS, lost)
    failed = np.bincount(low, weights=lost, minlength=count) + np.bincount(high, weights=lost, minlength=count)
    tried = np.bincount(low, minlength=count) + np.bincount(high, minlength=count)
    return np.divide(failed, tried, out=np.full(count, HANDOVER_LOSS), where=tried > 0)
