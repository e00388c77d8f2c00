"""What the gateway says of the fleet is what the board holds: work by role, leases, usage. And headers that keep it out of other pages."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

import tests.support.noop  # noqa: F401  registers its kinds
from contracts.access import Scope
from contracts.jobs import SubmitJob
from tests.support.gateway import EVERY_SCOPE_BUT_ADMIN, gateway_over, key_for
from workers.app.in_process import run_all
from workers.app.role_states import role_state
from workers.app.services import ProcessServices
from workers.blackboard import quarantine
from workers.blackboard.engine import Database
from workers.blackboard.steps import claim
from workers.coordinator.advance import advance
from workers.coordinator.intake import accept
from workers.reading.steps import read_steps

LEASE_S = 60.0


@pytest.fixture
def client(services: ProcessServices) -> Iterator[TestClient]:
    with gateway_over(ProcessServices(services.settings)) as found:
        yield found


def begun(services: ProcessServices, owner: str, plan: Any = None) -> UUID:
    """A job whose first step waits for a worker."""
    job = accept(services.database, SubmitJob(job={"kind": "noop", "plan": plan or {}}, owner=owner), owner_cap=10).job_id
    advance(services.database, job, services.limits)
    return job


def claimed(db: Database, job: UUID, worker: str) -> UUID:
    """The first step of a job, which a worker holds now."""
    step = read_steps(db, job)[0].id
    assert claim(db, step, token=uuid4(), lease_s=LEASE_S, worker=worker) is not None
    return step


def test_the_work_of_each_role_is_that_of_the_board(client: TestClient, services: ProcessServices) -> None:
    db, operator = services.database, key_for(services.database, "shop", Scope.OPERATE, Scope.READ)
    jobs = [begun(services, owner) for owner in ("shop", "shop", "bank")]
    asking = begun(services, "shop", {"s1": {"ask": 1}})
    run_until_asked(services, asking, hold=jobs)
    claimed(db, jobs[0], "classifier@a")
    db.statement("UPDATE steps SET due_at = now() + interval '1 hour' WHERE job_id = %(id)s", {"id": jobs[1]})
    db.statement("UPDATE steps SET due_at = now() - interval '90 seconds' WHERE job_id = %(id)s", {"id": jobs[2]})
    quarantine.put(db, source="jobs", cause="NotJson", message="x", body=b"{")
    admin = key_for(db, "ops", Scope.ADMIN)
    assert client.put("/v1/fleet/roles/analyst", json={"state": "paused"}, headers=admin).status_code == 200

    fleet = client.get("/v1/fleet", headers=operator).json()
    roles = {role.pop("role"): role for role in fleet["roles"]}

    assert roles.keys() == {"classifier", "analyst"}
    assert 90 <= roles["classifier"].pop("oldest_s") < 3_600
    assert roles["classifier"] == {"state": "running", "waiting": 1, "delayed": 1, "running": 1, "expired": 0}
    assert (roles["analyst"]["state"], roles["analyst"]["waiting"], roles["analyst"]["running"]) == ("paused", 0, 0)
    assert fleet["live_jobs"] == {"running": 3, "waiting_human": 1}
    assert (fleet["held_back"], fleet["quarantined"]) == (0, 1)
    db.statement("UPDATE steps SET lease_until = now() - interval '1 second' WHERE status = 'running'")
    assert client.get("/v1/fleet", headers=operator).json()["roles"][1]["expired"] == 1
    classifier = client.get("/v1/fleet/roles/classifier", headers=operator).json()
    assert classifier == {"role": "classifier", "state": "running", "before": "running", "running_steps": 1}


def test_who_operates_their_own_jobs_pauses_no_role_for_the_others(client: TestClient, services: ProcessServices) -> None:
    operator = key_for(services.database, "shop", *EVERY_SCOPE_BUT_ADMIN)

    refused = client.put("/v1/fleet/roles/analyst", json={"state": "paused"}, headers=operator)

    assert refused.status_code == 403
    assert "admin" in refused.json()["detail"]
    assert role_state(services.database, "analyst") == "running"


def run_until_asked(services: ProcessServices, job: UUID, *, hold: list[UUID]) -> None:
    """Work on one job while the steps of others are not due."""
    services.database.statement("UPDATE steps SET due_at = now() + interval '1 hour' WHERE job_id = ANY(%(ids)s)", {"ids": hold})
    run_all(services)
    services.database.statement("UPDATE steps SET due_at = now() WHERE job_id = ANY(%(ids)s)", {"ids": hold})


def test_leases_are_those_of_the_caller_s_jobs(client: TestClient, services: ProcessServices) -> None:
    db = services.database
    jobs = {owner: begun(services, owner) for owner in ("bank", "shop")}
    held = {owner: claimed(db, job, f"classifier@{owner}") for owner, job in jobs.items()}

    (lease,) = client.get("/v1/fleet/leases?limit=1", headers=key_for(db, "shop", Scope.OPERATE)).json()  # the other's runs out first
    every = client.get("/v1/fleet/leases", headers=key_for(db, "ops", Scope.ADMIN)).json()

    assert (lease["step_id"], lease["job_id"], lease["worker"]) == (str(held["shop"]), str(jobs["shop"]), "classifier@shop")
    assert (lease["role"], lease["stage"], lease["attempt"]) == ("classifier", "s1", 1)
    assert 0 < lease["left_s"] <= LEASE_S
    row = db.row("SELECT started_at, deadline FROM steps WHERE id = %(id)s", {"id": held["shop"]})
    assert row is not None
    assert lease["started_at"].replace("Z", "+00:00") == row["started_at"].isoformat()
    assert {found["step_id"] for found in every} == {str(step) for step in held.values()}
    assert len(client.get("/v1/fleet/leases?limit=1", headers=key_for(db, "ops", Scope.ADMIN)).json()) == 1
    assert client.get("/v1/fleet/leases", headers=key_for(db, "nobody", Scope.OPERATE)).json() == []


def test_usage_is_what_the_steps_of_the_owner_used_in_the_period(client: TestClient, services: ProcessServices) -> None:
    db = services.database
    for owner, tokens in (("shop", 10), ("shop", 20), ("bank", 400)):
        job = begun(services, owner)
        db.statement(
            "UPDATE steps SET engine = 'big', usage = jsonb_build_object('input_tokens', %(n)s::int, 'output_tokens', 2, 'model_calls', 1, "
            "'cost_usd', 0.25) WHERE job_id = %(id)s",
            {"id": job, "n": tokens},
        )
    shop, admin = key_for(db, "shop", Scope.READ), key_for(db, "ops", Scope.ADMIN)

    def used(headers: dict[str, str], **query: str) -> list[tuple[Any, ...]]:
        lines = client.get("/v1/usage", params=query, headers=headers).json()
        figures = ("model_calls", "input_tokens", "output_tokens", "cost_usd")
        return [(line["role"], line["model"], line["steps"], *(line["usage"][figure] for figure in figures)) for line in lines]

    assert used(shop) == [("classifier", "big", 2, 2, 30, 4, 0.5)]
    assert used(shop, owner="bank") == used(shop)
    assert used(admin) == [("classifier", "big", 3, 3, 430, 6, 0.75)]
    assert used(admin, owner="bank") == [("classifier", "big", 1, 1, 400, 2, 0.25)]
    assert used(shop, since="2026-01-01T00:00:00Z", until="2026-01-02T00:00:00Z") == []
    assert used(shop, since="2020-01-01T00:00:00Z") == used(shop)
    assert used(shop, until="0001-01-01T00:00:00Z") == []


@pytest.mark.parametrize("path", ["/v1/jobs", "/v1/nothing", "/healthz", "/v1/openapi.json"])
def test_no_other_page_can_frame_an_answer_and_no_browser_takes_it_for_a_page(
    client: TestClient, services: ProcessServices, path: str
) -> None:
    """Also of one that refuses."""
    for headers in ({}, key_for(services.database, "shop")):
        answer = client.get(path, headers=headers)
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["content-security-policy"].split("; ")[:2] == ["default-src 'none'", "frame-ancestors 'none'"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert "access-control-allow-origin" not in answer.headers


def test_what_was_not_sent_as_json_and_an_address_that_there_is_not_say_what_to_do(client: TestClient, services: ProcessServices) -> None:
    headers = key_for(services.database, "shop")
    form = {**headers, "Content-Type": "application/x-www-form-urlencoded"}
    refused = client.post("/v1/jobs", content=b'{"job": {"kind": "noop"}}', headers=form)
    nowhere = client.get("/v1/nothing", headers=headers)
    chinese = client.get("/v1/nothing", headers={**headers, "Accept-Language": "zh"})

    assert refused.status_code == 422
    assert "Content-Type: application/json" in refused.json()["detail"]
    assert (nowhere.status_code, nowhere.headers["content-type"]) == (404, "application/problem+json")
    assert nowhere.json()["detail"] == "There is no “GET /v1/nothing” here. GET /v1/openapi.json lists the addresses."
    assert "没有" in chinese.json()["detail"]
