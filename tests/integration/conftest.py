"""Fixtures that many files share: services of a gateway, and the same shop in every engine of a source."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import mariadb
from tests.support.commands import Commands, commands_on
from tests.support.openai_server import OpenAIServer, good, openai_server
from tests.support.servers import Servers
from tests.support.sources import Shop, duckdb_shop, mariadb_shop, postgres_shop, sqlite_shop
from tests.support.weather import RAINY
from workers.app.services import ProcessServices
from workers.settings import Settings


@pytest.fixture(scope="session", params=["duckdb", "sqlite", "postgres", "mysql"])
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """The shop, in each engine in turn."""
    match request.param:
        case "duckdb":
            with duckdb_shop(tmp_path_factory.mktemp("duckdb")) as made:
                yield made
        case "sqlite":
            with sqlite_shop(tmp_path_factory.mktemp("sqlite")) as made:
                yield made
        case "postgres":
            servers: Servers = request.getfixturevalue("servers")
            with postgres_shop(servers) as made:
                yield made
        case _:
            if reason := mariadb.why_not():
                pytest.skip(reason)
            with mariadb.MariaDB() as server, mariadb_shop(server) as made:
                yield made


@pytest.fixture
def services(database_url: str, broker_url: str) -> Iterator[ProcessServices]:
    """Services of a process such as a gateway: four slots, and no vectors. Tests that need others have a fixture of their own."""
    made = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, embeddings="none"), slots=4)
    yield made
    made.close()


@pytest.fixture
def bullpen(database_url: str, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commands]:
    """The command `bullpen`, on the test's database and broker. Tests that need more beside it have a fixture of their own."""
    with commands_on(database_url, broker_url, tmp_path / "home", monkeypatch) as commands:
        yield commands


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A model server that answers with the weather, until a test says otherwise."""
    with openai_server() as running:
        running.will(good(RAINY))
        yield running
