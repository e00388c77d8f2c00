"""The coordinator's sweep thread: every 2 s, over Postgres, not through the broker."""

import threading
from typing import Any

import structlog

from contracts.roles import queue_name
from workers.app.queues import is_redis
from workers.app.run_step import advance_and_publish
from workers.app.services import ProcessServices
from workers.coordinator import sweeper
from workers.errors import BullpenError

log = structlog.get_logger()

GRACE_S = 1.0
"""What is younger is still in the hands of whoever wrote it."""
RESEND_BATCH = 500


class Sweep(threading.Thread):
    """Sweeps until `stop` is set. A sweep that fails is logged; the next one does the work."""

    def __init__(self, services: ProcessServices, stop: threading.Event) -> None:
        super().__init__(name="bullpen-sweep", daemon=True)
        self._services = services
        self._stopping = stop

    def run(self) -> None:
        """Until told to stop."""
        while not self._stopping.wait(self._services.settings.sweep_s):
            try:
                sweep_once(self._services)
            except BullpenError as error:
                log.warning("sweep_failed", reason=str(error))
            except Exception:  # the sweep is the last line: it must live on whatever happens
                log.exception("sweep_crashed")


def sweep_once(services: ProcessServices) -> None:
    """One round of everything that no message brings about."""
    db, settings = services.database, services.settings
    expired = sweeper.take_back_expired(db)
    if expired:
        log.warning("leases_expired", count=len(expired))
        services.publisher.run_steps(expired)
    jobs = sweeper.give_up_hopeless(db)
    jobs += sweeper.mark_over_budget(db, wall_time_s=settings.job_wall_time_s, tokens=settings.job_tokens, cost_usd=settings.job_cost_usd)
    jobs += sweeper.admit_jobs(db, owner_cap=settings.owner_cap)
    jobs += sweeper.undecided_jobs(db, grace_s=GRACE_S)
    for job_id in dict.fromkeys(jobs):
        advance_and_publish(services, job_id)
    for role, (waiting, old) in sweeper.waiting_by_role(db, grace_s=GRACE_S).items():
        if old:
            _resend(services, role, waiting)


def _resend(services: ProcessServices, role: str, waiting: int) -> None:
    """Send again what the broker seems to have lost: more steps wait than the queue holds messages."""
    length = queue_length(services, role)
    if length is None or length >= waiting:
        return
    lost = min(waiting - length, RESEND_BATCH)
    steps = sweeper.take_unsent(
        services.database, role, at_once=length == 0, grace_s=GRACE_S, after_s=services.settings.resend_after_s, limit=lost
    )
    if steps:
        log.warning("messages_sent_again", role=role, count=len(steps))
        services.publisher.run_steps(steps)


def queue_length(services: ProcessServices, role: str) -> int | None:
    """Messages ready in a role's queue; None when the broker does not answer."""
    empty_exists = not is_redis(services.settings.broker_url or "")  # a passive declaration of an empty Redis queue fails
    try:
        pool: Any = services.celery.pool  # a connection pool, which celery-types takes for a producer pool
        with pool.acquire(block=True, timeout=5) as connection:
            try:
                connection.ensure_connection(max_retries=1, interval_start=0, timeout=5)
                return int(connection.default_channel.queue_declare(queue_name(role), passive=empty_exists).message_count)
            except Exception:
                connection.collect()  # or the pool would hand out the same dead connection for ever
                raise
    except Exception as error:  # a queue not yet declared, a broker that is away
        log.warning("queue_length_unknown", role=role, error=type(error).__name__, reason=str(error)[:200])
        return None
