"""From which value on a cell or a grid is a problem, and by how much an indicator may change before it is worse."""

from dataclasses import dataclass
from enum import StrEnum
from math import inf

import numpy as np
from numpy.typing import NDArray

from contracts.network import Level, Limit

LEAST_SAMPLES = 20.0
"""Users in the busy hour below which a cell's indicators are chance, and it is not judged."""


class IndicatorName(StrEnum):
    """The indicators, as tables and arguments name them."""

    RSRP_DBM = "rsrp_dbm"
    MR_COVERAGE_PCT = "mr_coverage_pct"
    SINR_DB = "sinr_db"
    RSRQ_DB = "rsrq_db"
    OVERLAP_DEGREE = "overlap_degree"
    PRB_UTIL_PCT = "prb_util_pct"
    DL_TRAFFIC_GB = "dl_traffic_gb"
    RRC_USERS = "rrc_users"
    THROUGHPUT_MBPS = "throughput_mbps"
    HO_SUCCESS_PCT = "ho_success_pct"
    FAR_SHARE_PCT = "far_share_pct"


@dataclass(frozen=True, slots=True)
class Indicator:
    """What an indicator is."""

    unit: str
    digits: int
    is_better_high: bool
    limit: float | None
    """Beyond it is a problem. None: the indicator only explains."""
    tolerance: float
    """A change for the worse below this is not worth a word. Infinite: users and traffic that move to another cell are not worse."""
    levels: frozenset[Level]
    harmless: float | None = None
    """On the good side of it no change is worse: a cell that takes over traffic and stays half empty does what it is there for."""


_BOTH = frozenset(Level)
_CELL = frozenset({Level.CELL})

INDICATORS: dict[str, Indicator] = {
    "rsrp_dbm": Indicator("dBm", 1, True, -110.0, 1.0, _BOTH),
    "mr_coverage_pct": Indicator("%", 1, True, 70.0, 1.0, _CELL),
    "sinr_db": Indicator("dB", 1, True, 0.0, 0.5, _BOTH),
    "rsrq_db": Indicator("dB", 1, True, None, 0.5, _CELL),
    "overlap_degree": Indicator("", 1, False, 6.0, 0.5, _BOTH),
    "prb_util_pct": Indicator("%", 1, False, 80.0, 5.0, _BOTH, harmless=60.0),
    "dl_traffic_gb": Indicator("GB", 1, True, None, inf, _CELL),
    "rrc_users": Indicator("", 0, False, None, inf, _CELL),
    "throughput_mbps": Indicator("Mbps", 1, True, None, 2.0, _BOTH),
    "ho_success_pct": Indicator("%", 2, True, 95.0, 0.5, _CELL),
    "far_share_pct": Indicator("%", 1, False, 25.0, 5.0, _CELL),
}
"""Name → indicator, in the order of the tables. The limits are those of the field's documents (`skills/network-optimisation`); that of
`far_share_pct` is ours: in a regular network at most 12 % of a cell's samples have three sites nearer than the serving one."""


def known(level: Level) -> tuple[str, ...]:
    """The indicators of a level."""
    return tuple(name for name, indicator in INDICATORS.items() if level in indicator.levels)


def limit_of(name: str) -> Limit | None:
    """The limit of an indicator, for display."""
    indicator = INDICATORS.get(name)
    if indicator is None or indicator.limit is None:
        return None
    return Limit(indicator=name, value=indicator.limit, unit=indicator.unit, is_upper=not indicator.is_better_high)


def beyond(name: str, values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which values are a problem. NaN is none."""
    indicator = INDICATORS[name]
    if indicator.limit is None:
        return np.zeros(len(values), dtype=bool)
    return values < indicator.limit if indicator.is_better_high else values > indicator.limit
