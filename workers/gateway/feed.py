"""What happens to the jobs that somebody watches: one LISTEN connection and one reader for a whole process, however many streams are open.

The reader asks for all jobs that changed since its last look in one statement, and hands each reader of a job the same texts. A
notification may be lost, so everything that is watched is looked at again every `POLL_S`. A reader that is slower than its job loses
nothing: what it was handed is dropped, and it reads the rows itself.
"""

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import AsyncGenerator, Generator, Sequence
from dataclasses import dataclass, field
from typing import LiteralString
from uuid import UUID

import psycopg

from contracts.base import Json
from workers.blackboard.engine import Database
from workers.blackboard.live import ANSWER_DELTA, CALL
from workers.blackboard.live import CHANNEL as LIVE
from workers.blackboard.notify import CHANNEL
from workers.errors import BullpenError
from workers.gateway.access.keys import REVOKED, WORKS
from workers.gateway.access.known_keys import KnownKeys
from workers.gateway.messages import event_messages
from workers.loggers import get_logger
from workers.reading.events import EventTail, JobState, read_tails

log = get_logger(__name__)

POLL_S = 2.0
JOBS_AT_ONCE = 500
"""Jobs of one statement."""
MOST_HANDED = 200
"""Batches that wait for one reader before they are dropped, and the reader reads the rows itself."""
MOST_LIVE = 500
"""Words and calls that wait for one reader before the oldest are dropped: they are not kept anywhere."""
KEYS_EVERY_S = 30.0
"""Seconds between two looks whether the keys of open streams are still valid: they may have expired."""
_RETRY_S = 1.0

_VALID: LiteralString = "SELECT k.id FROM api_keys k WHERE k.id = ANY(%(ids)s) AND " + WORKS  # noqa: S608  made of constants


@dataclass(frozen=True, slots=True)
class Batch:
    """Events of a job as texts, and the state after them."""

    after: int
    """The revision before the first of them."""
    texts: tuple[tuple[int, str], ...]
    state: JobState
    last_rev: int


