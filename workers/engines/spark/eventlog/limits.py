"""How much a log may take of this process: its size, its growth, and what is kept of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from heapq import nsmallest

from contracts.spark import LogRefusal
from contracts.statements import ratio, say, size
from workers.errors import UnreadableLog

MIB, GIB = 1 << 20, 1 << 30


@dataclass(frozen=True)
class ReadLimits:
    """Bounds on what is read; beyond one of the first six the log is refused."""

    file_bytes: int = 10 * GIB
    """Stored bytes of a file, or of all files of a folder."""
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

    task_rows: int = 1 << 16
    """Tasks held as they are (about 200 bytes each) at a time, so that quantiles are exact."""
    running_tasks: int = 1 << 16
    """Tasks whose end the log does not have yet."""
    stages: int = 3_000
    """Beyond it the ones that took the least are left out; so with jobs and executions."""
    jobs: int = 3_000
    stages_per_job: int = 500
    executors: int = 5_000
    executions: int = 1_000
    plan_nodes: int = 4_000
    plan_bytes: int = 8 * MIB
    """Bytes of the plans of all executions together; beyond it the shortest executions lose their plans."""
    nodes_per_plan: int = 2_000
    metrics_per_node: int = 60
    accumulators_per_stage: int = 500
    bad_lines: int = 10


class Meter:
    """Counts what a bundle expands to, and stops a bomb."""

    def __init__(self, stored_bytes: int, limits: ReadLimits) -> None:
        self.stored_bytes = stored_bytes
        self.limits = limits
        self.expanded_bytes = 0

    def add(self, more: int) -> None:
        """Take note of more bytes; `UnreadableLog` when they are too many."""
        self.expanded_bytes += more
        if self.expanded_bytes <= self.limits.free_bytes:
            return
        if self.expanded_bytes > self.limits.expanded_bytes:
            raise UnreadableLog(
                LogRefusal.TOO_LARGE,
                say("spark.refused.expands", limit=size(self.limits.expanded_bytes)),
            )
        if self.expanded_bytes > self.stored_bytes * self.limits.ratio:
            raise UnreadableLog(
                LogRefusal.BOMB,
                say("spark.refused.bomb", stored=size(self.stored_bytes), ratio=ratio(self.limits.ratio)),
            )


DROPPED_AT_ONCE = 10
"""When a limit is reached, one entry in ten is dropped at a time."""


def shortest(spans: Iterable[tuple[int, int | None, int | None]], total: int) -> list[int]:
    """Numbers of the entries (number, start, end) that took the least: a tenth of `total`. Entries without an end come last."""
    by_time = ((end is None, (end or 0) - (start or 0), number) for number, start, end in spans)
    return [number for _, _, number in nsmallest(max(1, total // DROPPED_AT_ONCE), by_time)]
