"""Metrics servers: Prometheus and what speaks its API. `query_metrics` is the one way to run a query on one."""

from workers.engines.catalogue import LOCALE
from workers.prometheus.querying import Over, query_metrics
from workers.prometheus.registry import add_metrics, get_metrics, list_metrics, remove_metrics
from workers.saying import add_catalogue

add_catalogue(LOCALE)  # what is wrong with a query is said in the libraries' texts

__all__ = ["Over", "add_metrics", "get_metrics", "list_metrics", "query_metrics", "remove_metrics"]
