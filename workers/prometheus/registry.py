"""The metrics servers of the installation: rows of the blackboard, without addresses."""

from contracts.metric_sources import MetricsSource
from contracts.statements import Name, code, say
from workers.blackboard.engine import Database, jsonb
from workers.errors import Conflict, NotFound
from workers.prometheus.addresses import metrics_address
from workers.prometheus.server import ask


def add_metrics(db: Database, metrics: MetricsSource) -> None:
    """Keep a server after a look at it. Raises `Conflict`, `SourceUnavailable`, `StatementRefused` or `InvalidInput`."""
    ask(metrics_address(metrics), "query", {"query": "1"}, metrics.limits.timeout_s)
    row = db.row(
        "INSERT INTO metric_sources (name, limits, owners) VALUES (%(name)s, %(limits)s, %(owners)s) "
        "ON CONFLICT (name) DO NOTHING RETURNING name",
        {"name": metrics.name, "limits": jsonb(metrics.limits.to_json()), "owners": list(metrics.owners)},
    )
    if row is None:
        again = code(f"bullpen metrics remove {metrics.name}")
        raise Conflict.of(say("metrics.refused.there", metrics=Name(text=metrics.name), command=again))


def get_metrics(db: Database, name: str) -> MetricsSource:
    """Raises `NotFound`."""
    row = db.row("SELECT name, limits, owners FROM metric_sources WHERE name = %(name)s", {"name": name})
    if row is None:
        raise NotFound.of(say("metrics.refused.no_metrics", metrics=Name(text=name[:80]), command=code("bullpen metrics list")))
    return MetricsSource.model_validate(row)


def list_metrics(db: Database) -> list[MetricsSource]:
    """All, by name."""
    return [MetricsSource.model_validate(row) for row in db.statement("SELECT name, limits, owners FROM metric_sources ORDER BY name")]


def remove_metrics(db: Database, name: str) -> None:
    """Forget a server. Its data are not touched; the audit stays. Raises `NotFound`."""
    if db.row("DELETE FROM metric_sources WHERE name = %(name)s RETURNING name", {"name": name}) is None:
        raise NotFound.of(say("metrics.refused.no_metrics", metrics=Name(text=name[:80]), command=code("bullpen metrics list")))
