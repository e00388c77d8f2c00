"""Runs migrations on one connection, in one transaction, with short lock waits: a migration must not hold up a fleet."""

from alembic import context
from sqlalchemy import Connection, create_engine

import workers.catalogue.tables
import workers.checks.tables
import workers.gateway.access.tables
import workers.gateway.alerts.tables
import workers.gateway.background.tables
import workers.kinds.tune.experience.tables
import workers.prometheus.tables
import workers.retrieval.tables
import workers.tickets.tables  # noqa: F401  their tables join the metadata
from workers.blackboard.tables import metadata
from workers.settings import load_settings

LOCK_TIMEOUT = "10s"
STATEMENT_TIMEOUT = "10min"


def run(connection: Connection) -> None:
    """Upgrade or check over this connection."""
    context.configure(connection=connection, target_metadata=metadata, compare_server_default=True)
    with context.begin_transaction():
        context.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'; SET LOCAL statement_timeout = '{STATEMENT_TIMEOUT}'")
        context.execute("SELECT pg_advisory_xact_lock(823649201)")  # two migrators take turns
        context.run_migrations()


connection: Connection | None = context.config.attributes.get("connection")
if connection is not None:
    run(connection)
else:
    url = load_settings().database_url
    if url is None:
        raise SystemExit("Set BULLPEN_DATABASE_URL, or use `bullpen db migrate`, which finds the servers of `bullpen up`.")
    with create_engine(url.replace("postgresql://", "postgresql+psycopg://", 1)).connect() as own:
        run(own)
