"""Flower watches the fleet: its HTTP API shows our workers, queues, and tasks with their job and stage."""

import base64
import json
import sys
import urllib.error
import urllib.request
from typing import Any

import pytest
from celery import Celery

from contracts.roles import COORDINATOR
from tests.acceptance.conftest import MakeFleet
from tests.support.fleet import FleetProcesses
from tests.support.relay import ROLES
from tests.support.servers import lasting_port

pytestmark = pytest.mark.acceptance

LOGIN = "watcher:secret"


class Flower:
    """`bullpen flower` beside a fleet, and its HTTP API."""

    def __init__(self, fleet: FleetProcesses) -> None:
        self.fleet = fleet
        port = lasting_port()
        self.url = f"http://127.0.0.1:{port}"
        env = {"BULLPEN_FLOWER_PORT": str(port), "BULLPEN_FLOWER_BASIC_AUTH": LOGIN}
        fleet.run("flower", [sys.executable, "-m", "workers.cli.main", "flower"], env)
        fleet.wait_until(self._healthy, "Flower answers")

    def _healthy(self) -> bool:
        try:
            return self.get("/healthcheck", login=None).strip() == "OK"
        except OSError:
            return False

    def get(self, path: str, login: str | None = LOGIN) -> str:
        request = urllib.request.Request(self.url + path)  # noqa: S310  our own loopback address
        if login:
            request.add_header("Authorization", "Basic " + base64.b64encode(login.encode()).decode())
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
            return answer.read().decode()

    def api(self, path: str) -> Any:
        return json.loads(self.get(f"/api{path}"))


@pytest.fixture
def flower(make_fleet: MakeFleet) -> Flower:
    fleet = make_fleet()
    fleet.start(COORDINATOR, *ROLES)
    flower = Flower(fleet)
    fleet.wait_until(lambda: len(flower.api("/workers?refresh=1")) == 3, "Flower knows three workers")
    for name in fleet.pids():
        if name != "flower":
            fleet.wait_log(name, "Events of group {task} enabled by remote")  # Flower asks every second
    return flower


def test_flower_shows_workers_queues_and_tasks_with_job_and_stage(flower: Flower):
    """F5: what an operator looks for: who works, what waits, what became of a job's steps."""
    fleet = flower.fleet
    job_id = fleet.submit(plan={"second": {"fail": 1}})
    broken = fleet.submit(plan={"first": {"break": True}})
    fleet.wait_status(job_id)
    fleet.wait_status(broken, "failed")

    def tasks_of(job: Any) -> list[dict[str, Any]]:
        return [task for task in flower.api("/tasks?limit=100").values() if f"job={job}" in (task["args"] or "")]

    def succeeded() -> int:
        return sum(task["state"] == "SUCCESS" and "stage=" in task["args"] for task in tasks_of(job_id))

    fleet.wait_until(lambda: succeeded() == 3, "Flower has seen the job's steps")

    def inspected() -> dict[str, Any]:
        return {name.partition("@")[0]: seen for name, seen in flower.api("/workers?refresh=1").items()}

    def all_answered() -> bool:  # a worker under load misses the second that Flower gives it
        return all({"active_queues", "stats", "conf"} <= seen.keys() for seen in inspected().values())

    fleet.wait_until(all_answered, "every worker has answered each inspection")
    queues = {role: [queue["name"] for queue in seen["active_queues"]] for role, seen in inspected().items()}
    assert queues == {role: [f"bullpen.{role}"] for role in (COORDINATOR, *ROLES)}
    assert all(seen["stats"]["pool"]["max-concurrency"] for seen in inspected().values())
    steps = [(task["name"], task["args"].split("stage=")[1].split()[0]) for task in tasks_of(job_id) if "stage=" in task["args"]]
    assert sorted(set(steps)) == [("bullpen.analyst", "first"), ("bullpen.analyst", "third"), ("bullpen.developer", "second")]
    fleet.wait_until(lambda: [task["retried"] is not None for task in tasks_of(job_id)].count(True) == 1, "the retry is seen")
    ended = [task for task in tasks_of(job_id) if task["state"] == "SUCCESS" and "stage=" in task["args"]]
    assert sorted(task["args"].split("stage=")[1].split()[0] for task in ended) == ["first", "second", "third"]
    assert any(task["name"] == "bullpen.coordinator" for task in tasks_of(job_id))
    types = set(flower.api("/task/types")["task-types"])
    assert {"bullpen.analyst", "bullpen.developer", "bullpen.coordinator"} <= types
    lengths = {queue["name"] for queue in flower.api("/queues/length")["active_queues"]}
    assert lengths == {f"bullpen.{role}" for role in (COORDINATOR, *ROLES)}


def test_flower_refuses_who_has_no_password(flower: Flower):
    """F5: it can start and revoke tasks."""
    for path in ("/api/workers", "/api/tasks", "/workers", "/metrics"):
        with pytest.raises(urllib.error.HTTPError) as refused:
            flower.get(path, login=None)
        refused.value.close()
        assert refused.value.code == 401


def test_flower_shows_columns_for_job_stage_and_attempt_and_nothing_of_a_user(flower: Flower):
    """A job that is submitted as a Celery task has its text and its `reply_to` in the arguments."""
    fleet, secret = flower.fleet, "the-words-of-a-user"
    celery = Celery(broker=fleet.settings.broker_url)
    job = {"kind": "relay", "plan": {}, "text": secret}
    celery.send_task("bullpen.submit", args=[{"job": job, "reply_to": f"redis-stream:{secret}"}], queue="bullpen.coordinator")

    def tasks() -> list[dict[str, Any]]:
        return list(flower.api("/tasks?limit=200").values())

    fleet.wait_until(lambda: any(task["name"] == "bullpen.submit" and task["state"] == "SUCCESS" for task in tasks()), "the job is taken")
    job_id = fleet.submit()
    fleet.wait_status(job_id)
    fleet.wait_until(lambda: any(task["job"] == str(job_id) and task["stage"] == "third" for task in tasks()), "Flower has seen the job")

    page = flower.get("/tasks")
    assert all(f'data-column="{column}"' in page for column in ("job", "stage", "attempt"))
    assert {task["attempt"] for task in tasks() if task["job"] == str(job_id) and task["stage"]} == {"1"}
    assert "flower_events_total" in flower.get("/metrics")
    listed = [flower.get(path) for path in ("/api/tasks?limit=200", "/api/workers?refresh=1", "/tasks")]
    uuids = [task["uuid"] for task in tasks() if task["name"] == "bullpen.submit"]
    listed += [flower.get(f"/task/{uuid}") for uuid in uuids]
    assert uuids
    assert not any(secret in text for text in listed)
