"""Submissions on AMQP: any client publishes plain JSON to the queue `bullpen.jobs`, or, if it is urgent, to `bullpen.jobs.urgent`; a Celery
program its task message. Also moves dead letters to quarantine."""

import json
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from kombu import Exchange, Queue

from contracts.commands import NewerVersion
from workers.app.amqp_ahead import AheadReader, later_message
from workers.app.amqp_messages import Odd
from workers.app.broker_try import rights_said
from workers.app.entries import Entry
from workers.app.queues import DEAD_QUEUE, JOBS_QUEUE, LATER_QUEUE, URGENT_QUEUE, declare_queues
from workers.app.services import ProcessServices
from workers.app.submissions import refuse, take_submission
from workers.app.taking import take_many
from workers.blackboard import quarantine
from workers.errors import Unavailable
from workers.loggers import get_logger
from workers.secrets import redact_url

log = get_logger(__name__)

LATER_MS = 1_000
LARGE_BATCH = 400
"""Entries that are written together; one statement writes them, in some 0.1 s."""
SMALL_BATCH = 100
"""The same while more arrive: a queue that is long should first be known."""
HELD_PAUSE_S = 0.2
"""First pause before a message is tried again that met a server which is away; doubles up to 5 s."""


def declare_all(services: ProcessServices) -> None:
    """Declare every queue of the fleet, so that a message can be sent before its first worker is up. Raises `ConfigurationError` where
    the user of the URL may not."""
    with rights_said(redact_url(services.settings.broker_url or "")), services.celery.connection_for_write() as connection:
        for queue in [*declare_queues(services.settings.broker_url or ""), *_own_queues()]:
            queue(connection.default_channel).declare()


def _own_queues() -> list[Queue]:
    exchange, quorum = Exchange("", type="direct"), {"x-queue-type": "quorum"}
    dead = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": DEAD_QUEUE}
    later = {
        "x-message-ttl": LATER_MS,
        "x-dead-letter-exchange": "",
        "x-dead-letter-routing-key": JOBS_QUEUE,
        "x-dead-letter-strategy": "at-least-once",
        "x-overflow": "reject-publish",
    }
    return [
        Queue(JOBS_QUEUE, exchange, routing_key=JOBS_QUEUE, durable=True, queue_arguments={**quorum, **dead}),
        Queue(URGENT_QUEUE, exchange, routing_key=URGENT_QUEUE, durable=True, queue_arguments={**quorum, **dead}),
        Queue(LATER_QUEUE, exchange, routing_key=LATER_QUEUE, durable=True, queue_arguments={**quorum, **later}),
        Queue(DEAD_QUEUE, exchange, routing_key=DEAD_QUEUE, durable=True, queue_arguments=quorum),
    ]


def put_into_queue(services: ProcessServices, body: bytes, *, task_id: str, correlation_id: str | None) -> None:
    """Let a submission that came as a task wait with the plain ones. Returns when RabbitMQ has it."""
    with services.celery.connection_for_write(transport_options={"confirm_publish": True}) as connection:
        channel: Any = connection.default_channel
        channel.basic_publish(later_message(body, message_id=task_id, correlation_id=correlation_id), exchange="", routing_key=LATER_QUEUE)


class Stopped(Exception):
    """The process ends; what is held goes back to its queue."""


