"""Alerts become jobs: one for each thing that fires, in each sender's form, and no storm of them."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from tests.support.gateway import gateway_over, key_for
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.gateway.alerts import taking
from workers.gateway.alerts.reading import read_alerts
from workers.gateway.alerts.taking import kind_for_alerts, take_alert
from workers.settings import Settings


def alertmanager(*names: str, status: str = "firing", fingerprint: str = "") -> dict[str, Any]:
    """As Alertmanager 0.28 sends it (webhook version 4); Grafana sends the same fields and more."""
    return {
        "version": "4",
        "groupKey": "{}:{}",
        "status": status,
        "receiver": "bullpen",
        "alerts": [
            {
                "status": status,
                "labels": {"alertname": name, "instance": "db-1", "severity": "critical"},
                "annotations": {"summary": f"{name} on db-1", "description": "replication lag is 900 s"},
                "startsAt": "2026-11-20T10:00:00Z",
                "endsAt": "0001-01-01T00:00:00Z",
                "fingerprint": fingerprint,
            }
            for name in names
        ],
    }


def pagerduty(kind: str) -> dict[str, Any]:
    """A v3 webhook."""
    service = {"id": "PF9KMXH", "type": "service_reference", "summary": "orders"}
    data = {"id": "PGR0VU2", "type": "incident", "title": "Disk almost full", "urgency": "high", "service": service}
    return {"event": {"id": "5ac64822", "event_type": kind, "resource_type": "incident", "data": data}}


@pytest.fixture
def client(database_url: str, broker_url: str) -> Iterator[TestClient]:
    services = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, embeddings="none"))
    with gateway_over(services) as found:
        found.headers.update(key_for(services.database, "shop"))
        yield found


def became(client: TestClient, body: Any) -> list[str]:
    answer = client.post("/v1/alerts", json=body)
    assert answer.status_code == 202, answer.text
    return [alert["became"] for alert in answer.json()["alerts"]]


def test_an_alert_is_one_job_however_often_it_is_sent(client: TestClient, database: Database) -> None:
    taken = client.post("/v1/alerts", json=alertmanager("ReplicationLag", "DiskFull")).json()["alerts"]
    assert [alert["became"] for alert in taken] == ["job", "job"]
    assert became(client, alertmanager("ReplicationLag", "DiskFull")) == ["known", "known"]
    request = client.get(f"/v1/jobs/{taken[0]['job_id']}/deliverables/input").json()["content"]
    assert request["kind"] == "diagnose"
    lines = request["description"].splitlines()
    assert lines == [
        "ReplicationLag on db-1", "replication lag is 900 s", "alertname=ReplicationLag, instance=db-1, severity=critical"
    ]  # fmt: skip
    assert client.get(f"/v1/jobs/{taken[0]['job_id']}").json()["priority"] == 7
    (seen,) = client.get(f"/v1/jobs/{taken[0]['job_id']}/alerts").json()
    assert (seen["times"], seen["resolved_at"]) == (2, None)


def test_an_alert_that_is_sent_many_times_at_once_is_one_job(client: TestClient, database: Database, services: ProcessServices) -> None:
    """As two Alertmanagers of one cluster do."""
    (alert,) = read_alerts(alertmanager("DiskFull"))
    barrier = Barrier(6)

    def take(_: int) -> UUID | None:
        barrier.wait()
        return take_alert(services, "shop", kind_for_alerts("diagnose"), alert).job_id

    with ThreadPoolExecutor(6) as pool:
        jobs = set(pool.map(take, range(6)))

    assert len(jobs) == 1
    assert database.row("SELECT count(*) AS jobs FROM jobs") == {"jobs": 1}


def test_plain_alerts_of_one_title_with_other_words_are_others(client: TestClient) -> None:
    assert became(client, {"title": "Nightly load", "text": "it is slow"}) == ["job"]
    assert became(client, {"title": "Nightly load", "text": "it has failed"}) == ["job"]
    assert became(client, {"title": "Nightly load", "text": "it has failed", "status": "resolved"}) == ["resolved"]


def test_a_resolved_alert_is_noted_and_fires_again_later_but_not_when_it_flaps(client: TestClient, database: Database) -> None:
    first = client.post("/v1/alerts", json=alertmanager("Lag", fingerprint="f1")).json()["alerts"][0]["job_id"]
    assert became(client, alertmanager("Lag", status="resolved", fingerprint="f1")) == ["resolved"]
    (noted,) = client.get("/v1/alerts").json()
    assert noted["resolved_at"] is not None
    assert became(client, alertmanager("Lag", fingerprint="f1")) == ["known"]  # it flaps
    for _ in range(2):  # both Alertmanagers of a cluster say it
        told = client.post("/v1/alerts", json=alertmanager("Lag", status="resolved", fingerprint="f1")).json()["alerts"][0]
        assert (told["became"], told["job_id"]) == ("resolved", first)
    database.statement("UPDATE alerts SET resolved_at = now() - interval '1 hour'")
    again = client.post("/v1/alerts", json=alertmanager("Lag", fingerprint="f1")).json()["alerts"][0]
    assert again["became"] == "job"
    assert again["job_id"] != first
    assert became(client, alertmanager("Other", status="resolved")) == ["unknown"]


def test_a_storm_makes_no_more_jobs_than_its_limit(client: TestClient, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taking, "STORM_JOBS", 3)
    storm = alertmanager(*(f"Alert{n}" for n in range(8)))
    assert became(client, storm) == ["job"] * 3 + ["held"] * 5
    assert became(client, storm) == ["known"] * 3 + ["held"] * 5
    database.statement("UPDATE alerts SET begun_at = begun_at - interval '1 hour'")
    assert became(client, storm) == ["known"] * 3 + ["job"] * 3 + ["held"] * 2
    assert len(client.get("/v1/jobs").json()["jobs"]) == 6


def test_each_sender_is_understood(client: TestClient) -> None:
    assert became(client, pagerduty("incident.triggered")) == ["job"]
    assert became(client, pagerduty("incident.acknowledged")) == []
    assert became(client, pagerduty("incident.resolved")) == ["resolved"]
    assert became(client, {"text": "the nightly load is slow", "labels": {"host": "db-2"}}) == ["job"]
    assert became(client, {"text": "the nightly load is slow", "labels": {"host": "db-2"}}) == ["known"]
    assert became(client, {"text": "the nightly load is slow", "labels": {"host": "db-3"}}) == ["job"]
    grafana = {
        **alertmanager("High CPU", fingerprint="b2"),
        "orgId": 1,
        "title": "[FIRING:1]",
        "state": "alerting",
        "message": "**Firing**",
    }
    grafana["alerts"][0] |= {"values": {"B": 44.2}, "dashboardURL": "", "valueString": "[ var='B' value=44.2 ]"}
    assert became(client, grafana) == ["job"]


def test_messages_as_the_senders_document_them(client: TestClient) -> None:
    """Grafana 12 sends values and no text of them; PagerDuty sends null for what an incident has not, and pings when it is set up."""
    memory = {"labels": {"alertname": "High memory usage", "zone": "us-1"}, "status": "firing", "fingerprint": "c6eadffa33fcdf37"}
    memory |= {"annotations": {"summary": "zone us-1"}, "startsAt": "2021-10-12T09:51:03.157076+02:00", "endsAt": "0001-01-01T00:00:00Z"}
    memory |= {"dashboardURL": "", "panelURL": "", "values": {"B": 44.23943737541908, "C": 1}}
    cpu = {**memory, "fingerprint": "bc97ff14869b13e3", "annotations": None, "values": None}
    grafana = {"receiver": "bullpen", "status": "firing", "orgId": 1, "alerts": [memory, cpu], "truncatedAlerts": 0, "version": "1"}
    taken = client.post("/v1/alerts", json=grafana).json()["alerts"]
    assert [alert["became"] for alert in taken] == ["job", "job"]
    request = client.get(f"/v1/jobs/{taken[0]['job_id']}/deliverables/input").json()["content"]
    assert "B = 44.23943737541908, C = 1" in request["description"]
    incident: dict[str, Any] = {"id": "PT4KHLK", "type": "incident", "number": 1234, "title": "The server is on fire.", "service": None}
    incident |= {"urgency": None, "incident_key": None, "assignees": [], "priority": None, "created_at": "2026-05-20T14:00:00.000Z"}
    event = {"id": "5ac6", "event_type": "incident.triggered", "resource_type": "incident", "agent": None, "data": incident}
    assert became(client, {"event": event}) == ["job"]
    assert became(client, {"event": {**event, "event_type": "incident.acknowledged"}}) == []
    ping = {"message": "Hello from your friend Pagey!", "type": "ping"}
    assert became(client, {"event": {"id": "01B", "event_type": "pagey.ping", "resource_type": "pagey", "data": ping}}) == []


def test_what_a_rule_says_beside_its_summary_is_in_the_text(client: TestClient) -> None:
    """Grafana says in an annotation of its own why a query failed."""
    body = alertmanager("DatasourceError", fingerprint="a1")
    body["alerts"][0]["annotations"] = {
        "summary": "", "Error": "dial tcp 10.0.0.5:9090: connect: connection refused", "impact": "orders wait",
        "runbook_url": "https://wiki.example.com/x", "__panelId__": "78",
    }  # fmt: skip

    taken = client.post("/v1/alerts", json=body).json()["alerts"]

    text = client.get(f"/v1/jobs/{taken[0]['job_id']}/deliverables/input").json()["content"]["description"]
    assert "Error: dial tcp 10.0.0.5:9090: connect: connection refused\nimpact: orders wait" in text
    assert "wiki" not in text
    assert "78" not in text


def test_a_webhook_of_pagerduty_2_is_refused_with_what_to_do(client: TestClient) -> None:
    refused = client.post(
        "/v1/alerts", json={"messages": [{"event": "incident.trigger", "incident": {"id": "P1", "title": "Queue grows"}}]}
    )

    assert refused.status_code == 400
    assert "version 3" in refused.json()["detail"]


@pytest.mark.parametrize("body", [{}, {"alerts": 5}, {"alerts": [{"labels": []}]}, {"event": {}}, {"text": ""}, {"alerts": [{}] * 501}])
def test_what_is_no_alert_is_refused_with_the_forms(client: TestClient, body: Any) -> None:
    refused = client.post("/v1/alerts", json=body)
    assert refused.status_code == 400
    assert client.get("/v1/jobs").json()["jobs"] == []


def test_alerts_of_owners_are_apart_and_a_kind_must_take_alerts(client: TestClient, database: Database) -> None:
    assert became(client, alertmanager("Lag", fingerprint="same")) == ["job"]
    other = key_for(database, "bank")
    assert client.get("/v1/alerts", headers=other).json() == []
    taken = client.post("/v1/alerts", json=alertmanager("Lag", fingerprint="same"), headers=other).json()
    assert taken["alerts"][0]["became"] == "job"
    refused = client.post("/v1/alerts", params={"kind": "tune"}, json={"text": "x"})
    assert refused.status_code == 400
    assert "diagnose" in refused.json()["detail"]
