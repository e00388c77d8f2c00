"""Moves submissions that Celery programs queued on RabbitMQ among the coordinator's commands into the queue of submissions.

They share the queue `bullpen.coordinator` with the commands that advance jobs, and each takes a slot of a coordinator for some
milliseconds: 50,000 of one owner would keep every other job waiting for minutes. In `bullpen.jobs` they are taken many together, each owner
in turn. A queue of AMQP can only be read in its order, so what is not a submission goes to its end again.
"""

import threading
import time
from typing import Any

import amqp

from contracts.roles import COORDINATOR, queue_name
from workers.app.amqp_messages import RawMessage
from workers.app.celery_submissions import is_submission
from workers.app.queues import JOBS_QUEUE
from workers.app.services import ProcessServices
from workers.blackboard.quarantine import Cut
from workers.loggers import get_logger

log = get_logger(__name__)

FEW = 20
"""Messages of the queue that are left to Celery: without a queue nothing is gained."""
LOOK_S = 1.0
"""How often a process looks how long the queue is, while submissions come by it."""
BATCH = 250
"""Messages that are moved in one transaction, and held unacknowledged at most."""
IDLE_S = 0.2
"""After so long without a message the queue is empty."""


class Relay:
    """Of one process. One thread at a time moves; the others go on with their submission."""

    def __init__(self) -> None:
        self._moving = threading.Lock()
        self._next_look = 0.0

    def move(self, services: ProcessServices) -> int:
        """Move what waits, when it is more than a few; how many were moved. An error is logged: the messages then stay where they are."""
        if time.monotonic() < self._next_look or not self._moving.acquire(blocking=False):
            return 0
        try:
            with services.celery.connection_for_write() as connection:
                moved = _Pass(connection).run()
        except Exception as error:  # each broker client raises its own
            log.warning("submissions_not_moved", error=type(error).__name__, reason=str(error)[:200])
            return 0
        finally:
            self._next_look = time.monotonic() + LOOK_S
            self._moving.release()
        if moved:
            log.info("submissions_moved", count=moved)
        return moved


class _Pass:
    """Once through the queue, as long as it was at the beginning. Read on one channel, written in transactions on another; a message is
    acknowledged when RabbitMQ has its copy. So an error in the middle leaves some twice, which their ids make one job again."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._reading: Any = connection.channel()
        self._writing: Any = connection.channel()
        self._arrived: list[Any] = []
        self._left: list[int] = []
        """Delivery tags of messages that cannot be written again as they are."""
        self._queue = queue_name(COORDINATOR)

    def run(self) -> int:
        """How many submissions were moved."""
        waiting = self._reading.queue_declare(self._queue, passive=True).message_count
        if waiting <= FEW:
            return 0
        self._writing.tx_select()
        self._reading.basic_qos(0, BATCH, False)
        consumer = self._reading.basic_consume(self._queue, callback=self._arrived.append)
        moved = seen = 0
        while seen < waiting:
            self._read()
            if not self._arrived:
                break
            seen += len(self._arrived)
            moved += self._write()
        self._reading.basic_cancel(consumer)
        moved += self._write()  # what had been sent before the consumer ended
        for tag in self._left:
            self._reading.basic_reject(tag, requeue=True)
        self._reading.close()
        return moved

    def _read(self) -> None:
        try:
            while len(self._arrived) < BATCH // 2:
                self._connection.drain_events(timeout=IDLE_S)
        except TimeoutError:
            return

    def _write(self) -> int:
        arrived, written, moved = self._arrived[:], list[int](), 0
        self._arrived.clear()
        for raw in arrived:
            target = self._target(raw)
            if target is None:
                self._left.append(raw.delivery_tag)
                continue
            self._writing.basic_publish(amqp.Message(raw.body, **raw.properties), exchange="", routing_key=target)
            written.append(raw.delivery_tag)
            moved += target == JOBS_QUEUE
        if written:
            self._writing.tx_commit()
        for tag in written:
            self._reading.basic_ack(tag)
        return moved

    def _target(self, raw: Any) -> str | None:
        """Where a message goes. None: it stays, since it is refused or cut, or since it was given back before, which RabbitMQ counts."""
        message = RawMessage(raw)
        if isinstance(message.body, Cut) or message.refusal(self._queue) is not None:
            return None
        headers: Any = raw.properties.get("application_headers")
        if is_submission(headers) and not headers.get("eta") and not headers.get("expires"):
            return JOBS_QUEUE
        return None if message.header("x-delivery-count", 0) else self._queue
