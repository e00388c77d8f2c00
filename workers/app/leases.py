"""Leases of the steps this process runs: one thread renews them all, and tells a step when it is no longer its own."""

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from workers import metrics
from workers.blackboard.engine import Database
from workers.blackboard.steps import renew
from workers.loggers import get_logger

log = get_logger(__name__)


@dataclass(slots=True)
class Held:
    """A step that a thread of this process runs."""

    token: UUID
    deadline: float
    """Monotonic seconds; past it the lease is not renewed any more."""
    lost: bool = False


class LeaseKeeper:
    """Renews every held lease each third of its length. A thread cannot be killed: a step past its deadline is given up
    by not renewing it, and when half of the slots are stuck so, `on_stuck` is called (the process should be replaced)."""

    def __init__(self, db: Database, *, lease_s: float, slots: int, on_stuck: Callable[[], None]) -> None:
        self._db = db
        self._lease_s = lease_s
        self._slots = slots
        self._on_stuck = on_stuck
        self._held: dict[UUID, Held] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._reported = False

    def hold(self, token: UUID, timeout_s: float) -> Held:
        """Begin to renew this token."""
        held = Held(token, time.monotonic() + timeout_s)
        with self._lock:
            self._held[token] = held
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="bullpen-leases", daemon=True)
                self._thread.start()
        return held

    def release(self, token: UUID) -> None:
        """The step has ended."""
        with self._lock:
            self._held.pop(token, None)

    def holding(self) -> int:
        """How many steps this process runs now."""
        with self._lock:
            return len(self._held)

    def renew_now(self) -> None:
        """One round: renew, mark what was lost, count what is stuck."""
        with self._lock:
            held = [item for item in self._held.values() if not item.lost]
        if held:
            try:
                kept = renew(self._db, [item.token for item in held], lease_s=self._lease_s)
            except Exception as error:  # this thread has to live as long as the process: without it every step is run twice
                log.warning("renewal_failed", error=type(error).__name__, reason=str(error)[:200])
                return
            for item in held:
                if item.token not in kept:
                    item.lost = True
                    metrics.count(metrics.LEASES_LOST)
        now = time.monotonic()
        with self._lock:
            stuck = sum(1 for item in self._held.values() if now > item.deadline)
        if stuck and stuck * 2 >= self._slots and not self._reported:
            self._reported = True
            log.error("process_stuck", stuck=stuck, slots=self._slots, pid=os.getpid())
            self._on_stuck()

    def _run(self) -> None:
        while True:
            time.sleep(self._lease_s / 3)
            self.renew_now()
