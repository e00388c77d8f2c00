"""Answers of a model kept in a file, and played again without one: for measurements, and for tests of the code around them.

A line is a call: case, purpose (the prompt's name), number of the call in its case and purpose, hash of the prompt, model, answer. A call
that is played is found by its prompt; if no line has this prompt, the line with its number answers, and the prompt is counted as stale:
such a play tests the code, and says nothing about the model. A case is the text that somebody gave it, else the place of its job among the
jobs of the recording.
"""

import json
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from contracts.base import Json, content_hash
from workers.errors import ConfigurationError
from workers.llm.backend import Reply, Turn
from workers.llm.journaled import read_reply_json, reply_json
from workers.llm.schema import AnswerSchema
from workers.settings import Settings


class NotRecorded(LookupError):
    """The code asks more than the recording has answers for. No role takes it for a failure of a model, so it is seen."""


@dataclass(slots=True)
class Played:
    """What became of a recording."""

    calls: int = 0
    stale: int = 0
    stale_purposes: Counter[str] = field(default_factory=Counter[str])


class Tape:
    """A recording that is written or played. Safe to share between threads."""

    def __init__(self, path: Path, *, plays: bool) -> None:
        """Raises `ConfigurationError` if a recording to be played cannot be read."""
        self.path = path
        self.plays = plays
        self.played = Played()
        self.case: str | None = None
        """The case of the calls that come; None: by their jobs."""
        self._lock = threading.Lock()
        self._jobs: dict[str, str] = {}
        self._numbers: Counter[tuple[str, str]] = Counter()
        self._lines: list[Json] = _read(path) if plays else []
        self._used: set[int] = set()

    @property
    def model(self) -> str:
        """The model whose answers are played."""
        return str(self._lines[0]["model"]) if self._lines else "recorded"

    def play(self, job: str, purpose: str, turns: Sequence[Turn], schema: AnswerSchema) -> Reply:
        """The recorded answer. Raises `NotRecorded`."""
        asked = prompt_hash(turns, schema)
        with self._lock:
            case, number = self._place(job, purpose)
            of_case = [at for at, line in enumerate(self._lines) if (line["case"], line["purpose"]) == (case, purpose)]
            found = next((at for at in of_case if self._lines[at]["prompt_hash"] == asked and at not in self._used), None)
            self.played.calls += 1
            if found is None:
                found = next((at for at in of_case if self._lines[at]["call"] == number), None)
                if found is None:
                    raise NotRecorded(f"{self.path} has no answer to call {number} of {purpose} in case {case!r}. Record it again.")
                self.played.stale += 1
                self.played.stale_purposes[purpose] += 1
            self._used.add(found)
            return read_reply_json(self._lines[found]["answer"])

    def keep(self, job: str, purpose: str, turns: Sequence[Turn], schema: AnswerSchema, model: str, reply: Reply) -> None:
        """Write down an answer."""
        with self._lock:
            case, number = self._place(job, purpose)
            line = {
                "case": case, "purpose": purpose, "call": number, "prompt_hash": prompt_hash(turns, schema), "model": model,
                "answer": reply_json(reply),
            }  # fmt: skip
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def _place(self, job: str, purpose: str) -> tuple[str, int]:
        case = self.case if self.case is not None else self._jobs.setdefault(job, f"job {len(self._jobs) + 1}")
        self._numbers[(case, purpose)] += 1
        return case, self._numbers[(case, purpose)]


def prompt_hash(turns: Sequence[Turn], schema: AnswerSchema) -> str:
    """Of the conversation and the form of the answer, whichever model is asked."""
    messages = [[turn.speaker, turn.text, [[call.name, call.arguments] for call in turn.calls]] for turn in turns]
    return content_hash([messages, schema.name, schema.schema, list(schema.functions)])


def tape_of(settings: Settings) -> Tape | None:
    """The recording of this process, if the settings name one."""
    path = settings.model_replay or settings.model_record
    return None if path is None else open_tape(path, settings.model_replay is not None)


@cache
def open_tape(path: Path, plays: bool) -> Tape:
    """One recording for the whole process."""
    return Tape(path, plays=plays)


def _read(path: Path) -> list[Json]:
    try:
        lines: list[Any] = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"The recording {path} cannot be read: {error}") from None
    wanted = {"case", "purpose", "call", "prompt_hash", "model", "answer"}
    if not all(isinstance(line, dict) and wanted <= line.keys() for line in lines):
        raise ConfigurationError(f"{path} is not a recording: each line is a JSON object with {', '.join(sorted(wanted))}.")
    return lines
