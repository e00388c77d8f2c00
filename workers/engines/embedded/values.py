"""Values of an engine as MessagePack, so that a driver's own values arrive as they left, and frames of it on a socket."""

import socket
import struct
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, cast
from uuid import UUID

import msgspec

Row = tuple[Any, ...]

LENGTH = struct.Struct(">I")
"""Before each frame: its length in bytes."""

_PLAIN = frozenset({str, float, bool, type(None), bytes})
_DECIMAL, _DATETIME, _DATE, _TIME, _TIMEDELTA, _UUID, _INT, _MAP = range(8)
"""Codes of values that MessagePack does not have."""

_encoder = msgspec.msgpack.Encoder()


def packed(cell: Any) -> Any:
    """A value as the encoder takes it. A value of an unknown class becomes text."""
    kind = cell.__class__
    if kind in _PLAIN:
        return cell
    if kind is int:
        return cell if -(2**63) <= cell < 2**63 else _ext(_INT, str(cell))
    if isinstance(cell, list | tuple | set | frozenset):
        return [packed(item) for item in cast("Iterable[Any]", cell)]
    if isinstance(cell, dict):
        pairs = [[packed(name), packed(item)] for name, item in cast("dict[Any, Any]", cell).items()]
        return msgspec.msgpack.Ext(_MAP, encoded(pairs))
    return _packed_scalar(cell)


def _packed_scalar(cell: Any) -> Any:
    match cell:
        case Decimal():
            return _ext(_DECIMAL, str(cell))
        case datetime():
            return _ext(_DATETIME, cell.isoformat())
        case date():
            return _ext(_DATE, cell.isoformat())
        case time():
            return _ext(_TIME, cell.isoformat())
        case timedelta():
            return _ext(_TIMEDELTA, f"{cell.days} {cell.seconds} {cell.microseconds}")
        case UUID():
            return _ext(_UUID, cell.hex)
        case bytearray() | memoryview():
            return bytes(cast("bytes", cell))
        case int():  # a subclass
            return int(cell)
        case float():
            return float(cell)
        case _:
            return str(cell)


def _ext(code: int, text: str) -> msgspec.msgpack.Ext:
    return msgspec.msgpack.Ext(code, text.encode())


def _unpacked(code: int, data: memoryview) -> Any:
    if code == _MAP:
        return {_key(name): item for name, item in decoded(data)}
    text = str(data, "utf-8")
    match code:
        case 0:
            return Decimal(text)
        case 1:
            return datetime.fromisoformat(text)
        case 2:
            return date.fromisoformat(text)
        case 3:
            return time.fromisoformat(text)
        case 4:
            days, seconds, microseconds = map(int, text.split())
            return timedelta(days, seconds, microseconds)
        case 5:
            return UUID(text)
        case _:
            return int(text)


def _key(name: Any) -> Any:
    return str(cast("object", name)) if isinstance(name, list | dict) else name


_decoder = msgspec.msgpack.Decoder(ext_hook=_unpacked)


def encoded(value: Any) -> bytes:
    """The bytes of a value that `packed` gave."""
    return _encoder.encode(value)


def decoded(data: bytes | bytearray | memoryview) -> Any:
    """The value in these bytes. Raises `msgspec.MsgspecError`, `ValueError` or `RecursionError`."""
    return _decoder.decode(data)


def size_of(cell: Any) -> int:
    """Bytes of a value, about as it would be sent; at least one."""
    if cell is None:
        return 1
    if isinstance(cell, str):
        return max(1, len(cell) if cell.isascii() else len(cell.encode("utf-8", "replace")))
    if isinstance(cell, bytes | bytearray | memoryview):
        return max(1, len(cast("bytes", cell)))
    if isinstance(cell, int | float):
        return 8
    if isinstance(cell, list | tuple | set):
        return 8 + sum(map(size_of, cast("Iterable[Any]", cell)))
    if isinstance(cell, dict):
        return 8 + sum(size_of(name) + size_of(item) for name, item in cast("dict[Any, Any]", cell).items())
    return 16


def size_of_row(row: Sequence[Any]) -> int:
    """Bytes of a row's values."""
    return sum(map(size_of, row))


def send(data: socket.socket, value: Any) -> None:
    """Send a frame."""
    body = encoded(value)
    data.sendall(LENGTH.pack(len(body)))
    data.sendall(body)


class Incomplete(Exception):
    """The other side has closed the connection within a frame."""


def received(data: socket.socket, size: int) -> bytearray | None:
    """Exactly so many bytes; None: the connection was closed before the first. Raises `Incomplete`, `OSError` or `TimeoutError`."""
    body = bytearray(size)
    view, done = memoryview(body), 0
    while done < size:
        count = data.recv_into(view[done:], min(size - done, 1 << 20))
        if not count:
            if done:
                raise Incomplete
            return None
        done += count
    return body
