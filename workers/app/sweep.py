"""The coordinator's sweep thread: every 2 s, over Postgres, not through the broker."""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from contracts.roles import COORDINATOR, queue_name
from contracts.statements import term
from workers import metrics
from workers.app.key_types import keep_wrong_types, set_wrong_types_aside
from workers.app.queues import is_redis
from workers.app.redis_alone import exceptions
from workers.app.run_step import advance_and_publish
from workers.app.services import ProcessServices
from workers.blackboard import quarantine, sweeps
from workers.blackboard.journal import forget_texts
from workers.blackboard.sweeps import Round
from workers.coordinator import sweeper
from workers.coordinator.advance import QueuedStep
from workers.coordinator.set_aside import set_aside
from workers.errors import BullpenError, DatabaseUnavailable, NotFound, Unavailable
from workers.loggers import get_logger

log = get_logger(__name__)

GRACE_S = 1.0
"""Rows younger than this are still handled by the process that wrote them. Seconds."""
RESEND_BATCH = 500
UNDECIDED_BATCH = 200
TRIES = 10
"""Rounds in which a job may fail to be advanced before it is set aside. A pause between them doubles from one sweep to a minute, so that
a fault that comes and goes, or a release that is being rolled out, has some five minutes."""
LONGEST_PAUSE_S = 60.0
EXPIRE_EVERY_S = 60.0
"""Seconds between two looks at what the quarantine may forget."""
FORGET_EVERY_S = 300.0
"""Seconds between two looks at which prompts and answers are no longer kept."""


class Sweep(threading.Thread):
    """Sweeps until `stop` is set. A part that fails is logged and recorded; the other parts run, and the next round tries it again."""

    def __init__(self, services: ProcessServices, stop: threading.Event) -> None:
        super().__init__(name="bullpen-sweep", daemon=True)
        self._services = services
        self._stopping = stop
        self._sweeper = Sweeper(services)

    def run(self) -> None:
        """Sweep until the stop event is set."""
        while not self._stopping.wait(self._services.settings.sweep_s):
            try:
                self._sweeper.sweep()
            except BullpenError as error:
                log.warning("sweep_failed", reason=str(error))
            except Exception:  # the sweep is the last safety net, so no error may end it
                log.exception("sweep_crashed")


