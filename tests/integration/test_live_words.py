"""What happens inside a step, for those who watch it: words of an answer while they are written, and calls. Nothing of it is stored."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from contracts.jobs import EngineChoice, SubmitJob
from tests.integration.test_gateway_events import Event, read
from tests.support import ten_calls
from tests.support.gateway import key_for, served
from tests.support.openai_server import OpenAIServer, openai_server
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.blackboard.live import CHANNEL, MOST_TEXT_BYTES, Live
from workers.cli import context
from workers.cli.main import app
from workers.coordinator.intake import accept
from workers.gateway.chats import words_of
from workers.reading import follow as following
from workers.settings import Settings


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        running.by_prompt = ten_calls.trip_answer
        yield running


@pytest.fixture
def settings(database_url: str, broker_url: str, server: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("TEN_CALLS", str(tmp_path))
    return Settings(
        database_url=database_url, broker_url=broker_url, model="test-model", model_base_url=server.base_url, engine=EngineChoice.LLM,
        embeddings="none",
    )  # fmt: skip


@pytest.fixture
def services(settings: Settings) -> Iterator[ProcessServices]:
    made = ProcessServices(settings)
    yield made
    made.close()


def run_when_heard(services: ProcessServices) -> None:
    """Run what is queued as soon as somebody listens: words that nobody hears are nowhere."""
    listens = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND query = %(listen)s"
    give_up_at = time.monotonic() + 120
    while not services.database.statement(listens, {"listen": f"LISTEN {CHANNEL}"}):
        assert time.monotonic() < give_up_at
        time.sleep(0.01)
    run_all(services)


def watched(services: ProcessServices, settings: Settings, query: str) -> list[Event]:
    """Everything that the stream of a trip says."""
    headers = key_for(services.database, "ada")
    with served(ProcessServices(settings, slots=4)) as base:
        made = httpx.post(f"{base}/v1/jobs", json={"job": {"kind": "trip"}, "engine": "llm"}, headers=headers)
        job = made.json()["job_id"]
        with httpx.stream("GET", f"{base}/v1/jobs/{job}/events{query}", headers=headers, timeout=120) as response:
            events = read(response)
            seen = [next(events)]
            work = threading.Thread(target=run_when_heard, args=(services,))
            work.start()
            seen += events
            work.join()
    return seen


def test_words_and_calls_are_in_the_live_stream_and_in_no_row(services: ProcessServices, settings: Settings) -> None:
    seen = watched(services, settings, "?live=true")

    words = [data for name, _, data in seen if name == "answer_delta"]
    assert "".join(item["text"] for item in words) == "rain"
    assert words[0]["first"] is True
    calls = [(data["call"], data["place"], data["name"], data["outcome"]) for name, _, data in seen if name == "call"]
    assert (1, 0, "classifier/weather", "started") in calls
    assert (3, 1, "test.card", "answered") in calls
    assert all(rev is None for name, rev, _ in seen if name in ("answer_delta", "call"))
    assert seen[-1][0] == "end"
    kinds = {row["kind"] for row in services.database.statement("SELECT DISTINCT kind FROM events")}
    assert not kinds & {"answer_delta", "call"}


def test_a_stream_that_did_not_ask_for_them_has_none_of_them(services: ProcessServices, settings: Settings) -> None:
    seen = watched(services, settings, "")

    assert not [name for name, _, _ in seen if name in ("answer_delta", "call")]


def test_long_and_strange_words_are_sent_in_pieces_and_arrive_whole(database: Database) -> None:
    from uuid import uuid4

    text = ("长" * 5_000 + '"\\\n\x00' + "x" * MOST_TEXT_BYTES * 2) * 2
    sent: list[Any] = []

    class Listens:
        def statement(self, sql: str, values: Any) -> list[Any]:
            assert len(values["payload"].encode()) < 8_000
            sent.append(json.loads(values["payload"]))
            return database.statement(sql, values)  # pyright: ignore[reportArgumentType] the statement is a constant

    live = Live(lambda: Listens())  # pyright: ignore[reportArgumentType, reportUnknownLambdaType] what `Live` uses of a database
    live.send(uuid4(), "answer_delta", {"step_id": "s", "text": text, "first": True})
    live.close()

    assert "".join(item["text"] for item in sent) == text.replace("\x00", "\ufffd")
    assert [item.get("first", False) for item in sent] == [True] + [False] * (len(sent) - 1)


def test_watch_prints_words_and_calls(services: ProcessServices, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    submitted = SubmitJob(job={"kind": "trip"}, engine=EngineChoice.LLM)
    job_id = accept(services.database, submitted, owner_cap=10, has_model=True).job_id
    monkeypatch.setenv("BULLPEN_DATABASE_URL", settings.database_url or "")
    monkeypatch.setenv("BULLPEN_BROKER_URL", settings.broker_url or "")
    context.forget()
    listens, wait = threading.Event(), following._wait

    def waiting(*given: Any) -> None:
        listens.set()
        wait(*given)

    monkeypatch.setattr(following, "_wait", waiting)
    work = threading.Thread(target=lambda: (listens.wait(120), run_all(services)))
    work.start()

    seen = CliRunner().invoke(app, ["watch", str(job_id), "--words"]).output
    work.join()
    context.forget()

    assert "trip 3.1 test.card: answered" in seen
    assert "\nrain\n" in seen


def test_a_chat_client_reads_the_words_among_the_thoughts_and_a_new_answer_on_a_new_line() -> None:
    said = [
        {"kind": "call", "call": 1, "place": 0, "name": "x", "outcome": "started"},
        {"kind": "answer_delta", "text": "It ra", "first": True},
        {"kind": "answer_delta", "text": "ins."},
        {"kind": "answer_delta", "text": "It is dry.", "first": True},
    ]

    assert words_of(said) == "\nIt rains.\nIt is dry."
    assert words_of(said[:1]) == ""
