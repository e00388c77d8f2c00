"""Operators steer the fleet: pause and resume, urgency, an owner's share, cancel, deadlines; stuck processes are replaced."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from contracts.roles import COORDINATOR
from tests.acceptance.conftest import MakeFleet
from tests.support.fleet import PATIENCE_S, FleetProcesses
from tests.support.relay import ROLES
from tests.support.said import kept
from workers.app.role_states import set_role_state
from workers.coordinator.actions import cancel

pytestmark = pytest.mark.acceptance


@contextmanager
def heard_events(fleet: FleetProcesses) -> Iterator[list[str]]:
    """The types of the task events that Flower would hear meanwhile."""
    names: list[str] = []
    with fleet.services.celery.connection_for_read() as connection:
        receiver = fleet.services.celery.events.Receiver(connection, handlers={"*": lambda event: names.append(event["type"])})

        listens = threading.Event()
        receiver.on_consume_ready = lambda *_, **__: listens.set()

        def listen() -> None:
            with suppress(TimeoutError):
                receiver.capture(limit=None, timeout=PATIENCE_S, wakeup=False)

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        assert listens.wait(PATIENCE_S), "what is sent before is lost"
        yield names
        receiver.should_stop = True
        thread.join(PATIENCE_S)


@pytest.mark.parametrize("state", ["paused", "draining"])
def test_a_paused_role_finishes_what_it_runs_and_takes_nothing_new(fleet: FleetProcesses, state: str):
    """F6: and goes on where it stopped when it is resumed; other roles do not notice."""
    fleet.start(COORDINATOR, *ROLES)
    running = fleet.submit(plan={"first": {"deaf_s": 5}})  # longer than the worker takes to see that it is to pause
    fleet.wait_step(running, "first", "running")

    set_role_state(fleet.db, "analyst", state)
    fleet.wait_log("analyst", "role_paused")
    fleet.wait_log("analyst", "Canceling queue bullpen.analyst")  # in its event loop, a moment later
    waiting = fleet.submit_many(5)
    fleet.wait_step(running, "second", "succeeded")
    fleet.wait_step(running, "third", "queued")
    time.sleep(1)

    held = fleet.db.statement("SELECT status FROM steps WHERE role = 'analyst' AND status <> 'succeeded'")
    assert [row["status"] for row in held] == ["queued"] * 6
    set_role_state(fleet.db, "analyst", "running")
    fleet.wait_status([running, *waiting])
    fleet.check_exactly_once([running, *waiting])


def test_an_urgent_job_passes_two_hundred_batch_jobs(make_fleet: MakeFleet):
    """F6: priority 9 is served first at every queue on its way."""
    fleet = make_fleet({"BULLPEN_CONCURRENCY": "2"})
    fleet.start(COORDINATOR)
    batch = fleet.submit_many(200, priority=1, plan={"first": {"sleep_s": 0.03}})
    fleet.wait_until(lambda: fleet.db.row("SELECT count(*) AS n FROM steps")["n"] == 200, "200 steps are queued")
    urgent = fleet.submit(priority=9)
    fleet.wait_step(urgent, "first", "queued")

    fleet.start(*ROLES)
    fleet.wait_status(urgent)

    done = fleet.db.row("SELECT count(*) AS n FROM jobs WHERE status = 'succeeded' AND id = ANY (%(ids)s)", {"ids": batch})["n"]
    assert done < 60, f"{done} batch jobs were done before it"


def test_an_owner_gets_no_more_than_a_share(make_fleet: MakeFleet):
    """F6: jobs over the cap wait as accepted, the most urgent first; another owner is served meanwhile."""
    fleet = make_fleet({"BULLPEN_OWNER_CAP": "3"})
    greedy = fleet.submit_many(8, owner="greedy", cap=3, plan={"second": {"sleep_s": 0.4}})
    pressing = fleet.submit(owner="greedy", cap=3, priority=9)
    modest = fleet.submit(owner="modest", cap=3)
    fleet.start(COORDINATOR, *ROLES)
    most = [0]

    def all_done() -> bool:
        rows = fleet.db.statement("SELECT status, admitted FROM jobs WHERE owner = 'greedy'")
        most[0] = max(most[0], sum(row["status"] in ("accepted", "running") and row["admitted"] for row in rows))
        return all(row["status"] == "succeeded" for row in rows)

    fleet.wait_until(all_done, "all jobs of the greedy owner are done")

    assert most[0] == 3
    order = [row["id"] for row in fleet.db.statement("SELECT id FROM jobs ORDER BY finished_at")]
    assert order.index(modest) < order.index(greedy[3])
    assert order.index(pressing) < order.index(greedy[-1])
    fleet.check_exactly_once([*greedy, pressing, modest])


def test_a_cancelled_job_stops_its_worker_before_the_next_call(fleet: FleetProcesses):
    """F7: the worker learns of it when it renews its lease; it reports nothing and is free again."""
    fleet.start(COORDINATOR, *ROLES)
    job_id = fleet.submit(plan={"first": {"sleep_s": 60}})
    step = fleet.wait_step(job_id, "first", "running")

    assert cancel(fleet.db, job_id) is True
    fleet.wait_log("analyst", "step_stopped")

    assert fleet.status(job_id) == "cancelled"
    assert fleet.step(job_id, "first")["status"] == "cancelled"
    effects = fleet.db.statement("SELECT did FROM outside_runs WHERE step_id = %(id)s", {"id": step["id"]})
    assert [row["did"] for row in effects] == ["began"]
    fleet.wait_status(fleet.submit())


def test_a_step_past_its_deadline_is_tried_again_and_then_given_up(make_fleet: MakeFleet):
    """F7: its lease is no longer renewed; the worker stops at its next look."""
    fleet = make_fleet({"BULLPEN_STEP_TIMEOUT_S": "0.6", "BULLPEN_MAX_ATTEMPTS": "2", "BULLPEN_LEASE_S": "0.9"})
    fleet.start(COORDINATOR, *ROLES)
    job_id = fleet.submit(plan={"first": {"sleep_s": 60}})

    fleet.wait_status(job_id, "failed")

    step = fleet.step(job_id, "first")
    assert (step["attempt"], step["error"]["type"]) == (2, "LeaseExpired")
    fleet.wait_log("analyst", "step_stopped", times=2)
    assert fleet.deaths() == 0


def test_a_transport_error_is_tried_again_in_sight_of_all(fleet: FleetProcesses):
    """F5, F7: Celery's event task-retried, the attempt on the step and in the log; then the job goes on."""
    fleet.start(COORDINATOR, "developer", BULLPEN_CELERY_EVENTS="true")
    with heard_events(fleet) as names:
        job_id = fleet.submit(plan={"first": {"fail": 2}})
        fleet.start("analyst", BULLPEN_CELERY_EVENTS="true")
        fleet.wait_status(job_id)
        fleet.wait_until(lambda: names.count("task-retried") == 2, "Celery has told of two retries")

    assert fleet.step(job_id, "first")["attempt"] == 3
    assert fleet.log("analyst").count("step_will_be_retried") == 2
    fleet.check_exactly_once(job_id)


