"""Workers read messages ahead of their slots while steps are short. A slot that is suddenly slow keeps none of them from the others."""

import pytest

from contracts.roles import COORDINATOR
from tests.acceptance.conftest import MakeFleet
from tests.support.relay import ROLES
from workers.coordinator.actions import cancel

pytestmark = pytest.mark.acceptance


def test_what_waits_behind_a_slow_step_is_done_by_another_worker(make_fleet: MakeFleet):
    fleet = make_fleet({"BULLPEN_CONCURRENCY": "1"})
    fleet.start(COORDINATOR, *ROLES)
    fleet.start("analyst")
    fleet.wait_status(fleet.submit_many(30))  # now both workers know that steps are short, and read ahead

    slow = fleet.submit(plan={"first": {"sleep_s": 3_600}})
    others = fleet.submit_many(30)

    fleet.wait_status(others)
    assert fleet.step(slow, "first")["status"] == "running"
    fleet.check_exactly_once(others)
    cancel(fleet.db, slow)
