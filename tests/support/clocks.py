"""The wall clock of a process, which a test sets while the process runs."""

import mmap
import struct
import time
from pathlib import Path

CLOCK = "TESTS_CLOCK"
"""Environment variable: the file with the offset of a worker's clock."""

_OFFSET = struct.Struct("d")


class Clock:
    """The offset of one process's clock, in a file that the process has mapped into its memory."""

    def __init__(self, path: Path) -> None:
        """A clock that is right, until it is shifted."""
        self.path = path
        path.write_bytes(_OFFSET.pack(0.0))

    def shift(self, seconds: float) -> None:
        """Let it be off by this much from now on."""
        with self.path.open("r+b") as file:
            file.write(_OFFSET.pack(seconds))


def obey(path: str) -> None:
    """Let this process's `time.time` be off by what the file says, at each call."""
    with Path(path).open("rb") as file:
        offset = mmap.mmap(file.fileno(), _OFFSET.size, access=mmap.ACCESS_READ)
    right = time.time

    def shifted() -> float:
        return right() + _OFFSET.unpack(offset[: _OFFSET.size])[0]

    time.time = shifted
    time.time_ns = lambda: int(shifted() * 1e9)
