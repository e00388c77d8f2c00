"""The schema's version: bring a database to this release, and say whether it is there."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import migrations
from workers.blackboard.engine import Database
from workers.errors import DatabaseNotMigrated

if TYPE_CHECKING:  # Alembic takes longer to import than the rest of a worker together; only `migrate` needs it
    from alembic.config import Config

_SCRIPTS = Path(migrations.__file__).parent
_REVISION = re.compile(r'^(revision|down_revision)\b.*= "(\w+)"$', re.MULTILINE)


def _config() -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    return config


def head() -> str:
    """The revision this release works with: the one that no other stands on."""
    found: dict[str, set[str]] = {"revision": set(), "down_revision": set()}
    for script in (_SCRIPTS / "versions").glob("*.py"):
        for name, revision in _REVISION.findall(script.read_text("utf-8")):
            found[name].add(revision)
    (newest,) = found["revision"] - found["down_revision"]
    return newest


def current(db: Database) -> str | None:
    """The revision of the database; None when it was never migrated."""
    try:
        row = db.row("SELECT version_num FROM alembic_version")
    except DatabaseNotMigrated:
        return None
    return None if row is None else row["version_num"]


def migrate(db: Database) -> str:
    """Upgrade to this release's revision, which is returned. Safe to run twice and at once."""
    from alembic import command

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
