"""Calls of tools by steps of real jobs: rows, refusals, retries, and effects that happen once."""

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from typer.testing import CliRunner

from contracts.jobs import SubmitJob
from tests.support import tooling
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.cli import context
from workers.cli.main import app
from workers.coordinator.intake import accept
from workers.settings import Settings
from workers.tools import list_calls, list_grants, retrying

Run = Callable[..., tuple[Any, dict[str, Any]]]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "BASE_S", 0.01)
    for kept in (tooling.OUTSIDE, tooling.READS, tooling.FAILING):
        kept.clear()


@pytest.fixture
def services(database_url: str, broker_url: str) -> Iterator[ProcessServices]:
    quick = {"retry_base_s": 0.01, "retry_max_s": 0.02}
    made = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, advance="inline", **quick))
    yield made
    made.close()


@pytest.fixture
def run(services: ProcessServices) -> Run:
    def run(**request: Any) -> tuple[Any, dict[str, Any]]:
        job_id = accept(services.database, SubmitJob.model_validate({"job": {"kind": "tooling", **request}}), owner_cap=10).job_id
        run_all(services)
        while services.database.row("SELECT 1 FROM jobs WHERE id = %(id)s AND finished_at IS NULL", {"id": job_id}):
            time.sleep(0.02)
            run_all(services)
        rows = services.database.statement("SELECT stage, content FROM deliverables WHERE job_id = %(id)s", {"id": job_id})
        return job_id, {row["stage"]: row["content"] for row in rows}

    return run


def rows(db: Database, job_id: Any) -> list[tuple[Any, ...]]:
    return [(row["number"], row["tool"], row["effect"], row["outcome"]) for row in list_calls(db, job_id) if row["stage"] == "used"]


def test_a_step_calls_what_its_pointers_and_its_role_allow(run: Run, services: ProcessServices) -> None:
    """E9: pointers and the role's allow-list together."""
    job_id, made = run(calls=[("test.card", {"table": "orders"}), ("test.write", {"text": "done"})])

    used = made["used"]
    assert used["offered"] == ["test.card", "test.search", "test.write"]
    assert used["outcomes"] == ["answered", "answered"]
    assert used["results"][0] == {"table": "orders", "columns": ["id", "name"]}
    assert rows(services.database, job_id) == [(1, "test.card", "read", "answered"), (2, "test.write", "write", "answered")]


def test_a_role_without_an_allow_list_may_call_nothing(run: Run, services: ProcessServices) -> None:
    job_id, made = run(calls=[("test.card", {"table": "orders"})])

    assert made["looked"]["offered"] == []
    assert made["looked"]["outcomes"] == ["refused"]
    assert [row["outcome"] for row in list_calls(services.database, job_id) if row["stage"] == "looked"] == ["refused"]


def test_a_refused_call_is_an_answer_an_event_and_a_row(run: Run, services: ProcessServices) -> None:
    job_id, made = run(calls=[("test.card", {"table": "salaries"}), ("drop_table", {"table": "orders"})])

    assert made["used"]["outcomes"] == ["refused", "refused"]
    assert "'orders'" in made["used"]["messages"][0]
    assert tooling.READS == []
    events = services.database.statement(
        "SELECT stage, detail, rev FROM events WHERE job_id = %(id)s AND kind = 'tool_refused' ORDER BY rev", {"id": job_id}
    )
    assert [(row["stage"], row["detail"]["tool"]) for row in events if row["stage"] == "used"] == [
        ("used", "test.card"), ("used", "drop_table"),
    ]  # fmt: skip
    numbers = services.database.statement("SELECT rev FROM events WHERE job_id = %(id)s ORDER BY rev", {"id": job_id})
    assert [row["rev"] for row in numbers] == list(range(1, len(numbers) + 1))
    assert [row[3] for row in rows(services.database, job_id)] == ["refused", "refused"]


def test_what_was_granted_is_what_the_audit_shows(run: Run, services: ProcessServices) -> None:
    job_id, made = run(calls=[])

    (granted,) = [row["granted"] for row in list_grants(services.database, job_id) if row["stage"] == "used"]
    assert [item["tool"] for item in granted] == made["used"]["offered"]
    assert [item["places"] for item in granted] == [["orders"], None, None]


def test_a_user_who_claims_pointers_holds_none_of_them(run: Run) -> None:
    claimed = [tooling.table("salaries").to_json()]

    _, made = run(pointers=claimed, calls=[("test.card", {"table": "salaries"})])

    assert made["used"]["outcomes"] == ["refused"]


def test_an_active_skill_narrows_and_never_widens(run: Run) -> None:
    _, made = run(skill=["test.card", "drop_table"], calls=[("test.write", {"text": "x"})])

    assert made["used"]["offered"] == ["test.card"]
    assert made["used"]["outcomes"] == ["refused"]


def test_pointers_in_a_result_give_their_keys(run: Run, services: ProcessServices) -> None:
    found = {"table": "found"}
    job_id, made = run(calls=[("test.card", found), ("test.search", {"words": "x"}), ("test.card", found)])

    assert made["used"]["outcomes"] == ["refused", "answered", "answered"]
    (granted,) = [row["granted"] for row in list_grants(services.database, job_id) if row["stage"] == "used"]
    assert granted[0]["places"] == ["found", "orders"]


