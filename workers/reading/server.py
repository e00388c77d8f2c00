"""The database server itself: its version, and whether pgvector is there."""

from dataclasses import dataclass
from typing import LiteralString

from workers.reading.snapshot import Reader
from workers.reading.values import Value

_SERVER: LiteralString = """
SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS version_number,
       (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector,
       EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'vector') AS has_pgvector_files
"""


@dataclass(frozen=True, slots=True)
class ServerFacts(Value):
    """A Postgres."""

    version: str
    version_number: int
    """160004 for 16.4."""
    pgvector: str | None
    """The version in this database; None: the extension was not created."""
    has_pgvector_files: bool
    """It could be created."""


def read_server(read: Reader) -> ServerFacts:
    """The server behind a connection."""
    return ServerFacts(**read.statement(_SERVER)[0])
