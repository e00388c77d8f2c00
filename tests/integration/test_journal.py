"""The journal of a step: what was paid is not paid again, what was done is not done again, and the conversation is the same."""

import os
import signal
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest

from contracts.commands import RunStep
from contracts.jobs import EngineChoice, SubmitJob
from contracts.reports import Usage
from tests.support import ten_calls
from tests.support.openai_server import Heard, OpenAIServer, Say, openai_server
from tests.support.ten_calls import give_back, run_in_child, trip_answer
from workers import tracing
from workers.app.in_process import run_all
from workers.app.run_step import advance_and_publish, run_step
from workers.app.services import ProcessServices
from workers.blackboard.journal import Journal, Message, Part, Request, read_texts
from workers.coordinator.intake import accept
from workers.errors import StepCancelled
from workers.secrets import remember
from workers.settings import Settings

TEN = 10


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        running.by_prompt = trip_answer
        yield running


@pytest.fixture
def services(
    database_url: str, broker_url: str, server: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ProcessServices]:
    monkeypatch.setenv("TEN_CALLS", str(tmp_path))
    made = ProcessServices(
        Settings(
            database_url=database_url, broker_url=broker_url, model="test-model", model_base_url=server.base_url, model_retries=0,
            engine=EngineChoice.LLM, max_attempts=20, retry_base_s=0.01, retry_max_s=0.01, lease_s=30.0, embeddings="none",
        )
    )  # fmt: skip
    yield made
    made.close()


def submit(services: ProcessServices) -> UUID:
    job_id = accept(services.database, SubmitJob(job={"kind": "trip"}, engine=EngineChoice.LLM), owner_cap=10, has_model=True).job_id
    services.database.statement("UPDATE jobs SET admitted = true")
    return job_id


def conversation(server: OpenAIServer) -> list[Any]:
    """Each request once, in the order in which it was first made: without what may differ between two attempts."""
    seen: dict[str, Any] = {}
    for heard in server.asked:
        seen.setdefault(str(heard.body["messages"]), heard.body["messages"])
    return list(seen.values())


def paid(server: OpenAIServer) -> Counter[str]:
    return Counter(str(heard.body["messages"]) for heard in server.asked)


def result(services: ProcessServices, job_id: UUID) -> Any:
    row = services.database.row("SELECT content FROM deliverables WHERE job_id = %(id)s AND stage = 'trip'", {"id": job_id})
    assert row is not None
    return row["content"]


def usage(services: ProcessServices, job_id: UUID) -> Any:
    row = services.database.row("SELECT usage FROM steps WHERE job_id = %(id)s AND stage = 'trip'", {"id": job_id})
    assert row is not None
    return row["usage"]


def undisturbed(services: ProcessServices, server: OpenAIServer) -> tuple[list[Any], Any]:
    """What a step says and makes that nobody disturbs."""
    job_id = submit(services)
    run_all(services)
    talk, made = conversation(server), result(services, job_id)
    assert len(talk) == TEN
    server.heard.clear()
    (Path(os.environ["TEN_CALLS"]) / ten_calls.NOTES).unlink()
    return talk, made


def notes() -> list[str]:
    return [line.partition(" ")[2] for line in (Path(os.environ["TEN_CALLS"]) / ten_calls.NOTES).read_text("utf-8").splitlines()]


@pytest.mark.parametrize("at", range(1, TEN + 1))
def test_a_process_killed_with_a_call_in_flight_pays_that_call_twice_and_no_other(
    services: ProcessServices, server: OpenAIServer, at: int
) -> None:
    talk, made = undisturbed(services, server)
    job_id = submit(services)

    def answer(heard: Heard) -> Say:
        if len(server.asked) == at:
            row = services.database.row("SELECT worker FROM steps WHERE job_id = %(id)s AND status = 'running'", {"id": job_id})
            assert row is not None
            os.kill(int(row["worker"].rpartition(":")[2]), signal.SIGKILL)
        return trip_answer(heard)

    server.by_prompt = answer
    assert run_in_child(services.settings) == -signal.SIGKILL
    give_back(services.database)
    run_all(services)

    assert result(services, job_id) == made
    assert conversation(server) == talk
    counts = paid(server)
    assert sorted(counts.values()) == [1] * (TEN - 1) + [2]
    assert counts[str(talk[at - 1])] == 2
    assert notes() == ["first", "second", "third", "first"]
    assert usage(services, job_id)["model_calls"] == TEN  # of the call in flight nobody knows what it cost


