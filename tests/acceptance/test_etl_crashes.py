"""Each role of an `etl` job dies before its first report; the job ends all the same, and nothing is done twice."""

from pathlib import Path

import pytest

from contracts.jobs import EngineChoice, SubmitJob
from contracts.pipelines.package import EtlPackage, PackageState
from contracts.roles import RoleName
from tests.acceptance.conftest import MakeFleet
from tests.support.etl_jobs import MONTHS
from tests.support.killed_once import home_of_fleet, start_killed_once
from workers.catalogue import offer_sample
from workers.coordinator.intake import accept
from workers.reading.results import read_result
from workers.settings import load_settings

pytestmark = pytest.mark.acceptance

ROLES = (RoleName.ANALYST, RoleName.ARCHITECT, RoleName.REVIEWER, RoleName.DEVELOPER)


def test_every_role_of_a_pipeline_killed_in_mid_step_leaves_its_step_to_the_next_process(
    make_fleet: MakeFleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F7: the first attempt of each role dies with its answer made and not reported; the second ends it, with one version each."""
    fleet = make_fleet(home_of_fleet(tmp_path, monkeypatch))
    offer_sample(fleet.db, load_settings().data_dir)
    start_killed_once(fleet, ROLES)

    request = {"kind": "etl", "requirement": MONTHS, "source": "shop"}
    job_id = accept(fleet.db, SubmitJob(job=request, engine=EngineChoice.RULES), owner_cap=10).job_id
    fleet.services.publisher.advance(job_id, 5)
    fleet.wait_status(job_id)

    steps = fleet.db.statement("SELECT stage, status, attempt FROM steps WHERE job_id = %(id)s ORDER BY id", {"id": job_id})
    made = fleet.db.statement("SELECT stage, version FROM deliverables WHERE job_id = %(id)s", {"id": job_id})
    result = read_result(fleet.db, job_id)
    assert [fleet.deaths(role) for role in ROLES] == [1, 1, 1, 1]
    assert [(row["stage"], row["attempt"]) for row in steps] == [
        ("analysis", 2), ("workflow", 2), ("design_review", 2), ("script", 2), ("script/1", 1), ("development_review", 1), ("package", 1),
    ]  # fmt: skip
    assert {row["status"] for row in steps} == {"succeeded"}
    assert {row["version"] for row in made} == {1}
    assert result is not None
    assert EtlPackage.model_validate(result.content).state is PackageState.DONE