@dataclass(slots=True, eq=False)
class Subscription:
    """One reader of one job."""

    key_id: str
    _woken: asyncio.Event = field(default_factory=asyncio.Event)
    _handed: deque[Batch] = field(default_factory=deque[Batch])
    wants_live: bool = False
    """Whether the reader is sent what happens inside of steps too."""
    _live: deque[Json] = field(default_factory=lambda: deque[Json](maxlen=MOST_LIVE))
    is_behind: bool = False
    """The reader has to read the rows itself: it was too slow, or came in between."""
    is_over: bool = False
    """The stream ends: the process does, or the key is not valid any more."""

    def hand(self, batch: Batch) -> None:
        """Give the reader a batch."""
        if self.is_behind:
            return
        if len(self._handed) >= MOST_HANDED:
            self.fall_behind()
        else:
            self._handed.append(batch)
        self._woken.set()

    def hand_live(self, message: Json) -> None:
        """Give the reader what is not stored: see `workers.blackboard.live`. A reader that is too slow misses some of it."""
        if self.wants_live:
            self._live.append(message)
            self._woken.set()

    def take_live(self) -> list[Json]:
        """What was handed of it since the last call."""
        taken = list(self._live)
        self._live.clear()
        return taken

    def fall_behind(self) -> None:
        """Drop what was handed."""
        self._handed.clear()
        self.is_behind = True
        self._woken.set()

    def end(self) -> None:
        """Let the stream end."""
        self.is_over = True
        self._woken.set()

    async def wait(self, most_s: float) -> list[Batch]:
        """What was handed since the last call, after at most this time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(most_s):
                await self._woken.wait()
        self._woken.clear()
        taken = list(self._handed)
        self._handed.clear()
        return taken


@dataclass(slots=True)
class _Watched:
    after: int
    state: JobState | None = None
    readers: set[Subscription] = field(default_factory=set[Subscription])


class Feed:
    """Who watches which job."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.keys = KnownKeys(db)
        """Here, since the feed has the connection that hears of revoked ones."""
        self._url = "postgresql://" + db.url.split("://", 1)[1]
        self._jobs: dict[UUID, _Watched] = {}
        self._woken: set[UUID] = set()
        self._wake = asyncio.Event()
        self._closing = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def is_closing(self) -> bool:
        """The process ends: streams say goodbye."""
        return self._closing.is_set()

    @property
    def streams(self) -> int:
        """How many readers there are."""
        return sum(len(watched.readers) for watched in self._jobs.values())

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Listen and read while the block runs."""
        self._tasks = [asyncio.create_task(work, name="bullpen-feed") for work in (self._listen(), self._pump(), self._check_keys())]
        try:
            yield
        finally:
            self.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def close(self) -> None:
        """End every stream."""
        self._closing.set()
        for watched in self._jobs.values():
            for reader in watched.readers:
                reader.end()

    @contextlib.contextmanager
    def subscribed(self, job_id: UUID, after: int, key_id: str, *, live: bool = False) -> Generator[Subscription]:
        """A subscription to what happens to a job after a revision that the reader has, for as long as the block runs. `live`: also to
        words of answers and calls as they come."""
        mine = Subscription(key_id, wants_live=live)
        watched = self._jobs.setdefault(job_id, _Watched(after))
        if watched.after > after:
            mine.is_behind = True  # the others were handed what this reader has not seen
        watched.readers.add(mine)
        if self.is_closing:
            mine.end()
        self._woken.add(job_id)  # something may have happened since the reader looked
        self._wake.set()
        try:
            yield mine
        finally:
            watched.readers.discard(mine)
            if not watched.readers:
                self._jobs.pop(job_id, None)

    async def _pump(self) -> None:
        while not self.is_closing:
            try:
                async with asyncio.timeout(POLL_S):
                    await self._wake.wait()
                looked_at = self._woken & self._jobs.keys()
            except TimeoutError:
                looked_at = set(self._jobs)
            self._wake.clear()
            self._woken.clear()
            waiting = list(looked_at)
            while waiting:
                job_ids, waiting = waiting[:JOBS_AT_ONCE], waiting[JOBS_AT_ONCE:]
                try:
                    await self._read_apart(job_ids)
                except BullpenError as error:
                    log.warning("feed_not_read", reason=str(error)[:200])
                    await asyncio.sleep(_RETRY_S)
                    self._woken.update(looked_at)

    async def _read_apart(self, job_ids: Sequence[UUID]) -> None:
        """Read them; a job that cannot be read does not stop the streams of the others. Raises `BullpenError`."""
        try:
            await self._read(job_ids)
        except BullpenError:
            raise
        except Exception as error:  # nobody watches this task: an error that ends it ends every stream
            if len(job_ids) == 1:
                log.exception("feed_job_not_read", job_id=str(job_ids[0]), error=type(error).__name__)
                return
            middle = len(job_ids) // 2
            await self._read_apart(job_ids[:middle])
            await self._read_apart(job_ids[middle:])

    async def _read(self, job_ids: Sequence[UUID]) -> None:
        after = {job_id: self._jobs[job_id].after for job_id in job_ids if job_id in self._jobs}
        if not after:
            return
        for job_id, tail in (await asyncio.to_thread(read_tails, self._db, after)).items():
            watched = self._jobs.get(job_id)
            if watched is None or watched.after != after[job_id]:
                continue
            self._hand(watched, tail)
            if tail.more:
                self._woken.add(job_id)
                self._wake.set()

    def _hand(self, watched: _Watched, tail: EventTail) -> None:
        if tail.gap is not None:
            for reader in watched.readers:
                reader.fall_behind()
        elif tail.events or tail.state != watched.state:
            texts = event_messages(tail.events)
            batch = Batch(watched.after, texts, tail.state, tail.last_rev)
            for reader in watched.readers:
                reader.hand(batch)
        watched.after, watched.state = tail.last_rev, tail.state

    async def _listen(self) -> None:
        while not self.is_closing:
            try:
                connection = await psycopg.AsyncConnection.connect(
                    self._url, autocommit=True, connect_timeout=10, application_name="bullpen-gateway-feed"
                )
                async with connection:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    await connection.execute(f"LISTEN {REVOKED}")
                    await connection.execute(f"LISTEN {LIVE}")
                    self.keys.hear(hears=True)
                    self._woken.update(self._jobs)  # what happened while nobody listened
                    self._wake.set()
                    async for note in connection.notifies():
                        if note.channel == REVOKED:
                            self._end_key(note.payload)
                        elif note.channel == LIVE:
                            self._hand_live(note.payload)
                        else:
                            self._notice(note.payload)
            except psycopg.Error as error:
                self.keys.hear(hears=False)
                log.warning("feed_lost", error=type(error).__name__)
                await asyncio.sleep(_RETRY_S)

    def _notice(self, payload: str) -> None:
        for text in payload.split(","):
            with contextlib.suppress(ValueError):
                job_id = UUID(text)
                if job_id in self._jobs:
                    self._woken.add(job_id)
                    self._wake.set()

    def _hand_live(self, payload: str) -> None:
        with contextlib.suppress(ValueError, KeyError, TypeError):
            message = json.loads(payload)
            watched = self._jobs.get(UUID(message["job_id"]))
            if watched is not None and message["kind"] in (ANSWER_DELTA, CALL):
                for reader in watched.readers:
                    reader.hand_live(message)

    def _end_key(self, key_id: str) -> None:
        self.keys.forget(key_id)
        for watched in self._jobs.values():
            for reader in watched.readers:
                if reader.key_id == key_id:
                    reader.end()

    async def _check_keys(self) -> None:
        while not self.is_closing:
            await asyncio.sleep(KEYS_EVERY_S)
            readers = [reader for watched in self._jobs.values() for reader in watched.readers]
            ids = list({reader.key_id for reader in readers})
            if not ids:
                continue
            try:
                rows = await asyncio.to_thread(self._db.statement, _VALID, {"ids": ids})
            except BullpenError as error:
                log.warning("keys_not_checked", reason=str(error)[:200])
                continue
            valid = {row["id"] for row in rows}
            for reader in readers:
                if reader.key_id not in valid:
                    reader.end()
