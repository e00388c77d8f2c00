"""Fixtures of the acceptance tests: a fleet of real processes on a database of its own."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from tests.support.browser import chromium
from tests.support.fleet import FleetProcesses
from tests.support.rabbitmq import RabbitMQ
from tests.support.relay import create_outside
from tests.support.servers import Servers

MakeFleet = Callable[..., FleetProcesses]


@contextmanager
def own_database(servers: Servers, template: str) -> Iterator[str]:
    """URL of a migrated, empty database; dropped afterwards."""
    name = f"fleet_{uuid4().hex[:12]}"
    _admin(servers, sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template)))
    try:
        yield servers.database_url(name)
    finally:
        _admin(servers, sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _admin(servers: Servers, statement: sql.Composed) -> None:
    with psycopg.connect(servers.postgres.url, autocommit=True) as connection:
        connection.execute(statement)


@contextmanager
def running_fleet(folder: Path, database_url: str, broker_url: str, env: Mapping[str, str] | None = None) -> Iterator[FleetProcesses]:
    """A fleet without processes yet. What they logged is shown when the test fails."""
    with FleetProcesses(folder, database_url, broker_url, env) as fleet:
        create_outside(fleet.db)
        yield fleet
        sys.stdout.write(fleet.shown_logs())  # pytest keeps it for the report of a failure


@pytest.fixture(scope="session")
def rabbitmq(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RabbitMQ]:
    """One node for all files: it takes longer to start than any other server. A file leaves its queues empty."""
    with RabbitMQ(tmp_path_factory.mktemp("rabbitmq")) as node:
        yield node


@pytest.fixture
def fleet(servers: Servers, template: str, tmp_path: Path) -> Iterator[FleetProcesses]:
    """A fleet of this test's own, on an empty database and an empty Redis; the test starts its processes."""
    servers.flush_broker()
    with own_database(servers, template) as database_url, running_fleet(tmp_path, database_url, servers.valkey.url) as fleet:
        yield fleet


@pytest.fixture
def make_fleet(servers: Servers, template: str, tmp_path: Path) -> Iterator[MakeFleet]:
    """`make_fleet(env)`: as `fleet`, with settings."""
    with ExitStack() as stack:

        def make(env: Mapping[str, str] | None = None) -> FleetProcesses:
            servers.flush_broker()
            database_url = stack.enter_context(own_database(servers, template))
            return stack.enter_context(running_fleet(tmp_path, database_url, servers.valkey.url, env))

        yield make


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser for the tests of a file; each has a context of its own, with its own cookies. It keeps an event loop in its thread, so that
    it must not outlive the file."""
    with chromium() as running:
        yield running
