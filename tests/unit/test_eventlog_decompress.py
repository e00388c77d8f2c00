"""Stored bytes into lines: every compression that Spark or its users write, whole, cut off and damaged."""

import bz2
import gzip
import io
import lzma
import struct
from collections.abc import Callable
from typing import Any

import cramjam
import lz4.frame
import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from contracts.spark import LogRefusal
from tests.support.eventlog import lz4_blocks, lzf_blocks, small_run, snappy_blocks, to_bytes
from tests.support.said import said, why_refused
from workers.engines.spark.eventlog.blocks import MAX_BLOCK_BYTES, read_lzf_blocks
from workers.engines.spark.eventlog.decompress import Expansion
from workers.engines.spark.eventlog.limits import Meter, ReadLimits
from workers.engines.spark.eventlog.lines import TOO_LONG, split_lines
from workers.errors import UnreadableLog

TEXT = to_bytes(small_run() * 8)
SKIPPABLE_FRAME = struct.pack("<II", 0x184D2A50, 4) + b"abcd"

CODECS: dict[str, Callable[[bytes], bytes]] = {
    "none": lambda data: data,
    "gzip": gzip.compress,
    "zstd": zstd.compress,
    "lz4": lz4.frame.compress,
    "lz4block": lz4_blocks,
    "snappy": snappy_blocks,
    "snappy-framed": lambda data: bytes(cramjam.snappy.compress(data)),
    "lzf": lzf_blocks,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}


def expand(stored: bytes, limits: ReadLimits | None = None) -> tuple[bytes, Expansion]:
    expansion = Expansion(io.BytesIO(stored).read, Meter(len(stored), limits or ReadLimits()))
    return b"".join(expansion.chunks()), expansion


@pytest.mark.parametrize("codec", CODECS)
def test_a_compression_is_told_by_the_first_bytes_and_undone(codec: str) -> None:
    """T1."""
    data, expansion = expand(CODECS[codec](TEXT))

    assert data == TEXT
    assert (expansion.compression, expansion.truncated) == (codec, None)


@pytest.mark.parametrize("codec", [codec for codec in CODECS if codec != "none"])
def test_a_stream_that_breaks_off_gives_what_it_holds_and_says_so(codec: str) -> None:
    """T1: the writer was killed."""
    text = b"".join(b"%d %d\n" % (number, number * number) for number in range(60_000))

    data, expansion = expand(CODECS[codec](text)[:-40])

    assert text.startswith(data)
    assert expansion.truncated
    if codec not in ("bzip2", "zstd", "xz"):  # these keep blocks larger than this text back until they are whole
        assert data


@pytest.mark.parametrize("codec", ["gzip", "zstd", "lz4", "lz4block", "snappy", "snappy-framed", "bzip2", "xz"])
def test_streams_one_after_the_other_are_one_text(codec: str) -> None:
    """T1: a log that was flushed, or parts put together with `cat`."""
    compress = CODECS[codec]

    data, expansion = expand(compress(TEXT) + compress(b"x" * 10) + compress(TEXT))

    assert data == TEXT + b"x" * 10 + TEXT
    assert expansion.truncated is None


def test_skippable_frames_and_padding_are_passed_over() -> None:
    """T1: pzstd begins with one; a file copied from tape ends with zeros."""
    data, expansion = expand(SKIPPABLE_FRAME + zstd.compress(TEXT) + SKIPPABLE_FRAME + zstd.compress(b"end") + bytes(512))

    assert data == TEXT + b"end"
    assert (expansion.compression, expansion.truncated) == ("zstd", None)


@pytest.mark.parametrize("codec", [codec for codec in CODECS if codec != "none"])
@given(damage=st.binary(min_size=1, max_size=200), at=st.floats(0, 1))
def test_no_damage_ends_in_anything_but_a_word(codec: str, damage: bytes, at: float) -> None:
    """T1: whatever stands in the file, reading it ends, in bounded memory."""
    stored = CODECS[codec](TEXT[:5_000])
    place = int(at * len(stored))

    data, _ = expand(stored[:place] + damage + stored[place + len(damage) :])

    assert len(data) < MAX_BLOCK_BYTES


@pytest.mark.parametrize("codec", ["gzip", "zstd", "bzip2", "xz"])
def test_a_bomb_is_stopped_long_before_it_is_expanded(codec: str) -> None:
    """T1."""
    limits = ReadLimits(free_bytes=1 << 20, ratio=100)
    bomb = CODECS[codec](bytes(64 << 20))

    with pytest.raises(UnreadableLog) as refused:
        expand(bomb, limits)
    assert "no event log does" in why_refused(refused.value)

    assert refused.value.reason is LogRefusal.BOMB


def test_a_block_that_tells_a_monstrous_size_is_not_allocated() -> None:
    """T1."""
    header = b"LZ4Block" + struct.pack("<BIII", 0x20, 10, 0xFFFFFFF0, 0) + b"x" * 10

    data, expansion = expand(TEXT[:0] + header)

    assert data == b""
    assert "size above" in said(expansion.truncated)


def test_lzf_copies_reach_back_and_may_overlap_themselves() -> None:
    """T1: the block of the format's own description: a literal, then a run made of it."""
    block = b"\x00a" + b"\xe0\x02\x00"  # "a", then 11 bytes from 1 back
    stored = b"ZV\x01" + struct.pack(">HH", len(block), 12) + block

    assert b"".join(read_lzf_blocks(io.BytesIO(stored).read)) == b"a" * 12


@given(st.lists(st.binary(max_size=30)), st.integers(1, 7))
def test_lines_are_the_same_however_the_text_comes_in_pieces(lines: list[bytes], size: int) -> None:
    """T1."""
    text = b"\n".join(lines)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    expected: list[Any] = text.split(b"\n")
    if expected[-1] == b"":
        expected.pop()

    assert list(split_lines(pieces, max_bytes=1_000)) == expected


def test_a_line_that_is_too_long_is_skipped_and_told() -> None:
    """T1: memory does not grow with a line."""
    pieces = [b"a\nbb", b"bb", b"bbbbbbbbb", b"b\nc\n", b"d" * 9]

    assert list(split_lines(pieces, max_bytes=8)) == [b"a", TOO_LONG, b"c", TOO_LONG]
