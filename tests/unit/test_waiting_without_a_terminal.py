"""`--wait` into a pipe or a log: a line from time to time, and none for a job that is quick."""

from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest

from workers.cli import watch
from workers.cli.voice import Voice


@pytest.mark.parametrize(("silence_s", "lines"), [(0.0, ["accepted", "step_started", "step_started"]), (60.0, [])])
def test_a_line_says_what_is_done_where_there_is_no_terminal(silence_s: float, lines: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    started = SimpleNamespace(kind="step_started")
    tails = [SimpleNamespace(events=()), SimpleNamespace(events=(started,)), SimpleNamespace(events=())]
    said: list[str] = []
    replaced: dict[str, Any] = {
        "SILENCE_S": silence_s,
        "errors": SimpleNamespace(is_terminal=False, print=lambda text, **_: said.append(text)),
        "job_of": lambda _: SimpleNamespace(kind="noop"),
        "voice_for": lambda *_: Voice("en"),
        "prepare_result": lambda _: None,
        "_tails": lambda *_, **__: iter(tails),
        "tell": lambda event, _: event.kind,
        "_print_end": lambda *_, **__: 0,
    }
    for name, value in replaced.items():
        monkeypatch.setattr(watch, name, value)

    assert watch.wait_job(uuid4()) == 0

    assert said == lines
