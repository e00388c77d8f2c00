"""Writing to a source: an approved script, into an open schema, as a whole and once, whatever dies in between."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID, uuid4

import psycopg
import pytest

from contracts.sources import SourcePolicy
from tests.support.servers import Servers
from tests.support.warehouse import Warehouse, open_warehouse
from workers.blackboard.engine import Database
from workers.errors import Conflict, InvalidInput, NotFound, SourceUnavailable, StatementFailed, StatementRefused, UnsafeAccount
from workers.sources import list_executions
from workers.sources.writing import Writer, allow_writing, approve_script, forbid_writing, get_approval, script_hash, writable_schemas

SCRIPT = (
    "CREATE TABLE IF NOT EXISTS mart.totals (region varchar, total integer)",
    "INSERT INTO mart.totals SELECT region, SUM(total) FROM public.orders GROUP BY region",
    "UPDATE mart.totals SET total = total + 1 WHERE region = 'EU'",
)
"""A second run would add the rows again: that it has run once shows."""
ONCE = [("EU", 31), ("US", 40)]


@pytest.fixture
def warehouse(servers: Servers, database: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[Warehouse]:
    with open_warehouse(servers, database, monkeypatch) as found:
        yield found


def approved(database: Database, script: tuple[str, ...] = SCRIPT, job: UUID | None = None) -> UUID:
    return approve_script(database, "sales", script_hash("sales", script), owner="ann", approved_by="ann", job_id=job)


def test_an_approved_script_runs_once_however_often_it_is_asked_for(database: Database, warehouse: Warehouse) -> None:
    approval = approved(database)

    first, second = (Writer(database).write(approval, SCRIPT, owner="ann") for _ in range(2))

    assert (first.ran_before, second.ran_before) == (False, True)
    assert warehouse.rows() == ONCE
    assert get_approval(database, approval).done_at is not None
    assert [(found.owner, found.error) for found in list_executions(database, source="sales")] == [("ann", None), ("ann", None)]


def test_a_job_that_approves_the_same_script_again_has_the_same_approval(database: Database, warehouse: Warehouse) -> None:
    job = uuid4()

    assert approved(database, job=job) == approved(database, job=job)
    assert approved(database) != approved(database)


def test_another_script_than_the_approved_one_is_refused(database: Database, warehouse: Warehouse) -> None:
    approval = approved(database)

    with pytest.raises(Conflict, match="hash differs"):
        Writer(database).write(approval, (*SCRIPT, "DELETE FROM mart.totals"), owner="ann")
    with pytest.raises(Conflict, match="another owner"):
        Writer(database).write(approval, SCRIPT, owner="bob")
    with pytest.raises(NotFound):
        Writer(database).write(uuid4(), SCRIPT, owner="ann")

    assert warehouse.rows() == []


PROGRAM = """
import sys
from uuid import UUID
from tests.integration.test_source_writing import SCRIPT
from workers.blackboard.engine import Database
from workers.failpoints import configure_failpoints
from workers.sources.writing import Writer

