"""Metrics servers that may be queried by PromQL."""

from datetime import datetime

from contracts.metric_sources import MetricsResult, MetricsSource
from contracts.statements import code, say
from contracts.statements import name as identifier
from workers import prometheus
from workers.errors import NotFound
from workers.operations.base import Asker, Here, as_owner, operation

STEP_S = 60.0
"""Seconds between two numbers of a curve, where nobody says how many."""


@operation("knowledge.metrics")
def metrics(here: Here, asker: Asker) -> list[MetricsSource]:
    """The servers that the asker may query. Who else may is not the asker's business."""
    only = asker.only_owner
    if only is None:
        return prometheus.list_metrics(here.db)
    open_to = [each for each in prometheus.list_metrics(here.db) if each.is_open_to(only)]
    return [each.model_copy(update={"owners": (only,) if each.owners else ()}) for each in open_to]


@operation("knowledge.add_metrics")
def add_metrics(here: Here, asker: Asker, server: MetricsSource) -> MetricsSource:
    """Add a server after a look at it."""
    prometheus.add_metrics(here.db, server)
    return server


@operation("knowledge.remove_metrics")
def remove_metrics(here: Here, asker: Asker, server: str) -> None:
    """Forget a server. The audit stays. Raises `NotFound`."""
    prometheus.remove_metrics(here.db, server)


@operation("knowledge.query_metrics")
def query_metrics(
    here: Here, asker: Asker, server: str, promql: str, *, end: datetime, start: datetime | None = None, step_s: float | None = None,
    owner: str | None = None,
) -> MetricsResult:  # fmt: skip
    """Run a query, within the server's limits; without `start` one number a series, at the end. Raises `NotFound`."""
    if asker.only_owner is not None and not prometheus.get_metrics(here.db, server).is_open_to(asker.only_owner):
        raise NotFound.of(say("metrics.refused.no_metrics", metrics=identifier(server[:80]), command=code("GET /v1/metrics")))
    over = prometheus.Over(end, start, step_s or STEP_S)
    return prometheus.query_metrics(here.db, server, promql, over, owner=as_owner(asker, owner))
