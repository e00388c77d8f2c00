"""The door: nothing but health is open, keys and browser logins, owners kept from each other."""

import time
from collections.abc import Iterator
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient

from contracts.access import Scope
from tests.support.gateway import routes_of
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.console.routes import all_routers
from workers.gateway.access import known_keys
from workers.gateway.access.keys import create_key, find_key, list_keys, revoke_key
from workers.gateway.access.logins import COOKIE, find_login, make_code, open_login, use_code
from workers.gateway.app import create_gateway
from workers.settings import Settings

LOGINS = ("/console/login", "/console/login/again", "/console/enter")
"""Forms before a login, which look at the site that sends them instead."""
SUBMISSION = {"job": {"kind": "diagnose", "description": "replication lag grows"}}


@pytest.fixture
def client(database_url: str, broker_url: str) -> Iterator[TestClient]:
    """A gateway of the test's own database."""
    services = ProcessServices(Settings(database_url=database_url, broker_url=broker_url))
    with TestClient(create_gateway(services)) as found:
        yield found


def bearer(text: str) -> dict[str, str]:
    """The header of a key."""
    return {"Authorization": f"Bearer {text}"}


def test_health_needs_no_key_and_everything_else_does(client: TestClient) -> None:
    assert client.get("/healthz").text == "ok\n"
    assert client.get("/readyz").status_code == 200
    refused = client.get("/v1/jobs")
    assert refused.status_code == 401
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.headers["content-security-policy"].startswith("default-src 'none'")
    assert "bullpen keys create" in refused.json()["detail"]


def test_owners_are_apart_and_a_key_makes_jobs_of_its_owner_only(client: TestClient, database: Database) -> None:
    ours, theirs, all_of_them = (create_key(database, owner, scopes=scopes)[1] for owner, scopes in (
        ("shop", [Scope.SUBMIT, Scope.READ]), ("bank", [Scope.SUBMIT, Scope.READ]), ("ops", [Scope.ADMIN])))  # fmt: skip
    assert client.post("/v1/jobs", json={**SUBMISSION, "owner": "bank"}, headers=bearer(ours)).status_code == 422
    made = client.post("/v1/jobs", json=SUBMISSION, headers={**bearer(ours), "Idempotency-Key": "k1"})
    again = client.post("/v1/jobs", json=SUBMISSION, headers={**bearer(ours), "Idempotency-Key": "k1"})
    assert (made.status_code, again.status_code) == (201, 200)
    job = made.json()["job_id"]
    assert again.json() == {"job_id": job, "existing": True, "broker_answers": True}
    assert client.get(f"/v1/jobs/{job}", headers=bearer(ours)).json()["owner"] == "shop"
    assert client.get(f"/v1/jobs/{job}", headers=bearer(theirs)).status_code == 404
    assert client.get(f"/v1/jobs/{job}/events", headers=bearer(theirs)).status_code == 404
    assert client.get("/v1/jobs", headers=bearer(theirs)).json()["jobs"] == []
    assert [line["id"] for line in client.get("/v1/jobs", headers=bearer(all_of_them)).json()["jobs"]] == [job]


def test_a_key_allows_its_scopes_until_it_is_revoked(client: TestClient, database: Database) -> None:
    key, text = create_key(database, "shop", scopes=[Scope.READ], label="dashboard")
    assert text not in str(database.statement("SELECT * FROM api_keys"))
    assert client.post("/v1/jobs", json=SUBMISSION, headers=bearer(text)).status_code == 403
    assert client.get("/v1/jobs", headers=bearer(text)).status_code == 200
    assert list_keys(database)[0].last_used_at is not None
    admin = bearer(create_key(database, "ops", scopes=[Scope.ADMIN])[1])
    assert client.delete(f"/v1/keys/{key.id}", headers=admin).status_code == 200
    assert client.get("/v1/jobs", headers=bearer(text)).status_code == 401
    assert find_key(database, text[:-1] + ("A" if text[-1] != "A" else "B")) is None


def test_a_key_that_is_revoked_elsewhere_is_refused_as_soon_as_postgres_says_so(
    client: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_keys, "KNOWN_S", 3_600.0)
    key, text = create_key(database, "shop", scopes=[Scope.READ])
    for _ in range(3):
        assert client.get("/v1/me", headers=bearer(text)).status_code == 200
    revoke_key(database, key.id)
    for _ in range(100):
        if client.get("/v1/me", headers=bearer(text)).status_code == 401:
            return
        time.sleep(0.1)
    raise AssertionError("the key still works")


def test_a_browser_is_logged_in_once_by_a_code_and_changes_need_its_token(client: TestClient, database: Database) -> None:
    key, _ = create_key(database, "shop")
    code = make_code(database, key)
    assert use_code(database, code) == key
    assert use_code(database, code) is None
    login, cookie = open_login(database, key)
    client.cookies.set(COOKIE, cookie)
    assert client.get("/v1/jobs").status_code == 200
    assert client.post("/v1/jobs", json=SUBMISSION).status_code == 403
    assert client.post("/v1/jobs", json=SUBMISSION, headers={"X-CSRF-Token": login.csrf}).status_code == 201
    revoke_key(database, key.id)
    assert find_login(database, cookie) is None


def test_no_change_is_made_by_a_cookie_alone(database: Database, database_url: str, broker_url: str) -> None:
    """Another site can send the cookie of a browser, and not the token: every route that changes something asks for it."""
    key, _ = create_key(database, "shop", scopes=list(Scope))
    _, cookie = open_login(database, key)
    app = create_gateway(ProcessServices(Settings(database_url=database_url, broker_url=broker_url)), all_routers())
    changing = [route for route in routes_of(app) if route.method not in ("GET", "HEAD") and route.path not in LOGINS]
    with TestClient(app) as client:
        client.cookies.set(COOKIE, cookie)
        assert client.get("/v1/me").status_code == 200
        for route in changing:
            values = dict.fromkeys(("job_id", "session_id", "entry_id", "step_id", "request_id"), uuid4())
            for headers in ({}, {"X-CSRF-Token": "x"}):
                answer = client.request(route.method, route.at(**values), headers=headers, json={})
                assert answer.status_code == 403, (route, answer.status_code, answer.text[:300])
    assert len(changing) > 60
    assert database.statement("SELECT 1 FROM jobs UNION ALL SELECT 1 FROM quarantine") == []
