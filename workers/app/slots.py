"""Slots: the threads of a worker's pool, which fetch their own messages.

Celery reads messages in one thread, which waits on an epoll of several connections, and hands each over to a pool of threads. A step of
ours costs so little that this was a third of it. Here one idle slot waits for messages, the *reader*. It takes as many as there are idle
slots, works on the first one itself, and wakes a slot for each of the others and one to read on. So a message that comes alone changes no
thread on its way. Everything that Celery does with a message is done as before, in the slot. See docs/adr/0003.

A process that serves roles and the coordinator has a second, small pool *aside* for the coordinator's queue, so that steps which wait for
a model in every slot hold up no decision.

While steps are short, the reader takes some messages ahead of the slots. What no slot began within half a second goes back to its queue.
And a slot may go on with what its own step left to do, without a message through the broker, a few times in a row.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, ClassVar, Protocol

from celery.concurrency.base import BasePool, apply_target

from workers.loggers import get_logger

log = get_logger(__name__)

SHORT_STEP_S = 0.05
"""Messages are taken ahead of the slots while a step takes less than this on average: they then wait for about that time."""
KEPT_S = 0.5
"""A message that was taken ahead and that no slot began within this time goes back to its queue, where any worker may take it."""
LOOK_S = 0.25
"""How often that is looked after."""
MOST_A_READ = 16
"""Messages that one process takes at once. The others may be for a process that has nothing to do."""
MOST_IN_A_ROW = 8
"""Works that a slot takes from itself before it takes another one: what is more urgent waits no longer for it."""
PAUSE_S = 0.5
"""After an error of the source."""
_WEIGHT = 0.2
"""Of the newest step in the average."""

Work = Callable[[], Any]


class _Here(threading.local):
    """What is known of the thread that asks."""

    pool: "SlotPool | None" = None
    """Whose slot it is."""
    follows: Work | None = None
    in_a_row = 0


_here = _Here()


class Taken(Protocol):
    """A message that was taken out of its queue."""

    def run(self) -> None:
        """Do what it says, to its end."""
        ...

    def put_back(self) -> bool:
        """Put it back into its queue, as the next one. False: that cannot be, so it has to be run here."""
        ...


class Source(Protocol):
    """Where the reader finds messages."""

    def read(self, most: int) -> list[Taken]:
        """At least one message and at most `most`; none after a short wait for the first one."""
        ...


class SlotPool(BasePool):
    """A pool of threads for Celery. What Celery applies to it by itself (a task with an ETA, say) runs in a slot too."""

    body_can_be_buffer = True
    signal_safe = False
    limit: int
    limit_aside: ClassVar[int] = 0
    """Slots of the pool aside."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._changed = threading.Condition(threading.Lock())
        self._work: deque[Work] = deque()
        self._ahead: deque[tuple[float, Taken]] = deque()
        """Messages that were taken and not begun, with the time (monotonic seconds)."""
        self._source: Source | None = None
        self._reading = False
        self._idle = 0
        self._closing = False
        self._step_s = float("inf")
        """How long a step took lately."""
        self._threads: list[threading.Thread] = []
        self.aside: SlotPool | None = SlotPool(self.limit_aside) if self.limit_aside else None

    def on_start(self) -> None:
        """Start the slots."""
        for number in range(self.limit):
            thread = threading.Thread(target=self._run, name=f"bullpen-slot-{number}", daemon=True)
            self._threads.append(thread)
            thread.start()
        if self.aside is not None:
            self.aside.on_start()

    def on_stop(self) -> None:
        """Wait for the steps at work. What was not begun stays unacknowledged, and Celery puts it back."""
        with self._changed:
            self._closing = True
            self._work.clear()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()
        if self.aside is not None:
            self.aside.on_stop()

    def on_apply(  # pyright: ignore[reportIncompatibleMethodOverride] celery-types say that it returns nothing
        self,
        target: Callable[..., Any],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
        callback: Callable[..., Any] | None = None,
        accept_callback: Callable[..., Any] | None = None,
        **_: Any,
    ) -> "Applied":
        """Run it: here, if this is a slot, which reads a message of its own; else in the next slot that is free."""

        def work() -> None:
            apply_target(target, args or (), kwargs, callback, accept_callback)

        if _here.pool is not None:
            _guarded(work)
        else:
            with self._changed:
                self._work.append(work)
                self._changed.notify()
        return Applied()

    def may_follow(self) -> bool:
        """Whether this thread is a slot that may be given its next work by the one that it does."""
        return (
            _here.pool is self
            and _here.in_a_row < MOST_IN_A_ROW
            and self._step_s < SHORT_STEP_S
            and self._source is not None
            and not self._closing
        )

    def follow(self, work: Work) -> None:
        """This slot's next work, before any other. Only where it `may_follow`."""
        _here.follows = work

    @property
    def finds_nothing(self) -> bool:
        """Whether a slot waits for messages and nothing that was read waits for a slot: then no queue has anything for this process."""
        return self._reading and not self._ahead

    def listen(self, source: Source) -> None:
        """Read from this source from now on."""
        with self._changed:
            self._source = source
            self._changed.notify()

    def stop_listening(self) -> None:
        """Read no more. Returns when the reader is back, and what it had taken ahead is in its queue again."""
        with self._changed:
            self._source = None
        while self._reading:  # not on the condition: it would take a wake-up that is meant for a slot
            time.sleep(0.02)
        self._put_back(before=float("inf"))

    def put_back_waiting(self) -> None:
        """Put back what has waited too long for a slot. Called every `LOOK_S`."""
        self._put_back(before=time.monotonic() - KEPT_S)

    def _put_back(self, *, before: float) -> None:
        with self._changed:
            late = [taken for taken_at, taken in self._ahead if taken_at < before]
            self._ahead = deque(item for item in self._ahead if item[0] >= before)
        self._return(late)

    def _run(self) -> None:
        _here.pool = self
        while (work := self._following() or self._next()) is not None:
            began = time.monotonic()
            _guarded(work)
            took_s = time.monotonic() - began
            self._step_s = took_s if self._step_s == float("inf") else self._step_s + _WEIGHT * (took_s - self._step_s)

    def _following(self) -> Work | None:
        work, _here.follows = _here.follows, None
        _here.in_a_row = 0 if work is None else _here.in_a_row + 1
        return work

    def _next(self) -> Work | None:
        """What this slot does next; None: the worker stops."""
        while True:
            with self._changed:
                while True:
                    if self._closing:
                        return None
                    if self._work:
                        return self._work.popleft()
                    if self._ahead:
                        return self._ahead.popleft()[1].run
                    source = self._source
                    if source is not None and not self._reading:
                        self._reading = True
                        break
                    self._idle += 1
                    self._changed.wait()
                    self._idle -= 1
                most = 1 + self._idle + (self.limit if self._step_s < SHORT_STEP_S else 0)
            self._read(source, min(most, MOST_A_READ))

    def _read(self, source: Source, most: int) -> None:
        found: list[Taken] = []
        try:
            found = source.read(most)
        except Exception as error:  # the thread that reads must outlive every fault of what it reads
            log.warning("messages_not_read", error=type(error).__name__, reason=str(error)[:200])
            time.sleep(PAUSE_S)
        now = time.monotonic()
        with self._changed:
            self._reading = False
            if self._source is source:
                self._ahead.extend((now, taken) for taken in found)
                found = []
            self._changed.notify(len(self._ahead))  # this slot takes one of them, and one of the others reads on
        self._return(found)

    def _return(self, unbegun: list[Taken]) -> None:
        """To the queue, or where its connection was lost, to the slots: else nobody would do it for a while."""
        kept = [taken.run for taken in reversed(unbegun) if not taken.put_back()]  # the last one put back is the next to be read
        if kept:
            with self._changed:
                self._work.extend(reversed(kept))
                self._changed.notify(len(kept))

    def _get_info(self) -> dict[str, Any]:
        return {**super()._get_info(), "threads": len(self._threads)}  # pyright: ignore[reportAttributeAccessIssue]


def pool_with_aside(slots: int) -> type[SlotPool]:
    """A pool for a process that serves roles and the coordinator: so many slots are the coordinator's."""
    return type("SlotPool", (SlotPool,), {"limit_aside": slots})


class Applied:
    """What Celery keeps of a task in work. A thread cannot be ended, so there is nothing to do with it."""

    __slots__ = ("__weakref__",)


def _guarded(work: Callable[[], Any]) -> None:
    """A slot outlives what it runs."""
    try:
        work()
    except Exception as error:
        log.exception("slot_failed", error=type(error).__name__, pid=os.getpid())
