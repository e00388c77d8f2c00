"""NOTIFY, in batches and in a transaction of its own: readers hear within 50 ms, and writers never wait for its lock."""

import threading
from uuid import UUID

import structlog

from workers.blackboard.engine import Database
from workers.errors import BullpenError

log = structlog.get_logger()

CHANNEL = "bullpen_jobs"
BATCH_S = 0.05
IDS_A_NOTIFY = 200
"""A payload has less than 8,000 bytes; an id and its comma have 37."""


class Notifier:
    """Collects the jobs that changed and tells listeners of them. The thread starts with the first one."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._changed: set[UUID] = set()
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    def changed(self, job_id: UUID) -> None:
        """Tell the listeners soon that this job has something new. Never raises, never waits."""
        with self._lock:
            self._changed.add(job_id)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="bullpen-notify", daemon=True)
                self._thread.start()
        self._wake.set()

    def _run(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            threading.Event().wait(BATCH_S)
            with self._lock:
                ids, self._changed = sorted(self._changed), set()
            for start in range(0, len(ids), IDS_A_NOTIFY):
                payload = ",".join(str(job_id) for job_id in ids[start : start + IDS_A_NOTIFY])
                try:
                    self._db.statement("SELECT pg_notify(%(channel)s, %(payload)s)", {"channel": CHANNEL, "payload": payload})
                except BullpenError as error:  # readers poll as well
                    log.warning("notify_failed", reason=str(error))
