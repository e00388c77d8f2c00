"""The schema's version: bring a database to this release, and say whether it is there."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

import migrations
from workers.blackboard.engine import Database
from workers.errors import DatabaseNotMigrated


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent).replace("%", "%%"))
    return config


def head() -> str:
    """The revision this release works with."""
    return ScriptDirectory.from_config(_config()).get_current_head() or ""


def current(db: Database) -> str | None:
    """The revision of the database; None when it was never migrated."""
    with db.unit_of_work() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def migrate(db: Database) -> str:
    """Upgrade to this release's revision, which is returned. Safe to run twice and at once."""
    config = _config()
    with db.unit_of_work() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    return head()


def require_current(db: Database) -> None:
    """Raises `DatabaseNotMigrated` unless the database is at this release's revision."""
    have, want = current(db), head()
    if have != want:
        raise DatabaseNotMigrated(f"The database is at revision {have or 'none'}, this release needs {want}. Run `bullpen db migrate`.")
