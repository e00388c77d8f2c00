"""The servers of a test process."""

import os
import random
import signal
import time
from pathlib import Path
from types import TracebackType
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql
from redis import Redis

from workers.local.postgres import EmbeddedPostgres
from workers.local.process import port_is_free
from workers.local.valkey import EmbeddedValkey


class Servers:
    """Embedded Postgres and Redis; what is in them is lost with the folder."""

    def __init__(self, folder: Path, *, restarts: bool = False) -> None:
        """`restarts`: they will be killed and started again under their clients. Postgres then keeps what it acknowledged."""
        self.postgres = EmbeddedPostgres(folder / "postgres", durable=restarts, port=lasting_port() if restarts else None)
        self.valkey = EmbeddedValkey(folder / "valkey", durable=False, port=lasting_port() if restarts else None)

    def __enter__(self) -> "Servers":
        self.postgres.start()
        with psycopg.connect(self.postgres.admin_url, autocommit=True) as admin:  # tests make databases, accounts and servers' faults
            admin.execute("ALTER ROLE bullpen SUPERUSER")
            # the password is random, and hashing it 4,096 times for each of some ten thousand connections protects nothing
            admin.execute("SET scram_iterations = 1")
            admin.execute(sql.SQL("ALTER ROLE bullpen PASSWORD {}").format(sql.Literal(urlsplit(self.postgres.url).password)))
        self.valkey.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.valkey.stop()
        self.postgres.stop()

    def database_url(self, name: str) -> str:
        """The URL of another database of the same server."""
        return urlunsplit(urlsplit(self.postgres.url)._replace(path=f"/{name}"))

    def flush_broker(self) -> None:
        """Forget every message."""
        with Redis.from_url(self.valkey.url) as client:
            client.flushall()

    def restart_redis_empty(self) -> None:
        """kill -9, and a new one at the same address that remembers nothing."""
        self.crash(self.valkey)
        self.valkey.start()

    @staticmethod
    def crash(server: EmbeddedPostgres | EmbeddedValkey) -> None:
        """kill -9."""
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        while server.running:
            time.sleep(0.01)


def lasting_port() -> int:
    """A free port that is not handed out to clients: one of them, trying to reconnect, would meet itself there and keep it."""
    return next(port for port in random.sample(range(20_000, 32_000), 100) if port_is_free(port))
