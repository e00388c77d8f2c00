"""`tickets.read`: a model reads the prose of the history over HTTP, as far as it was ordered, and no text twice."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from contracts.jobs import EngineChoice, SubmitJob
from contracts.roles import RoleName
from tests.support.openai_server import Heard, OpenAIServer, Say, good, openai_server
from workers.app import ticket_reading
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.cli import context
from workers.cli.main import app
from workers.coordinator.intake import accept
from workers.errors import ModelUnavailable
from workers.llm.models import Models
from workers.settings import Settings, load_settings
from workers.tickets.orders import last_order, place_order, plan_reading, read_next

FIX = "Restarted the spooler of every till"
SEEN = "Nobody at till {n} gets a receipt"


def row(number: int, **more: Any) -> dict[str, Any]:
    text = f"Checkout hangs. {SEEN.format(n=number)}. {FIX}"
    return {"ticket_id": f"T-{number}", "description": text, "root_cause": f"spooler {number} full", **more}


def answer(heard: Heard) -> Say:
    if "data block" in heard.raw and "T-X" in heard.raw:
        return Say("no JSON")
    number = heard.user_text.partition("at till ")[2].partition(" ")[0]
    seen = [{"quote": SEEN.format(n=number), "check": ""}, {"quote": FIX, "check": ""}, {"quote": "tills are broken", "check": ""}]
    return good({"cause": "", "fix": FIX, "observations": seen})


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        running.by_prompt = answer
        yield running


@pytest.fixture
def tickets(database_url: str, broker_url: str, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Result]]:
    for name, value in {
        "DATABASE_URL": database_url, "BROKER_URL": broker_url, "EMBEDDINGS": "none", "MODEL": "test-model",
        "MODEL_BASE_URL": server.base_url, "MODEL_RETRIES": "0",
    }.items():  # fmt: skip
        monkeypatch.setenv(f"BULLPEN_{name}", value)
    context.forget()
    yield lambda *arguments: CliRunner().invoke(app, ["tickets", *arguments])
    context.forget()


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def write(folder: Path, *rows: object) -> str:
    path = folder / "t.jsonl"
    path.write_text("\n".join(json.dumps(each) for each in rows))
    return str(path)


def shown(tickets: Callable[..., Result], ticket: str) -> dict[str, Any]:
    return json.loads(tickets("show", ticket, "--json").stdout)


def test_what_it_takes_is_shown_first_and_nothing_is_read_before_a_yes(
    tickets: Callable[..., Result], server: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tickets("import", write(tmp_path, row(1), row(2), row(3, phenomena=["listed"])))
    monkeypatch.setenv("BULLPEN_MODEL_PRICES", "test-model=1/2")
    context.forget()

    asked = tickets("read")
    limited = json.loads(tickets("read", "--limit", "1", "--json").stdout)

    assert (asked.exit_code, server.asked) == (7, [])
    assert "2 tickets hold prose that no model has read. test-model would take about" in " ".join(asked.stdout.split())
    assert "that is at most 0.0" in asked.stdout
    assert (limited["tickets"], limited["model"]) == (1, "test-model")
    assert limited["tokens"] < limited["most_tokens"]


def test_a_history_is_read_once_changed_once_and_taken_back_by_one_undo(
    tickets: Callable[..., Result], server: OpenAIServer, tmp_path: Path
) -> None:
    path = write(tmp_path, *(row(number) for number in range(1, 7)))
    tickets("import", path)
    before = shown(tickets, "T-1")

    done = tickets("read", "--yes")

    assert done.exit_code == 0, done.output
    assert "6 tickets read, 6 changed" in " ".join(done.stdout.split())
    assert len(server.asked) == 6
    read = shown(tickets, "T-1")
    assert SEEN.format(n=1) in [each["description"] for each in read["anomalies"]]
    assert FIX not in [each["description"] for each in read["anomalies"]]
    assert "tills are broken" not in json.dumps(read)
    assert read["solution"] == FIX
    assert "Nothing is left to read: 6 texts were read before." in " ".join(tickets("read", "--yes").stdout.split())
    again = tickets("import", path)
    assert (again.stdout.strip(), shown(tickets, "T-1")) == ("0 imported, 0 updated, 6 unchanged.", read)
    assert len(server.asked) == 6
    tickets("undo")
    assert shown(tickets, "T-1") == before


def test_an_order_is_bounded_by_its_tickets_and_its_tokens_and_goes_on_where_it_was_broken_off(
    tickets: Callable[..., Result], server: OpenAIServer, database: Database, tmp_path: Path, opened: ExitStack
) -> None:
    tickets("import", write(tmp_path, *(row(number) for number in range(1, 12))))
    settings = Settings(model="test-model", model_base_url=server.base_url, model_retries=0, embeddings="none")
    models = opened.enter_context(closing(Models(settings, lambda: database)))

    def chat(tokens: int) -> Any:
        return models.without_job(RoleName.RETRIEVER, tokens=tokens)

    place_order(database, plan_reading(database, "test-model", {}, limit=6))
    assert read_next(database, chat)
    server.by_prompt = lambda _: Say(status=503)
    with pytest.raises(ModelUnavailable):
        read_next(database, chat)
    broken = last_order(database)
    assert broken is not None
    assert (broken.tickets_read, broken.ended_at, bool(broken.problem)) == (4, None, True)
    server.by_prompt = answer
    while read_next(database, chat):
        pass
    ended = last_order(database)
    assert ended is not None
    assert (ended.tickets_read, ended.changed, ended.problem) == (6, 6, None)

    heard, plan = len(server.asked), plan_reading(database, "test-model", {})
    assert plan.tickets == 5
    place_order(database, plan)
    database.statement("UPDATE ticket_orders SET tokens = 700 WHERE ended_at IS NULL RETURNING 1")
    while read_next(database, chat):
        pass
    poor = last_order(database)
    assert poor is not None
    assert poor.ended_at is not None
    assert poor.tokens_used <= 700
    assert "tokens are left" in (poor.problem or "")
    assert len(server.asked) - heard <= 4


def test_a_running_fleet_reads_what_is_ordered_while_no_job_has_work(
    tickets: Callable[..., Result], server: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ticket_reading, "_LOOK_S", 0.05)
    tickets("import", write(tmp_path, row(1), row(2)))
    services, stop = ProcessServices(load_settings().model_copy(update={"advance": "inline"})), threading.Event()
    accept(services.database, SubmitJob(job={"kind": "diagnose", "description": "all is slow"}, engine=EngineChoice.RULES), owner_cap=1)
    ordered = tickets("read", "--yes", "--background")
    thread = ticket_reading.TicketReading(services, stop)
    is_read_beside_work = thread.read()
    run_all(services)
    thread.start()
    until = time.monotonic() + 60
    while (order := last_order(services.database)) is None or order.ended_at is None:
        assert time.monotonic() < until
        time.sleep(0.05)
    stop.set()
    thread.join()
    services.close()

    assert "Ordered." in ordered.stdout
    assert not is_read_beside_work
    assert (order.tickets_read, order.changed) == (2, 2)
