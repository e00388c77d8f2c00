"""Commands that cannot be done here now wait in memory, and hold no slot: those of a newer version, and steps that have lost a process
while another such step runs here. The worker goes on with the others meanwhile.

They come back to their queue after a while, for a worker that can. If this process ends first they are lost with it, and made
again from the rows.
"""

import threading
import time
from heapq import heappop, heappush
from typing import Any

from celery import Celery

from workers.loggers import get_logger

log = get_logger(__name__)

MOST = 5_000
"""Held at once; what comes beyond is dropped. Some 2 MB."""
SHORTEST_S, LONGEST_S = 1.0, 30.0
SHARE = 0.25
"""A message waits for this part of the time that it has waited already, so that it costs less the longer no worker can read it."""


class PutOff:
    """Sends messages again, each when its time has come. Safe to share between threads."""

    def __init__(self, app: Celery) -> None:
        self._app = app
        self._due: list[tuple[float, int, str, dict[str, Any]]] = []
        self._count = 0
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def later(self, queue: str, message: dict[str, Any], *, age_s: float) -> bool:
        """Send the message again, later, to a queue and the task of the same name. False: too many wait already."""
        pause_s = min(max(SHARE * age_s, SHORTEST_S), LONGEST_S)
        with self._changed:
            if len(self._due) >= MOST:
                return False
            self._count += 1
            heappush(self._due, (time.monotonic() + pause_s, self._count, queue, message))
            if self._thread is None:  # not before a fork
                self._thread = threading.Thread(target=self._run, name="bullpen-put-off", daemon=True)
                self._thread.start()
            self._changed.notify()
        return True

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._due or self._due[0][0] > time.monotonic():
                    self._changed.wait(self._due[0][0] - time.monotonic() if self._due else None)
                _, _, queue, message = heappop(self._due)
            try:
                self._app.send_task(queue, args=(message,), queue=queue, ignore_result=True)
            except Exception as error:  # each broker client raises its own; the rows make the message again
                log.warning("not_sent_again", queue=queue, error=type(error).__name__, reason=str(error)[:200])
