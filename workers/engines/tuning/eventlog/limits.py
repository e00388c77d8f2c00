"""How much a log may take of this process: its size, its growth, and what is kept of it."""

from dataclasses import dataclass

from contracts.tuning import LogRefusal
from workers.errors import UnreadableLog

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


@dataclass(frozen=True)
class ReadLimits:
    """Bounds on what is read; beyond one of the first six the log is refused."""

    file_bytes: int = 10 * GIB
    """Of a file as it lies there, or of all files of a folder."""
    expanded_bytes: int = 100 * GIB
    ratio: int = 500
    """Expanded to stored. Real logs of many like tasks reach 50; a deflate bomb reaches 1,032."""
    free_bytes: int = 64 * MIB
    """Expanded bytes that may have any ratio: small files compress to next to nothing."""
    members: int = 2_000
    """Files of a folder or archive."""
    nested_bytes: int = 2 * GIB
    """An archive inside an archive is copied to a temporary file of at most this size."""
    line_bytes: int = 64 * MIB
    """A longer line is counted as malformed and skipped without being held."""


@dataclass(frozen=True)
class KeepLimits:
    """Bounds on what is kept; beyond them the reading says what was left out."""

    task_rows: int = 1 << 17
    """Tasks held as they are (about 200 bytes each) at a time, so that quantiles are exact."""
    stages: int = 5_000
    """Beyond it the ones that took the least are left out."""
    jobs: int = 5_000
    stages_per_job: int = 500
    executors: int = 5_000
    executions: int = 2_000
    plan_nodes: int = 40_000
    """Of all executions together."""
    nodes_per_plan: int = 2_000
    bad_lines: int = 10


class Meter:
    """Counts what a bundle expands to, and stops a bomb."""

    def __init__(self, stored_bytes: int, limits: ReadLimits) -> None:
        self.stored_bytes = stored_bytes
        self.limits = limits
        self.expanded_bytes = 0

    def add(self, size: int) -> None:
        """Take note of `size` more bytes; `UnreadableLog` when they are too many."""
        self.expanded_bytes += size
        if self.expanded_bytes <= self.limits.free_bytes:
            return
        if self.expanded_bytes > self.limits.expanded_bytes:
            raise UnreadableLog(
                LogRefusal.TOO_LARGE,
                f"The log is larger than {self.limits.expanded_bytes // GIB} GiB when decompressed. Give the log of a shorter run.",
            )
        if self.expanded_bytes > self.stored_bytes * self.limits.ratio:
            raise UnreadableLog(
                LogRefusal.BOMB,
                f"{self.stored_bytes} bytes expand to more than {self.limits.ratio} times their size, which no event log does. "
                "If it is one, decompress it yourself and give the plain file.",
            )
