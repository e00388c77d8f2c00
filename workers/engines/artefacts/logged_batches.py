"""What a log says of its streams' micro-batches: the progress that Spark writes of each as JSON, on one line or on many."""

import re

from contracts.artefacts import LoggedBatches

FIGURE = re.compile(r'"(runId|batchId|numInputRows|triggerExecution|addBatch)\\?"\s{0,3}:\s{0,3}(?:\\?")?([0-9A-Za-z-]{1,64})')
"""In a log of JSON lines the quotes are escaped."""

BEHIND = re.compile(r"Current batch is falling behind\. The trigger interval is (\d{1,12}) milliseconds, but spent (\d{1,12}) milliseconds")
RUN, NEW, ROWS, TOOK, WORK = "runId", "batchId", "numInputRows", "triggerExecution", "addBatch"
QUOTE = '"'
MOST_DIGITS = 15
MOST_RUNS = 50
MOST_KEYS = 100_000
"""Batches that are remembered, so that one that is logged twice counts once."""

MUCH_LOST = 0.15
"""Of the time of a query's batches, beside the work on rows or beyond the trigger's interval. Less does not tell that all is well."""

LEAST_LOST_MS = 2_000


def is_progress(text: str) -> bool:
    """Whether it has the figures of a batch's progress."""
    return {NEW, TOOK} <= {name for name, value in FIGURE.findall(text) if value.isdigit()}


def is_much(batches: LoggedBatches) -> bool:
    """Whether they lost so much that it is worth a look."""
    return batches.lost_share >= MUCH_LOST and batches.lost_ms >= LEAST_LOST_MS


class Progress:
    """Takes the lines of a log; of a figure that a batch has several times (its sources have rows, too) the first counts. Of triggers
    that found no rows progress is logged as well: these are no batches."""

    def __init__(self) -> None:
        self._next_run = self._run = self._counted_run = ""
        self._batch: dict[str, int] = {}
        self._at = 0
        self._is_sorted: bool | None = None  # by name: the run of a batch stands behind its number, and not before as Spark writes it
        self._keys: set[tuple[str | int, ...]] = set()
        self._runs: dict[str, LoggedBatches] = {}
        self._behind: dict[str, tuple[int, int]] = {}

    def take(self, line: str, number: int) -> None:
        """One line and its number."""
        if "falling behind" in line and (found := BEHIND.search(line)):
            self._end()  # the query says so after the progress of that batch
            times, beyond = self._behind.get(self._counted_run, (0, 0))
            self._behind[self._counted_run] = (times + 1, beyond + max(0, int(found[2]) - int(found[1])))
        elif NEW in line or RUN in line or (self._batch and QUOTE in line):
            for name, value in FIGURE.findall(line):
                if name == RUN:
                    if self._is_sorted is None:
                        self._is_sorted = bool(self._batch)
                    if self._is_sorted:
                        self._run = value
                    else:
                        self._next_run = value
                elif value.isdigit() and len(value) <= MOST_DIGITS:
                    if name == NEW:
                        self._end()
                        self._run, self._next_run, self._at = self._next_run, "", number
                    if self._batch or name == NEW:
                        self._batch.setdefault(name, int(value))

    def _end(self) -> None:
        batch, self._batch = self._batch, {}
        if not batch.get(ROWS) or WORK not in batch or TOOK not in batch:
            return
        run, took = self._run, batch[TOOK]
        key = (run, batch[NEW]) if run else (run, batch[NEW], batch[ROWS], took, batch[WORK])
        if key in self._keys or (run not in self._runs and len(self._runs) >= MOST_RUNS):
            return
        if len(self._keys) < MOST_KEYS:
            self._keys.add(key)
        self._counted_run = run
        before = self._runs.get(run) or LoggedBatches(line=self._at, run=run, batches=0, rows=0, took_ms=0, work_ms=0)
        self._runs[run] = before.model_copy(
            update={
                "batches": before.batches + 1,
                "rows": before.rows + batch[ROWS],
                "took_ms": before.took_ms + took,
                "work_ms": before.work_ms + min(batch[WORK], took),
            }
        )

    def found(self) -> tuple[LoggedBatches, ...]:
        """Those of each query that had any."""
        self._end()
        return tuple(
            batches.model_copy(update=dict(zip(("behind", "behind_ms"), self._behind.get(run, (0, 0)), strict=True)))
            for run, batches in self._runs.items()
        )
