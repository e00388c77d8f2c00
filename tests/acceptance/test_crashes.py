"""Processes of the real fleet die, freeze, hear everything twice or nothing at all; the jobs end all the same, once."""

import signal

import pytest
from redis import Redis

from contracts.roles import COORDINATOR
from tests.acceptance.conftest import MakeFleet
from tests.support.campaign import sample
from tests.support.fleet import FleetProcesses
from tests.support.relay import ROLES
from tests.support.said import kept
from workers.app.quarantine import replay_entry

pytestmark = pytest.mark.acceptance

both_ways = pytest.mark.parametrize("advance", sample(["coordinator", "inline"], every=2))  # inline: test_one_process.py


@both_ways
def test_a_worker_killed_in_mid_step_leaves_its_step_to_the_next_one(make_fleet: MakeFleet, advance: str):
    """F7: kill -9 while a role works; the lease runs out, the second attempt ends the job."""
    fleet = make_fleet({"BULLPEN_ADVANCE": advance})
    fleet.start(COORDINATOR, *ROLES)
    job_id = fleet.submit(plan={"second": {"deaf_once_s": 120}})
    fleet.wait_step(job_id, "second", "running")

    fleet.kill("developer")
    fleet.wait_status(job_id)

    assert fleet.deaths("developer") == 1
    assert [fleet.step(job_id, stage)["attempt"] for stage in ("first", "second", "third")] == [1, 2, 1]
    fleet.check_exactly_once(job_id)


def test_a_coordinator_killed_between_commit_and_publish_loses_nothing(fleet: FleetProcesses):
    """F7: the decision stands, its messages never left; the next coordinator's sweep sends them."""
    fleet.start(*ROLES)
    fleet.start(COORDINATOR, failpoints="after_advance=exit")
    fleet.set_failpoints("coordinator", "")
    job_id = fleet.submit()

    fleet.wait_status(job_id)

    assert fleet.exit_codes("coordinator") == [137]
    assert fleet.step(job_id, "first")["sends"] == 2
    fleet.check_exactly_once(job_id)


def test_a_coordinator_that_dies_at_each_of_its_decisions_still_ends_the_job(fleet: FleetProcesses):
    """F7: one decision a life is enough to get on."""
    fleet.start(*ROLES)
    fleet.start(COORDINATOR, failpoints="after_advance=exit")
    job_id = fleet.submit()

    fleet.wait_status(job_id)

    assert fleet.deaths("coordinator") >= 3
    fleet.check_exactly_once(job_id)


@both_ways
def test_every_message_delivered_twice_changes_nothing(make_fleet: MakeFleet, advance: str):
    """F4, F7: messages only wake; the claim decides who runs a step."""
    # Nobody dies, so a lease that a busy machine does not lose.
    fleet = make_fleet({"BULLPEN_ADVANCE": advance, "BULLPEN_FAILPOINTS": "double_publish=on", "BULLPEN_LEASE_S": "30"})
    fleet.start(COORDINATOR, *ROLES)

    jobs = fleet.submit_many(25) + fleet.submit_many(25, "fan")
    fleet.wait_status(jobs)

    fleet.check_exactly_once(jobs)
    runs = fleet.db.statement("SELECT step_id FROM outside_runs WHERE did = 'began' GROUP BY 1 HAVING count(*) > 1")
    assert runs == [], "no step was run twice"


def test_every_third_message_lost_only_takes_longer(make_fleet: MakeFleet):
    """F7: the rows are the outbox; the sweep sends again what did not arrive."""
    fleet = make_fleet({"BULLPEN_FAILPOINTS": "drop_publish=on:0.33"})
    fleet.start(COORDINATOR, *ROLES)

    jobs = fleet.submit_many(10) + fleet.submit_many(10, "fan")
    fleet.wait_status(jobs)

    fleet.check_exactly_once(jobs)


@both_ways
def test_two_coordinators_on_the_same_jobs_make_one_decision_each(make_fleet: MakeFleet, advance: str):
    """F6: compare-and-set on the job's revision; whoever loses reads again."""
    fleet = make_fleet({"BULLPEN_ADVANCE": advance, "BULLPEN_FAILPOINTS": "double_publish=on", "BULLPEN_SWEEP_S": "0.1"})
    fleet.start(COORDINATOR, copies=2)
    fleet.start("developer", copies=2)
    fleet.start("analyst")

    jobs = fleet.submit_many(40, "fan")
    fleet.wait_status(jobs)

    fleet.check_exactly_once(jobs)


def test_a_zombie_that_reports_late_changes_nothing(fleet: FleetProcesses):
    """F7: a frozen process comes back after its step was given to another one, finishes it, and is not heard."""
    fleet.start(COORDINATOR, *ROLES)
    job_id = fleet.submit(plan={"second": {"deaf_s": 4}})  # longer than it takes to freeze the process meanwhile
    first_try = fleet.wait_step(job_id, "second", "running")

    fleet.freeze("developer")
    fleet.start("developer")
    fleet.wait_status(job_id)
    before = fleet.db.statement("SELECT rev, kind FROM events WHERE job_id = %(id)s ORDER BY rev", {"id": job_id})
    fleet.thaw("developer")
    fleet.wait_log("developer", "late_report_ignored")

    step = fleet.step(job_id, "second")
    assert (step["attempt"], step["reported_by"] == first_try["token"]) == (2, False)
    assert fleet.db.statement("SELECT rev, kind FROM events WHERE job_id = %(id)s ORDER BY rev", {"id": job_id}) == before
    fleet.check_exactly_once(job_id)
    runs = fleet.db.statement("SELECT DISTINCT pid FROM outside_runs WHERE step_id = %(id)s AND did = 'ended'", {"id": step["id"]})
    assert len(runs) == 2, "both processes did the work; outside and on the board it counts once"


