"""Metrics servers that may be queried."""

from contracts.metric_sources import MetricsResult, MetricsSource
from workers.cli.context import database
from workers.cli.reach.remote import gateway
from workers.prometheus import Over, add_metrics, list_metrics, query_metrics, remove_metrics


def metrics() -> list[MetricsSource]:
    """All servers, or at a gateway those of the key's owner."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return away.read(list[MetricsSource], knowledge.metrics())
    return list_metrics(database())


def add(source: MetricsSource) -> None:
    """Add a server after a look at it."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        away.value(knowledge.add_metrics(source.to_json()))
        return
    add_metrics(database(), source)


def remove(name: str) -> None:
    """Forget a server."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        away.value(knowledge.remove_metrics(name))
        return
    remove_metrics(database(), name)


def query(name: str, promql: str, over: Over, *, owner: str) -> MetricsResult:
    """Run a query."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        step = None if over.start is None else over.step_s
        return away.read(MetricsResult, knowledge.query_metrics(name, promql, start=over.start, end=over.end, step_s=step, owner=owner))
    return query_metrics(database(), name, promql, over, owner=owner)
