"""The version of the schema: migrate a database to this release, and check whether it is at this release."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, LiteralString

from psycopg.errors import InsufficientPrivilege

import migrations
from contracts.statements import code, name, passage, say
from workers.blackboard.engine import Database
from workers.errors import ConfigurationError, DatabaseNotMigrated

if TYPE_CHECKING:  # importing Alembic takes longer than importing the rest of a worker, and only `migrate` needs it
    from alembic.config import Config
    from sqlalchemy.exc import DBAPIError

_SCRIPTS = Path(migrations.__file__).parent
FIRST = "0037"
"""The revision that an empty database begins with; it holds all that the revisions before it made."""
LAST_WITH_EARLIER = "dbaf7f25"
"""The last commit with the revisions before `FIRST`, one by one: older databases are upgraded through it."""
_REVISION = re.compile(r'^(revision|down_revision)\b.*= "(\w+)"$', re.MULTILINE)

_VECTOR: LiteralString = """
SELECT current_user AS role, current_database() AS database, to_regtype('vector') IS NOT NULL AS is_seen,
       (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector') AS schema
"""


def _config() -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    return config


def head() -> str:
    """The revision that this release needs: the revision that no other revision follows."""
    found: dict[str, set[str]] = {"revision": set(), "down_revision": set()}
    for script in (_SCRIPTS / "versions").glob("*.py"):
        for kind, revision in _REVISION.findall(script.read_text("utf-8")):
            found[kind].add(revision)
    (newest,) = found["revision"] - found["down_revision"]
    return newest


def current(db: Database) -> str | None:
    """The revision of the database. None if it was never migrated."""
    try:
        row = db.row("SELECT version_num FROM alembic_version")
    except DatabaseNotMigrated:
        return None
    return None if row is None else row["version_num"]


def migrate(db: Database) -> str:
    """Upgrade to this release's revision and return it. Safe to run repeatedly and concurrently. Raises `ConfigurationError` behind a
    pooler that keeps no sessions, and for a role without the rights or without pgvector; `DatabaseNotMigrated` for a database that is older
    than the first revision."""
    db.require_sessions()
    have = current(db)
    if have == (newest := head()):
        return newest
    from alembic import command
    from sqlalchemy.exc import DBAPIError

    config = _config()
    if have is not None and have < FIRST:
        raise DatabaseNotMigrated(
            f"The database is at revision {have}, and this release upgrades from {FIRST} on. Stop the workers, run `bullpen db migrate` of "
            f"commit {LAST_WITH_EARLIER} (version 0.1.0, the last with the earlier revisions), then that of this release."
        )
    try:
        with db.unit_of_work() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    except DBAPIError as error:
        raise _refused(db, error) from None
    return newest


def _refused(db: Database, error: "DBAPIError") -> Exception:
    """The error of a role that may not create what a migration creates, or does not see pgvector, as a sentence; any other unchanged."""
    facts = db.statement(_VECTOR)[0]
    place = {"role": name(facts["role"]), "database": name(facts["database"])}
    if facts["schema"] is not None and not facts["is_seen"]:
        return ConfigurationError.of(say("refused.migrate.vector_unseen", schema=name(facts["schema"]), **place))
    if not isinstance(error.orig, InsufficientPrivilege):
        return error
    if facts["schema"] is None:
        return ConfigurationError.of(say("refused.migrate.no_vector", command=code("CREATE EXTENSION vector"), **place))
    return ConfigurationError.of(say("refused.migrate.rights", reason=passage(str(error.orig).splitlines()[0]), **place))


def require_current(db: Database) -> None:
    """Raise `DatabaseNotMigrated` unless the database is at this release's revision, and `ConfigurationError` behind a pooler that keeps no
    sessions."""
    db.require_sessions()
    have, want = current(db), head()
    if have != want:
        raise DatabaseNotMigrated(f"The database is at revision {have or 'none'}, this release needs {want}. Run `bullpen db migrate`.")
