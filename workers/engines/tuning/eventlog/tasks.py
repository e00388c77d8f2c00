"""The successful tasks of a stage attempt: a row of integers each while memory allows, folded into sums and buckets beyond."""

from array import array
from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from contracts.tuning import HeavyTask, TaskDistribution
from workers.engines.tuning.eventlog.distributions import (
    HEAVIEST,
    Buckets,
    Column,
    distribution,
    exact_quantiles,
    exact_sum,
)
from workers.engines.tuning.eventlog.events import NO_INPUT, NO_METRICS, NO_OUTPUT, NO_READ, NO_WRITE, TaskEnd

MEASURED = (
    "task_ms",
    "run_ms",
    "cpu_ns",
    "gc_ms",
    "deserialize_ms",
    "fetch_wait_ms",
    "shuffle_write_ns",
    "memory_spill_bytes",
    "disk_spill_bytes",
    "peak_memory_bytes",
    "shuffle_read_bytes",
    "remote_read_bytes",
    "shuffle_read_records",
    "shuffle_write_bytes",
    "shuffle_write_records",
    "input_bytes",
    "input_records",
    "output_bytes",
    "output_records",
    "result_bytes",
)
"""The numbers of a task, in the order of its row. Names as in `StageFacts`, but for the nanoseconds."""

DISTRIBUTED = (
    "task_ms",
    "run_ms",
    "gc_ms",
    "fetch_wait_ms",
    "memory_spill_bytes",
    "disk_spill_bytes",
    "peak_memory_bytes",
    "shuffle_read_bytes",
    "shuffle_read_records",
    "shuffle_write_bytes",
    "input_bytes",
    "input_records",
    "output_bytes",
)
"""Those of which the spread over the tasks says something."""

WITH_HEAVIEST = {"task_ms", "shuffle_read_bytes", "input_bytes", "disk_spill_bytes"}
"""Those of which the heaviest tasks are named."""

KEYS = ("task_id", "index", "executor", "launched_at")
COLUMNS = (*KEYS, *MEASURED)
AT = {name: place for place, name in enumerate(COLUMNS)}

EXECUTOR_SUMS = ("task_ms", "run_ms", "gc_ms", "shuffle_read_bytes", "input_bytes", "disk_spill_bytes")
"""What is summed by executor as well."""

ExecutorSums = defaultdict[int, list[int]]
"""Executor's number → its tasks, then `EXECUTOR_SUMS`."""

Matrix = NDArray[np.int64]


def new_executor_sums() -> ExecutorSums:
    """No tasks yet."""
    return defaultdict(lambda: [0] * (1 + len(EXECUTOR_SUMS)))


def task_row(event: TaskEnd, executor: int) -> tuple[int, ...]:
    """One task as integers, in the order of `COLUMNS`."""
    info, metrics = event.info, event.metrics or NO_METRICS
    read, write = metrics.shuffle_read or NO_READ, metrics.shuffle_write or NO_WRITE
    taken, given = metrics.input or NO_INPUT, metrics.output or NO_OUTPUT
    return (
        info.task_id,
        info.index,
        executor,
        info.launched_at,
        info.finished_at - info.launched_at,
        metrics.run_ms,
        metrics.cpu_ns,
        metrics.gc_ms,
        metrics.deserialize_ms,
        read.fetch_wait_ms,
        write.time_ns,
        metrics.memory_spill_bytes,
        metrics.disk_spill_bytes,
        metrics.peak_memory_bytes,
        read.remote_bytes + read.local_bytes,
        read.remote_bytes,
        read.records,
        write.bytes,
        write.records,
        taken.bytes,
        taken.records,
        given.bytes,
        given.records,
        metrics.result_bytes,
    )


