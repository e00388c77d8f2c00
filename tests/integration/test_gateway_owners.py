"""Every route of the gateway × every scope × own, foreign and no key: generated from the application, so that no route is forgotten."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

import tests.support.noop  # noqa: F401  registers its kinds
from contracts.access import Scope
from contracts.jobs import SubmitJob
from tests.support.gateway import Reachable, bearer, every_route, gateway_over, key_for, scopes_of
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.blackboard import quarantine
from workers.blackboard.engine import Database
from workers.coordinator.intake import accept
from workers.gateway.access.keys import create_key
from workers.reading.jobs import read_job
from workers.reading.steps import read_steps

MARK = "the-secret-of-the-shop"
BODIES: dict[str, Any] = {
    "/v1/jobs": {"job": {"kind": "noop"}},
    "/v1/jobs/{job_id}/answer": {"text": "yes"},
    "/v1/jobs/{job_id}/instruct": {"text": "do it"},
    "/v1/jobs/{job_id}/replay": {"stage": "s1"},
    "/v1/jobs/{job_id}/revise": {"stage": "s1", "content": {"stage": "s1", "given": {}}},
    "/v1/jobs/{job_id}/unpin": {"stage": "s1"},
    "/v1/jobs/{job_id}/fork": {"stage": "s1"},
    "/v1/jobs/{job_id}/run": {"item": 1},
    "/v1/jobs/{job_id}/feedback": {},
    "/v1/sessions/{session_id}/messages": {"text": "go on"},
    "/v1/fleet/roles/{role}": {"state": "paused"},
    "/v1/chat/start": {"kind": "diagnose", "text": "slow"},
    "/v1/chat/completions": {"model": "bullpen/diagnose", "messages": [{"role": "user", "content": ""}]},
    "/v1/chat/{session_id}/continue": {"text": "go on"},
    "/v1/alerts": {"text": "slow"},
    "/v1/keys": {"owner": "shop"},
    "/v1/tickets": {"tickets": [{}]},
    "/v1/sources/{name}/query": {"statement": "SELECT 1"},
    "/v1/checks": {"name": "late", "title": "Late", "logql": '{a="b"}', "tests": [{"expect": "undecided"}]},
    "/v1/logs/{name}/read": {"question": "errors"},
    "/v1/metrics/{server}/query": {"query": "up", "end": "2026-01-02T00:00:00Z"},
    "/v1/logs/{name}/search": {"query": '{a="b"}', "start": "2026-01-01T00:00:00Z", "end": "2026-01-02T00:00:00Z"},
}
"""A body that fits, for routes whose bodies have required fields: what a foreign key gets must be 404, not a remark about the body."""


OWNED = (
    *("{job_id}", "{entry_id:uuid}", "{session_id}", "{step_id}"),
    *("/v1/sources/{name}", "/v1/logs/{name}", "/v1/metrics/{server}", "/v1/ids"),
)
"""Parts of addresses at which something of one owner is."""


@dataclass(frozen=True, slots=True)
class Shop:
    """What the owner `shop` has."""

    job: UUID
    step: UUID
    session: UUID
    entry: UUID


@pytest.fixture
def shop(services: ProcessServices) -> Shop:
    """A job that asks, and an entry of the quarantine about it."""
    db = services.database
    request = {"kind": "noop", "text": MARK, "plan": {"s2": {"ask": 1}}}
    made = accept(db, SubmitJob(job=request, owner="shop"), owner_cap=10)
    run_all(services)
    entry = quarantine.put(db, source="answers", cause="Undeliverable", message=MARK, body=MARK.encode(), job_id=made.job_id)
    quarantine.put(db, source="jobs", cause="NotJson", message=MARK, body=MARK.encode())  # whose it is, nobody knows
    db.statement(
        "INSERT INTO sources (name, kind, limits, owners, insisted, sample) VALUES ('secret', 'duckdb', '{}', '{shop}', false, false)"
    )
    session = read_job(db, made.job_id).session_id
    assert session is not None
    db.statement("INSERT INTO log_sources (name, kind, limits, owners, sample) VALUES ('secret', 'files', '{}', '{shop}', true)")
    db.statement("INSERT INTO metric_sources (name, limits, owners) VALUES ('secret', '{}', '{shop}')")
    return Shop(made.job_id, read_steps(db, made.job_id)[0].id, session, entry)


@pytest.fixture
def client(services: ProcessServices) -> Iterator[TestClient]:
    with gateway_over(services) as found:
        yield found


ROUTES = every_route()


def call(client: TestClient, route: Reachable, shop: Shop, headers: dict[str, str]) -> Any:
    values = {
        "job_id": shop.job,
        "session_id": shop.session,
        "entry_id": shop.entry,
        "step_id": shop.step,
        "stage": "s1",
        "version": 1,
        "role": "analyst",
    }
    path = route.at(**values, ticket_id="T-1", name="secret", server="secret", hash="0" * 64, key_id=uuid4().hex)
    query = {"q": MARK, "source": "secret", "name": "orders", "place": "x", "until": "question"}
    query |= {"text": str(shop.job)[-12:], "thing": "job"} if route.path == "/v1/ids" else {}
    if route.path == "/v1/usage":
        query = {}
    body = None if route.method in ("GET", "HEAD", "DELETE") else BODIES.get(route.path, {})
    return client.request(route.method, path, params=query, json=body, headers=headers)


def test_the_routes_are_found() -> None:
    paths = {route.path for route in ROUTES}
    assert len(paths) > 40
    assert paths >= {"/v1/jobs/{job_id}/events", "/v1/keys", "/v1/quarantine/{entry_id:uuid}/replay", "/v1/openapi.json"}
    assert all(scopes_of(route) is not None for route in ROUTES), [route.path for route in ROUTES if scopes_of(route) is None]


def test_no_route_answers_without_a_valid_key(client: TestClient, database: Database, shop: Shop) -> None:
    _, revoked = create_key(database, "shop")
    database.statement("UPDATE api_keys SET revoked_at = now()")
    for route in ROUTES:
        for headers in ({}, bearer("bp_x_y"), bearer(revoked), {"Cookie": "bullpen_login=x"}):
            assert call(client, route, shop, headers).status_code == 401, (route, headers)


def test_a_key_reaches_what_its_scopes_allow_and_nothing_else(client: TestClient, database: Database, shop: Shop) -> None:
    for scope in Scope:
        headers = key_for(database, "stranger", scope)
        for route in ROUTES:
            needed = scopes_of(route) or set()
            if scope is Scope.ADMIN:
                continue
            status = call(client, route, shop, headers).status_code
            assert (status == 403) == (not needed <= {scope}), (route, scope, status)


def test_a_foreign_owner_finds_nothing_of_the_shop(client: TestClient, database: Database, shop: Shop) -> None:
    """Own things are there, and another owner's are as if they were not, for every request."""
    foreign, own = key_for(database, "bank"), key_for(database, "shop")
    before = read_job(database, shop.job)
    for route in ROUTES:
        answer = call(client, route, shop, foreign)
        assert MARK not in answer.text, route
        if Scope.ADMIN in (scopes_of(route) or ()):
            assert answer.status_code == 403, (route, answer.text)
        elif any(name in route.path for name in OWNED):
            assert answer.status_code == 404, (route, answer.text)
    assert read_job(database, shop.job) == before
    for path in (f"/v1/jobs/{shop.job}/deliverables/input", f"/v1/quarantine/{shop.entry}", "/v1/quarantine"):
        assert MARK in client.get(path, headers=own).text, path
    for path in ("/v1/jobs", f"/v1/sessions/{shop.session}"):
        assert str(shop.job) in client.get(path, headers=own).text, path
    assert [entry["id"] for entry in client.get("/v1/quarantine", headers=own).json()] == [str(shop.entry)]
    assert [source["name"] for source in client.get("/v1/sources", headers=own).json()] == ["secret"]
    assert client.get("/v1/sources", headers=foreign).json() == client.get("/v1/logs", headers=foreign).json() == []
    assert client.get(f"/v1/ids?thing=job&text={str(shop.job)[-12:]}", headers=own).json() == {"id": str(shop.job)}
    assert client.get("/v1/quarantine/groups", headers=foreign).json() == []
    assert client.post("/v1/quarantine/give-up", json={}, headers=foreign).json() == {"done": 0}
    assert client.get("/v1/quarantine/groups", headers=own).json()[0]["entries"] == 1
    replayed = client.post("/v1/quarantine/replay", json={"cause": "Undeliverable"}, headers=own).json()
    assert (replayed["done"], sum(replayed["failed"].values())) == (0, 1)
    assert client.post("/v1/quarantine/give-up", json={"note": "the hook is gone"}, headers=own).json() == {"done": 1}


def test_a_key_may_call_so_often_a_minute_over_all_gateways(services: ProcessServices, client: TestClient, database: Database) -> None:
    _, text = create_key(database, "shop", per_minute=3)
    with gateway_over(services) as other:
        statuses = [door.get("/v1/me", headers=bearer(text)).status_code for door in (client, other, client, other, client)]
    refused = client.get("/v1/me", headers=bearer(text))
    assert statuses == [200, 200, 200, 429, 429]
    assert 0 < int(refused.headers["retry-after"]) <= 20
    database.statement("UPDATE api_keys SET busy_until = busy_until - interval '20 seconds'")
    assert client.get("/v1/me", headers=bearer(text)).status_code == 200
    assert client.get("/v1/me", headers=bearer(text)).status_code == 429
