"""The servers of a test process."""

from pathlib import Path
from types import TracebackType
from urllib.parse import urlsplit, urlunsplit

from redis import Redis

from workers.local.postgres import EmbeddedPostgres
from workers.local.valkey import EmbeddedValkey


class Servers:
    """Embedded Postgres and Redis; what is in them is lost with the folder."""

    def __init__(self, folder: Path, *, durable: bool = False) -> None:
        self.postgres = EmbeddedPostgres(folder / "postgres", durable=durable)
        self.valkey = EmbeddedValkey(folder / "valkey", durable=durable)

    def __enter__(self) -> "Servers":
        self.postgres.start()
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