class AmqpIntake(threading.Thread):
    """Consumes until `stop` is set; a message is acknowledged after it is a durable job or in quarantine.

    A queue of AMQP can only be read in its order. So when it is long, what it holds is read ahead, unacknowledged and within bounds, and of
    that the most urgent of each owner in turn is taken. The urgent queue has a thread and a connection of its own, to pass by the other.
    """

    def __init__(self, services: ProcessServices, stop: threading.Event, queues: Sequence[str] = (JOBS_QUEUE, DEAD_QUEUE)) -> None:
        super().__init__(name=f"bullpen-intake-{queues[0]}", daemon=True)
        self._services = services
        self._stopping = stop
        self._queues = queues

    def run(self) -> None:
        """Consume until the stop event is set."""
        pause_s = 0.2
        while not self._stopping.is_set():
            try:
                self._consume()
                pause_s = 0.2
            except Exception as error:  # no broker, database or message may end the intake
                log.warning("intake_reconnecting", error=type(error).__name__, reason=str(error)[:200])
                self._stopping.wait(pause_s)
                pause_s = min(pause_s * 2, 5.0)

    def _consume(self) -> None:
        declare_all(self._services)
        with self._services.celery.connection_for_read(transport_options={"confirm_publish": True}) as connection:
            reader = AheadReader(connection, self._queues, message_bytes=self._services.settings.message_bytes)
            while not self._stopping.is_set():
                reader.read()
                for odd in reader.odd():
                    self._taken(connection, partial(self._take_odd, odd))
                    odd.message.ack()
                self._take_some(connection, reader)

    def _take_some(self, connection: Any, reader: "AheadReader") -> None:
        entries = reader.waiting.take(SMALL_BATCH if reader.reads_on else LARGE_BATCH)
        done: set[str] = set()
        if len(entries) > 1:
            try:
                self._taken(connection, lambda: done.update(take_many(self._services, entries)))
            except (Stopped, *reader.lost):
                raise
            except Exception as error:  # one of them makes the statement fail
                log.warning("batch_not_taken", count=len(entries), error=type(error).__name__, reason=str(error)[:200])
        for entry in sorted(entries, key=lambda entry: entry.name not in done):  # first the acknowledgements, which nothing delays
            if entry.name not in done:
                self._taken(connection, partial(self._take_or_keep, entry, reader))
            reader.ack(entry)

    def _taken(self, connection: Any, take: Callable[[], None]) -> None:
        """Messages that meet a server which is away are held, not given back, since RabbitMQ counts deliveries. Raises `Stopped`."""
        pause_s = HELD_PAUSE_S
        while not self._stopping.is_set():
            try:
                take()
                return
            except Unavailable as error:
                log.warning("intake_waiting", error=type(error).__name__, reason=str(error)[:200])
                self._stopping.wait(pause_s)
                pause_s = min(2 * pause_s, 5.0)
                connection.heartbeat_check()
        raise Stopped

    def _take_or_keep(self, entry: Entry, reader: "AheadReader") -> None:
        """Nothing that is in a message ends the intake: what cannot be taken goes to quarantine."""
        try:
            self._take(entry, reader)
        except (Unavailable, *reader.lost):
            raise
        except Exception as error:  # what a message makes us raise is that message's fate
            log.warning("message_not_taken", queue=entry.source, error=type(error).__name__, reason=str(error)[:200])
            refuse(
                self._services, entry.body, error, source=entry.source, reply_to=entry.reply_to, correlation_id=entry.correlation_id
            )  # fmt: skip

    def _take(self, entry: Entry, reader: "AheadReader") -> None:
        heard = {"reply_to": entry.reply_to, "correlation_id": entry.correlation_id}
        try:
            take_submission(self._services, entry.body, source=entry.source, **heard, message_id=entry.message_id)
        except NewerVersion as error:
            first_seen = entry.first_seen or time.time()
            if time.time() - first_seen >= self._services.settings.newer_message_wait_s:
                refuse(self._services, entry.body, error, source=entry.source, **heard)
                return
            reader.put_off(entry, first_seen)

    def _take_odd(self, odd: "Odd") -> None:
        """A dead letter, or a message that is refused unread."""
        message = odd.message
        if odd.queue != DEAD_QUEUE:
            addresses = message.addresses()
            refuse(self._services, message.body, odd.error or ValueError(), source=odd.queue, **addresses)
            return
        shown = str(message.header("argsrepr", ""))[:500]
        quarantine.put(
            self._services.database,
            source=str(message.header("x-first-death-queue", DEAD_QUEUE))[:200],
            cause=f"DeadLetter:{str(message.header('x-first-death-reason', 'unknown'))[:100]}",
            message=f"RabbitMQ gave this message up: {json.dumps(shown)}. The step's attempts decide its fate.",
            body=message.body,
        )
