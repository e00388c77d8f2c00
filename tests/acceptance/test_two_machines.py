"""A fleet on two machines: each has a folder of its own, and the files of jobs lie in one store, or in none that both reach."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import pytest

from contracts.jobs import EngineChoice, SubmitJob
from contracts.roles import COORDINATOR, RoleName
from tests.acceptance.conftest import MakeFleet
from tests.support.fleet import FleetProcesses
from tests.support.said import kept
from tests.support.tune_jobs import SAMPLES
from workers.bundles import BundleLimits, give, open_store, store_bundle
from workers.coordinator.intake import accept
from workers.coordinator.replay import replay_job
from workers.settings import Settings

pytestmark = [pytest.mark.acceptance, pytest.mark.xdist_group("acceptance")]

HERE = (COORDINATOR, RoleName.FILE_RECOMMENDER)
THERE = (RoleName.CLASSIFIER, RoleName.ANALYST, RoleName.DIAGNOSER, RoleName.RETRIEVER, RoleName.REVIEWER)


def upload(home: Path, store: str | None = None) -> str:
    settings = Settings(home=home, artefact_store=store)
    return store_bundle([SAMPLES / "spark_skew"], open_store(settings), BundleLimits.of(settings)).ref


def submit(fleet: FleetProcesses, bundle: str) -> UUID:
    give(fleet.db, bundle, "default")
    submission = SubmitJob(job={"kind": "tune", "bundle": bundle}, engine=EngineChoice.RULES)
    job_id = accept(fleet.db, submission, owner_cap=100).job_id
    fleet.services.publisher.advance(job_id, 5)
    return job_id


@pytest.mark.nightly
def test_a_job_whose_files_the_other_machine_lacks_says_what_to_set_and_goes_on_after_it(make_fleet: MakeFleet, tmp_path: Path) -> None:
    fleet = make_fleet()
    here, there = tmp_path / "here", tmp_path / "there"
    fleet.start(*HERE, BULLPEN_HOME=str(here))
    lacking = fleet.start(RoleName.CLASSIFIER, BULLPEN_HOME=str(there))

    job_id = submit(fleet, upload(here))
    fleet.wait_status(job_id, "failed")
    failed = fleet.step(job_id, "classification")
    for name in lacking:
        fleet.stop(name)
    fleet.start(*THERE, BULLPEN_HOME=str(there), BULLPEN_ARTEFACT_STORE=str(here / "artefacts"))
    for again in replay_job(fleet.db, job_id):
        fleet.services.publisher.advance(again.job_id, 5)
    fleet.wait_status(job_id)

    assert failed["error"]["type"] == "NotFound"
    assert "must have the same BULLPEN_ARTEFACT_STORE" in kept(failed["error"]["message"])
    assert not any("Traceback" in fleet.log(name) for name in lacking)
    assert not (there / "artefacts").exists()


@contextmanager
def s3_store() -> Iterator[dict[str, str]]:
    pytest.importorskip("s3fs", reason="bullpen-fleet[s3] is not installed")
    pytest.importorskip("moto", reason="S3 is tried against moto's server; the dev dependencies bring it")
    from tests.support.object_server import object_server  # needs what was just asked for

    with object_server() as server:
        server.put("kept", {})
        yield server.env(AWS_CONFIG_FILE="/dev/null", AWS_SHARED_CREDENTIALS_FILE="/dev/null")


def test_two_machines_with_an_object_store_do_a_whole_job(make_fleet: MakeFleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with s3_store() as env:
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        store = "s3://kept/bullpen"
        fleet = make_fleet({"BULLPEN_ARTEFACT_STORE": store, **env})
        fleet.start(*HERE, BULLPEN_HOME=str(tmp_path / "here"))
        fleet.start(*THERE, BULLPEN_HOME=str(tmp_path / "there"))

        job_id = submit(fleet, upload(tmp_path / "laptop", store))
        fleet.wait_status(job_id)

        assert list((tmp_path / "there" / "artefact-cache").rglob("*")), "this machine has read from the store"
