"""Plain JSON submissions on Redis: a separate stream, read at least once. Producers never touch a Celery queue.

Any client does `XADD bullpen:jobs * body '{"job": {...}}'`. An entry leaves the stream only after it is a durable job or
in quarantine; entries that a dead coordinator had read are claimed by another coordinator.
"""

import threading
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from redis.exceptions import RedisError, ResponseError

from contracts.commands import NewerVersion
from workers.app.celery_submissions import SUBMIT_TASK
from workers.app.entries import Entry
from workers.app.key_types import WRONG_TYPE, keep_wrong_types, set_wrong_types_aside
from workers.app.queues import JOBS_STREAM
from workers.app.redis_parser import bounded_parser
from workers.app.relay import read_entry
from workers.app.services import ProcessServices
from workers.app.stream_reading import LookAhead, read_next
from workers.app.submissions import refuse, take_submission
from workers.app.taking import in_turn, take_many
from workers.blackboard import quarantine
from workers.errors import Unavailable
from workers.loggers import get_logger
from workers.settings import Settings

if TYPE_CHECKING:
    from redis import Redis

log = get_logger(__name__)

GROUP = "bullpen"
BLOCK_MS = 1000
BATCH = 20
LARGE_BATCH = 400
"""Entries that are read and written together while there is a queue; one statement writes them, in some 0.1 s."""
WINDOW = 500
"""Entries that are looked at further back in the queue, between two batches."""
MOST_ITEMS = 128
"""Elements of one list in Redis' answer, so 64 fields of an entry and more entries than a batch; further ones are dropped unread."""
RECLAIM_IDLE_MS = 5_000
"""An entry that a coordinator read this long ago without an end is taken over."""
MOST_DELIVERIES = 20
"""Times that an entry is read and fails before it goes to quarantine, as the delivery limit of the queues on RabbitMQ."""