class Sweeper:
    """All work that no message triggers, the most important first. Remembers the jobs that cannot be advanced."""

    def __init__(self, services: ProcessServices) -> None:
        self._services = services
        self._failing: dict[UUID, tuple[int, float]] = {}
        """Job that could not be advanced → how often, and when to try again (monotonic seconds)."""
        self._expire_at = 0.0
        self._forget_at = 0.0
        self._parts: dict[str, Callable[[], None]] = {
            "leases": self._take_back,
            "hopeless": self._give_up,
            "resend": self._resend,
            "undecided": self._decide,
            "budgets": self._end_over_budget,
            "admission": self._admit,
            "quarantine": self._expire,
            "calls": self._forget_calls,
        }

    def sweep(self) -> list[Round]:
        """One round of all parts, each in its own guard. How they fared, which is recorded too. Raises `DatabaseUnavailable`."""
        rounds: list[Round] = []
        for part, run in self._parts.items():
            began, fault = time.monotonic(), None
            try:
                run()
            except DatabaseUnavailable:  # nothing else would work either, and each part would wait for it in turn
                raise
            except Exception as error:  # one part's fault must not stop the others
                fault = f"{type(error).__name__}: {error}"
                metrics.count(metrics.SWEEP_FAILURES, part=part)
                log.warning("sweep_part_failed", part=part, reason=fault[:500], exc_info=not isinstance(error, BullpenError))
            rounds.append(Round(part, time.monotonic() - began, fault))
        sweeps.record(self._services.database, rounds, worker=self._services.worker_name)
        return rounds

    def _free_keys(self) -> None:
        """Where somebody wrote another type under a name that the fleet needs, no message of that queue can be sent, read or counted."""
        if not is_redis(self._services.settings.broker_url or ""):
            return
        try:
            keep_wrong_types(self._services.database, set_wrong_types_aside(self._services.redis))
        except exceptions.RedisError as error:  # the parts that need a broker report one that is away
            self._services.forget_redis()
            log.warning("broker_keys_unknown", error=type(error).__name__, reason=str(error)[:200])

    def _take_back(self) -> None:
        expired = sweeper.take_back_expired(self._services.database)
        if expired:
            metrics.count(metrics.LEASES_EXPIRED, len(expired))
            log.warning("leases_expired", count=len(expired))
            self._publish(expired)

    def _give_up(self) -> None:
        self._advance(sweeper.give_up_hopeless(self._services.database))

    def _decide(self) -> None:
        now = time.monotonic()
        resting = [job_id for job_id, (_, again) in self._failing.items() if again > now]
        late = sweeper.undecided_jobs(self._services.database, grace_s=GRACE_S, skip=resting)
        if late and (length := queue_length(self._services, COORDINATOR)):
            late = self._without_message(length, resting)
        self._advance(late)

    def _without_message(self, length: int, resting: list[UUID]) -> list[UUID]:
        """Undecided jobs whose message seems to be lost, while `length` others wait. A job whose message is still in the queue is not late:
        to decide on it here would only make its message find nothing to do, and a coordinator that is behind has enough to do."""
        db, after_s = self._services.database, self._services.settings.resend_after_s
        lost = sweeper.count_undecided(db, skip=resting) - length
        return sweeper.undecided_jobs(db, grace_s=after_s, skip=resting, limit=min(lost, UNDECIDED_BATCH)) if lost > 0 else []

    def _end_over_budget(self) -> None:
        known = self._services.settings
        self._advance(
            sweeper.mark_over_budget(
                self._services.database, wall_time_s=known.job_wall_time_s, tokens=known.job_tokens, cost_usd=known.job_cost_usd
            )
        )

    def _admit(self) -> None:
        self._advance(sweeper.admit_jobs(self._services.database, owner_cap=self._services.settings.owner_cap))

    def _expire(self) -> None:
        known = self._services.settings
        if time.monotonic() >= self._expire_at:
            gone = quarantine.expire(self._services.database, lifetime_s=known.quarantine_lifetime_s, most=known.quarantine_entries)
            self._expire_at = time.monotonic() + (0.0 if gone >= quarantine.BATCH else EXPIRE_EVERY_S)

    def _forget_calls(self) -> None:
        if time.monotonic() >= self._forget_at:
            before = datetime.now(UTC) - timedelta(days=self._services.settings.keep_calls)
            gone = forget_texts(self._services.database, before=before)
            self._forget_at = time.monotonic() + (0.0 if gone else FORGET_EVERY_S)

    def _resend(self) -> None:
        self._free_keys()
        for role, (waiting, old) in sweeper.waiting_by_role(self._services.database, grace_s=GRACE_S).items():
            if old:
                _resend(self._services, role, waiting)

    def _advance(self, jobs: list[UUID]) -> None:
        """Advance each job in its own `try`. Raises `Unavailable`, which no job causes."""
        for job_id in dict.fromkeys(jobs):
            try:
                advance_and_publish(self._services, job_id)
                self._failing.pop(job_id, None)
            except Unavailable:
                raise
            except NotFound:
                self._failing.pop(job_id, None)
            except Exception as error:
                self._failed(job_id, error)

    def _failed(self, job_id: UUID, error: Exception) -> None:
        tries = self._failing.get(job_id, (0, 0.0))[0] + 1
        log.warning("job_not_advanced", job_id=str(job_id), tries=tries, error=type(error).__name__, reason=str(error)[:300])
        if tries < TRIES:
            pause_s = min(self._services.settings.sweep_s * 2 ** (tries - 1), LONGEST_PAUSE_S)
            self._failing[job_id] = (tries, time.monotonic() + pause_s)
            return
        set_aside(self._services.database, job_id, error, during=term("fleet.during.deciding"))
        self._failing.pop(job_id, None)

    def _publish(self, steps: list[QueuedStep]) -> None:
        """Role by role: a role whose queue cannot be written to does not keep the others from their messages."""
        for role in dict.fromkeys(step.role for step in steps):
            self._services.publisher.run_steps([step for step in steps if step.role == role])


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
        metrics.count(metrics.RESENT, len(steps), role=role)
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
