"""Sends NOTIFY in batches and in separate transactions, so that writers never wait for its lock.

Readers learn of a change within 20 ms, or within 60 ms while many changes arrive. If a crash of Postgres loses a
notification, readers still see the change because they also poll. So the transaction does not wait for the disk.
"""

import threading
from abc import ABC, abstractmethod
from uuid import UUID

from workers.blackboard.engine import Database
from workers.errors import BullpenError
from workers.loggers import get_logger

log = get_logger(__name__)

CHANNEL = "bullpen_jobs"
BATCH_S = 0.02
PAUSE_S = 0.04
"""Seconds between two notifications of a process."""
IDS_A_NOTIFY = 200
"""Jobs in a notification. A payload must be shorter than 8,000 bytes, and an id with its comma has 37 bytes."""

NOTIFY = "SELECT set_config('synchronous_commit', 'off', true), pg_notify(%(channel)s, %(payload)s)"


class Sending(ABC):
    """Sends what is collected, some moments after the first of it. Its thread starts with the first."""

    thread_name: str
    batch_s: float
    """Seconds for which is collected."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._closing = threading.Event()

    def close(self) -> None:
        """Send what waits at once and end the thread."""
        with self._lock:
            self._closing.set()
            thread = self._thread
        self._wake.set()
        if thread is not None:
            thread.join(timeout=2.0)

    def _start(self) -> None:
        """Under the lock, when something was collected."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name=self.thread_name, daemon=True)
            self._thread.start()
        self._wake.set()

    def _run(self) -> None:
        while not self._closing.is_set() or self._waits():
            self._wake.wait()
            self._wake.clear()
            self._closing.wait(self.batch_s)
            self.flush()

    @abstractmethod
    def _waits(self) -> bool:
        """Whether something was collected."""

    @abstractmethod
    def flush(self) -> None:
        """Send what waits."""


class Notifier(Sending):
    """Collects the ids of changed jobs and notifies listeners."""

    thread_name = "bullpen-notify"
    batch_s = BATCH_S

    def __init__(self, db: Database) -> None:
        super().__init__()
        self._db = db
        self._changed: set[UUID] = set()

    def changed(self, job_id: UUID) -> None:
        """Notify the listeners of a change in this job soon. Never raises and never blocks."""
        with self._lock:
            self._changed.add(job_id)
            self._start()

    def _waits(self) -> bool:
        return bool(self._changed)

    def flush(self) -> None:
        """Send what waits, then pause."""
        with self._lock:
            ids, self._changed = sorted(self._changed), set()
        for start in range(0, len(ids), IDS_A_NOTIFY):
            payload = ",".join(str(job_id) for job_id in ids[start : start + IDS_A_NOTIFY])
            try:
                self._db.statement(NOTIFY, {"channel": CHANNEL, "payload": payload})
            except BullpenError as error:  # readers poll as well
                log.warning("notify_failed", reason=str(error))
        self._closing.wait(PAUSE_S)
