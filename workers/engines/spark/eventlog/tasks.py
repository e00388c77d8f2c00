"""The successful tasks of a stage attempt: a row of integers each while memory allows, folded into sums and buckets beyond."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from contracts.spark import HeavyTask, TaskDistribution
from workers.engines.spark.eventlog.distributions import HEAVIEST, Buckets, Column, column_sums, distribution, exact_quantiles
from workers.engines.spark.eventlog.events import NO_INPUT, NO_METRICS, NO_OUTPUT, NO_READ, NO_WRITE, TaskEnd

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

KEYS = ("task_id", "index", "executor", "launched_at")
COLUMNS = (*KEYS, *MEASURED)
AT = {name: place for place, name in enumerate(COLUMNS)}

DISTRIBUTED_AT = [AT[name] for name in DISTRIBUTED]

WITH_HEAVIEST = {"task_ms", "shuffle_read_bytes", "shuffle_read_records", "input_bytes", "input_records", "disk_spill_bytes"}
"""Those of which the heaviest tasks are named."""

EXECUTOR_SUMS = ("task_ms", "run_ms", "gc_ms", "shuffle_read_bytes", "input_bytes", "disk_spill_bytes")
"""What is summed by executor as well."""

ExecutorSums = defaultdict[int, list[int]]
"""Executor's number → its tasks, then `EXECUTOR_SUMS`."""

NOTHING: Mapping[str, int] = dict.fromkeys(MEASURED, 0)
"""The sums and peaks of no tasks."""

SORTED_WHOLE = 32
"""Up to this number of tasks, sorting all is faster than selecting the heaviest first."""

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
        self.rows = array("q")
        self.count = 0
        self.sums: Mapping[str, int] = NOTHING
        self.peaks: Mapping[str, int] = NOTHING
        self.first_launch_at: int | None = None
        self.last_finish_at: int | None = None
        self.distributions: dict[str, TaskDistribution] = {}
        self._buckets: dict[str, Buckets] = {}
        self._heavy: dict[str, list[tuple[int, int, int, int]]] = {}

    @property
    def held(self) -> int:
        """Rows that take memory."""
        return len(self.rows) // len(COLUMNS)

    def add(self, row: tuple[int, ...]) -> None:
        """Keep a task. `OverflowError` when a number is beyond 64 bits; then nothing was kept."""
        before = len(self.rows)
        try:
            self.rows.extend(row)
        except (OverflowError, TypeError):
            del self.rows[before:]
            raise
        self.count += 1

    def fold(self, executors: ExecutorSums, names: list[str], *, last: bool = False) -> None:
        """Summarise the rows held and let them go. Distributions stay exact as long as this happens once; `last` says that no
        task comes any more."""
        if not self.rows:
            return
        matrix = _matrix(self.rows)
        sums, peaks = column_sums(matrix), matrix.max(axis=0).tolist()
        self.sums = {name: self.sums[name] + sums[AT[name]] for name in MEASURED}
        self.peaks = {name: max(self.peaks[name], peaks[AT[name]]) for name in MEASURED}
        _by_executor(matrix, sums, executors)
        self.rows = array("q")
        self._spread(matrix, names, last=last)

    def _spread(self, matrix: Matrix, names: list[str], *, last: bool) -> None:
        """When the tasks ran, and how their numbers are distributed."""
        launched = matrix[:, AT["launched_at"]]
        starts, ends = int(launched.min()), int((launched + matrix[:, AT["task_ms"]]).max())
        self.first_launch_at = starts if self.first_launch_at is None else min(self.first_launch_at, starts)
        self.last_finish_at = ends if self.last_finish_at is None else max(self.last_finish_at, ends)
        exact = not self._buckets
        marks = dict(zip(DISTRIBUTED, exact_quantiles(matrix[:, DISTRIBUTED_AT]), strict=True)) if exact else {}
        if not (exact and last):
            for name in DISTRIBUTED:
                buckets = self._buckets.setdefault(name, Buckets())
                buckets.add(matrix[:, AT[name]])
                if not exact:
                    marks[name] = buckets.quantiles()
        for name in DISTRIBUTED:
            if self.sums[name] or self.peaks[name]:
                heavy = self._heaviest(name, matrix, names) if name in WITH_HEAVIEST and self.count > 1 else []
                self.distributions[name] = distribution(self.count, self.sums[name], marks[name], heavy, exact=exact)

    def _heaviest(self, name: str, matrix: Matrix, names: list[str]) -> list[HeavyTask]:
        self._heavy[name] = _heaviest(matrix, matrix[:, AT[name]], self._heavy.get(name, []))
        return [
            HeavyTask(value=-value, task_id=task, index=index, executor_id=names[number])
            for value, task, index, number in self._heavy[name]
            if value
        ]


def drop(dropped: Iterable[StageTasks], executors: ExecutorSums) -> int:
    """Stages are left out: what their rows add to the executors, and their run time in ms."""
    rows = array("q")
    run_ms = 0
    for tasks in dropped:
        rows += tasks.rows
        run_ms += tasks.sums["run_ms"]
    if not rows:
        return run_ms
    matrix = _matrix(rows)
    sums = column_sums(matrix)
    _by_executor(matrix, sums, executors)
    return run_ms + sums[AT["run_ms"]]


def _matrix(rows: "array[int]") -> Matrix:
    return np.frombuffer(rows, dtype=np.int64).reshape(-1, len(COLUMNS))


def _heaviest(matrix: Matrix, column: Column, before: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """The largest values with their task, index and executor; values negated, so that the order is the ascending one."""
    if len(column) > SORTED_WHOLE:
        threshold = np.partition(column, len(column) - HEAVIEST)[len(column) - HEAVIEST]
        places = np.flatnonzero(column >= threshold)
        places = places[np.lexsort((matrix[places, AT["task_id"]], -column[places]))][:HEAVIEST]
        matrix, column = matrix[places], column[places]
    tasks, indices, executors = (matrix[:, AT[key]].tolist() for key in ("task_id", "index", "executor"))
    found = zip((-column).tolist(), tasks, indices, executors, strict=True)
    return sorted([*before, *found])[:HEAVIEST]


def _by_executor(matrix: Matrix, sums: list[int], executors: ExecutorSums) -> None:
    column = matrix[:, AT["executor"]]
    if column[0] == column.min() == column.max():
        _add(executors[int(column[0])], len(matrix), sums)
        return
    for number in np.unique(column).tolist():
        rows = matrix[column == number]
        _add(executors[number], len(rows), column_sums(rows))


def _add(executor: list[int], count: int, sums: list[int]) -> None:
    executor[0] += count
    for place, name in enumerate(EXECUTOR_SUMS, start=1):
        executor[place] += sums[AT[name]]
