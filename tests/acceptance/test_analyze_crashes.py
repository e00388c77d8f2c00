"""Each role of an `analyze` job dies before its first report; the procedure goes on where it was, and nothing is made twice."""

from pathlib import Path

import pytest

from contracts.analyze.answer import AnalyzeAnswer, Ending
from contracts.jobs import EngineChoice, SubmitJob
from contracts.roles import RoleName
from tests.acceptance.conftest import MakeFleet
from tests.support.killed_once import home_of_fleet, start_killed_once
from workers.coordinator.intake import accept
from workers.reading.results import read_result

pytestmark = pytest.mark.acceptance

ROLES = (RoleName.CLASSIFIER, RoleName.ANALYST)


def test_every_role_of_an_analysis_killed_in_mid_step_leaves_its_step_to_the_next_process(
    make_fleet: MakeFleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F7: also a step of the procedure, whose tool has been called by then."""
    fleet = make_fleet(home_of_fleet(tmp_path, monkeypatch))
    start_killed_once(fleet, ROLES)

    request = {"kind": "analyze", "question": "港湾新区哪些小区弱覆盖？帮我分析一下"}
    job_id = accept(fleet.db, SubmitJob(job=request, engine=EngineChoice.RULES), owner_cap=10).job_id
    fleet.services.publisher.advance(job_id, 5)
    fleet.wait_status(job_id)

    steps = fleet.db.statement("SELECT stage, status, attempt FROM steps WHERE job_id = %(id)s ORDER BY id", {"id": job_id})
    made = fleet.db.statement("SELECT stage, version FROM deliverables WHERE job_id = %(id)s", {"id": job_id})
    result = read_result(fleet.db, job_id)
    assert [fleet.deaths(role) for role in ROLES] == [1, 1]
    acts = [(row["stage"], row["attempt"]) for row in steps if row["stage"].startswith("act/")]
    assert [stage for stage, _ in acts] == [f"act/{number}" for number in range(1, len(acts) + 1)]
    assert [attempt for _, attempt in acts] == [2, *[1] * (len(acts) - 1)]
    assert {row["status"] for row in steps} == {"succeeded"}
    assert {row["version"] for row in made} == {1}
    assert result is not None
    assert AnalyzeAnswer.model_validate(result.content).ending is Ending.WAITS
