"""Models on the real fleet: a server that hangs costs one short timeout, and the answers come from another server."""

from typing import Any
from uuid import UUID

import pytest

import tests.support.forecast  # noqa: F401  registers its kinds
from contracts.jobs import EngineChoice, SubmitJob
from contracts.roles import COORDINATOR, RoleName
from tests.acceptance.conftest import MakeFleet
from tests.support.fleet import EXTENSIONS, FleetProcesses
from tests.support.hanging_server import hanging_server
from tests.support.openai_server import good, openai_server
from tests.support.weather import RAINY
from workers.app.fleet_models import fleet_models
from workers.app.submitting import submit as submit_from
from workers.cli.servers import CliServices
from workers.coordinator.intake import accept
from workers.errors import InvalidSubmission

pytestmark = pytest.mark.acceptance

FORECAST = "tests.support.forecast"
INSISTING = SubmitJob(job={"kind": "forecast"}, engine=EngineChoice.LLM)


def submit(fleet: FleetProcesses) -> UUID:
    job_id = accept(fleet.db, SubmitJob(job={"kind": "forecast"}), owner_cap=100, has_model=True).job_id
    fleet.services.publisher.advance(job_id)
    return job_id


def steps(fleet: FleetProcesses, jobs: list[UUID]) -> list[dict[str, Any]]:
    return fleet.db.statement("SELECT engine, usage, notes FROM steps WHERE job_id = ANY (%(jobs)s)", {"jobs": jobs})


@pytest.mark.nightly
def test_a_server_that_hangs_is_found_out_once_for_all_workers_and_another_answers(make_fleet: MakeFleet) -> None:
    """F7: each step waited for three full timeouts, 570 s a turn, and so did the next."""
    with hanging_server() as hanging, openai_server() as other:
        other.will(good(RAINY))
        fleet = make_fleet(
            {
                "BULLPEN_EXTENSIONS": ",".join((*EXTENSIONS, FORECAST)),
                "BULLPEN_MODEL": "first",
                "BULLPEN_MODEL_BASE_URL": hanging,
                "BULLPEN_MODEL_FIRST_TIMEOUT_S": "1",
                "BULLPEN_MODEL_TIMEOUT_S": "600",
                "BULLPEN_MODEL_FALLBACK": "test-model",
                "BULLPEN_MODEL_SERVERS": f"test-model={other.base_url}",
                "BULLPEN_MODEL_KEYS": "test-model=key-of-it",
                "BULLPEN_LEASE_S": "60",
            }
        )
        fleet.start(COORDINATOR)
        fleet.start(RoleName.CLASSIFIER, copies=2)

        first = submit(fleet)
        fleet.wait_status(first)
        others = [submit(fleet) for _ in range(20)]
        fleet.wait_status(others)

        (of_first,) = steps(fleet, [first])
        assert (of_first["engine"], of_first["usage"]["model_calls"]) == ("test-model", 2)
        assert "first failed, and test-model answered instead" in of_first["notes"][0]
        of_others = steps(fleet, others)
        assert {step["engine"] for step in of_others} == {"test-model"}
        assert sum(step["usage"]["model_calls"] == 1 for step in of_others) >= 18, "one in a while tries the first again"
        assert {request.headers["authorization"] for request in other.asked} == {"Bearer key-of-it"}
        assert fleet.deaths() == 0


def test_whether_there_is_a_model_is_known_by_the_workers_and_not_by_the_shell_that_submits(make_fleet: MakeFleet) -> None:
    """A shell has seldom the settings of the workers: it refused although they had a model, and took what they could not do."""
    fleet = make_fleet({"BULLPEN_EXTENSIONS": ",".join((*EXTENSIONS, FORECAST))})
    without, having = (CliServices(fleet.settings.model_copy(update={"model": model}), fleet.db) for model in (None, "of-the-shell"))

    assert not submit_from(without, INSISTING).existing, "nobody is there yet who could tell"
    fleet.start(COORDINATOR)
    fleet.wait_until(lambda: fleet_models(having.celery) == (), "the coordinator says that it has no model")
    with pytest.raises(InvalidSubmission, match=r"the fleet has none\. Set BULLPEN_MODEL where its workers"):
        submit_from(having, INSISTING)
    fleet.start(RoleName.CLASSIFIER, BULLPEN_MODEL="of-the-worker")
    fleet.wait_until(lambda: fleet_models(without.celery) == ("of-the-worker",), "the classifier says which model it has")
    assert not submit_from(without, INSISTING).existing
