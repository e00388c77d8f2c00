"""A model's answers kept in a file, and played again without a server."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import tests.support.ten_calls  # noqa: F401  registers the kind
from contracts.jobs import EngineChoice, SubmitJob
from tests.support.openai_server import OpenAIServer, openai_server
from tests.support.recordings import RECORDINGS, played, recorded
from tests.support.ten_calls import trip_answer
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.coordinator.intake import accept
from workers.errors import ConfigurationError
from workers.llm.recording import Tape
from workers.settings import Settings

Run = Callable[..., Any]


@pytest.fixture
def run(database_url: str, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("TEN_CALLS", str(tmp_path))
    monkeypatch.setattr(Settings, "now", property(lambda settings: datetime(2026, 11, 29, tzinfo=UTC)))

    def run(**settings: Any) -> Any:
        """What comes of a trip with these settings, and why it failed if it did."""
        known = Settings(database_url=database_url, broker_url=broker_url, embeddings="none", **settings)
        with closing(ProcessServices(known)) as services:
            submitted = SubmitJob(job={"kind": "trip"}, engine=EngineChoice.LLM)
            job_id = accept(services.database, submitted, owner_cap=10, has_model=True).job_id
            run_all(services)
            row = services.database.row(
                "SELECT s.error, d.content FROM steps s LEFT JOIN deliverables d ON d.step_id = s.id "
                "WHERE s.job_id = %(id)s AND s.stage = 'trip'",
                {"id": job_id},
            )
        assert row is not None
        return row["content"] or row["error"]

    return run


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        running.by_prompt = trip_answer
        yield running


def test_what_a_model_said_is_played_again_without_its_server(run: Run, server: OpenAIServer, tmp_path: Path) -> None:
    path = tmp_path / "trip.jsonl"
    with recorded(path) as settings:
        made = run(model="test-model", model_base_url=server.base_url, model_tools="structured", **settings)
    heard = len(server.asked)

    tape = Tape(path, plays=True)
    again = run(model=tape.model, model_replay=path)

    assert again == made
    assert len(server.asked) == heard
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [(line["case"], line["purpose"], line["call"]) for line in lines] == [
        ("job 1", "classifier/weather", number) for number in range(1, 11)
    ]


def test_the_shipped_recording_fits_the_prompts_of_today(run: Run) -> None:
    with played("trip") as (tape, settings):
        made = run(**settings)

    assert made["days"][0] == "rain"
    assert (tape.played.calls, tape.played.stale) == (10, 0)


def test_a_prompt_that_changed_is_answered_by_its_place_and_counted_as_stale(run: Run, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in (RECORDINGS / "trip.jsonl").read_text("utf-8").splitlines()]
    lines[0]["prompt_hash"] = "of another prompt"
    path = tmp_path / "old.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    from workers.llm.recording import open_tape

    made = run(model="any", model_replay=path)

    assert made["days"][0] == "rain"
    tape = open_tape(path, True)
    assert (tape.played.calls, tape.played.stale, dict(tape.played.stale_purposes)) == (10, 1, {"classifier/weather": 1})


def test_a_call_that_was_not_recorded_fails_and_is_no_failure_of_a_model(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "short.jsonl"
    path.write_text("".join((RECORDINGS / "trip.jsonl").read_text("utf-8").splitlines(keepends=True)[:4]), "utf-8")

    made = run(model="any", model_replay=path)

    assert made["type"] == "NotRecorded"


@pytest.mark.parametrize("text", ["{", "[]", '{"case": 1}', '"x"'])
def test_a_file_that_is_no_recording_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text + "\n", "utf-8")

    with pytest.raises(ConfigurationError):
        Tape(path, plays=True)
