"""Phenomena as monitoring exports them: a metric with its usual and its current value, and their difference in sigmas.

A reading becomes graded phenomena, each grade including the grades below it, so that incidents of different severity have phenomena
in common: "High AvgCpuUser", and beyond 4 and 8 sigmas also "Very high AvgCpuUser" and "Extremely high AvgCpuUser".
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

_GRADES = ((0.0, "High", "Low"), (4.0, "Very high", "Very low"), (8.0, "Extremely high", "Extremely low"))
"""From how many sigmas on, above and below. Who exports a reading has found it odd, so the first grade has no bound."""

Reading = Mapping[str, Any]


def is_reading(item: object) -> TypeGuard[Reading]:
    """Whether a phenomenon is an object with a `metric` that is not described in words."""
    return isinstance(item, Mapping) and isinstance(item.get("metric"), str) and "description" not in item  # pyright: ignore[reportUnknownMemberType] JSON from outside


def phenomena_of(reading: Reading) -> list[dict[str, str]]:
    """The anomalies of one reading, the mildest first. Without `z` (sigmas, signed) its direction is that of the values."""
    normal, abnormal, sigmas = (_number(reading.get(key)) for key in ("normal", "abnormal", "z"))
    if sigmas is None and normal is not None and abnormal is not None:
        sigmas = float(abnormal > normal) or -1.0
    if sigmas is None:
        return [{"description": f"Unusual {reading['metric']}"}]
    values = "" if normal is None or abnormal is None else f"{abnormal:g} where {normal:g} is usual"
    return [
        {"description": f"{high if sigmas > 0 else low} {reading['metric']}", "why_relevant": values}
        for bound, high, low in _GRADES
        if abs(sigmas) >= bound
    ]


def alarm(readings: Sequence[Reading]) -> str:
    """The readings as an alarm text, for an incident without a description."""
    descriptions = [anomaly["description"] for reading in readings for anomaly in phenomena_of(reading)]
    return ". ".join([*descriptions, "All other metrics are normal."])


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
