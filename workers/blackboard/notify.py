"""NOTIFY, in batches and in a transaction of its own: writers never wait for its lock.

Readers hear of a change within 50 ms; while changes keep coming, within 250 ms. A notice that a crash of Postgres takes
away is no loss (readers poll as well), so its transaction does not wait for the disk.
"""

import threading
from uuid import UUID

import structlog

from workers.blackboard.engine import Database
from workers.errors import BullpenError

log = structlog.get_logger()

CHANNEL = "bullpen_jobs"
BATCH_S = 0.05
PAUSE_S = 0.2
"""Between two notices of a process."""
IDS_A_NOTIFY = 200
"""A payload has less than 8,000 bytes; an id and its comma have 37."""

_NOTIFY = "SELECT set_config('synchronous_commit', 'off', true), pg_notify(%(channel)s, %(payload)s)"


class Notifier:
    """Collects the jobs that changed and tells listeners of them. The thread starts with the first one."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._changed: set[UUID] = set()
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._closing = threading.Event()

    def changed(self, job_id: UUID) -> None:
        """Tell the listeners soon that this job has something new. Never raises, never waits."""
        with self._lock:
            self._changed.add(job_id)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="bullpen-notify", daemon=True)
                self._thread.start()
        self._wake.set()

    def close(self) -> None:
        """Tell what is left and end the thread, without a pause."""
        with self._lock:
            self._closing.set()
            thread = self._thread
        self._wake.set()
        if thread is not None:
            thread.join(timeout=2.0)

    def _run(self) -> None:
        while not self._closing.is_set() or self._changed:
            self._wake.wait()
            self._wake.clear()
            self._closing.wait(BATCH_S)
            with self._lock:
                ids, self._changed = sorted(self._changed), set()
            for start in range(0, len(ids), IDS_A_NOTIFY):
                payload = ",".join(str(job_id) for job_id in ids[start : start + IDS_A_NOTIFY])
                try:
                    self._db.statement(_NOTIFY, {"channel": CHANNEL, "payload": payload})
                except BullpenError as error:  # readers poll as well
                    log.warning("notify_failed", reason=str(error))
            self._closing.wait(PAUSE_S)
