"""The rows of a release, taken over by this one: an open question of 0.1 is answered after the upgrade, and nothing runs again.

`upgrade_0_1.jsonl` holds what release 0.1 wrote for two jobs of `diagnose`, as the revisions up to 0037 left it: one waits for its second
answer, one has succeeded.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, LiteralString
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from contracts.diagnose.deliverables import Diagnosis, Verdict
from tests.support.servers import Servers
from workers.app.in_process import run_all
from workers.app.run_step import advance_and_publish, move_on
from workers.app.services import ProcessServices
from workers.blackboard.board_rows import read_board
from workers.blackboard.engine import Database
from workers.blackboard.schema import current, head, migrate
from workers.coordinator.actions import answer, open_questions
from workers.coordinator.decide import decide
from workers.reading.results import read_result
from workers.settings import Settings
from workers.tickets import import_tickets, read_tickets

HERE = Path(__file__).parent

STEPS: LiteralString = "SELECT id, stage, status, attempt, made_from, started_at, finished_at FROM steps ORDER BY id"


@pytest.fixture
def services(servers: Servers, broker_url: str) -> Iterator[ProcessServices]:
    """A process of this release on a database of 0.1 that was upgraded."""
    name = f"test_{uuid4().hex[:12]}"
    with psycopg.connect(servers.postgres.url, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        url = servers.database_url(name)
        _write_as_0_1_did(url)
        made = ProcessServices(Settings(database_url=url, broker_url=broker_url, embeddings="none"))
        import_tickets(made.database, None, read_tickets(HERE / "upgrade_0_1_tickets.jsonl"))
        yield made
        made.close()
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _write_as_0_1_did(url: str) -> None:
    db = Database(url)
    migrate(db)
    db.close()
    with psycopg.connect(url) as connection:
        connection.execute("SET session_replication_role = replica")  # rows as they were, without the triggers that watch transitions
        for line in (HERE / "upgrade_0_1.jsonl").read_text("utf-8").splitlines():
            stored = json.loads(line)
            table = sql.Identifier(stored["table"])
            insert = sql.SQL("INSERT INTO {} OVERRIDING SYSTEM VALUE SELECT * FROM jsonb_populate_record(NULL::{}, %s)").format(
                table, table
            )
            connection.execute(insert, [Jsonb(stored["row"])])


def job_in(services: ProcessServices, status: str) -> UUID:
    (row,) = services.database.statement("SELECT id FROM jobs WHERE status = %(status)s", {"status": status})
    return row["id"]


def steps(services: ProcessServices) -> dict[UUID, dict[str, Any]]:
    return {row["id"]: row for row in services.database.statement(STEPS)}


def test_an_open_question_of_the_last_release_is_answered_after_the_upgrade(services: ProcessServices) -> None:
    job, before = job_in(services, "waiting_human"), steps(services)
    (question,) = open_questions(services.database, job)

    answer(services.database, job, "1 yes", request_id=question["id"])
    move_on(services, job)
    run_all(services)

    after = steps(services)
    assert {step_id: after[step_id] for step_id in before} == before
    assert [row["stage"] for step_id, row in after.items() if step_id not in before][:2] == ["tickets", "diagnosis"]
    assert {row["status"] for row in after.values()} == {"succeeded"}


def test_the_upgrade_restarts_nothing(services: ProcessServices) -> None:
    """A changed key in the hash of what a stage is made from would run every stage again."""
    waiting, ended, before = job_in(services, "waiting_human"), job_in(services, "succeeded"), steps(services)
    questions = open_questions(services.database, waiting)

    for job in (waiting, ended):
        advance_and_publish(services, job)
    run_all(services)

    assert [decide(read_board(services.database, job)).dispatch for job in (waiting, ended)] == [(), ()]
    assert current(services.database) == head()
    assert steps(services) == before
    assert open_questions(services.database, waiting) == questions
    assert (job_in(services, "waiting_human"), job_in(services, "succeeded")) == (waiting, ended)


def test_a_result_of_the_last_release_is_read_after_the_upgrade(services: ProcessServices) -> None:
    result = read_result(services.database, job_in(services, "succeeded"))

    assert result is not None
    assert Diagnosis.model_validate(result.content).verdict is Verdict.DIAGNOSED
