"""The roles of an embedded Postgres: the fleet's is no superuser, also on a cluster of a release in which it was."""

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest

import tests.support.noop  # noqa: F401  registers the kinds
from contracts.jobs import SubmitJob
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.blackboard.schema import migrate
from workers.coordinator.intake import accept
from workers.local import postgres as module
from workers.local.postgres import EmbeddedPostgres
from workers.settings import Settings


class OfEarlierRelease(EmbeddedPostgres):
    """Makes a cluster as release 0.1 did: its one role is called `bullpen` and is the superuser."""

    def _create_cluster(self) -> None:
        super()._create_cluster()
        (self.data_dir / "admin-password").rename(self.data_dir / "password")

    def _settle_roles(self) -> None:
        with self._connect("bullpen", "postgres") as connection:
            if connection.execute("SELECT FROM pg_database WHERE datname = 'bullpen'").fetchone() is None:
                connection.execute("CREATE DATABASE bullpen")


def roles(url: str) -> dict[str, bool]:
    with psycopg.connect(url) as connection:
        return dict(connection.execute("SELECT rolname, rolsuper FROM pg_roles WHERE rolname LIKE 'bullpen%'").fetchall())


def submit(db: Database) -> Any:
    return accept(db, SubmitJob(job={"kind": "noop"}), owner_cap=10).job_id


def test_the_fleets_role_is_no_superuser(tmp_path: Path) -> None:
    with EmbeddedPostgres(tmp_path, durable=False) as postgres:
        assert roles(postgres.url) == {"bullpen": False, "bullpen_admin": True}
        with psycopg.connect(postgres.url) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("COPY (SELECT 1) TO PROGRAM 'true'")
        assert (tmp_path / "admin-password").stat().st_mode & 0o777 == 0o600


def test_the_migrations_need_no_superuser(tmp_path: Path) -> None:
    with EmbeddedPostgres(tmp_path, durable=False) as postgres:
        db = Database(postgres.url)
        migrate(db)
        db.close()


@pytest.fixture
def old_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of the earlier release, with a job in its database."""
    with monkeypatch.context() as patched:
        patched.setattr(module, "ADMIN", "bullpen")
        with OfEarlierRelease(tmp_path / "postgres", durable=False) as postgres:
            db = Database(postgres.url)
            migrate(db)
            db.statement("CREATE TYPE mood AS ENUM ('good', 'bad')")
            db.statement("CREATE VIEW waiting AS SELECT id FROM jobs WHERE finished_at IS NULL")
            (tmp_path / "job").write_text(str(submit(db)))
            db.close()
            assert roles(postgres.url) == {"bullpen": True}
    return tmp_path


def test_a_cluster_of_the_earlier_release_keeps_its_jobs_and_loses_its_superuser(old_folder: Path, broker_url: str) -> None:
    with EmbeddedPostgres(old_folder / "postgres", durable=False) as postgres:
        services = ProcessServices(Settings(database_url=postgres.url, broker_url=broker_url))
        migrate(services.database)  # as the next release does
        services.database.statement("ALTER TABLE jobs ADD COLUMN of_the_next_release int")

        run_all(services)

        assert roles(postgres.url) == {"bullpen": False, "bullpen_admin": True}
        row = services.database.row("SELECT status FROM jobs WHERE id = %(id)s::uuid", {"id": (old_folder / "job").read_text()})
        assert row == {"status": "succeeded"}, json.dumps(row)
        services.close()


@pytest.mark.parametrize("made", ["helper", "password file"])
def test_a_change_that_was_cut_short_is_finished_at_the_next_start(old_folder: Path, made: str) -> None:
    """The machine goes down before the transaction, with the helper role or only the new password file in place."""
    if made == "helper":
        with (
            OfEarlierRelease(old_folder / "postgres", durable=False) as postgres,
            psycopg.connect(postgres.url, autocommit=True) as connection,
        ):
            connection.execute("CREATE ROLE bullpen_setup SUPERUSER LOGIN PASSWORD 'of another try'")
    else:
        (old_folder / "postgres" / "admin-password").write_text("of another try")

    with EmbeddedPostgres(old_folder / "postgres", durable=False) as postgres:
        assert roles(postgres.url) == {"bullpen": False, "bullpen_admin": True}
    with EmbeddedPostgres(old_folder / "postgres", durable=False) as postgres:
        assert roles(postgres.url) == {"bullpen": False, "bullpen_admin": True}
