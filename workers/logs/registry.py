"""The logs of the installation: rows of the blackboard, without addresses."""

from pathlib import Path

from contracts.log_sources import LogSource
from contracts.statements import Name, code, say
from workers.blackboard.engine import Database, jsonb
from workers.errors import Conflict, NotFound
from workers.logs.opening import backend_of


def add_log(db: Database, data_dir: Path, log: LogSource) -> tuple[str, ...]:
    """Keep a log after a look at it; the names of its labels. Raises `Conflict`, `SourceUnavailable` or `InvalidInput`."""
    labels = backend_of(log, data_dir).label_names()
    row = db.row(
        "INSERT INTO log_sources (name, kind, limits, owners, sample) VALUES (%(name)s, %(kind)s, %(limits)s, %(owners)s, %(sample)s) "
        "ON CONFLICT (name) DO NOTHING RETURNING name",
        {
            "name": log.name, "kind": str(log.kind), "limits": jsonb(log.limits.to_json()), "owners": list(log.owners),
            "sample": log.sample,
        },
    )  # fmt: skip
    if row is None:
        raise Conflict.of(say("logs.refused.there", log=Name(text=log.name), command=code(f"bullpen logs remove {log.name}")))
    return labels


def get_log(db: Database, name: str) -> LogSource:
    """Raises `NotFound`."""
    row = db.row("SELECT name, kind, limits, owners, sample FROM log_sources WHERE name = %(name)s", {"name": name})
    if row is None:
        raise NotFound.of(say("logs.refused.no_log", log=Name(text=name), command=code("bullpen logs list")))
    return LogSource.model_validate(row)


def list_logs(db: Database) -> list[LogSource]:
    """All, by name."""
    rows = db.statement("SELECT name, kind, limits, owners, sample FROM log_sources ORDER BY name")
    return [LogSource.model_validate(row) for row in rows]


def remove_log(db: Database, name: str) -> None:
    """Forget a log. Its lines are not touched; the audit stays. Raises `NotFound`."""
    if db.row("DELETE FROM log_sources WHERE name = %(name)s RETURNING name", {"name": name}) is None:
        raise NotFound.of(say("logs.refused.no_log", log=Name(text=name), command=code("bullpen logs list")))
