"""Redis loses its memory and Postgres restarts under the running fleet; its processes live on, and the jobs end once."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from contracts.roles import COORDINATOR
from tests.acceptance.conftest import own_database, running_fleet
from tests.conftest import make_template
from tests.support.campaign import sample
from tests.support.fleet import FleetProcesses
from tests.support.relay import ROLES
from tests.support.servers import Servers
from workers.app.role_states import set_role_state

pytestmark = pytest.mark.acceptance

SLOWLY = {stage: {"sleep_s": 0.05} for stage in ("first", "second", "third")}


@pytest.fixture(scope="module")
def own_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """Servers that these tests may kill. Postgres keeps what it acknowledged; Redis keeps nothing."""
    with Servers(tmp_path_factory.mktemp("restarted"), restarts=True) as servers:
        yield servers


@pytest.fixture
def fleet(own_servers: Servers, template_of_own: str, tmp_path: Path) -> Iterator[FleetProcesses]:
    own_servers.postgres.start()
    own_servers.valkey.start()
    own_servers.flush_broker()
    with own_database(own_servers, template_of_own) as url, running_fleet(tmp_path, url, own_servers.valkey.url) as fleet:
        yield fleet
        own_servers.postgres.start()


@pytest.fixture(scope="module")
def template_of_own(own_servers: Servers) -> str:
    return make_template(own_servers)


def succeeded(fleet: FleetProcesses) -> int:
    return fleet.db.row("SELECT count(*) AS n FROM jobs WHERE status = 'succeeded'")["n"]


def test_redis_restarts_with_an_empty_memory_in_the_middle_of_the_work(fleet: FleetProcesses, own_servers: Servers):
    """F3, F4: the broker may forget everything; messages are made again from the rows."""
    fleet.start(COORDINATOR, *ROLES)
    pids = fleet.pids()
    jobs = fleet.submit_many(60, plan=SLOWLY)

    for done in (10, 30):
        fleet.wait_until(lambda done=done: succeeded(fleet) >= done, f"{done} jobs are done")
        own_servers.restart_redis_empty()
    fleet.wait_status(jobs)

    fleet.check_exactly_once(jobs)
    assert fleet.pids() == pids, "no process had to be restarted"


def test_redis_is_away_for_a_while(fleet: FleetProcesses, own_servers: Servers):
    """F3, F4: what could not be published meanwhile is sent by the sweep."""
    fleet.start(COORDINATOR, *ROLES)
    jobs = fleet.submit_many(20, plan=SLOWLY)
    fleet.wait_until(lambda: succeeded(fleet) >= 5, "some jobs are done")

    own_servers.valkey.stop()
    time.sleep(3)
    own_servers.valkey.start()
    fleet.wait_status(jobs)

    fleet.check_exactly_once(jobs)
    assert fleet.deaths() == 0


def test_redis_is_flushed_in_the_middle_of_the_work(fleet: FleetProcesses, own_servers: Servers):
    """F3: FLUSHALL drops queues, unacknowledged messages, streams and kombu's own keys, without a disconnection."""
    fleet.start(COORDINATOR, *ROLES)
    jobs = fleet.submit_many(40, plan=SLOWLY)

    for done in (5, 15, 25):
        fleet.wait_until(lambda done=done: succeeded(fleet) >= done, f"{done} jobs are done")
        own_servers.flush_broker()
    fleet.wait_status(jobs)

    fleet.check_exactly_once(jobs)


def test_the_jobs_stream_is_read_again_after_redis_lost_it(fleet: FleetProcesses, own_servers: Servers):
    """F4: the intake makes its consumer group anew."""
    fleet.start(COORDINATOR, *ROLES)
    own_servers.restart_redis_empty()

    with Redis.from_url(own_servers.valkey.url) as client:
        client.xadd("bullpen:jobs", {"body": '{"job": {"kind": "relay"}}'})

    fleet.wait_until(lambda: succeeded(fleet) == 1, "the job is done")


@pytest.mark.parametrize("how", sample(["crash", "orderly"], every=2))
def test_postgres_restarts_in_the_middle_of_the_work(fleet: FleetProcesses, own_servers: Servers, how: str):
    """F3: every statement of the fleet is safe to repeat, and is repeated until Postgres is back. Leases outlast its absence."""
    fleet.start(COORDINATOR, *ROLES, BULLPEN_LEASE_S="60")
    pids = fleet.pids()
    jobs = fleet.submit_many(40, plan=SLOWLY)

    for done in (5, 20):
        fleet.wait_until(lambda done=done: succeeded(fleet) >= done, f"{done} jobs are done")
        if how == "crash":
            own_servers.crash(own_servers.postgres)
        else:
            own_servers.postgres.stop()
        time.sleep(1)
        own_servers.postgres.start()
    fleet.wait_status(jobs)

    fleet.check_exactly_once(jobs)
    assert fleet.pids() == pids, "no process had to be restarted"


@pytest.mark.nightly
def test_threads_beside_the_work_survive_a_long_absence_of_postgres(fleet: FleetProcesses, own_servers: Servers):
    """F3: longer than a statement is repeated: sweep, intake, lease keeper and role watch still do their work after it."""
    fleet.start(COORDINATOR, *ROLES, BULLPEN_SWEEP_S="0.2")
    job_id = fleet.submit(plan={"first": {"deaf_s": 2}, "second": {"sleep_s": 3.5}})
    fleet.wait_step(job_id, "first", "running")

    own_servers.postgres.stop()
    fleet.wait_log(COORDINATOR, "sweep_failed")
    own_servers.postgres.start()
    fleet.wait_status(job_id)

    fleet.check_exactly_once(job_id)
    assert fleet.step(job_id, "second")["attempt"] == 1, "its lease, shorter than the step, was renewed"
    set_role_state(fleet.db, "analyst", "paused")
    fleet.wait_log("analyst", "role_paused")
    with Redis.from_url(own_servers.valkey.url) as client:
        client.xadd("bullpen:jobs", {"body": '{"job": {"kind": "relay"}}'})
    fleet.wait_until(lambda: fleet.db.row("SELECT count(*) AS n FROM jobs")["n"] == 2, "the intake takes jobs")


def test_a_role_paused_before_and_resumed_after_a_restart_of_redis_works(fleet: FleetProcesses, own_servers: Servers):
    """F6: what a worker listens to follows its role's row, whatever happens to its connection."""
    fleet.start(COORDINATOR, *ROLES)
    set_role_state(fleet.db, "analyst", "paused")
    fleet.wait_log("analyst", "role_paused")
    own_servers.restart_redis_empty()
    fleet.wait_log("analyst", "worker_ready", times=2)
    job_id = fleet.submit()
    fleet.wait_step(job_id, "first", "queued")
    time.sleep(2)
    assert fleet.step(job_id, "first")["status"] == "queued", "still paused"

    set_role_state(fleet.db, "analyst", "running")
    fleet.wait_status(job_id)

    own_servers.restart_redis_empty()
    fleet.wait_log("analyst", "worker_ready", times=3)
    again = fleet.submit()
    fleet.wait_status(again)
