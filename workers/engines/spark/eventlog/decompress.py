"""Decompresses a stored log. The compression is recognised by the first bytes, never by the file's name."""

import io
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from contracts.statements import Statement, say
from workers.engines.spark.eventlog import blocks
from workers.engines.spark.eventlog.frames import CHUNK, Read, StreamBroken, read_frames
from workers.engines.spark.eventlog.limits import Meter

SKIPPABLE = b"\x2a\x4d\x18"
"""Bytes 2 to 4 of a skippable frame, the same for zstd and lz4; the first is 0x50 to 0x5f. pzstd begins its files with one."""

MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (blocks.LZ4_MAGIC, "lz4block"),
    (blocks.SNAPPY_MAGIC, "snappy"),
    (blocks.FRAMED_MAGIC, "snappy-framed"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (blocks.LZF_MAGIC, "lzf"),
)

PLAIN = "none"
"""The compression of a file that has none."""

MAGIC_BYTES = 10
"""Enough for the longest of them."""

ARCHIVE_DAMAGED = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError)
"""What reading a member raises when the archive around it is damaged."""

READERS: dict[str, Callable[[Read], Iterator[bytes]]] = {
    "lz4block": blocks.read_lz4_blocks,
    "snappy": blocks.read_snappy_blocks,
    "snappy-framed": blocks.read_snappy_frames,
    "lzf": blocks.read_lzf_blocks,
} | {codec: partial(read_frames, codec) for codec in ("gzip", "zstd", "lz4", "bzip2", "xz")}


class Expansion:
    """The text of one file, in pieces. After the last piece `truncated` says what broke off, if anything did."""

    def __init__(self, read: Read, meter: Meter) -> None:
        self._head = _at_least(read, MAGIC_BYTES)
        self._read = read
        self._meter = meter
        self.compression = compression_of(self._head)
        self.truncated: Statement | None = None

    def chunks(self) -> Iterator[bytes]:
        """The pieces, none empty; a stream that breaks off gives what it holds. `UnreadableLog` when it grows beyond measure."""
        expand = READERS.get(self.compression, _plain)
        try:
            for chunk in expand(self._rest):
                self._meter.add(len(chunk))
                if chunk:
                    yield chunk
        except StreamBroken as broken:
            self.truncated = broken.says
        except ARCHIVE_DAMAGED:
            self.truncated = say("spark.breaks.in_archive")

    def _rest(self, size: int) -> bytes:
        if self._head:
            data, self._head = self._head[:size], self._head[size:]
            return data
        return self._read(size)


@dataclass(frozen=True, slots=True)
class Beginning:
    """What a file expands to as far as somebody has looked; of a small file that is all of it, and need not be expanded again."""

    text: bytes
    compression: str
    is_whole: bool
    truncated: Statement | None

    @classmethod
    def of(cls, read: Read, size: int, meter: Meter) -> "Beginning":
        """At most `size` bytes."""
        expansion = Expansion(read, meter)
        chunks: list[bytes] = []
        held = 0
        for chunk in expansion.chunks():
            chunks.append(chunk)
            held += len(chunk)
            if held > size:
                break
        return cls(b"".join(chunks)[:size], expansion.compression, held <= size, expansion.truncated)

    def chunks(self) -> Iterator[bytes]:
        """The text, where there is any."""
        if self.text:
            yield self.text


class ExpandedFile(io.RawIOBase):
    """Pieces as a file that can only be read forwards: what tarfile takes."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill the buffer as far as the next piece goes; 0 at the end."""
        if not self._rest:
            self._rest = memoryview(next(self._chunks, b""))
        target = memoryview(buffer)  # pyright: ignore[reportArgumentType] typeshed has no name for a writable buffer in 3.11
        size = min(len(target), len(self._rest))
        target[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def compression_of(head: bytes) -> str:
    """The compression of a file with this beginning; `PLAIN` for anything unknown."""
    for magic, name in MAGIC:
        if head.startswith(magic):
            return name
    if head[1:4] == SKIPPABLE and 0x50 <= head[0] <= 0x5F:
        return "zstd"
    return PLAIN


def _plain(read: Read) -> Iterator[bytes]:
    while data := read(CHUNK):
        yield data


def _at_least(read: Read, size: int) -> bytes:
    data = b""
    while len(data) < size and (more := read(size - len(data))):
        data += more
    return data