def test_wrong_arguments_and_business_errors_are_answers(run: Run) -> None:
    calls = [("test.write", {"text": 3}), ("test.write", {"text": "x", "after": "business"}), ("test.write", {"text": "x", "after": "bug"})]

    _, made = run(calls=calls)

    assert made["used"]["outcomes"] == ["invalid", "failed", "failed"]
    assert made["used"]["messages"] == ["text: Input should be a valid string", "The page is full.", "The tool broke (KeyError)."]


def test_a_transport_error_is_tried_again_with_the_same_key(run: Run, services: ProcessServices) -> None:
    tooling.FAILING.append(1)

    job_id, made = run(calls=[("test.write", {"text": "x"})])

    assert made["used"]["outcomes"] == ["answered"]
    assert len(tooling.OUTSIDE) == 1
    assert rows(services.database, job_id) == [(1, "test.write", "write", "answered")]


def test_a_transport_error_that_lasts_returns_the_step_to_its_queue(run: Run, services: ProcessServices) -> None:
    tooling.FAILING.extend([1] * retrying.TRIES)

    job_id, made = run(calls=[("test.write", {"text": "x"})])

    assert made["used"]["outcomes"] == ["answered"]
    assert [written.key.rpartition("/")[2] for written in tooling.OUTSIDE] == ["1"]
    row = services.database.row("SELECT attempt FROM steps WHERE job_id = %(id)s AND stage = 'used'", {"id": job_id})
    assert row is not None
    assert row["attempt"] == 2


def test_a_repeated_attempt_finds_the_results_of_its_calls(run: Run, services: ProcessServices) -> None:
    write = ("test.write", {"text": "same"})

    job_id, made = run(calls=[write, write, ("test.card", {"table": "orders"})], fail_after=1)

    assert made["used"]["outcomes"] == ["answered+", "answered+", "answered+"]
    assert [written.key.rpartition("/")[2] for written in tooling.OUTSIDE] == ["1", "2"]
    assert tooling.READS == ["orders"]
    assert [row[0] for row in rows(services.database, job_id)] == [1, 2, 3]


def test_threads_of_a_step_give_their_calls_numbers_of_their_own(run: Run, services: ProcessServices) -> None:
    job_id, _ = run(calls=[])
    step = services.database.row("SELECT id FROM steps WHERE job_id = %(id)s AND stage = 'used'", {"id": job_id})
    assert step is not None
    logs = [tooling_log(services, job_id, step["id"], attempt=number) for number in (1, 2)]

    with ThreadPoolExecutor(8) as threads:
        begun = list(threads.map(lambda number: logs[number % 2].begin("test.write", tooling.WRITE.effect, str(number)), range(24)))

    assert sorted(call.number for call in begun) == list(range(1, 25))


def test_the_commands_list_tools_and_the_calls_of_a_job(run: Run, services: ProcessServices, monkeypatch: pytest.MonkeyPatch) -> None:
    job_id, _ = run(calls=[("test.card", {"table": "orders"}), ("test.card", {"table": "salaries"})])
    monkeypatch.setenv("BULLPEN_DATABASE_URL", services.settings.database_url or "")
    monkeypatch.setenv("BULLPEN_BROKER_URL", services.settings.broker_url or "")
    context.forget()

    listed = CliRunner().invoke(app, ["tools", "list", "--json"])
    calls = CliRunner().invoke(app, ["tools", "calls", str(job_id)])
    as_json = json.loads(CliRunner().invoke(app, ["tools", "calls", str(job_id), "--json"]).output)
    context.forget()

    known = {item["name"]: item for item in json.loads(listed.output)}
    assert known["test.card"]["opened_by"] == ["table"]
    assert known["query_source"]["effect"] == "read"
    assert "used, attempt 1, may call: test.card (orders), test.search, test.write" in calls.output
    assert "refused" in calls.output
    assert {row["outcome"] for row in as_json["calls"]} == {"answered", "refused"}


def test_a_call_that_was_cut_off_is_made_again_under_its_key(run: Run, services: ProcessServices) -> None:
    write = ("test.write", {"text": "once"})
    job_id, _ = run(calls=[write])
    services.database.statement("UPDATE tool_calls SET outcome = 'started', result = NULL, duration_ms = NULL")
    step = services.database.row("SELECT id, stage FROM steps WHERE job_id = %(id)s AND stage = 'used'", {"id": job_id})
    assert step is not None

    log = tooling_log(services, job_id, step["id"], attempt=2)
    begun = log.begin("test.write", tooling.WRITE.effect, tooling_hash(write[1]))

    assert (begun.number, begun.result) == (1, None)
    assert log.begin("test.write", tooling.WRITE.effect, tooling_hash(write[1])).number == 2


def tooling_log(services: ProcessServices, job_id: Any, step_id: Any, *, attempt: int) -> Any:
    from workers.tools import CallLog

    return CallLog(services.database, job_id=job_id, step_id=step_id, stage="used", attempt=attempt)


def tooling_hash(arguments: Any) -> str:
    from contracts.base import content_hash

    return content_hash(arguments)
