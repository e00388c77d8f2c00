"""Plain JSON submissions on Redis: a stream of our own, read at least once. Outsiders never touch a Celery queue.

Any client does `XADD bullpen:jobs * body '{"job": {...}}'`. An entry leaves the stream only after it is a durable job or
stands in quarantine; what a dead coordinator had read is claimed by another.
"""

import threading
import time
from typing import TYPE_CHECKING, Any

import structlog
from redis.exceptions import ResponseError

from contracts.commands import NewerVersion
from workers.app.queues import JOBS_STREAM
from workers.app.services import ProcessServices
from workers.app.submissions import refuse, take_submission
from workers.blackboard import quarantine

if TYPE_CHECKING:
    from redis import Redis

log = structlog.get_logger()

GROUP = "bullpen"
BLOCK_MS = 1000
BATCH = 20
RECLAIM_IDLE_MS = 5_000
"""An entry that a coordinator read this long ago without an end is taken over."""


class RedisIntake(threading.Thread):
    """Reads the stream until `stop` is set. Survives a broker that restarts, also one that forgot everything."""

    def __init__(self, services: ProcessServices, stop: threading.Event) -> None:
        super().__init__(name="bullpen-intake", daemon=True)
        self._services = services
        self._stopping = stop
        self._consumer = services.worker_name

    def run(self) -> None:
        """Until told to stop."""
        pause_s = 0.2
        while not self._stopping.is_set():
            try:
                self._read(self._services.redis)
                pause_s = 0.2
            except Exception as error:  # the intake lives on, whatever a broker, a database or a message does
                log.warning("intake_reconnecting", error=type(error).__name__, reason=str(error)[:200])
                self._stopping.wait(pause_s)
                pause_s = min(pause_s * 2, 5.0)

    def _read(self, client: "Redis") -> None:
        _ensure_group(client)
        mine: Any = client.xreadgroup(GROUP, self._consumer, {JOBS_STREAM: "0"}, count=BATCH)  # read before an error, and not done
        if mine:
            self._take_all(client, mine[0][1])
        reclaim_at = 0.0
        while not self._stopping.is_set():
            if time.monotonic() >= reclaim_at:
                reclaim_at = time.monotonic() + RECLAIM_IDLE_MS / 1000
                claimed: Any = client.xautoclaim(JOBS_STREAM, GROUP, self._consumer, RECLAIM_IDLE_MS, count=BATCH)
                self._take_all(client, claimed[1])
            try:
                found: Any = client.xreadgroup(GROUP, self._consumer, {JOBS_STREAM: ">"}, count=BATCH, block=BLOCK_MS)
            except ResponseError as error:
                if "NOGROUP" not in str(error):
                    raise
                _ensure_group(client)  # the broker lost its memory
                continue
            if found:
                self._take_all(client, found[0][1])

    def _take_all(self, client: "Redis", entries: list[Any]) -> None:
        for entry_id, fields in entries:
            if fields is not None and not self._take(entry_id, fields):
                continue
            pipe = client.pipeline()
            pipe.xack(JOBS_STREAM, GROUP, entry_id)
            pipe.xdel(JOBS_STREAM, entry_id)
            pipe.execute()

    def _take(self, entry_id: bytes, fields: dict[bytes, bytes]) -> bool:
        """True when the entry is done with. False: it waits for a newer release."""
        body = fields.get(b"body")
        if body is None:
            shown = repr(fields).encode()
            quarantine.put(
                self._services.database, source=JOBS_STREAM, cause="NoBody", message="The entry has no field `body`.", body=shown
            )
            return True
        try:
            take_submission(self._services, body, source=JOBS_STREAM, message_id=entry_id.decode())
        except NewerVersion as error:
            age_s = time.time() - int(entry_id.split(b"-")[0]) / 1000
            if age_s < self._services.settings.newer_message_wait_s:
                return False
            refuse(self._services, body, error, source=JOBS_STREAM)
        return True


def _ensure_group(client: "Redis") -> None:
    try:
        client.xgroup_create(JOBS_STREAM, GROUP, id="0", mkstream=True)
    except ResponseError as error:
        if "BUSYGROUP" not in str(error):
            raise
