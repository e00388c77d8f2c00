"""The migrations and the tables say the same."""

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

import tests.support.noop  # noqa: F401  its kinds
import workers.bundles.tables
import workers.catalogue.tables
import workers.checks.tables
import workers.gateway.access.tables
import workers.gateway.alerts.tables
import workers.gateway.background.tables
import workers.kinds.tune.experience.tables
import workers.logs.tables
import workers.prometheus.tables
import workers.retrieval.tables
import workers.skills.tables
import workers.sources.tables
import workers.tickets.tables
import workers.tools.tables  # noqa: F401  their tables join the metadata
from workers.blackboard.engine import Database
from workers.blackboard.schema import FIRST, LAST_WITH_EARLIER, current, head, migrate, require_current
from workers.blackboard.tables import metadata
from workers.errors import DatabaseNotMigrated


def test_the_migrations_make_what_the_tables_describe(database: Database) -> None:
    """F3."""
    with database.unit_of_work() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), metadata)

    assert differences == []


def test_migrating_twice_changes_nothing_and_needs_no_alembic(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("alembic.command.upgrade")

    assert migrate(database) == head() == current(database)


def test_a_database_older_than_the_first_revision_is_told_the_route(database: Database) -> None:
    database.statement("UPDATE alembic_version SET version_num = '0012'")

    with pytest.raises(DatabaseNotMigrated, match=f"at revision 0012.*upgrades from {FIRST} on.*commit {LAST_WITH_EARLIER}"):
        migrate(database)

    assert current(database) == "0012"


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
