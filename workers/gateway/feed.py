"""Wakes the readers of a job when it changed: one LISTEN connection for a whole process, however many streams are open.

A notification may be lost, so readers look again every `POLL_S` without one.
"""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import AsyncGenerator, Generator
from uuid import UUID

import psycopg
import structlog

from workers.blackboard.notify import CHANNEL

log = structlog.get_logger()

POLL_S = 2.0
_RETRY_S = 1.0


class Feed:
    """Who waits for which job."""

    def __init__(self, database_url: str) -> None:
        self._url = "postgresql://" + database_url.split("://", 1)[1]
        self._waiting: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def is_closing(self) -> bool:
        """The process ends: streams say goodbye."""
        return self._closing.is_set()

    @property
    def streams(self) -> int:
        """How many readers wait now."""
        return sum(map(len, self._waiting.values()))

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Listen while the block runs."""
        self._task = asyncio.create_task(self._listen(), name="bullpen-feed")
        try:
            yield
        finally:
            self.close()
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    def close(self) -> None:
        """Wake everybody for the last time."""
        self._closing.set()
        self._wake_all()

    @contextlib.contextmanager
    def subscribed(self, job_id: UUID) -> Generator["Subscription"]:
        """A subscription to one job, for as long as the block runs."""
        woken = asyncio.Event()
        self._waiting[str(job_id)].add(woken)
        try:
            yield Subscription(self, woken)
        finally:
            others = self._waiting[str(job_id)]
            others.discard(woken)
            if not others:
                del self._waiting[str(job_id)]

    def _wake_all(self) -> None:
        for events in self._waiting.values():
            for event in events:
                event.set()

    async def _listen(self) -> None:
        while not self._closing.is_set():
            try:
                connection = await psycopg.AsyncConnection.connect(
                    self._url, autocommit=True, connect_timeout=10, application_name="bullpen-gateway-feed"
                )
                async with connection:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    self._wake_all()  # what happened while nobody listened
                    async for note in connection.notifies():
                        for job_id in note.payload.split(","):
                            for event in self._waiting.get(job_id, ()):
                                event.set()
            except psycopg.Error as error:
                log.warning("feed_lost", error=type(error).__name__)
                await asyncio.sleep(_RETRY_S)


class Subscription:
    """One reader's wait for one job."""

    def __init__(self, feed: Feed, woken: asyncio.Event) -> None:
        self._feed = feed
        self._woken = woken

    async def wait(self, most_s: float = POLL_S) -> bool:
        """Until the job changed or the time is over; whether it is worth going on (the process does not end)."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._woken.wait(), most_s)
        self._woken.clear()
        return not self._feed.is_closing
