"""A gateway of a bench's own: servers, a database, a key and one gateway process, until the block ends."""

import tempfile
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from contracts.access import Scope
from tests.support.gateway import GatewayProcess, bearer, environment_of, gateway_process
from tests.support.servers import Servers
from workers.blackboard.engine import Database
from workers.blackboard.schema import migrate
from workers.gateway.access.keys import create_key
from workers.settings import Settings
from workers.telemetry import configure_logging


@dataclass(frozen=True, slots=True)
class OwnGateway:
    """What a bench measures with."""

    process: GatewayProcess
    database: Database
    headers: dict[str, str]
    """With a key of the owner `bench`."""
    servers: Servers
    environment: dict[str, str]
    """For other processes of the same fleet."""
    folder: Path
    """Of the bench; removed at its end."""


@contextmanager
def own_gateway(scopes: Sequence[Scope], **settings: Any) -> Generator[OwnGateway]:
    """Everything is removed at the end. `settings`: of the gateway, beside those of its servers."""
    configure_logging("console", "warning")
    with tempfile.TemporaryDirectory(prefix="bullpen-bench-") as folder, Servers(Path(folder)) as servers:
        with psycopg.connect(servers.postgres.url, autocommit=True) as admin:
            admin.execute("CREATE DATABASE gateway")
        url = servers.database_url("gateway")
        with closing(Database(url, pool_size=10)) as database:
            migrate(database)
            _, key = create_key(database, "bench", scopes=list(scopes))
            given = Settings(
                database_url=url, broker_url=servers.valkey.url, home=Path(folder), embeddings="none", log_level="warning", **settings
            )
            with gateway_process(given) as process:
                yield OwnGateway(process, database, bearer(key), servers, environment_of(given), Path(folder))
