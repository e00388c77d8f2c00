"""The compressions that Spark's JVM writes as blocks with headers of their own: LZ4BlockOutputStream, SnappyOutputStream, LZF;
and snappy's framing format."""

import struct
from collections.abc import Iterator
from typing import Any

import cramjam
import lz4.block

from contracts.statements import name, say, size
from workers.engines.spark.eventlog.frames import Read, StreamBroken

MAX_BLOCK_BYTES = 64 << 20
"""Both writers allow 32 MiB; a header that tells more is damage or an attack on memory."""

LZ4_MAGIC = b"LZ4Block"
LZ4_HEADER = struct.Struct("<BIII")
"""Token (method in the high half), compressed length, original length, checksum."""
LZ4_STORED, LZ4_COMPRESSED = 0x10, 0x20

SNAPPY_MAGIC = b"\x82SNAPPY\x00"
SNAPPY_HEADER_REST = 8
"""Version and compatible version, 4 bytes each."""

FRAMED_MAGIC = b"\xff\x06\x00\x00sNaPpY"
FRAMED_COMPRESSED, FRAMED_STORED = 0x00, 0x01
FRAMED_SKIPPABLE_FROM = 0x80
FRAMED_CHECKSUM_BYTES = 4

LZF_MAGIC = b"ZV"
LZF_LITERALS_BELOW = 0x20
LZF_LONG_LENGTH = 7


def read_lz4_blocks(read: Read) -> Iterator[bytes]:
    """lz4-java's LZ4BlockOutputStream, what Spark's `lz4` codec writes. An empty block ends a stream; another may follow."""
    while magic := _exactly(read, len(LZ4_MAGIC), "lz4 block", may_end=True):
        if magic != LZ4_MAGIC:
            raise StreamBroken(say("spark.breaks.after_block", codec=name("lz4")))
        token, stored, original, _checksum = LZ4_HEADER.unpack(_exactly(read, LZ4_HEADER.size, "lz4 block"))
        _bounded(stored, original)
        data = _exactly(read, stored, "lz4 block") if stored else b""
        method = token & 0xF0
        if method == LZ4_STORED:
            yield data
        elif method == LZ4_COMPRESSED:
            try:
                decompress: Any = lz4.block.decompress  # pyright: ignore[reportUnknownVariableType] lz4 ships no types
                yield decompress(data, uncompressed_size=original)
            except lz4.block.LZ4BlockError as error:  # pyright: ignore[reportUnknownVariableType, reportAttributeAccessIssue] as above
                raise StreamBroken(say("spark.breaks.damaged_block", codec=name("lz4"))) from error
        else:
            raise StreamBroken(say("spark.breaks.unknown_block", codec=name("lz4")))


def read_snappy_blocks(read: Read) -> Iterator[bytes]:
    """snappy-java's SnappyOutputStream, what Spark's `snappy` codec writes: a header, then length and raw block in turn."""
    while head := _exactly(read, 4, "snappy block", may_end=True):
        if head == SNAPPY_MAGIC[:4]:
            _exactly(read, len(SNAPPY_MAGIC) - 4 + SNAPPY_HEADER_REST, "snappy header")
            continue
        size = int.from_bytes(head, "big")
        _bounded(size)
        yield _unsnap(_exactly(read, size, "snappy block"))


def read_snappy_frames(read: Read) -> Iterator[bytes]:
    """Snappy's framing format: chunks of a type byte, a length of 3 bytes and, where there is data, its checksum."""
    while head := _exactly(read, 4, "snappy chunk", may_end=True):
        kind, size = head[0], int.from_bytes(head[1:], "little")
        data = _exactly(read, size, "snappy chunk") if size else b""
        if kind == FRAMED_COMPRESSED:
            yield _unsnap(data[FRAMED_CHECKSUM_BYTES:])
        elif kind == FRAMED_STORED:
            yield data[FRAMED_CHECKSUM_BYTES:]
        elif kind < FRAMED_SKIPPABLE_FROM:
            raise StreamBroken(say("spark.breaks.unknown_block", codec=name("snappy")))


def read_lzf_blocks(read: Read) -> Iterator[bytes]:
    """Ning's LZF, what Spark's `lzf` codec writes: blocks of at most 64 KiB."""
    while magic := _exactly(read, 3, "lzf block", may_end=True):
        if magic[:2] != LZF_MAGIC or magic[2] > 1:
            raise StreamBroken(say("spark.breaks.after_block", codec=name("lzf")))
        size = int.from_bytes(_exactly(read, 2, "lzf block"), "big")
        if magic[2] == 0:
            yield _exactly(read, size, "lzf block") if size else b""
        else:
            original = int.from_bytes(_exactly(read, 2, "lzf block"), "big")
            yield _unlzf(_exactly(read, size, "lzf block"), original)


def _exactly(read: Read, size: int, what: str, *, may_end: bool = False) -> bytes:
    """Exactly `size` bytes; empty at the end of the stream if it may end here. Raises `StreamBroken` in the middle of a block."""
    data = read(size)
    while len(data) < size:
        more = read(size - len(data))
        if not more:
            if may_end and not data:
                return b""
            raise StreamBroken(say("spark.breaks.within", what=name(what)))
        data += more
    return data


def _bounded(*sizes: int) -> None:
    if max(sizes) > MAX_BLOCK_BYTES:
        raise StreamBroken(say("spark.breaks.large_block", limit=size(MAX_BLOCK_BYTES)))


def _unsnap(data: bytes) -> bytes:
    try:
        _bounded(cramjam.snappy.decompress_raw_len(data))
        return bytes(cramjam.snappy.decompress_raw(data))
    except cramjam.DecompressionError as error:
        raise StreamBroken(say("spark.breaks.damaged_block", codec=name("snappy"))) from error


def _unlzf(data: bytes, original: int) -> bytes:
    """One LZF block: literal runs, and copies of what came at most 8 KiB before."""
    out = bytearray()
    at = 0
    try:
        while at < len(data):
            control = data[at]
            at += 1
            if control < LZF_LITERALS_BELOW:
                out += data[at : at + control + 1]
                at += control + 1
                continue
            length = control >> 5
            if length == LZF_LONG_LENGTH:
                length += data[at]
                at += 1
            start = len(out) - ((control & 0x1F) << 8) - data[at] - 1
            at += 1
            if start < 0:
                raise StreamBroken(say("spark.breaks.damaged_block", codec=name("lzf")))
            for position in range(start, start + length + 2):  # a copy may overlap itself
                out.append(out[position])
    except IndexError as error:
        raise StreamBroken(say("spark.breaks.damaged_block", codec=name("lzf"))) from error
    if len(out) != original:
        raise StreamBroken(say("spark.breaks.damaged_block", codec=name("lzf")))
    return bytes(out)
