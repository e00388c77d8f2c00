"""The series in an answer of Prometheus's HTTP API, which Loki gives in the same form."""

import math
from datetime import UTC, datetime
from typing import Any, cast

from contracts.base import clean_text
from contracts.log_sources import LogPoint, LogSeries


def read_series(data: Any) -> list[LogSeries]:
    """A scalar, a vector or a matrix; series of histograms, which have no single values, are left out. Raises `ValueError` for anything
    else."""
    fields = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    try:
        match fields.get("resultType"):
            case "scalar":
                return [LogSeries(labels={}, points=(_point(fields["result"]),))]
            case "vector":
                return [
                    LogSeries(labels=texts(series["metric"]), points=(_point(series["value"]),))
                    for series in fields["result"]
                    if "value" in series
                ]
            case "matrix":
                return [
                    LogSeries(labels=texts(series["metric"]), points=tuple(_point(value) for value in series["values"]))
                    for series in fields["result"]
                    if "values" in series
                ]
            case _:
                pass
    except (KeyError, TypeError, OverflowError) as error:
        raise ValueError(str(error)) from None
    raise ValueError("no series")


def texts(labels: Any) -> dict[str, str]:
    """The labels of a stream or a series."""
    return {str(name): clean_text(str(value)) for name, value in cast("dict[Any, Any]", labels).items()}


def _point(pair: Any) -> LogPoint:
    at, text = cast("tuple[float, str]", pair)
    value = float(text)
    return LogPoint(at=datetime.fromtimestamp(float(at), UTC), value=value if math.isfinite(value) else None)
