"""Fifty jobs while processes die at the same named place again and again: all end, each effect exactly once.

BULLPEN_CAMPAIGN=10 makes each campaign ten times as long.
"""

from uuid import UUID

import pytest

from contracts.roles import COORDINATOR
from tests.acceptance.conftest import MakeFleet
from tests.support.campaign import TIMES, sample
from tests.support.fleet import FleetProcesses
from tests.support.relay import ROLES

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(3600)]

JOBS = 50 * TIMES
WITHIN_S = 240.0 * TIMES
MANY_DEATHS = 2 * TIMES
"""A campaign is as long as these take: a coordinator that brings many jobs on in one round passes its failpoints only a few times."""
PATIENT = {"BULLPEN_MAX_ATTEMPTS": "20", "BULLPEN_LEASE_S": "1.5"}


@pytest.mark.parametrize(
    ("point", "where", "chance"),
    sample(
        [
            ("after_claim", ROLES, 0.08),
            ("before_report", ROLES, 0.08),
            ("after_report", ROLES, 0.08),
            ("after_advance", (COORDINATOR,), 0.06),
            ("before_publish", (COORDINATOR,), 0.06),
        ],
        every=2,
    ),
)
def test_all_jobs_end_once_although_processes_die_at(make_fleet: MakeFleet, point: str, where: tuple[str, ...], chance: float):
    """F1, F7: by named failpoints, each many times."""
    fleet = make_fleet(PATIENT)
    for role in (COORDINATOR, *ROLES):
        fleet.start(role, failpoints=f"{point}=exit:{chance}" if role in where else "", ready=False)

    jobs = _ended_well(fleet, fleet.submit_many(JOBS))
    jobs += _until_died(fleet, where)

    fleet.check_exactly_once(jobs)


def test_all_jobs_end_once_although_inline_workers_die_everywhere(make_fleet: MakeFleet):
    """F1, F7: the reporting workers run the boss themselves, and die before and after each of its acts."""
    fleet = make_fleet({**PATIENT, "BULLPEN_ADVANCE": "inline"})
    points = ("after_claim", "before_report", "after_report", "after_advance", "before_publish")
    fleet.start(COORDINATOR, *ROLES, failpoints=",".join(f"{point}=exit:0.02" for point in points), ready=False)

    jobs = _ended_well(fleet, [job for kind in ("relay", "fan", "row") for job in fleet.submit_many(JOBS // 3, kind)])
    jobs += _until_died(fleet)

    fleet.check_exactly_once(jobs)


def _until_died(fleet: FleetProcesses, where: tuple[str, ...] = ()) -> list[UUID]:
    """Further jobs, one after another, until these processes (none named: any) have died often enough. Fails where they never do."""
    jobs: list[UUID] = []
    while fleet.deaths(*where) < MANY_DEATHS:
        assert len(jobs) < JOBS, f"{len(jobs)} further jobs, and these died {fleet.deaths(*where)} times"
        jobs += _ended_well(fleet, fleet.submit_many(1))
    return jobs


def _ended_well(fleet: FleetProcesses, jobs: list[UUID]) -> list[UUID]:
    """These jobs when all have ended, without those whose step was set aside as poisonous.

    A chance of 0.08 at each of 150 steps hits one of them three times in every thirteenth campaign, and what took three processes down is
    not to be sent again. Fails where a job failed of anything else, or more than a tenth of them did.
    """
    ended = "SELECT count(*) AS n FROM jobs WHERE id = ANY (%(ids)s) AND status IN ('succeeded', 'failed') AND decided_rev = rev"
    fleet.wait_until(lambda: fleet.db.row(ended, {"ids": jobs})["n"] == len(jobs), f"{len(jobs)} jobs have ended", WITHIN_S)
    poisonous = {
        row["job_id"]
        for row in fleet.db.statement(
            "SELECT q.job_id FROM quarantine q JOIN steps s ON s.id = q.step_id JOIN jobs j ON j.id = q.job_id "
            "WHERE q.job_id = ANY (%(ids)s) AND q.cause = 'TookProcessDown' AND s.lost = 3 AND j.status = 'failed'",
            {"ids": jobs},
        )
    }
    assert len(poisonous) <= max(1, len(jobs) // 10)
    return [job for job in jobs if job not in poisonous]
