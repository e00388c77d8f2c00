"""Recordings of models' answers in tests: `tests/recordings/NAME.jsonl`, played without a server."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from workers.llm.recording import Tape, open_tape

RECORDINGS = Path(__file__).parents[1] / "recordings"


@contextmanager
def played(name: str) -> Generator[tuple[Tape, dict[str, Any]]]:
    """The recording, and the settings of a process that plays it. Afterwards `tape.played` says how many prompts were stale."""
    path = RECORDINGS / f"{name}.jsonl"
    open_tape.cache_clear()
    tape = open_tape(path, True)
    try:
        yield tape, {"model": tape.model, "model_replay": path}
    finally:
        open_tape.cache_clear()


@contextmanager
def recorded(path: Path) -> Generator[dict[str, Any]]:
    """The settings of a process that records into this file."""
    open_tape.cache_clear()
    try:
        yield {"model_record": path}
    finally:
        open_tape.cache_clear()
