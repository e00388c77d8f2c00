"""The migrations and the tables say the same."""

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

import tests.support.noop  # noqa: F401  its kinds
import workers.bundles.tables
import workers.catalogue.tables
import workers.kinds.tune.experience.tables
import workers.logs.tables
import workers.prometheus.tables
import workers.retrieval.tables
import workers.skills.tables
import workers.sources.tables
import workers.tickets.tables
import workers.tools.tables  # noqa: F401  their tables join the metadata
from contracts.jobs import SubmitJob
from contracts.statements import say
from workers.blackboard.engine import Database, jsonb
from workers.blackboard.schema import _config, current, head, migrate, require_current  # pyright: ignore[reportPrivateUsage] an earlier revision
from workers.blackboard.tables import metadata
from workers.coordinator.intake import accept
from workers.errors import DatabaseNotMigrated
from workers.reading.jobs import read_job


def test_the_migrations_make_what_the_tables_describe(database: Database) -> None:
    """F3."""
    with database.unit_of_work() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), metadata)

    assert differences == []


def test_migrating_twice_changes_nothing(database: Database) -> None:
    assert migrate(database) == head() == current(database)


def test_an_error_in_words_is_kept_by_the_upgrade_and_a_statement_by_the_way_back(database: Database) -> None:
    """Before 0029 a job's error was text."""
    job = accept(database, SubmitJob(job={"kind": "noop"}), owner_cap=10).job_id
    _go_down(database, "0028")
    database.statement("UPDATE jobs SET error = 's1: no such \"table\"' WHERE id = %(id)s", {"id": job})

    migrate(database)
    assert read_job(database, job).error == 's1: no such "table"'
    database.statement("UPDATE jobs SET error = %(says)s", {"says": jsonb(say("fleet.why.failed_silently").to_json())})
    assert read_job(database, job).error == say("fleet.why.failed_silently")
    _go_down(database, "0028")

    assert database.statement("SELECT error FROM jobs") == [{"error": "fleet.why.failed_silently"}]
    migrate(database)


def _go_down(database: Database, revision: str) -> None:
    config = _config()
    with database.unit_of_work() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, revision)


def test_a_database_that_was_never_migrated_says_what_to_do(servers, database: Database) -> None:
    empty = Database(servers.postgres.url)
    with pytest.raises(DatabaseNotMigrated, match="bullpen db migrate"):
        require_current(empty)
    empty.close()


def test_a_finished_step_may_not_run_again(database: Database) -> None:
    """F3: transitions are held by the database, whoever writes."""
    with database.unit_of_work() as connection:
        connection.execute(
            text(
                "INSERT INTO jobs (id, kind, owner, status, priority, rev, decided_rev, human_rev, admitted, engine, budget, body_hash) "
                "VALUES ('01a1fc51-b3d8-7641-ac6e-0a4d429c8979', 'x', 'o', 'succeeded', 5, 1, 1, 1, true, 'rules', '{}', 'h')"
            )
        )
    with pytest.raises(IntegrityError, match="may not go from succeeded to accepted"), database.unit_of_work() as connection:
        connection.execute(text("UPDATE jobs SET status = 'accepted'"))