def test_a_step_whose_process_dies_at_every_attempt_fails_its_job_and_stands_in_quarantine(fleet: FleetProcesses):
    """F7: no poison loop; the job's fate is decided by its attempts."""
    fleet.start(COORDINATOR, *ROLES, BULLPEN_MAX_ATTEMPTS="2", BULLPEN_LEASE_S="1")
    job_id = fleet.submit(plan={"second": {"die": 99}})

    fleet.wait_status(job_id, "failed")

    step = fleet.step(job_id, "second")
    assert (step["status"], step["attempt"], step["error"]["type"]) == ("failed", 2, "LeaseExpired")
    fleet.wait_until(lambda: fleet.deaths("developer") == 2, "both deaths have been seen")
    assert fleet.exit_codes("developer") == [9, 9]
    entry = fleet.db.row("SELECT cause, state FROM quarantine WHERE step_id = %(id)s", {"id": step["id"]})
    assert entry == {"cause": "LeaseExpired", "state": "new"}
    assert "bullpen replay" in kept(fleet.db.row("SELECT error FROM jobs WHERE id = %(id)s", {"id": job_id})["error"])


@both_ways
def test_a_step_that_holds_the_interpreter_is_set_aside_and_the_others_of_its_process_end_well(make_fleet: MakeFleet, advance: str):
    """F7: no thread of the process runs any more, so it is judged from outside; who is the cause takes nobody else down three times."""
    fleet = make_fleet({"BULLPEN_ADVANCE": advance, "BULLPEN_MAX_ATTEMPTS": "20", "BULLPEN_HUNG_AFTER_S": "5"})
    fleet.start(COORDINATOR, *ROLES)
    poisonous = fleet.submit(plan={"second": {"hold": 99}})
    others = fleet.submit_many(12, plan={"second": {"sleep_s": 0.2}})

    fleet.wait_status(others)
    fleet.wait_status(poisonous, "failed")

    step = fleet.step(poisonous, "second")
    assert (step["status"], step["attempt"], step["lost"], step["error"]["type"]) == ("failed", 3, 3, "TookProcessDown")
    fleet.wait_until(lambda: fleet.deaths("developer") == 3, "the process has ended, which takes longer than the lease")
    assert fleet.exit_codes("developer") == [1, 1, 1]
    assert fleet.log("developer").count("in _hold_the_interpreter") == 3, "each death says where it was"
    entry = fleet.db.row("SELECT id, cause, state FROM quarantine WHERE step_id = %(id)s", {"id": step["id"]})
    assert (entry["cause"], entry["state"]) == ("TookProcessDown", "new")
    fleet.check_exactly_once(others)
    assert max(fleet.step(job_id, "second")["lost"] for job_id in others) < 3
    after = fleet.submit()
    fleet.wait_status(after)
    assert fleet.deaths("developer") == 3, "it is not sent again by itself"
    replay_entry(fleet.services, entry["id"])
    fleet.wait_until(lambda: fleet.step(poisonous, "second")["id"] != step["id"], "an operator may have it run again")


def test_a_worker_told_to_stop_finishes_its_step_first(fleet: FleetProcesses):
    """F6: SIGTERM in a rolling deploy costs no attempt."""
    fleet.start(COORDINATOR, *ROLES)
    job_id = fleet.submit(plan={"first": {"deaf_s": 1.5}})
    fleet.wait_step(job_id, "first", "running")

    code = fleet.stop("analyst")

    assert code == 0
    step = fleet.step(job_id, "first")
    assert (step["status"], step["attempt"]) == ("succeeded", 1)
    fleet.start("analyst")
    fleet.wait_status(job_id)
    fleet.check_exactly_once(job_id)


@pytest.mark.parametrize(("signum", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 1)])
def test_an_idle_coordinator_ends_when_told_with_its_threads(fleet: FleetProcesses, signum: signal.Signals, code: int):
    """F6: intake and sweep do not hold the process."""
    fleet.start(COORDINATOR)

    assert fleet.stop(COORDINATOR, signum=signum) == code


def test_a_submission_that_a_dead_coordinator_had_read_becomes_a_job(fleet: FleetProcesses):
    """F4, F7: at-least-once reading of the stream: another one takes it over."""
    with Redis.from_url(fleet.settings.broker_url or "") as client:
        client.xgroup_create("bullpen:jobs", "bullpen", id="0", mkstream=True)
        entry = client.xadd("bullpen:jobs", {"body": '{"job": {"kind": "relay"}}'})
        client.xreadgroup("bullpen", "ghost", {"bullpen:jobs": ">"})
        client.xclaim("bullpen:jobs", "bullpen", "ghost", 0, [entry], idle=60_000)

        fleet.start(COORDINATOR, *ROLES)
        fleet.wait_until(lambda: client.xlen("bullpen:jobs") == 0, "the entry is done with")

    jobs = [row["id"] for row in fleet.db.statement("SELECT id FROM jobs")]
    fleet.wait_status(jobs)
    assert len(jobs) == 1
