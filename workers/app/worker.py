"""A worker process: a Celery worker for some roles, or the coordinator, or for all of them, with the threads beside it."""

import os
import threading
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

from celery import Celery, bootsteps, signals
from celery.worker.consumer import Consumer as CeleryConsumer

from contracts.roles import COORDINATOR, RoleName, queue_name
from workers.app.ahead import Ahead
from workers.app.answers import Announcer
from workers.app.broker_try import require_redis
from workers.app.embedding import Embedding
from workers.app.events import batch_events
from workers.app.fleet_facts import ALL
from workers.app.fleet_models import answer_models
from workers.app.garbage import settle
from workers.app.giving_way import give_way
from workers.app.intake_amqp import AmqpIntake, declare_all
from workers.app.intake_redis import RedisIntake
from workers.app.metrics_server import serve_metrics
from workers.app.neighbours import Neighbours
from workers.app.queues import URGENT_QUEUE, is_redis
from workers.app.redis_reading import SlotConsumer, read_in_slots
from workers.app.role_states import RoleWatch
from workers.app.senders import Senders
from workers.app.services import ProcessServices
from workers.app.slots import SlotPool, pool_with_aside
from workers.app.sweep import Sweep
from workers.app.tasks import register_tasks, run_followed
from workers.app.ticket_reading import TicketReading
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
SEVERAL = 16
"""Threads of a process that serves several names, beside those of the coordinator."""


def _after_fork(services: ProcessServices, **_: Any) -> None:
    services.database.forget_connections()


def _add_steps(app: Celery, services: ProcessServices, names: Sequence[str], *, pool: str, in_slots: bool) -> None:
    """What the consumer does beside Celery's own: events in batches, messages read in slots, a watch over roles that are paused."""
    steps = app.steps["consumer"]
    steps.add(batch_events(services.publisher if pool == "threads" else None))  # prefork publishes in children
    neighbours = Neighbours(services.redis if in_slots else None, services.worker_name, names)
    if in_slots:
        steps.add(read_in_slots(services.publisher, neighbours, partial(run_followed, services)))
    steps.add(_watch_step(services, names, neighbours))


def _start_duties(services: ProcessServices, stop: threading.Event, names: Sequence[str], *, computes: bool) -> None:
    """Start the threads beside the worker: those of the coordinator, and of the role that computes vectors. `computes`: those may run here;
    a parent of prefork should not run a model while it forks."""
    if COORDINATOR in names:
        Sweep(services, stop).start()
        Announcer(services, stop).start()
        Senders(services, stop).start()
        if is_redis(services.settings.broker_url or ""):
            RedisIntake(services, stop).start()
        else:
            AmqpIntake(services, stop).start()
            AmqpIntake(services, stop, (URGENT_QUEUE,)).start()
    if RoleName.RETRIEVER in names and computes:
        Embedding(services, stop).start()
        TicketReading(services, stop).start()


def run_worker(settings: Settings, *names: str, concurrency: int | None = None, pool: str = "threads") -> int:
    """Run the worker of these roles, the coordinator among them or not, until it is asked to stop. Returns the exit code."""
    configure_logging(settings.log_format, settings.log_level)
    configure_failpoints(settings.failpoints)
    give_way(settings.worker_nice or 0)
    Heartbeat(settings.hung_after_s, settings.heartbeat).start()
    load_kinds(settings.extensions)
    settings = with_advance(settings, names)
    slots = concurrency or settings.concurrency or (CONCURRENCY[names[0]] if len(names) == 1 else SEVERAL)
    services = ProcessServices(settings, slots=slots, on_stuck=_leave_when_stuck)
    require_current(services.database)
    on_redis = is_redis(settings.broker_url or "")
    if on_redis:
        require_redis(services)
    app = services.celery
    for name in names:
        register_tasks(app, services, name)
    answer_models(settings)
    title = title_of(names)
    if on_redis:
        app.conf.broker_transport_options = {**app.conf.broker_transport_options, "unreadable": keep_unreadable(services)}
    serve_metrics(services, title)
    if settings.otel:
        start_tracing(title)
    stop = threading.Event()
    signals.setup_logging.connect(_leave_logging_alone, weak=False)
    if pool == "prefork":
        signals.worker_process_init.connect(partial(_after_fork, services), weak=False)
    in_slots = pool == "threads" and on_redis
    _add_steps(app, services, names, pool=pool, in_slots=in_slots)
    if not on_redis:
        declare_all(services)
    _start_duties(services, stop, names, computes=pool == "threads")
    log.info("worker_starting", role=title, concurrency=slots, pool=pool, advance=settings.advance)
    worker = app.Worker(
        queues=[queue_name(name) for name in names],
        concurrency=slots,
        pool=slot_pool(names) if in_slots else pool,
        hostname=f"{title}@{services.worker_name.replace(':', '-')}",
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


def title_of(names: Sequence[str]) -> str:
    """What a process is called in Flower and in its log."""
    return ALL if len(names) > len(RoleName) else "+".join(names)


def with_advance(settings: Settings, names: Sequence[str]) -> Settings:
    """A process that serves roles and the coordinator decides where it reports, unless the settings say otherwise: then a slot goes on with
    the next step, and several steps of a job cost one message."""
    if COORDINATOR not in names or len(names) == 1 or "advance" in settings.model_fields_set:
        return settings
    return settings.model_copy(update={"advance": "inline"})


def slot_pool(names: Sequence[str]) -> type[SlotPool]:
    """The pool of a process that serves these."""
    return SlotPool if COORDINATOR not in names or len(names) == 1 else pool_with_aside(CONCURRENCY[COORDINATOR])


def _leave_logging_alone(**_: Any) -> None:
    """Celery sets up no logging when its signal has a receiver."""


def _watch_step(services: ProcessServices, names: Sequence[str], neighbours: Neighbours) -> type[bootsteps.StartStopStep]:
    """A Celery bootstep that starts the watch of pause and resume once the consumer listens."""

    class WatchRoleState(bootsteps.StartStopStep):
        requires = ("celery.worker.consumer.tasks:Tasks",)

        def __init__(self, parent: CeleryConsumer, **kwargs: Any) -> None:
            super().__init__(parent, **kwargs)
            self.watch: RoleWatch | None = None
            self.leaving = threading.Event()
            self.ahead: Ahead | None = None

        def start(self, parent: CeleryConsumer) -> None:
            self.watch = RoleWatch(services, names, parent, neighbours)
            self.watch.start()
            log.info("worker_ready", role=title_of(names))
            if COORDINATOR in names and len(names) > 1 and (self.ahead is None or not self.ahead.is_done):  # too when a lost broker is back
                self.leaving = threading.Event()
                self.ahead = Ahead(services, self.leaving)
                self.ahead.start()

        def stop(self, parent: CeleryConsumer) -> None:
            self.leaving.set()
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