configure_failpoints(sys.argv[3])
Writer(Database(sys.argv[1])).write(UUID(sys.argv[2]), SCRIPT, owner="ann")
"""


def started(database_url: str, approval: UUID, failpoints: str) -> subprocess.Popen[bytes]:
    root = str(Path(__file__).parents[2])
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, database_url, str(approval), failpoints], env={**os.environ, "PYTHONPATH": root}, cwd=root
    )


@pytest.mark.parametrize(("point", "left"), [("between_statements", []), ("after_source_commit", ONCE)])
def test_a_crash_leaves_nothing_or_all_and_the_next_attempt_makes_it_once(
    database: Database, database_url: str, warehouse: Warehouse, point: str, left: list[tuple[str, int]]
) -> None:
    approval = approved(database)

    crashed = started(database_url, approval, f"{point}=exit")
    assert crashed.wait(timeout=120) == 137
    after_crash = warehouse.rows()
    written = Writer(database).write(approval, SCRIPT, owner="ann")

    assert after_crash == left
    assert written.ran_before is (left == ONCE)
    assert warehouse.rows() == ONCE


def test_a_worker_killed_in_mid_transaction_leaves_nothing(database: Database, database_url: str, warehouse: Warehouse) -> None:
    approval = approved(database)
    worker = started(database_url, approval, "between_statements=sleep250")
    with psycopg.connect(warehouse.admin_url, autocommit=True) as admin:
        inside = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'bullpen-writer' AND state = 'idle in transaction'"
        while admin.execute(inside).fetchone() is None:
            assert worker.poll() is None
            time.sleep(0.05)

        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
        while admin.execute("SELECT 1 FROM pg_stat_activity WHERE application_name = 'bullpen-writer'").fetchone() is not None:
            time.sleep(0.05)

    assert warehouse.rows() == []
    assert Writer(database).write(approval, SCRIPT, owner="ann").ran_before is False
    assert warehouse.rows() == ONCE


def test_a_statement_that_fails_takes_the_others_with_it(database: Database, warehouse: Warehouse) -> None:
    script = (*SCRIPT, "INSERT INTO mart.totals SELECT region, CAST(region AS INT) FROM public.orders")

    with pytest.raises(StatementFailed, match="nothing of it is left"):
        Writer(database).write(approved(database, script), script, owner="ann")

    assert warehouse.rows() == []


def test_a_statement_beyond_the_open_schema_is_refused_before_anything_runs(database: Database, warehouse: Warehouse) -> None:
    script = (*SCRIPT, "INSERT INTO public.orders VALUES (9, 'EU', 1)")

    with pytest.raises(StatementRefused, match="public is not writable"):
        Writer(database).write(approved(database, script), script, owner="ann")

    assert warehouse.rows() == []
    assert list_executions(database, source="sales", refused=True)[0].error


def test_writing_is_closed_by_default_and_can_be_closed_again(database: Database, warehouse: Warehouse) -> None:
    assert writable_schemas(database, "sales") == ("mart",)
    forbid_writing(database, "sales", "mart")

    with pytest.raises(StatementRefused, match="Nothing may be written to sales"):
        Writer(database).write(approved(database), SCRIPT, owner="ann")
    with pytest.raises(NotFound):
        forbid_writing(database, "sales", "mart")
    with pytest.raises(InvalidInput):
        allow_writing(database, "sales", "pg_catalog")


def test_an_owner_whom_policies_bind_may_not_write_what_they_hide(database: Database, warehouse: Warehouse) -> None:
    policy = SourcePolicy(owner="ann", table="orders", predicate="region = 'EU'")
    database.statement(
        "INSERT INTO source_policies (source, owner, table_name, predicate, hidden, denied, exempt) VALUES "
        "('sales', %(owner)s, %(table)s, %(predicate)s, '{}', false, false)",
        policy.model_dump(include={"owner", "table", "predicate"}),
    )

    with pytest.raises(StatementRefused, match="Policies bind you"):
        Writer(database).write(approved(database), SCRIPT, owner="ann")


def test_an_account_that_may_change_more_than_the_open_schema_is_refused(
    database: Database, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    role = warehouse.write_url.split("://")[1].split(":")[0]
    warehouse.run(f"GRANT INSERT ON orders TO {role}")
    with pytest.raises(UnsafeAccount, match=r"public\.orders"):
        Writer(database).write(approved(database), SCRIPT, owner="ann")

    monkeypatch.setenv("BULLPEN_SOURCE_SALES_WRITE_URL", warehouse.admin_url)
    with pytest.raises(UnsafeAccount, match="superuser"):
        Writer(database).write(approved(database), SCRIPT, owner="ann")

    monkeypatch.delenv("BULLPEN_SOURCE_SALES_WRITE_URL")
    with pytest.raises(SourceUnavailable, match="BULLPEN_SOURCE_SALES_WRITE_URL is not set"):
        Writer(database).write(approved(database), SCRIPT, owner="ann")
    assert warehouse.rows() == []
