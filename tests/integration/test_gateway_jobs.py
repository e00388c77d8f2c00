"""The routes of a job: from its submission to its result, and what can be said to it."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

import tests.support.noop  # noqa: F401  registers its kinds
from contracts.access import Scope
from tests.support.gateway import gateway_over, key_for
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database


@pytest.fixture
def client(services: ProcessServices) -> Iterator[TestClient]:
    with gateway_over(services) as found:
        found.headers.update(key_for(services.database, "shop"))
        yield found


def submitted(client: TestClient, plan: Any = None, **fields: Any) -> str:
    made = client.post("/v1/jobs", json={"job": {"kind": "noop", "plan": plan or {}, **fields}})
    assert made.status_code == 201, made.text
    assert made.headers["location"] == f"/v1/jobs/{made.json()['job_id']}"
    return made.json()["job_id"]


def test_a_job_is_submitted_asks_is_answered_and_has_a_result(client: TestClient, services: ProcessServices) -> None:
    job = submitted(client, {"s2": {"ask": 1}}, text="first words")
    assert client.get(f"/v1/jobs/{job}/result").status_code == 409
    run_all(services)
    facts = client.get(f"/v1/jobs/{job}").json()
    assert facts["status"] == "waiting_human"
    why = client.get(f"/v1/jobs/{job}/why").json()
    assert "question 1" in json.dumps(why)
    question = facts["questions"][0]["request_id"]
    taken = client.post(f"/v1/jobs/{job}/answer", json={"text": "forty-two", "request_id": question})
    assert taken.json() == {"job_id": job, "request_id": question, "changed": True}
    assert client.post(f"/v1/jobs/{job}/answer", json={"text": "forty-two"}).json()["changed"] is False
    other = client.post(f"/v1/jobs/{job}/answer", json={"text": "something else", "request_id": question})
    assert other.status_code == 409
    assert other.json()["type"] == "urn:bullpen:AlreadyAnswered"
    run_all(services)
    result = client.get(f"/v1/jobs/{job}/result").json()
    assert result["stage"] == "s6"
    assert result["content"]["stage"] == "s6"
    for form, media in (("md", "text/markdown"), ("html", "text/html")):
        page = client.get(f"/v1/jobs/{job}/result", params={"format": form})
        assert page.headers["content-type"].startswith(media)
        assert "s6" in page.text
    assert [item["stage"] for item in client.get(f"/v1/jobs/{job}/deliverables").json()][:2] == ["input", "s1"]
    version = client.get(f"/v1/jobs/{job}/deliverables/s2/1").json()
    assert version["content"] == client.get(f"/v1/jobs/{job}/deliverables/s2").json()["content"]
    assert len(client.get(f"/v1/jobs/{job}/decisions").json()) > 3


def test_a_finished_job_is_replayed_revised_unpinned_and_forked(client: TestClient, services: ProcessServices) -> None:
    job = submitted(client, {"s2": {"break": True}})
    run_all(services)
    step = client.get(f"/v1/jobs/{job}").json()["steps"][-1]["id"]
    plan = client.post(f"/v1/jobs/{job}/replay", json={"step_id": step, "edit": {"mended": True}, "dry_run": True}).json()
    assert plan["stages"][0]["changes"] == [{"field": "mended", "before": None, "after": True}]
    assert client.get(f"/v1/jobs/{job}").json()["status"] != "running"
    done = client.post(f"/v1/jobs/{job}/replay", json={"step_id": step, "edit": {"mended": True}}).json()
    assert [item["stage"] for item in done["stages"]] == ["s2"]
    run_all(services)
    assert client.get(f"/v1/jobs/{job}").json()["status"] == "succeeded"

    mine = {"stage": "s4", "content": {"stage": "mine", "given": {}}}
    dry = client.post(f"/v1/jobs/{job}/revise", json={**mine, "dry_run": True}).json()
    assert (dry["version"], dry["again"]) == (None, ["s5", "s6"])
    assert client.post(f"/v1/jobs/{job}/revise", json=mine).json()["version"] == 2
    run_all(services)
    assert client.post(f"/v1/jobs/{job}/unpin", json={"stage": "s4"}).json() == {"job_id": job, "stage": "s4"}
    assert client.post(f"/v1/jobs/{job}/unpin", json={"stage": "s4"}).status_code == 409

    assert client.post(f"/v1/jobs/{job}/fork", json={"stage": "s3", "dry_run": True}).status_code == 200
    copy = client.post(f"/v1/jobs/{job}/fork", json={"stage": "s3"})
    assert copy.status_code == 201
    assert client.get(f"/v1/jobs/{copy.json()['job_id']}").json()["forked_from"] == job
    ended = client.post(f"/v1/jobs/{copy.json()['job_id']}/cancel").json()
    assert (ended["cancelled"], ended["status"]) == (True, "cancelled")
    assert client.post(f"/v1/jobs/{copy.json()['job_id']}/cancel").json()["cancelled"] is False


def test_an_instruction_with_a_key_is_given_once(client: TestClient) -> None:
    job = submitted(client)
    first, second = (
        client.post(f"/v1/jobs/{job}/instruct", json={"text": "hurry", "stage": "s3"}, headers={"Idempotency-Key": "k"}).json()
        for _ in range(2)
    )
    assert first["request_id"] == second["request_id"]
    assert (first["changed"], second["changed"]) == (True, False)
    assert client.post(f"/v1/jobs/{job}/instruct", json={"text": "x", "stage": "s9"}).status_code == 404


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({"job": {"kind": "noop"}, "priority": False}, 422, "priority"),
        ({"job": {"kind": "noop"}, "priority": "5"}, 422, "priority"),
        ({"job": {"kind": "noop"}, "budget": {"tokens": True}}, 422, "budget.tokens"),
        ({"job": {"kind": "noop"}, "unknown": 1}, 422, "unknown"),
        ({"job": {"kind": "noop", "text": 5}}, 400, "text"),
        ({"job": {"kind": "diagnose", "description": "x", "max_turns": True}}, 400, "max_turns"),
        ({"job": {"kind": "diagnose", "description": "x", "max_turns": "5"}}, 400, "max_turns"),
        ({"job": {"kind": "nothing"}}, 400, "nothing"),
        ({"job": []}, 422, "job"),
        ({"job": {"kind": "noop"}, "reply_to": "http://169.254.169.254/"}, 400, "reply_to"),
    ],
)
def test_a_wrong_body_is_refused_with_its_field(client: TestClient, body: Any, status: int, says: str) -> None:
    refused = client.post("/v1/jobs", json=body)
    assert refused.status_code == status, refused.text
    assert refused.headers["content-type"] == "application/problem+json"
    assert says in refused.json()["detail"]
    assert client.get("/v1/jobs").json()["jobs"] == []


@pytest.mark.parametrize("text", [b"{", b"\xff", b'{"job": NaN}', b"[" * 100_000, b'{"job": {"kind": "noop", "n": 1e999}}'])
def test_what_is_no_json_is_refused(client: TestClient, text: bytes) -> None:
    refused = client.post("/v1/jobs", content=text, headers={"Content-Type": "application/json"})
    assert refused.status_code in (400, 422), refused.text
    assert refused.headers["content-type"] == "application/problem+json"


def test_a_body_larger_than_a_message_is_refused(client: TestClient) -> None:
    refused = client.post("/v1/jobs", json={"job": {"kind": "noop", "text": "x" * 3_000_000}})
    assert refused.status_code == 413


def test_jobs_are_found_by_each_filter_page_by_page(client: TestClient, services: ProcessServices, database: Database) -> None:
    ids = [submitted(client, text=f"number {n}") for n in range(5)]
    pages: list[list[str]] = []
    before: str | None = None
    while True:
        page = client.get("/v1/jobs", params={"limit": 2, **({"before": before} if before else {})}).json()
        pages.append([line["id"] for line in page["jobs"]])
        before = page["next"]
        if before is None:
            break
    assert [len(page) for page in pages] == [2, 2, 1]
    assert [job for page in pages for job in page] == ids[::-1]
    session = client.get(f"/v1/jobs/{ids[1]}").json()["session_id"]

    def found(**query: Any) -> list[str]:
        answer = client.get("/v1/jobs", params=query)
        assert answer.status_code == 200, answer.text
        return [line["id"] for line in answer.json()["jobs"]]

    assert found(session_id=session) == [ids[1]]
    assert found(text="NUMBER 3") == [ids[3]]
    assert found(kind="diagnose") == []
    assert found(status="succeeded") == []
    assert len(found(since="2020-01-01T00:00:00Z")) == 5
    assert found(until="2020-01-01T00:00:00Z") == []
    assert found(owner="bank") == ids[::-1]  # an owner's key sees its own, also when it asks for another's


def test_openapi_has_every_kind_with_request_and_deliverable(client: TestClient) -> None:
    found = client.get("/v1/openapi.json").json()
    kinds = {kind["name"] for kind in client.get("/v1/kinds").json()}
    job = found["components"]["schemas"]["Submission"]["properties"]["job"]
    assert set(job["discriminator"]["mapping"]) == kinds
    assert {"diagnose", "tune", "etl", "ask", "analyze"} <= kinds
    assert {"Diagnosis", "DiagnoseRequest"} <= found["components"]["schemas"].keys()
    assert found["paths"]["/v1/jobs"]["post"]["requestBody"]["content"]["application/json"]["examples"].keys() <= kinds
    text = json.dumps(found)
    named = {part.split('"')[0] for part in text.split('"#/components/schemas/')[1:]}
    assert named <= found["components"]["schemas"].keys()


def test_a_conversation_goes_on_in_its_session(client: TestClient, services: ProcessServices) -> None:
    job = submitted(client, {"s1": {"ask": 1}})
    run_all(services)
    session = client.get(f"/v1/jobs/{job}").json()["session_id"]
    taken = client.post(f"/v1/sessions/{session}/messages", json={"text": "yes"}).json()
    assert (taken["kind"], taken["job_id"]) == ("answer", job)
    assert [line["id"] for line in client.get("/v1/sessions", params={"everything": True}).json()] == [session]
    assert client.delete(f"/v1/sessions/{session}/memory").json() == {"session_id": session, "cleared": True}


def test_answers_do_not_go_where_another_owner_listens(client: TestClient, services: ProcessServices) -> None:
    db, stream = services.database, "stream:bullpen:replies:orders"
    body = {"job": {"kind": "noop"}, "reply_to": stream}
    shop, bank, ops = key_for(db, "shop"), key_for(db, "bank"), key_for(db, "ops", Scope.ADMIN)
    assert client.post("/v1/jobs", json=body, headers=shop).status_code == 201

    refused = client.post("/v1/jobs", json=body, headers=bank)
    alert = client.post("/v1/alerts", params={"reply_to": stream}, json={"text": "slow", "status": "firing"}, headers=bank)

    assert (refused.status_code, alert.status_code) == (400, 400)
    assert "another owner" in refused.json()["detail"]
    assert db.statement("SELECT owner FROM jobs") == [{"owner": "shop"}]
    assert client.post("/v1/jobs", json=body, headers=shop).status_code == 201
    assert client.post("/v1/jobs", json=body, headers=ops).status_code == 201
    assert client.post("/v1/jobs", json={**body, "reply_to": "stream:bullpen:replies:bank"}, headers=bank).status_code == 201
