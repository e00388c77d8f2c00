"""The last stage of an `etl` job that writes: its worker dies between two statements, and after the commit in the source."""

from pathlib import Path

import psycopg
import pytest

from contracts.jobs import EngineChoice, SubmitJob
from contracts.pipelines.script import WriteQuestion
from contracts.roles import COORDINATOR, RoleName
from tests.acceptance.conftest import MakeFleet
from tests.support.campaign import sample
from tests.support.fleet import FleetProcesses
from tests.support.killed_once import home_of_fleet
from tests.support.servers import Servers
from tests.support.warehouse import Warehouse, open_warehouse
from workers.catalogue.importing import Form, import_path
from workers.coordinator.actions import answer, open_questions
from workers.coordinator.intake import accept

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(900)]

ROLES = (RoleName.ANALYST, RoleName.ARCHITECT, RoleName.REVIEWER, RoleName.DEVELOPER)
SLOWEST_S = 400.0
"""A whole job is waited for, with a trial of its scripts, on a machine that may be busy."""
TABLES = """
tables:
  - schema: public
    name: orders
    description: Orders, one row an order.
    primary_key: [id]
    columns:
      - {name: id, type: integer, nullable: false, description: number of the order}
      - {name: region, type: text, nullable: false, description: region}
      - {name: total, type: integer, nullable: false, description: total of the order}
"""
SPEC = """
target: mart.totals
grain: [region]
sql: SELECT region, SUM(total) AS total FROM orders GROUP BY region
"""


@pytest.mark.parametrize("point", sample(["between_statements", "after_source_commit"], every=2))
def test_a_writer_that_is_killed_leaves_the_whole_script_once(
    make_fleet: MakeFleet, servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    """F7: the process that writes dies in mid-script, or with the commit not reported; the next one ends the job, with its effects once."""
    fleet = make_fleet(home_of_fleet(tmp_path, monkeypatch))
    (tmp_path / "tables.yaml").write_text(TABLES, "utf-8")
    with open_warehouse(servers, fleet.db, monkeypatch) as warehouse:
        import_path(fleet.db, None, tmp_path / "tables.yaml", form=Form.TABLES, source="sales", origin="tables of sales")
        fleet.start(COORDINATOR)
        fleet.start(*ROLES, failpoints=f"{point}=exit", BULLPEN_SOURCE_SALES_WRITE_URL=warehouse.write_url)
        fleet.set_failpoints(RoleName.DEVELOPER, "")  # of the processes after the first one
        request = {"kind": "etl", "spec": SPEC, "source": "sales", "write": True}
        job_id = accept(fleet.db, SubmitJob(job=request, engine=EngineChoice.RULES), owner_cap=10).job_id
        fleet.services.publisher.advance(job_id, 5)
        fleet.wait_status(job_id, "waiting_human", within_s=SLOWEST_S)
        assert warehouse.rows() == []

        question = open_questions(fleet.db, job_id)[0]
        asked = WriteQuestion.model_validate(question["payload"]["detail"])
        answer(fleet.db, job_id, f"approve {asked.script_hash[:12]}", request_id=question["id"])
        fleet.services.publisher.advance(job_id, 5)
        fleet.wait_status(job_id, within_s=SLOWEST_S)

        steps = fleet.db.statement(
            "SELECT status, attempt FROM steps WHERE job_id = %(id)s AND stage = 'load/1' ORDER BY id", {"id": job_id}
        )
        assert fleet.deaths(RoleName.DEVELOPER) == 1
        assert (steps[-1]["status"], steps[-1]["attempt"]) == ("succeeded", 2)
        assert warehouse.rows() == [("EU", 30), ("US", 40)]
        assert _writes(warehouse) == 1
        _is_reported(fleet, job_id)


def _writes(warehouse: Warehouse) -> int:
    with psycopg.connect(warehouse.admin_url) as admin:
        found = admin.execute("SELECT count(*) FROM mart.bullpen_writes").fetchone()
    return found[0] if found is not None else 0


def _is_reported(fleet: FleetProcesses, job_id: object) -> None:
    rows = fleet.db.statement("SELECT version FROM deliverables WHERE job_id = %(id)s AND stage = 'load/1'", {"id": job_id})
    assert [row["version"] for row in rows] == [1]
