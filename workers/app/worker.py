"""A worker process: a Celery worker for one role, or for the coordinator, with the threads beside it."""

import os
import threading
import time
from typing import Any

from celery import bootsteps, signals
from celery.worker.consumer import Consumer as CeleryConsumer

from contracts.roles import COORDINATOR, RoleName, queue_name
from workers.app.answers import Announcer
from workers.app.embedding import Embedding
from workers.app.events import batch_events
from workers.app.garbage import settle
from workers.app.giving_way import give_way
from workers.app.intake_amqp import AmqpIntake, declare_all
from workers.app.intake_redis import RedisIntake
from workers.app.metrics_server import serve_metrics
from workers.app.queues import URGENT_QUEUE, is_redis
from workers.app.redis_reading import SlotConsumer, read_in_slots
from workers.app.role_states import RoleWatch
from workers.app.senders import Senders
from workers.app.services import ProcessServices
from workers.app.slots import SlotPool
from workers.app.sweep import Sweep
from workers.app.tasks import register_tasks
from workers.app.unreadable import keep_unreadable, quarantining_consumer
from workers.blackboard.schema import require_current
from workers.failpoints import configure_failpoints
from workers.heartbeat import Heartbeat
from workers.kinds.registry import load_kinds
from workers.loggers import get_logger
from workers.settings import Settings
from workers.telemetry import configure_logging
from workers.tracing import start_tracing

log = get_logger(__name__)

STUCK_EXIT_CODE = 70

CONCURRENCY: dict[str, int] = {
    COORDINATOR: 4,
    RoleName.CLASSIFIER: 16,
    RoleName.FILE_RECOMMENDER: 8,
    RoleName.RETRIEVER: 4,
    RoleName.ANALYST: 16,
    RoleName.ARCHITECT: 16,
    RoleName.DEVELOPER: 16,
    RoleName.REVIEWER: 16,
    RoleName.DIAGNOSER: 16,
}
"""Threads a process. Roles that wait for a model hold many calls at once; retrieval computes. See docs/adr/0002."""


def run_worker(settings: Settings, name: str, *, concurrency: int | None = None, pool: str = "threads") -> int:
    """Run a role's worker, or the coordinator, until it is asked to stop. Returns the exit code."""
    configure_logging(settings.log_format, settings.log_level)
    configure_failpoints(settings.failpoints)
    give_way(settings.worker_nice or 0)
    Heartbeat(settings.hung_after_s, settings.heartbeat).start()
    load_kinds(settings.extensions)
    slots = concurrency or settings.concurrency or CONCURRENCY[name]
    services = ProcessServices(settings, slots=slots, on_stuck=_leave_when_stuck)
    require_current(services.database)
    app = services.celery
    role = None if name == COORDINATOR else RoleName(name)
    register_tasks(app, services, role=role)
    if is_redis(settings.broker_url or ""):
        app.conf.broker_transport_options = {**app.conf.broker_transport_options, "unreadable": keep_unreadable(services)}
    serve_metrics(services, name)
    if settings.otel:
        start_tracing(name)
    stop = threading.Event()
    signals.setup_logging.connect(_leave_logging_alone, weak=False)
    if pool == "prefork":

        def after_fork(**_: Any) -> None:
            services.database.forget_connections()

        signals.worker_process_init.connect(after_fork, weak=False)
    app.steps["consumer"].add(batch_events(services.publisher if pool == "threads" else None))  # prefork publishes in children
    in_slots = pool == "threads" and is_redis(settings.broker_url or "")
    if in_slots:
        app.steps["consumer"].add(read_in_slots(services.publisher))
    app.steps["consumer"].add(_watch_step(services, name))
    if not is_redis(settings.broker_url or ""):
        declare_all(services)
    if role is None:
        Sweep(services, stop).start()
        Announcer(services, stop).start()
        Senders(services, stop).start()
        if is_redis(settings.broker_url or ""):
            RedisIntake(services, stop).start()
        else:
            AmqpIntake(services, stop).start()
            AmqpIntake(services, stop, (URGENT_QUEUE,)).start()
    if role is RoleName.RETRIEVER and pool == "threads":  # a parent of prefork should not run a model while it forks
        Embedding(services, stop).start()
    log.info("worker_starting", role=name, concurrency=slots, pool=pool, advance=settings.advance)
    worker = app.Worker(
        queues=[queue_name(name)],
        concurrency=slots,
        pool=SlotPool if in_slots else pool,
        hostname=f"{name}@{services.worker_name.replace(':', '-')}",
        without_mingle=True,
        without_gossip=True,
        loglevel=settings.log_level.upper(),
        optimization="fair",
        consumer_cls=quarantining_consumer(services, SlotConsumer if in_slots else CeleryConsumer),
    )
    settle()
    worker.start()
    stop.set()
    return worker.exitcode or 0


def _leave_logging_alone(**_: Any) -> None:
    """Celery sets up no logging when its signal has a receiver."""


def _watch_step(services: ProcessServices, name: str) -> type[bootsteps.StartStopStep]:
    """A Celery bootstep that starts the watch of pause and resume once the consumer listens."""

    class WatchRoleState(bootsteps.StartStopStep):
        requires = ("celery.worker.consumer.tasks:Tasks",)

        def __init__(self, parent: CeleryConsumer, **kwargs: Any) -> None:
            super().__init__(parent, **kwargs)
            self.watch: RoleWatch | None = None

        def start(self, parent: CeleryConsumer) -> None:
            self.watch = RoleWatch(services, name, parent)
            self.watch.start()
            log.info("worker_ready", role=name)

        def stop(self, parent: CeleryConsumer) -> None:
            if self.watch is not None:
                self.watch.stop()

        shutdown = stop

    return WatchRoleState


def _leave_when_stuck() -> None:
    """Stop consuming, give the healthy steps a little time, and end the process: its supervisor starts a new one."""

    def leave() -> None:
        from celery.worker import state

        state.should_stop = STUCK_EXIT_CODE
        time.sleep(5.0)
        os._exit(STUCK_EXIT_CODE)

    threading.Thread(target=leave, name="bullpen-leave", daemon=True).start()
