"""Runs migrations on one connection, in one transaction, with short lock waits: a migration must not hold up a fleet."""

from alembic import context
from sqlalchemy import Connection, MetaData, create_engine

from workers.settings import load_settings

LOCK_TIMEOUT = "10s"
STATEMENT_TIMEOUT = "10min"


def run(connection: Connection, tables: MetaData | None = None) -> None:
    """Upgrade or check over this connection. `tables`: what a new revision is compared with; an upgrade compares nothing."""
    context.configure(connection=connection, target_metadata=tables, compare_server_default=True)
    with context.begin_transaction():
        context.execute(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'; SET LOCAL statement_timeout = '{STATEMENT_TIMEOUT}'")
        context.execute("SELECT pg_advisory_xact_lock(823649201)")  # two migrators take turns
        context.run_migrations()


def all_tables() -> MetaData:
    """For Alembic's own program. Their modules bring the readers of SQL and 60 MB, which no process that upgrades a database needs."""
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

    return metadata


connection: Connection | None = context.config.attributes.get("connection")
if connection is not None:
    run(connection)
else:
    url = load_settings().database_url
    if url is None:
        raise SystemExit("Set BULLPEN_DATABASE_URL, or use `bullpen db migrate`, which finds the servers of `bullpen up`.")
    with create_engine(url.replace("postgresql://", "postgresql+psycopg://", 1)).connect() as own:
        run(own, all_tables())
