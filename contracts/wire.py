"""Reads JSON from outside: strict and bounded, with a reason for each refusal."""

import json
import math
from typing import Any

from contracts.base import clean_json
from contracts.limits import MOST_INTEGER

MAX_MESSAGE_BYTES = 2 * 1024 * 1024
MAX_DEPTH = 64
MAX_DELIVERABLE_BYTES = 1024 * 1024


class NotJson(ValueError):
    """The bytes are not acceptable JSON. The message gives the sender the reason."""


def read_json(body: bytes, *, max_bytes: int = MAX_MESSAGE_BYTES) -> Any:
    """The JSON value in `body` (UTF-8), with NUL and lone surrogates replaced. If a key occurs twice, the last value is used.

    Raises `NotJson`: too large, not UTF-8, not JSON, NaN or infinite numbers, whole numbers of more than 64 bits, or nested
    deeper than `MAX_DEPTH`.
    """
    if len(body) > max_bytes:
        raise NotJson(f"The message has {len(body)} bytes; {max_bytes} are allowed. Send large content by reference.")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotJson(f"Not UTF-8: byte {error.start} is 0x{body[error.start]:02x}.") from None
    try:
        value = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite, parse_int=_within_64_bits)
    except NotJson:
        raise
    except RecursionError:
        raise NotJson(f"Nested deeper than {MAX_DEPTH} levels.") from None
    except ValueError as error:
        raise NotJson(f"Not JSON: {error}.") from None
    _check_depth(value)
    return clean_json(value)


def read_json_text(text: str, *, max_bytes: int = MAX_MESSAGE_BYTES) -> Any:
    """The same of a text that was typed or said. Raises `NotJson`."""
    return read_json(text.encode("utf-8", "replace"), max_bytes=max_bytes)


def _refuse_constant(name: str) -> Any:
    raise NotJson(f"{name} is not a JSON number.")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise NotJson(f"The number {text[:40]} is too large.")
    return value


def _within_64_bits(text: str) -> int:
    value = int(text)
    if not -MOST_INTEGER <= value <= MOST_INTEGER:
        raise NotJson(f"The number {text[:40]} is too large.")
    return value


def _check_depth(value: Any) -> None:
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        level = [child for item in level for child in _children(item)]
        if not level:
            return
    raise NotJson(f"Nested deeper than {MAX_DEPTH} levels.")


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] JSON has no static type
    if isinstance(value, list):
        return value  # pyright: ignore[reportUnknownVariableType] as above
    return []
