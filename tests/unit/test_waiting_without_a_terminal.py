"""`--wait` into a pipe or a log: a line for each step, once; and a worker that takes a step over is seen."""

from dataclasses import dataclass
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest

from contracts.jobs import JobStatus
from contracts.statements import listing, passage, say, term
from contracts.statements import name as identifier
from workers.cli import job_view, watch
from workers.cli.event_words import tell
from workers.cli.voice import Voice
from workers.reading.events import EventFacts


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a wait of three tails prints, of a step that a second worker goes on with and of one that waits and begins."""
    status = SimpleNamespace(status="running")
    started = SimpleNamespace(kind="step_started")
    tails = [SimpleNamespace(events=events, state=status) for events in ((), (started,), (), ())]
    step = SimpleNamespace(
        id=uuid4(), stage="diagnosis", task="diagnosis.diagnose", attempt=2, max_attempts=3, status="running", duration_s=0.5
    )
    queued = SimpleNamespace(id=uuid4(), stage="report", task="noop", attempt=0, max_attempts=3, status="queued", duration_s=None)
    looks = iter([queued, SimpleNamespace(**{**vars(queued), "attempt": 1, "status": "running", "duration_s": 0.5})])
    lines: list[str] = []
    replaced: dict[str, Any] = {
        "LOOK_S": 0.0,
        "errors": SimpleNamespace(is_terminal=False, width=80, print=lambda text, **_: lines.append(text)),
        "job_of": lambda _: SimpleNamespace(kind="noop"),
        "voice_for": lambda *_: Voice("en"),
        "prepare_result": lambda _: None,
        "progress_of": lambda *_: SimpleNamespace(steps=(step, next(looks, queued))),
        "_tails": lambda *_, **__: iter(tails),
        "tell": lambda event, *_: event.kind,
        "_print_end": lambda *_, **__: 0,
    }
    for name, value in replaced.items():
        monkeypatch.setattr(watch, name, value)
    assert watch.wait_job(uuid4()) == 0
    return lines


def test_where_there_is_no_terminal_each_step_is_a_line_once(waited: list[str]):
    assert waited.count("step_started") == 1


def test_a_step_that_another_worker_goes_on_with_is_seen_once(waited: list[str]):
    """A first attempt goes on with nothing, also of a step that was seen in its queue."""
    assert [line for line in waited if line != "step_started"] == ["Diagnosis: another worker goes on with it, attempt 2 of 3"]


@pytest.mark.parametrize("is_refused", [True, False])
def test_only_a_fault_of_the_fleet_is_one_that_doing_it_again_may_mend(is_refused: bool, monkeypatch: pytest.MonkeyPatch, capsys: Any):
    what = "Line 3: There is no amuont."
    reason = say("fleet.error.of_request", reason=passage(what)) if is_refused else passage(what)
    of_stage = say("fleet.error.of_stage", stage=identifier("analysis"), reason=reason)
    job = SimpleNamespace(kind="noop", status=JobStatus.FAILED, error=say("fleet.error.stages", stages=listing(of_stage)))
    replaced: dict[str, Any] = {"job_of": lambda _: job, "questions_of": lambda _: (), "voice_for": lambda *_: Voice("en")}
    replaced |= {"_tails": lambda *_, **__: iter(()), "prepare_result": lambda _: None}
    for place, value in replaced.items():
        monkeypatch.setattr(watch, place, value)

    assert watch.wait_job(uuid4()) == 1

    told = capsys.readouterr()
    assert what in told.out
    assert ("Something went wrong here" in told.out, "bullpen replay" in told.err) == (not is_refused, not is_refused)


def test_a_line_says_what_a_stage_is_called_and_not_its_id(monkeypatch: pytest.MonkeyPatch):
    """`tool/1` and `plan/2` told a newcomer nothing, and were English in Chinese lines."""
    steps = (SimpleNamespace(stage="tool/1", task="ask.discover"),)
    monkeypatch.setattr(watch, "progress_of", lambda *_: SimpleNamespace(steps=steps))
    event = EventFacts(uuid4(), 3, "step_succeeded", "tool/1", uuid4(), {"duration_s": 4.8, "summary": "1 table"}, datetime.now(UTC))

    english, chinese = (tell(event, Voice(each), watch._Attempts(uuid4(), Voice(each)).label) for each in ("en", "zh"))

    assert english == "Tables found 1 succeeded (4.8 s): 1 table"
    assert "tool/1" not in chinese


@dataclass(frozen=True)
class _Step:
    id: UUID
    summary: str


@dataclass(frozen=True)
class _Facts:
    job: SimpleNamespace
    steps: tuple[_Step, ...]


def test_a_job_is_shown_in_the_reader_s_language_to_the_last_step(monkeypatch: pytest.MonkeyPatch):
    """`show --language zh` of an English job said in English what its steps did."""
    step = _Step(uuid4(), "3 fixes")
    monkeypatch.setattr(job_view, "summaries_of", lambda _: {step.id: term("fleet.status.succeeded")})
    facts: Any = _Facts(SimpleNamespace(language="en"), (step,))

    assert job_view._in_language(facts, Voice("zh")).steps[0].summary == "成功"
    assert job_view._in_language(facts, Voice("en")).steps[0].summary == "3 fixes"
