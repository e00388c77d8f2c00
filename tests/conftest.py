"""Real servers for every test: a Postgres and a Redis from wheels, started once a test process."""

import gc
import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from hypothesis import Phase, settings
from psycopg import sql

from tests.support.budget import Budget
from tests.support.databases import Databases
from tests.support.made_once import make_samples_once
from tests.support.servers import Servers
from workers.blackboard.engine import Database
from workers.blackboard.schema import migrate
from workers.kinds.registry import load_kinds
from workers.llm.embeddings import WordLlamaEmbedder
from workers.saying import INSTALLED
from workers.telemetry import configure_logging

if TYPE_CHECKING:
    from xdist.remote import Producer

    from tests.support.scheduling import FewFleetsAtATime

FOR_TESTS = ("BULLPEN_EVAL_DATA", "BULLPEN_CAMPAIGN", "BULLPEN_MODEL_FOLDER")

for name in [name for name in os.environ if name.startswith("BULLPEN_") and name not in FOR_TESTS]:
    del os.environ[name]  # a developer's own settings must not change what a test sees
os.environ["BULLPEN_SECRETS"] = "/nonexistent/secrets.env"  # nor their secrets

settings.register_profile("quick", max_examples=40, stateful_step_count=40, derandomize=True, deadline=None)
settings.register_profile("nightly", max_examples=1000, stateful_step_count=60, deadline=None)  # of `make nightly`; each night others
settings.register_profile("long", max_examples=5000, stateful_step_count=60, deadline=None)  # pytest --hypothesis-profile=long
settings.register_profile(  # for tests/bench/mutation.py: a mutant is found soon or not at all, and nobody reads its example
    "mutation", max_examples=25, stateful_step_count=30, derandomize=True, deadline=None, phases=(Phase.explicit, Phase.generate)
)
settings.load_profile("quick")

make_samples_once()
load_kinds()
INSTALLED.is_strict = True  # a message that is missing is an error here, and a visible stand-in for a user

TEMPLATE = "bullpen_template"


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Budget(config), "budget")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing that is collected is garbage, and looking for some takes a sixth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Ten thousand tests and what they import are not garbage, and a full collection would look at all of it each time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)


def pytest_sessionfinish() -> None:
    """Libraries complain at the end of a process about what is still there."""
    gc.unfreeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: "Producer") -> "FewFleetsAtATime":
    from tests.support.scheduling import FewFleetsAtATime

    return FewFleetsAtATime(config, log)


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
    return make_template(servers)


def make_template(servers: Servers) -> str:
    """Make that database. Servers that were used before have it."""
    with psycopg.connect(servers.postgres.url, autocommit=True) as admin:
        if admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", (TEMPLATE,)).fetchone():
            return TEMPLATE
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(TEMPLATE)))
    db = Database(servers.database_url(TEMPLATE))
    migrate(db)
    db.close()
    return TEMPLATE


@pytest.fixture(scope="session")
def databases(servers: Servers, template: str) -> Iterator[Databases]:
    """Clones of that database."""
    made = Databases(servers, template)
    yield made
    made.close()


@pytest.fixture
def database_url(databases: Databases) -> Iterator[str]:
    """URL of a migrated, empty database of this test's own."""
    with databases.lend() as url:
        yield url


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
def wordllama() -> WordLlamaEmbedder:
    """The embedding model of the wheel, loaded once."""
    return WordLlamaEmbedder()


@pytest.fixture(scope="session")
def eval_data() -> Path:
    """The evaluation data, which is not part of the project."""
    folder = Path(os.environ.get("BULLPEN_EVAL_DATA", "../shared/data"))
    if not folder.is_dir():
        pytest.skip(f"evaluation data is not there ({folder}); set BULLPEN_EVAL_DATA")
    return folder
