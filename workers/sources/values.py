"""Values of a result as JSON values."""

import math
from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, cast

from contracts.base import clean_text


def plain(value: Any) -> Any:
    """A JSON value. Decimals stay exact: a number where it is one, else text. NaN and infinity become text."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return "\\x" + bytes(cast("bytes", value)).hex()
    if isinstance(value, Mapping):
        return {clean_text(str(name)): plain(item) for name, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] a value of the engine's
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in cast("Iterable[Any]", value)]
    return clean_text(str(value))


def _decimal(value: Decimal) -> Any:
    if not value.is_finite():
        return str(value)
    if value == value.to_integral_value() and abs(value) < 2**63:
        return int(value)
    near = float(value)
    return near if Decimal(repr(near)) == value else str(value)
