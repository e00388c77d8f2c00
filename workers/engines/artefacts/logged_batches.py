"""What a log says of a stream's micro-batches: the progress that Spark writes of each as JSON, on one line or on many."""

import re

from contracts.artefacts import LoggedBatches

FIGURE = re.compile(r'"(batchId|numInputRows|triggerExecution|addBatch)"\s{0,3}:\s{0,3}(\d{1,15})\b')
BEHIND = re.compile(r"Current batch is falling behind\. The trigger interval is (\d{1,12}) milliseconds, but spent (\d{1,12}) milliseconds")
NEW, ROWS, TOOK, WORK = "batchId", "numInputRows", "triggerExecution", "addBatch"
QUOTE = '"'


def is_progress(text: str) -> bool:
    """Whether it has the progress of a batch."""
    return f'"{NEW}"' in text and f'"{TOOK}"' in text


class Progress:
    """Takes the lines of a log; of a figure that a batch has several times (its sources have rows, too) the first counts."""

    def __init__(self) -> None:
        self._batch: dict[str, int] = {}
        self._sums = dict.fromkeys((ROWS, TOOK, WORK), 0)
        self._line = self._batches = self._behind = self._behind_ms = 0

    def take(self, line: str, number: int) -> None:
        """One line and its number."""
        if QUOTE in line and (self._batch or NEW in line):
            for name, value in FIGURE.findall(line):
                if name == NEW:
                    self._end()
                    self._line = self._line or number
                self._batch.setdefault(name, int(value))
        elif "falling behind" in line and (found := BEHIND.search(line)):
            self._behind += 1
            self._behind_ms += max(0, int(found[2]) - int(found[1]))

    def _end(self) -> None:
        if TOOK in self._batch:
            self._batches += 1
            for name in self._sums:
                self._sums[name] += self._batch.get(name, 0)
        self._batch = {}

    def found(self) -> LoggedBatches | None:
        """All that was taken; None without a batch."""
        self._end()
        if not self._batches:
            return None
        took, work = self._sums[TOOK], min(self._sums[WORK], self._sums[TOOK])
        return LoggedBatches(
            line=self._line, batches=self._batches, rows=self._sums[ROWS], took_ms=took, work_ms=work,
            behind=self._behind, behind_ms=self._behind_ms,
        )  # fmt: skip
