"""What one step of every contestant does: wait for a given time, and hand on a document of a given size.

The bench sets the two figures in its environment, so that every process of every contestant reads the same ones.
"""

import os
import time

DOCUMENT_BYTES = "BENCH_DOCUMENT_BYTES"
WORK_MS = "BENCH_WORK_MS"


def document(stage: str) -> str:
    """The text that a stage hands on. It differs from stage to stage, as real documents do."""
    size = int(os.environ.get(DOCUMENT_BYTES, "2048"))
    return (f"{stage} reads and writes. " * (size // 10))[:size]


def work() -> None:
    """Wait, as for a model."""
    if milliseconds := float(os.environ.get(WORK_MS, "0")):
        time.sleep(milliseconds / 1000)
