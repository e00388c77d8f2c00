"""The compressions that are chains of frames, each with a decoder that gives its output in bounded pieces."""

import bz2
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import lz4.frame

from contracts.statements import Statement, name, say

if sys.version_info >= (3, 14):
    from compression import zstd  # pyright: ignore[reportMissingImports, reportUnknownVariableType] newer than the checked version
else:
    from backports import zstd

CHUNK = 1 << 18
"""Bytes read, and at most given out, at a time."""

Read = Callable[[int], bytes]
"""Read at most `size` bytes; empty at the end."""


class StreamBroken(Exception):
    """The compressed stream breaks off or is damaged; what came before it is read."""

    def __init__(self, says: Statement) -> None:
        super().__init__(says.code)
        self.says = says


class FrameDecoder(Protocol):
    """What the standard library's incremental decompressors have in common. One frame, then `eof`."""

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """Take input and give at most `max_length` bytes."""
        ...

    @property
    def eof(self) -> bool:
        """The frame has ended."""
        ...

    @property
    def needs_input(self) -> bool:
        """There is nothing more to give without input."""
        ...

    @property
    def unused_data(self) -> bytes | None:
        """Input behind the frame's end."""
        ...


class GzipDecoder:
    """zlib's decoder of gzip members in the manner of the others."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        self._stopped = False

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """Take input and give at most `max_length` bytes."""
        piece = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        self._stopped = len(piece) == max_length  # zlib may then hold output without any input left
        return piece

    @property
    def eof(self) -> bool:
        """The member has ended."""
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        """There is nothing more to give without input."""
        return not self._inner.unconsumed_tail and not self._stopped

    @property
    def unused_data(self) -> bytes:
        """Input behind the member's end."""
        return self._inner.unused_data


def _lz4() -> Any:
    return lz4.frame.LZ4FrameDecompressor()  # pyright: ignore[reportUnknownVariableType] lz4 ships no types


DECODERS: dict[str, Callable[[], Any]] = {
    "gzip": GzipDecoder,
    "zstd": zstd.ZstdDecompressor,
    "lz4": _lz4,
    "bzip2": bz2.BZ2Decompressor,
    "xz": lzma.LZMADecompressor,
}

DAMAGED = (zlib.error, zstd.ZstdError, lzma.LZMAError, RuntimeError, OSError, EOFError)
"""What these decoders raise on input that is not theirs."""


def read_frames(codec: str, read: Read) -> Iterator[bytes]:
    """The content of all frames. `StreamBroken` when one does not end or cannot be read; zero bytes behind one are padding."""
    rest = b""
    first = True
    while rest := rest or read(CHUNK):
        if not first and not rest.strip(b"\0"):
            rest = b""
            continue
        decoder: FrameDecoder = DECODERS[codec]()
        data, rest = rest, b""
        while True:
            try:
                piece = decoder.decompress(data, CHUNK)
            except DAMAGED as error:
                what = name(codec)
                broken = say("spark.breaks.damaged_data", codec=what) if first else say("spark.breaks.after_frame", codec=what)
                raise StreamBroken(broken) from error
            if piece:
                yield piece
            if decoder.eof:
                break
            data = b""
            if decoder.needs_input and not (data := read(CHUNK)):
                raise StreamBroken(say("spark.breaks.within", what=name(f"{codec} frame")))
        rest = decoder.unused_data or b""
        first = False