def test_a_business_error_ends_its_step_at_once(fleet: FleetProcesses):
    """F7: it is not tried again; the error and its message stand on the job."""
    fleet.start(COORDINATOR, *ROLES)
    job_id = fleet.submit(plan={"second": {"break": True}})

    fleet.wait_status(job_id, "failed")

    step = fleet.step(job_id, "second")
    assert (step["attempt"], step["error"]["type"], kept(step["error"]["message"])) == (1, "EngineError", "broken as ordered")


def test_a_process_with_half_its_slots_stuck_leaves_and_is_replaced(make_fleet: MakeFleet):
    """F7: a thread cannot be killed, a process can; its steps are tried again elsewhere."""
    fleet = make_fleet({"BULLPEN_STEP_TIMEOUT_S": "3", "BULLPEN_CONCURRENCY": "2"})
    fleet.start(COORDINATOR, *ROLES)
    job_id = fleet.submit(plan={"second": {"deaf_once_s": 120}})

    fleet.wait_status(job_id)

    fleet.wait_until(lambda: fleet.deaths("developer"), "the process has left, for which it gives its other slot 5 s")
    assert fleet.exit_codes("developer") == [70]
    assert fleet.step(job_id, "second")["attempt"] == 2
    fleet.check_exactly_once(job_id)
