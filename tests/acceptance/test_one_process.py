"""All roles and the coordinator in one process: a slot goes on into any role, and nothing that holds for a process a role is lost."""

import pytest

from contracts.roles import COORDINATOR, RoleName
from tests.acceptance.conftest import MakeFleet
from tests.support.campaign import sample
from tests.support.fleet import FleetProcesses
from workers.app.fleet_facts import ALL
from workers.app.role_states import set_role_state

pytestmark = pytest.mark.acceptance

both_ways = pytest.mark.parametrize("advance", sample(["inline", "coordinator"], every=2))


@both_ways
def test_jobs_of_several_roles_end_once_in_one_process(make_fleet: MakeFleet, advance: str):
    fleet = make_fleet({"BULLPEN_ADVANCE": advance})
    fleet.start(ALL)

    jobs = [*fleet.submit_many(20), *fleet.submit_many(20, "fan"), *fleet.submit_many(5, "row")]
    fleet.wait_status(jobs)

    fleet.check_exactly_once(jobs)
    workers = fleet.db.statement("SELECT DISTINCT worker FROM steps")
    assert len(workers) == 1


def test_without_a_word_about_it_one_process_decides_where_it_reports(fleet: FleetProcesses):
    fleet.start(ALL)
    job_id = fleet.submit()

    fleet.wait_status(job_id)

    assert '"advance": "inline"' in fleet.log(ALL)


def test_a_process_with_all_roles_that_is_killed_while_it_follows_loses_and_doubles_nothing(make_fleet: MakeFleet):
    """F7: kill -9 with several steps of one message behind it and one in work."""
    fleet = make_fleet({"BULLPEN_ADVANCE": "inline", "BULLPEN_MAX_ATTEMPTS": "20"})
    fleet.start(ALL)
    jobs = fleet.submit_many(40, plan={"second": {"sleep_s": 0.02}}) + fleet.submit_many(20, "fan")

    ended = "SELECT count(*) AS n FROM jobs WHERE status = 'succeeded'"
    for deaths, enough in enumerate((5, 25)):
        fleet.wait_until(lambda enough=enough: fleet.db.row(ended)["n"] >= enough, "some jobs have ended")
        fleet.kill(ALL)
        fleet.wait_until(lambda deaths=deaths: fleet.deaths(ALL) > deaths, "it died")
    fleet.wait_status(jobs)

    fleet.check_exactly_once(jobs)


def test_a_hung_step_takes_the_one_process_down_and_the_other_jobs_go_on(make_fleet: MakeFleet):
    fleet = make_fleet({"BULLPEN_MAX_ATTEMPTS": "20", "BULLPEN_HUNG_AFTER_S": "5"})
    fleet.start(ALL)
    poisonous = fleet.submit(plan={"second": {"hold": 99}})
    others = fleet.submit_many(12, plan={"second": {"sleep_s": 0.2}})

    fleet.wait_status(others)
    fleet.wait_status(poisonous, "failed")

    step = fleet.step(poisonous, "second")
    assert (step["attempt"], step["lost"], step["error"]["type"]) == (3, 3, "TookProcessDown")
    fleet.check_exactly_once(others)
    assert max(fleet.step(job_id, "second")["lost"] for job_id in others) < 3


def test_a_second_worker_for_one_role_takes_its_share(fleet: FleetProcesses):
    """The process with all roles goes on by itself where it is alone, and leaves steps to others where it is not."""
    fleet.start(ALL, BULLPEN_ADVANCE="inline")
    fleet.start(RoleName.DEVELOPER, BULLPEN_ADVANCE="inline")
    other = fleet.pid(RoleName.DEVELOPER)
    served = "SELECT count(*) AS n FROM steps WHERE role = 'developer' AND worker LIKE %(other)s"

    jobs = []
    while not fleet.db.row(served, {"other": f"%:{other}"})["n"]:
        assert len(jobs) < 400, "the second worker got nothing"
        more = fleet.submit_many(20)
        fleet.wait_status(more)
        jobs += more

    fleet.check_exactly_once(jobs)


def test_a_paused_role_is_not_followed_into(fleet: FleetProcesses):
    fleet.start(ALL, BULLPEN_ADVANCE="inline")
    set_role_state(fleet.db, RoleName.DEVELOPER, "paused")
    fleet.wait_log(ALL, "Canceling queue bullpen.developer")  # `role_paused` is logged a moment before it takes no more

    jobs = fleet.submit_many(10)
    fleet.wait_until(lambda: all(fleet.step(job_id, "second").get("status") == "queued" for job_id in jobs), "the second steps wait")
    assert {fleet.step(job_id, "second")["attempt"] for job_id in jobs} == {0}
    set_role_state(fleet.db, RoleName.DEVELOPER, "running")
    fleet.wait_status(jobs)

    fleet.check_exactly_once(jobs)


def test_roles_in_two_processes_and_a_coordinator_alone_end_jobs_once(make_fleet: MakeFleet):
    fleet = make_fleet({"BULLPEN_ADVANCE": "inline"})
    fleet.start(COORDINATOR, "analyst+architect", "developer+reviewer")

    jobs = fleet.submit_many(20, "fan")
    fleet.wait_status(jobs)

    fleet.check_exactly_once(jobs)