def test_a_process_killed_at_any_write_of_the_journal_goes_on_from_there(services: ProcessServices, server: OpenAIServer) -> None:
    talk, made = undisturbed(services, server)
    job_id = submit(services)
    deaths = 0

    def die(sql: str, after: bool, at: int) -> None:
        count[0] += 1
        if count[0] == at:
            os.kill(os.getpid(), signal.SIGKILL)

    for at in range(3, 400, 5):  # each process comes a few writes further than the one before
        count = [0]
        status = run_in_child(services.settings, on_statement=lambda sql, after, at=at: die(sql, after, at))
        if status == 0:
            break
        assert status == -signal.SIGKILL
        deaths += 1
        give_back(services.database)
        services.database.statement("UPDATE steps SET lost = 0")  # after three an operator would have to run it again, as here

    assert deaths > 3
    assert result(services, job_id) == made
    assert conversation(server) == talk
    assert notes() == ["first", "second", "third", "first"]
    assert sum(paid(server).values()) <= TEN + deaths  # at most the one in flight, each time
    assert usage(services, job_id)["model_calls"] >= TEN


def test_a_change_outside_of_which_nobody_knows_whether_it_was_made_goes_to_a_person(
    services: ProcessServices, server: OpenAIServer
) -> None:
    server.by_prompt = lambda heard: trip_answer(heard, ((("test.post", {"text": "die"}),),))
    job_id = submit(services)

    assert run_in_child(services.settings) == -signal.SIGKILL
    give_back(services.database)
    run_all(services)

    row = services.database.row("SELECT status, error FROM steps WHERE job_id = %(id)s AND stage = 'trip'", {"id": job_id})
    assert row is not None
    assert (row["status"], row["error"]["type"]) == ("failed", "OutcomeUnknown")
    assert (Path(os.environ["TEN_CALLS"]) / ten_calls.NOTES).read_text("utf-8") == "die\n"


def open_journal(services: ProcessServices, job_id: UUID, *, attempt: int, **more: Any) -> Journal:
    row = services.database.row("SELECT id FROM steps WHERE job_id = %(id)s AND stage = 'held'", {"id": job_id})
    assert row is not None
    token = uuid4()
    services.database.statement(
        "UPDATE steps SET status = 'running', token = %(token)s, lease_until = now() + interval '1 hour' WHERE id = %(id)s",
        {"id": row["id"], "token": token},
    )
    return Journal(services.database, job_id=job_id, step_id=row["id"], token=token, attempt=attempt, **more)


@pytest.fixture
def running(services: ProcessServices) -> UUID:
    """A job with a step that an attempt may take."""
    job_id = submit(services)
    advance_and_publish(services, job_id)
    return job_id


def test_a_step_that_was_queued_anew_after_it_lost_a_process_runs_by_the_message_of_a_first_attempt(
    services: ProcessServices, running: UUID
) -> None:
    """It counts its attempts again then, but not its processes; the message was dropped, however often it was sent."""
    step = services.database.row("UPDATE steps SET lost = 1 WHERE job_id = %(id)s AND stage = 'held' RETURNING id", {"id": running})
    assert step is not None
    message = RunStep(job_id=running, step_id=step["id"], stage="held")

    with services.alone:  # another such step runs in this process
        assert run_step(services, message) != "succeeded"
    assert run_step(services, message) == "succeeded"
    assert run_step(services, message) == "dropped"


def asks(text: str, *, model: str = "m") -> Request:
    return Request("role/purpose", (Message("user", (Part("instructions", "Answer. "), Part("question", text))),), model)


def made(journal: Journal, request: Request, answer: Any, **usage: int) -> None:
    call = journal.model_call(request)
    assert call.is_new
    journal.end(call, answer=answer, outcome="answered", used=Usage(model_calls=1, **usage), duration_ms=1)


def test_at_the_first_request_that_is_not_equal_the_rest_is_made_again(services: ProcessServices, running: UUID) -> None:
    first = open_journal(services, running, attempt=1)
    for text in ("a", "b", "c"):
        made(first, asks(text), {"text": text}, input_tokens=10)

    second = open_journal(services, running, attempt=2)
    found = second.model_call(asks("a"))
    other = second.model_call(asks("other"))
    last = second.model_call(asks("c"))

    assert (found.answer, other.is_new, last.is_new) == ({"text": "a"}, True, True)
    assert second.paid.input_tokens == 30  # what was discarded was paid all the same
    assert open_journal(services, running, attempt=3).paid.input_tokens == 30