class StageTasks:
    """The tasks of one stage attempt."""

    def __init__(self) -> None:
        self._rows = array("q")
        self.count = 0
        self.sums: dict[str, int] = dict.fromkeys(MEASURED, 0)
        self.peaks: dict[str, int] = dict.fromkeys(MEASURED, 0)
        self.first_launch_at: int | None = None
        self.last_finish_at: int | None = None
        self.distributions: dict[str, TaskDistribution] = {}
        self._buckets: dict[str, Buckets] = {}
        self._heavy: dict[str, list[tuple[int, int, int, int]]] = {}

    @property
    def held(self) -> int:
        """Rows that take memory."""
        return len(self._rows) // len(COLUMNS)

    @property
    def task_ms(self) -> int:
        """What the tasks took so far, folded or not."""
        return self.sums["task_ms"] + sum(memoryview(self._rows)[AT["task_ms"] :: len(COLUMNS)])

    def add(self, row: tuple[int, ...]) -> None:
        """Keep a task. `OverflowError` when a number is beyond 64 bits; then nothing was kept."""
        before = len(self._rows)
        try:
            self._rows.extend(row)
        except (OverflowError, TypeError):
            del self._rows[before:]
            raise
        self.count += 1

    def fold(self, executors: ExecutorSums, names: list[str], *, last: bool = False) -> None:
        """Summarise the rows held and let them go. Distributions stay exact as long as this happens once; `last` says that no
        task comes any more."""
        if not self._rows:
            return
        matrix: Matrix = np.frombuffer(self._rows, dtype=np.int64).reshape(-1, len(COLUMNS))
        first = not self._buckets
        for name in MEASURED:
            column = matrix[:, AT[name]]
            self.sums[name] += exact_sum(column)
            self.peaks[name] = max(self.peaks[name], int(column.max()))
        launched = matrix[:, AT["launched_at"]]
        starts, ends = int(launched.min()), int((launched + matrix[:, AT["task_ms"]]).max())
        self.first_launch_at = starts if self.first_launch_at is None else min(self.first_launch_at, starts)
        self.last_finish_at = ends if self.last_finish_at is None else max(self.last_finish_at, ends)
        for name in DISTRIBUTED:
            if first and last:
                self._distribute(name, matrix, names, None)
            else:
                self._distribute(name, matrix, names, self._buckets.setdefault(name, Buckets()))
        _by_executor(matrix, executors)
        self._rows = array("q")

    def _distribute(self, name: str, matrix: Matrix, names: list[str], buckets: Buckets | None) -> None:
        column = matrix[:, AT[name]]
        if buckets is not None:
            buckets.add(column)
        if not self.sums[name] and not self.peaks[name]:
            return
        exact = buckets is None or buckets.count == len(column)
        marks = exact_quantiles(column) if buckets is None or exact else buckets.quantiles()
        if name in WITH_HEAVIEST:
            self._heavy[name] = _heaviest(matrix, column, self._heavy.get(name, []))
        heavy = [
            HeavyTask(value=-value, task_id=task, index=index, executor_id=names[number])
            for value, task, index, number in self._heavy.get(name, [])
            if value and self.count > 1
        ]
        self.distributions[name] = distribution(self.count, self.sums[name], marks, heavy, exact=exact)


def _heaviest(matrix: Matrix, column: Column, before: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """The largest values with their task, index and executor; values negated, so that the order is the ascending one."""
    most = min(HEAVIEST, len(column))
    threshold = np.partition(column, len(column) - most)[len(column) - most]
    places = np.flatnonzero(column >= threshold)
    places = places[np.lexsort((matrix[places, AT["task_id"]], -column[places]))][:HEAVIEST]
    found = [(-int(column[place]), *(int(matrix[place, AT[key]]) for key in ("task_id", "index", "executor"))) for place in places.tolist()]
    return sorted([*before, *found])[:HEAVIEST]  # pyright: ignore[reportReturnType] a starred tuple has no fixed length for it


def _by_executor(matrix: Matrix, executors: ExecutorSums) -> None:
    numbers, places = np.unique(matrix[:, AT["executor"]], return_inverse=True)
    for at, number in enumerate(numbers.tolist()):
        rows = matrix[places == at] if len(numbers) > 1 else matrix
        sums = executors[number]
        sums[0] += len(rows)
        for place, name in enumerate(EXECUTOR_SUMS, start=1):
            sums[place] += exact_sum(rows[:, AT[name]])
