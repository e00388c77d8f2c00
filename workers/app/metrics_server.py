"""`/metrics` of a worker process, for Prometheus: off unless `BULLPEN_METRICS_PORT` is set, then at `BULLPEN_METRICS_ADDRESS`."""

from typing import TYPE_CHECKING

from contracts.roles import COORDINATOR
from workers import metrics
from workers.app.services import ProcessServices
from workers.errors import ConfigurationError
from workers.loggers import get_logger

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

log = get_logger(__name__)

PORTS = 64
"""Ports from the first that are tried: the workers of one machine share the setting."""


def serve_metrics(services: ProcessServices, name: str) -> int | None:
    """Count and serve from now on, if the settings say so. The port; None if metrics are off. Raises `ConfigurationError`."""
    first, address = services.settings.metrics_port, services.settings.metrics_address
    if first is None:
        return None
    from prometheus_client import start_http_server

    registry = make_registry(services, name)
    for port in range(first, min(first + PORTS, 65_536)):
        try:
            start_http_server(port, addr=address, registry=registry)
        except OSError:  # another worker of this machine has it
            continue
        log.info("metrics_served", address=address, port=port)
        return port
    raise ConfigurationError(f"BULLPEN_METRICS_PORT: none of the {PORTS} ports from {first} of {address} is free.")


def make_registry(services: ProcessServices, name: str) -> "CollectorRegistry":
    """The registry of a process: what it counts, what it uses of its machine, and for a coordinator the state of the fleet."""
    from prometheus_client import CollectorRegistry, GCCollector, ProcessCollector

    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    GCCollector(registry=registry)
    metrics.switch_on(registry)
    if name == COORDINATOR:
        from workers.app.fleet_collector import FleetCollector

        registry.register(FleetCollector(services))
    return registry
