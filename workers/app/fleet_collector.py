"""The state of the whole fleet as metrics, read from Postgres and the broker when a coordinator is scraped."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, LiteralString

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from workers import metrics
from workers.app.queues import JOBS_STREAM, is_redis
from workers.app.services import ProcessServices
from workers.blackboard import sweeps
from workers.blackboard.engine import Database
from workers.errors import DatabaseUnavailable
from workers.llm.circuits import read_open
from workers.loggers import get_logger
from workers.metrics import Metric
from workers.reading.fleet import read_fleet, read_overdue

log = get_logger(__name__)

KEPT_S = 2.0
"""Scrapes within this time get the same figures: a caller of the port cannot make the database work."""
OVERDUE_S = 10.0
RECONNECT_S = 2.0
"""Seconds that a scrape waits for a database that is away: it has to say so before Prometheus gives up, after 10 s."""

_ANSWERS: LiteralString = """
SELECT lane, count(*) AS waiting, extract(epoch FROM now() - min(created_at))::float AS age_s
  FROM answers WHERE sent_at IS NULL GROUP BY lane
"""
_QUARANTINE: LiteralString = """
SELECT source, count(*) AS entries FROM quarantine WHERE state = 'new' GROUP BY source ORDER BY 2 DESC, 1 LIMIT 20
"""

Figure = tuple[Metric, tuple[str, ...], float]
"""A metric, the values of its labels in order, and its value."""


class FleetCollector(Collector):
    """Reads in parts, each in its own guard: what cannot be read is missing, and the rest is served."""

    def __init__(self, services: ProcessServices) -> None:
        self._services = services
        self._database = Database(services.settings.database_url or "", pool_size=1, name="bullpen-metrics", reconnect_s=RECONNECT_S)
        self._lock = threading.Lock()
        self._read_at = float("-inf")
        self._figures: list[Figure] = []

    def describe(self) -> Iterable[Any]:
        """The names, without reading anything."""
        return [GaugeMetricFamily(metric.name, metric.help, labels=metric.labels) for metric in metrics.READ]

    def collect(self) -> Iterator[Any]:
        """The figures of now, or of a moment ago."""
        with self._lock:
            if time.monotonic() - self._read_at > KEPT_S:
                self._figures = list(self._read())
                self._read_at = time.monotonic()
            figures = list(self._figures)
        for metric in metrics.READ:
            family = GaugeMetricFamily(metric.name, metric.help, labels=metric.labels)
            for of, labels, value in figures:
                if of is metric:
                    family.add_metric(list(labels), value)
            yield family

    def _read(self) -> Iterator[Figure]:
        parts: tuple[Callable[[], Iterator[Figure]], ...] = (self._roles, self._overdue, self._quarantine, self._sweeps, self._answers)
        is_up = True
        for part in (*parts, self._circuits):
            try:
                yield from list(part())
            except Exception as error:  # a scrape says what it can
                is_up = False
                log.warning("metrics_not_read", part=part.__name__, error=type(error).__name__, reason=str(error)[:200])
                if isinstance(error, DatabaseUnavailable):
                    break
        yield metrics.DATABASE_UP, (), float(is_up)
        try:
            yield from list(self._intake())
        except Exception as error:  # the broker is away
            log.warning("metrics_not_read", part="intake", error=type(error).__name__, reason=str(error)[:200])

    def _roles(self) -> Iterator[Figure]:
        fleet = read_fleet(self._database)
        for role in fleet.roles:
            yield metrics.QUEUE_AGE, (role.role,), role.oldest_s or 0.0
            for state, steps in (("waiting", role.waiting), ("delayed", role.delayed), ("running", role.running)):
                yield metrics.QUEUE_STEPS, (role.role, state), steps
            yield metrics.ROLE_PAUSED, (role.role,), float(role.state != "running")
        for status, jobs in fleet.live_jobs.items():
            yield metrics.JOBS, (status,), jobs
        yield metrics.HELD_BACK, (), fleet.held_back

    def _overdue(self) -> Iterator[Figure]:
        overdue = read_overdue(self._database, old_s=OVERDUE_S)
        yield metrics.UNDECIDED, (), overdue.undecided_jobs
        yield metrics.EXPIRED, (), overdue.expired_leases

    def _quarantine(self) -> Iterator[Figure]:
        for row in self._database.statement(_QUARANTINE):
            yield metrics.QUARANTINED, (row["source"],), row["entries"]

    def _sweeps(self) -> Iterator[Figure]:
        for row in sweeps.read(self._database):
            if row["ok_age_s"] is not None:
                yield metrics.SWEEP_LAG, (row["part"],), row["ok_age_s"]

    def _answers(self) -> Iterator[Figure]:
        waiting = {row["lane"]: row for row in self._database.statement(_ANSWERS)}
        for lane in ("broker", "web"):
            row = waiting.get(lane, {"waiting": 0, "age_s": 0.0})
            yield metrics.ANSWERS_WAITING, (lane,), row["waiting"]
            yield metrics.ANSWERS_AGE, (lane,), row["age_s"] or 0.0

    def _circuits(self) -> Iterator[Figure]:
        is_open = {circuit.model for circuit in read_open(self._database)}
        for model in dict.fromkeys((*self._services.settings.models, *is_open)):
            yield metrics.CIRCUITS, (model,), float(model in is_open)

    def _intake(self) -> Iterator[Figure]:
        if is_redis(self._services.settings.broker_url or ""):
            redis: Any = self._services.redis
            yield metrics.INTAKE_MESSAGES, (), redis.xlen(JOBS_STREAM)
            oldest: Any = redis.xrange(JOBS_STREAM, count=1)
            seconds, micros = redis.time()
            added_s = int(oldest[0][0].partition(b"-")[0]) / 1000 if oldest else seconds + micros / 1e6
            yield metrics.INTAKE_LAG, (), max(0.0, seconds + micros / 1e6 - added_s)
