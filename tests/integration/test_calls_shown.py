"""The journal as people read it, a step done again from one of its calls, and what is kept for how long."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from typer.testing import CliRunner

from contracts.access import Scope
from contracts.jobs import EngineChoice, SubmitJob
from tests.support.gateway import gateway_over, key_for
from tests.support.openai_server import Heard, OpenAIServer, Say, openai_server
from tests.support.said import kept
from tests.support.ten_calls import trip_answer
from workers.app.in_process import run_all
from workers.app.run_step import advance_and_publish, move_on
from workers.app.services import ProcessServices
from workers.blackboard.journal import forget_texts
from workers.cli import context
from workers.cli.main import app as program
from workers.coordinator.intake import accept
from workers.coordinator.replay import FromCall, replay_step
from workers.errors import Conflict, InvalidInput, NotFound
from workers.reading.calls import CallFacts, read_calls
from workers.settings import Settings

SUN = {"sky": "sun", "degrees": 11.5}


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        running.by_prompt = by_the_prompt
        yield running


def by_the_prompt(heard: Heard) -> Say:
    """As a trip goes; the sun shines where the prompt asks for it."""
    if "sunshine" in heard.user_text:
        return Say(json.dumps(SUN))
    return trip_answer(heard)


@pytest.fixture
def services(
    database_url: str, broker_url: str, server: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ProcessServices]:
    monkeypatch.setenv("TEN_CALLS", str(tmp_path))
    monkeypatch.setenv("BULLPEN_DATABASE_URL", database_url)
    monkeypatch.setenv("BULLPEN_BROKER_URL", broker_url)
    context.forget()
    made = ProcessServices(
        Settings(
            database_url=database_url, broker_url=broker_url, model="test-model", model_base_url=server.base_url, engine=EngineChoice.LLM,
            embeddings="none",
        )
    )  # fmt: skip
    yield made
    made.close()
    context.forget()


@pytest.fixture
def job(services: ProcessServices, server: OpenAIServer) -> UUID:
    """A trip that has ended."""
    submitted = SubmitJob(job={"kind": "trip"}, engine=EngineChoice.LLM, owner="ada")
    job_id = accept(services.database, submitted, owner_cap=10, has_model=True).job_id
    run_all(services)
    return job_id


def calls_of(services: ProcessServices, job_id: UUID) -> tuple[CallFacts, ...]:
    return read_calls(services.database, job_id, texts=True)


def trip_of(services: ProcessServices, job_id: UUID) -> dict[str, Any]:
    row = services.database.row(
        "SELECT d.content, s.notes, s.usage, s.id FROM deliverables d JOIN steps s ON s.id = d.step_id "
        "WHERE d.job_id = %(id)s AND d.stage = 'trip' ORDER BY d.version DESC LIMIT 1",
        {"id": job_id},
    )
    assert row is not None
    return row


def again(services: ProcessServices, job_id: UUID, wanted: FromCall) -> dict[str, Any]:
    replay_step(services.database, wanted.step_id, from_call=wanted)
    move_on(services, job_id)
    run_all(services)
    return trip_of(services, job_id)


def test_each_call_has_its_prompt_by_parts_its_answer_tokens_and_time(services: ProcessServices, job: UUID) -> None:
    calls = calls_of(services, job)

    models = [call for call in calls if call.kind == "model"]
    assert [call.call for call in models] == list(range(1, 11))
    first = models[0]
    assert (first.name, first.model, first.outcome, first.attempt) == ("classifier/weather", "test-model", "answered", 1)
    assert [message.role for message in first.messages] == ["system", "user"]
    assert "day 1 of" in (first.messages[1].text or "")
    assert "report" in [part.name for part in first.messages[1].parts]
    assert all(part.tokens > 0 for message in first.messages for part in message.parts)
    assert first.answer is not None
    assert json.loads(first.answer["text"])["sky"] == "rain"
    assert first.usage["input_tokens"] == 100
    assert first.duration_ms is not None
    tools = [(call.call, call.place, call.name, call.outcome) for call in calls if call.kind == "tool"]
    assert tools[:3] == [(3, 1, "test.card", "answered"), (4, 1, "test.search", "answered"), (4, 2, "test.note", "answered")]
    assert ("test.nothing", "refused") in [(call[2], call[3]) for call in tools]


def test_show_prints_the_calls_with_tokens_by_part_and_the_prompts_with_details(services: ProcessServices, job: UUID) -> None:
    listed = CliRunner().invoke(program, ["show", str(job), "--calls"])
    whole = CliRunner().invoke(program, ["show", str(job), "--calls", "--details", "--language", "zh"])
    as_json = json.loads(CliRunner().invoke(program, ["show", str(job), "--calls", "--json"]).output)

    assert "classifier/weather" in listed.output
    assert "100/20" in listed.output
    assert "instructions" in listed.output
    assert "day 1 of" not in listed.output
    assert "day 1 of" in whole.output
    assert "回答" in whole.output
    assert as_json[0]["messages"][1]["text"].count("day 1 of") == 1


def test_a_step_goes_on_from_an_edited_call_and_says_so(services: ProcessServices, server: OpenAIServer, job: UUID) -> None:
    last = calls_of(services, job)[-1]
    edited = [{"role": message.role, "text": (message.text or "").replace("rain", "sunshine")} for message in last.messages]
    server.heard.clear()

    made = again(services, job, FromCall.read(last.step_id, last.call, {"messages": edited}))

    assert made["content"]["days"][-1] == "sun"
    assert len(server.asked) == 1
    assert "sunshine" in server.asked[0].user_text
    assert made["usage"]["model_calls"] == 1
    assert [kept(note) for note in made["notes"]] == ["The prompt of model call 10 was edited by hand."]
    ended = [call for call in calls_of(services, job) if call.step_id == made["id"] and call.kind == "model"]
    assert [call.edited for call in ended] == [False] * 9 + [True]
    assert {call.attempt for call in ended[:9]} == {0}


def test_a_step_may_go_on_from_a_call_as_it_was(services: ProcessServices, server: OpenAIServer, job: UUID) -> None:
    step_id = calls_of(services, job)[0].step_id
    server.heard.clear()

    made = again(services, job, FromCall.read(step_id, 9, None))

    assert len(server.asked) == 2
    assert made["notes"] is None


def test_an_edit_that_is_no_prompt_of_the_call_is_refused(services: ProcessServices, job: UUID) -> None:
    step_id = calls_of(services, job)[0].step_id

    edits: list[Any] = [{}, {"messages": []}, {"messages": "x"}, {"messages": [{"role": "user"}]}, {"messages": [3]}]
    for edit in edits:
        with pytest.raises(InvalidInput):
            FromCall.read(step_id, 1, edit)
    with pytest.raises(NotFound):
        replay_step(services.database, step_id, from_call=FromCall(step_id, 11))


def test_prompts_go_after_their_time_and_hashes_stay(services: ProcessServices, job: UUID) -> None:
    now = datetime.now(UTC)
    assert forget_texts(services.database, before=now - timedelta(days=14)) == 0

    assert forget_texts(services.database, before=now + timedelta(seconds=1)) == 1

    calls = calls_of(services, job)
    assert len(calls) > 10
    assert {(message.text, call.answer) for call in calls for message in call.messages} == {(None, None)}
    assert all(part.hash and part.tokens >= 0 for call in calls for message in call.messages for part in message.parts)
    with pytest.raises(Conflict):
        replay_step(services.database, calls[0].step_id, from_call=FromCall(calls[0].step_id, 5))


def test_prompts_are_kept_until_the_step_has_ended(services: ProcessServices, job: UUID) -> None:
    replay_step(services.database, calls_of(services, job)[0].step_id)
    late = datetime.now(UTC) + timedelta(days=1)
    assert forget_texts(services.database, before=late) == 0  # the boss has not looked yet
    move_on(services, job)
    advance_and_publish(services, job)

    assert services.database.row("SELECT 1 FROM steps WHERE status = 'queued'")
    assert forget_texts(services.database, before=late) == 0


def test_prompts_are_deleted_with_their_job(services: ProcessServices, job: UUID) -> None:
    services.database.statement("DELETE FROM jobs WHERE id = %(id)s", {"id": job})

    assert services.database.statement("SELECT 1 FROM calls UNION ALL SELECT 1 FROM call_texts") == []


def test_prompts_are_shown_to_the_owner_and_to_admins_and_not_to_operators(services: ProcessServices, job: UUID) -> None:
    keys = {
        "owner": key_for(services.database, "ada", Scope.READ),
        "admin": key_for(services.database, "root", Scope.ADMIN),
        "operator": key_for(services.database, "bob", Scope.READ, Scope.OPERATE),
        "operating owner": key_for(services.database, "ada", Scope.OPERATE),
    }
    with gateway_over(services) as client:
        seen = {who: client.get(f"/v1/jobs/{job}/calls?texts=true", headers=header) for who, header in keys.items()}

    assert {who: answer.status_code for who, answer in seen.items()} == {
        "owner": 200, "admin": 200, "operator": 404, "operating owner": 403,
    }  # fmt: skip
    assert "day 1 of" in seen["owner"].json()["journal"][0]["messages"][1]["text"]


def test_the_texts_of_the_trip_are_kept_once(services: ProcessServices, job: UUID) -> None:
    calls = calls_of(services, job)
    shown = sum(len(message.text or "") for call in calls for message in call.messages)
    stored = services.database.row("SELECT sum(length(body)) AS bytes, count(*) AS texts FROM call_texts")

    assert stored is not None
    assert stored["bytes"] * 4 < shown
