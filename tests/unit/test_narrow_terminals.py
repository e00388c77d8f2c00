"""A terminal of 80 columns: no line is longer, no command is broken, and what happens has the whole line."""

import io
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.cells import cell_len

from contracts.statements import code, names, say
from workers.cli import doctor, watch
from workers.cli.check import Check
from workers.cli.display import SafeConsole
from workers.cli.list_words import list_words
from workers.cli.voice import Voice

WIDTH = 80
EVENT = "The stage understanding ended after 1.2 s: 3 symptoms and a window were found"


def terminal() -> tuple[SafeConsole, io.StringIO]:
    out = io.StringIO()
    return SafeConsole(width=WIDTH, force_terminal=True, file=out, highlight=False, emoji=False, color_system=None), out


@pytest.mark.parametrize("language", ["en", "zh"])
def test_doctor_breaks_no_command(language: str) -> None:
    to, out = terminal()
    checks = [
        Check("settings", "ok", say("doctor.kinds", kinds=names(f"kind_{number}" for number in range(20)))),
        Check("database", "fail", "no answer", say("doctor.mend_settings", command=code("bullpen settings"))),
        Check("questions", "warn", "3", "bullpen jobs --status waiting_human"),
    ]

    doctor._print(checks, list_words(language), to)  # pyright: ignore[reportPrivateUsage]

    assert max(map(cell_len, out.getvalue().splitlines())) <= WIDTH
    assert all(command in out.getvalue() for command in ("bullpen settings", "bullpen jobs --status waiting_human"))


def test_events_of_a_live_picture_have_the_whole_line(monkeypatch: pytest.MonkeyPatch) -> None:
    to, out = terminal()
    step: dict[str, Any] = {"stage": "diagnosis", "role": "diagnoser", "status": "running", "attempt": 1, "duration_s": 2.0}
    steps = [SimpleNamespace(**step, summary=None, error=None, task="diagnose")]

    def progress(_job: object, _status: object) -> object:
        return SimpleNamespace(status="running", steps=steps)

    monkeypatch.setattr(watch, "progress_of", progress)
    tail, job = SimpleNamespace(state=SimpleNamespace(status="running")), SimpleNamespace(kind="diagnose", id="0" * 36)

    to.print(watch._picture(cast("Any", tail), cast("Any", job), [EVENT], Voice("en")))  # pyright: ignore[reportPrivateUsage]

    assert EVENT in out.getvalue().splitlines()
