"""Real servers for every test: a Postgres and a Redis from wheels, started once a test process."""

import os
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

for _name in [name for name in os.environ if name.startswith("BULLPEN_") and name != "BULLPEN_EVAL_DATA"]:
    del os.environ[_name]  # a developer's own settings must not change what a test sees

from tests.support.servers import Servers
from workers.blackboard.engine import Database
from workers.blackboard.schema import migrate
from workers.telemetry import configure_logging

TEMPLATE = "bullpen_template"


@pytest.fixture(scope="session", autouse=True)
def _logging() -> None:
    configure_logging("console", "warning")


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """Postgres and Redis of this test process, fast rather than durable."""
    with Servers(tmp_path_factory.mktemp("servers")) as running:
        yield running


@pytest.fixture(scope="session")
def template(servers: Servers) -> str:
    """The name of a migrated, empty database to clone from."""
    with psycopg.connect(servers.postgres.url, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(TEMPLATE)))
    db = Database(servers.database_url(TEMPLATE))
    migrate(db)
    db.close()
    return TEMPLATE


@pytest.fixture
def database_url(servers: Servers, template: str) -> Iterator[str]:
    """URL of a migrated, empty database of this test's own."""
    name = f"test_{uuid4().hex[:12]}"
    with psycopg.connect(servers.postgres.url, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template)))
        yield servers.database_url(name)
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A migrated, empty database of this test's own; commits are real."""
    db = Database(database_url)
    yield db
    db.close()


@pytest.fixture
def broker_url(servers: Servers) -> str:
    """A Redis with nothing in it."""
    servers.flush_broker()
    return servers.valkey.url


@pytest.fixture(scope="session")
def eval_data() -> Path:
    """The evaluation data, which is not part of the project."""
    folder = Path(os.environ.get("BULLPEN_EVAL_DATA", "../shared/data"))
    if not folder.is_dir():
        pytest.skip(f"evaluation data is not there ({folder}); set BULLPEN_EVAL_DATA")
    return folder