def test_an_attempt_that_was_taken_over_keeps_no_call_and_gets_no_answer(services: ProcessServices, running: UUID) -> None:
    old = open_journal(services, running, attempt=1)
    call = old.model_call(asks("a"))
    open_journal(services, running, attempt=2)

    with pytest.raises(StepCancelled):
        old.end(call, answer={"text": "late"}, outcome="answered", duration_ms=1)
    with pytest.raises(StepCancelled):
        old.model_call(asks("b"))


def test_a_failed_call_that_the_attempt_went_on_from_fails_again_and_the_last_one_is_made_again(
    services: ProcessServices, running: UUID
) -> None:
    first = open_journal(services, running, attempt=1)
    failed = first.model_call(asks("a", model="first"))
    first.end(failed, answer=None, outcome="ModelRequestRefused", message="no such model", duration_ms=1)
    made(first, asks("a", model="second"), {"text": "a"})
    away = first.model_call(asks("b", model="second"))
    first.end(away, answer=None, outcome="ModelUnavailable", message="away", used=Usage(model_calls=1), duration_ms=1)

    second = open_journal(services, running, attempt=2)

    assert second.model_call(asks("a", model="first")).error == ("ModelRequestRefused", "no such model")
    assert second.model_call(asks("a", model="second")).answer == {"text": "a"}
    assert second.model_call(asks("b", model="second")).is_new


def test_clock_driver_and_what_was_learnt_of_the_server_stay_as_in_the_first_attempt(services: ProcessServices, running: UUID) -> None:
    first = open_journal(services, running, attempt=1, now=lambda: datetime(2026, 1, 31, 23, 59, tzinfo=UTC))
    assert first.frozen("driver", lambda: "native") == "native"
    assert first.clock().day == 31
    made(first, asks("a"), {"text": "a"})

    second = open_journal(services, running, attempt=2, now=lambda: datetime(2026, 2, 1, tzinfo=UTC))

    assert second.clock() == datetime(2026, 1, 31, 23, 59, tzinfo=UTC)
    assert second.frozen("driver", lambda: "structured") == "native"


def test_texts_are_kept_once_a_job_without_secrets_and_without_what_postgres_cannot_hold(services: ProcessServices, running: UUID) -> None:
    remember(["s3cr3t-value"])
    journal = open_journal(services, running, attempt=1)
    for text in ("s3cr3t-value in \x00 a \ud800 text", "postgres://ada:pw@host/db"):
        made(journal, asks(text), {"text": text})

    kept = services.database.statement("SELECT hash FROM call_texts WHERE job_id = %(id)s", {"id": running})
    texts = read_texts(services.database, running, [row["hash"] for row in kept])

    assert sorted(texts.values()) == sorted(
        ["Answer. ", "*** in \ufffd a \ufffd text", '{"text":"*** in \ufffd a \ufffd text"}',
         "postgres://ada:***@host/db", '{"text":"postgres://ada:***@host/db"}']
    )  # fmt: skip
    again = open_journal(services, running, attempt=2)
    assert again.model_call(asks("s3cr3t-value in \x00 a \ud800 text")).answer == {"text": "*** in \ufffd a \ufffd text"}


def test_equal_calls_of_tools_are_found_in_any_order_and_each_once(services: ProcessServices, running: UUID) -> None:
    def look(journal: Journal, text: str) -> Any:
        return journal.tool_call(Request("look", (Message("arguments", (Part("arguments", text),)),)))

    first = open_journal(services, running, attempt=1)
    made(first, asks("a"), {"text": "a"})
    for text, value in (("x", 1), ("y", 2), ("x", 3)):
        first.end(look(first, text), answer={"value": value}, outcome="answered", duration_ms=1)

    second = open_journal(services, running, attempt=2)
    second.model_call(asks("a"))

    assert [look(second, text).answer for text in ("y", "x", "x", "x")] == [{"value": 2}, {"value": 1}, {"value": 3}, None]
    assert look(second, "z").place == 5


def test_a_call_of_a_tool_is_a_span_made_of_its_row(services: ProcessServices, running: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    spans: list[Any] = []

    class Tracer:
        def start_span(self, name: str, **more: Any) -> Any:
            spans.append((name, more))
            return SimpleNamespace(end=lambda at: spans.append(at))

    monkeypatch.setattr(tracing, "_tracer", Tracer())
    journal = open_journal(services, running, attempt=1)
    call = journal.tool_call(Request("look", (Message("arguments", (Part("arguments", "{}"),)),)))
    journal.end(call, answer={"value": 1}, outcome="answered", duration_ms=5)

    (name, made), ended = spans
    assert name == "execute_tool look"
    assert made["attributes"]["gen_ai.tool.name"] == "look"
    assert ended - made["start_time"] == 5_000_000