class RedisIntake(threading.Thread):
    """Reads the stream until `stop` is set. Survives a broker that restarts, also one that forgot everything."""

    def __init__(self, services: ProcessServices, stop: threading.Event) -> None:
        super().__init__(name="bullpen-intake", daemon=True)
        self._services = services
        self._stopping = stop
        self._consumer = services.worker_name
        self._client = bounded_client(services.settings)

    def run(self) -> None:
        """Read until the stop event is set."""
        pause_s = 0.2
        while not self._stopping.is_set():
            try:
                self._read(self._client)
                pause_s = 0.2
            except Exception as error:  # no broker, database or message may end the intake
                log.warning("intake_reconnecting", error=type(error).__name__, reason=str(error)[:200])
                self._client.connection_pool.disconnect()  # it may be a replica now, and its address lead to another server
                self._stopping.wait(pause_s)
                pause_s = min(pause_s * 2, 5.0)

    def _read(self, client: "Redis") -> None:
        self._ensure_group(client)
        ahead = LookAhead(client, JOBS_STREAM, message_bytes=self._services.settings.message_bytes)
        mine: Any = client.xreadgroup(GROUP, self._consumer, {JOBS_STREAM: "0"}, count=BATCH)  # read before an error, and not done
        if mine:
            self._take_all(client, mine[0][1])
        reclaim_at, cursor = 0.0, b"0-0"
        while not self._stopping.is_set():
            if time.monotonic() >= reclaim_at:
                claimed: Any = client.xautoclaim(JOBS_STREAM, GROUP, self._consumer, RECLAIM_IDLE_MS, start_id=cursor, count=BATCH)
                cursor = claimed[0]  # entries that wait, e.g. for a newer release, do not hide those behind them
                self._take_all(client, claimed[1])
                reclaim_at = time.monotonic() + (RECLAIM_IDLE_MS / 1000 if cursor == b"0-0" else 0.0)
            try:
                found: Any = client.xreadgroup(GROUP, self._consumer, {JOBS_STREAM: ">"}, count=BATCH, block=BLOCK_MS)
                entries: list[Any] = found[0][1] if found else []
                if len(entries) == BATCH:  # there is a queue
                    entries += read_next(client, JOBS_STREAM, GROUP, self._consumer, count=LARGE_BATCH - BATCH)
            except ResponseError as error:
                if not str(error).startswith(("NOGROUP", WRONG_TYPE, "UNBLOCKED")):
                    raise
                self._ensure_group(client)  # the broker lost its memory, or somebody overwrote the stream
                continue
            self._take_all(client, entries)
            if len(entries) > BATCH:
                self._look_ahead(client, ahead)

    def _look_ahead(self, client: "Redis", ahead: LookAhead) -> None:
        """In a long queue, take what is urgent and what is of other owners, wherever in the queue it is. These entries are of no consumer
        yet; if another coordinator reads one in this moment, it finds the job by the entry's name."""
        for window in (ahead.newest(WINDOW), ahead.further(WINDOW)):
            chosen = in_turn(self._entries(window), most=LARGE_BATCH // 2)
            self._done(client, take_many(self._services, chosen))

    def _take_all(self, client: "Redis", entries: list[Any]) -> None:
        """Take these, most of them together. What is left is taken one by one, and stays in the stream if that fails."""
        plain = self._entries(entries)
        done: set[str] = set()
        if len(plain) > 1:
            try:
                done = take_many(self._services, plain)
            except (Unavailable, RedisError):
                raise
            except Exception as error:  # one of them makes the statement fail
                log.warning("batch_not_taken", count=len(plain), error=type(error).__name__, reason=str(error)[:200])
        for entry_id, fields in entries:
            name = entry_id.decode()
            if name not in done and (fields is None or self._taken(client, entry_id, fields)):
                done.add(name)
        self._done(client, done)

    def _done(self, client: "Redis", names: set[str]) -> None:
        """These are jobs or in quarantine."""
        if names:
            pipe = client.pipeline()
            pipe.xack(JOBS_STREAM, GROUP, *names)
            pipe.xdel(JOBS_STREAM, *names)
            pipe.execute()

    def _taken(self, client: "Redis", entry_id: bytes, fields: dict[bytes, bytes]) -> bool:
        """`_take` in a guard of its own: an entry that fails stays in the stream and is tried again later; the next ones are taken. After
        `MOST_DELIVERIES` it goes to quarantine."""
        try:
            return self._take(entry_id, fields)
        except (Unavailable, RedisError):
            raise
        except Exception as error:
            log.warning("entry_not_taken", entry=entry_id.decode(), error=type(error).__name__, reason=str(error)[:200])
            return self._given_up(client, entry_id, fields, type(error).__name__)

    def _given_up(self, client: "Redis", entry_id: bytes, fields: dict[bytes, bytes], cause: str) -> bool:
        """Put an entry that failed too often into quarantine; False: it is tried again."""
        pending: Any = client.xpending_range(JOBS_STREAM, GROUP, min=entry_id, max=entry_id, count=1)
        deliveries = int(pending[0]["times_delivered"]) if pending else 0
        if deliveries < MOST_DELIVERIES:
            return False
        message = f"The entry was read {deliveries} times and could not be taken."
        quarantine.put(
            self._services.database, source=JOBS_STREAM, cause=cause, message=message, body=fields.get(b"body") or _shown(fields)
        )
        return True

    def _entries(self, found: list[Any]) -> list[Entry]:
        """Those that can be read."""
        entries: list[Entry] = []
        for entry_id, fields in found:
            with suppress(Exception):  # `_take` says what is wrong with it
                entries.append(self._entry(entry_id, fields or {}))
        return entries

    def _entry(self, entry_id: bytes, fields: dict[bytes, bytes]) -> Entry:
        return read_entry(entry_id.decode(), fields, message_bytes=self._services.settings.message_bytes)

    def _take(self, entry_id: bytes, fields: dict[bytes, bytes]) -> bool:
        """True when the entry is done with. False: it waits for a newer release."""
        put_aside = partial(quarantine.put, self._services.database)
        try:
            entry = self._entry(entry_id, fields)
        except LookupError:
            put_aside(source=JOBS_STREAM, cause="NoBody", message="The entry has no field `body`.", body=_shown(fields))
            return True
        except ValueError as error:  # not a submission
            put_aside(source=SUBMIT_TASK, cause=type(error).__name__, message=str(error), body=fields[b"task"])
            return True
        try:
            take_submission(
                self._services, entry.body, source=entry.source, message_id=entry.message_id, correlation_id=entry.correlation_id
            )  # fmt: skip
        except NewerVersion as error:
            age_s = time.time() - int(entry_id.split(b"-")[0]) / 1000
            if age_s < self._services.settings.newer_message_wait_s:
                return False
            refuse(self._services, entry.body, error, source=entry.source, correlation_id=entry.correlation_id)
        return True

    def _ensure_group(self, client: "Redis") -> None:
        """Make the stream and its group. Another kind of value under the stream's name is renamed, and said in quarantine."""
        keep_wrong_types(self._services.database, set_wrong_types_aside(client, {JOBS_STREAM: "stream"}))
        try:
            client.xgroup_create(JOBS_STREAM, GROUP, id="0", mkstream=True)
        except ResponseError as error:
            if "BUSYGROUP" not in str(error):
                raise


def _shown(fields: dict[bytes, bytes]) -> bytes:
    """The beginning of an entry's fields, for quarantine."""
    shown = "{" + ", ".join(f"{bytes(name[:200])!r}: {bytes(value[:200])!r}" for name, value in fields.items()) + "}"
    return shown.encode()


def bounded_client(settings: Settings) -> "Redis":
    """A client that holds no more of a value than a message may have, and of an entry's fields only the first."""
    from redis import Redis

    parser = bounded_parser(most_bytes=settings.message_bytes, most_items=MOST_ITEMS)
    return Redis.from_url(
        settings.broker_url or "", protocol=2, socket_connect_timeout=5, health_check_interval=25, parser_class=parser
    )  # fmt: skip
