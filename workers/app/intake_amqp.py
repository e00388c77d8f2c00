"""Plain JSON submissions on AMQP: any client publishes to queue `bullpen.jobs`. Also moves dead letters to quarantine."""

import json
import threading
import time
from typing import Any

import structlog
from kombu import Consumer, Exchange, Producer, Queue
from kombu.message import Message

from contracts.commands import NewerVersion
from workers.app.queues import DEAD_QUEUE, JOBS_QUEUE, declare_queues
from workers.app.services import ProcessServices
from workers.app.submissions import refuse, take_submission
from workers.blackboard import quarantine

log = structlog.get_logger()

NEWER_PAUSE_S = 1.0
FIRST_SEEN = "x-bullpen-first-seen"
"""Header of a submission of a newer version that was put back: Unix seconds."""


def declare_all(services: ProcessServices) -> None:
    """Declare every queue of the fleet, so that a message can be sent before its first worker is up."""
    with services.celery.connection_for_write() as connection:
        for queue in [*declare_queues(services.settings.broker_url or ""), *_own_queues()]:
            queue(connection.default_channel).declare()


def _own_queues() -> list[Queue]:
    exchange, quorum = Exchange("", type="direct"), {"x-queue-type": "quorum"}
    dead = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": DEAD_QUEUE}
    return [
        Queue(JOBS_QUEUE, exchange, routing_key=JOBS_QUEUE, durable=True, queue_arguments={**quorum, **dead}),
        Queue(DEAD_QUEUE, exchange, routing_key=DEAD_QUEUE, durable=True, queue_arguments=quorum),
    ]


class AmqpIntake(threading.Thread):
    """Consumes until `stop` is set; a message is acknowledged after it is a durable job or stands in quarantine."""

    def __init__(self, services: ProcessServices, stop: threading.Event) -> None:
        super().__init__(name="bullpen-intake", daemon=True)
        self._services = services
        self._stopping = stop

    def run(self) -> None:
        """Until told to stop."""
        pause_s = 0.2
        while not self._stopping.is_set():
            try:
                self._consume()
                pause_s = 0.2
            except Exception as error:  # the intake lives on, whatever a broker, a database or a message does
                log.warning("intake_reconnecting", error=type(error).__name__, reason=str(error)[:200])
                self._stopping.wait(pause_s)
                pause_s = min(pause_s * 2, 5.0)

    def _consume(self) -> None:
        declare_all(self._services)
        jobs, dead = _own_queues()
        with self._services.celery.connection_for_read(transport_options={"confirm_publish": True}) as connection:
            channel = connection.default_channel
            with (
                Consumer(channel, [jobs], on_message=self._on_job, accept=["json"], prefetch_count=1),
                Consumer(channel, [dead], on_message=self._on_dead, accept=["json"], prefetch_count=1),
            ):
                while not self._stopping.is_set():
                    try:
                        connection.drain_events(timeout=1.0)
                    except TimeoutError:
                        connection.heartbeat_check()

    def _on_job(self, message: Message) -> None:
        body = _bytes(message.body)
        properties: dict[str, Any] = message.properties or {}
        reply = properties.get("reply_to")
        addresses: dict[str, str | None] = {
            "reply_to": f"queue:{reply}" if reply else None,
            "correlation_id": properties.get("correlation_id"),
        }
        try:
            take_submission(
                self._services, body, source=JOBS_QUEUE,
                **addresses,
                message_id=properties.get("message_id"),
            )  # fmt: skip
        except NewerVersion as error:
            first_seen = float((message.headers or {}).get(FIRST_SEEN, time.time()))
            if time.time() - first_seen < self._services.settings.newer_message_wait_s:
                self._stopping.wait(NEWER_PAUSE_S)
                self._put_back(message, first_seen)
                return
            refuse(self._services, body, error, source=JOBS_QUEUE, **addresses)
        message.ack()

    @staticmethod
    def _put_back(message: Message, first_seen: float) -> None:
        """To the end of the queue, as a new message: a rejected one would be dead after some deliveries, and be in the way."""
        said = message.properties or {}
        kept: dict[str, Any] = {name: said[name] for name in ("reply_to", "correlation_id", "message_id") if said.get(name)}
        channel: Any = message.channel
        Producer(channel).publish(
            message.body, exchange="", routing_key=JOBS_QUEUE, delivery_mode=2,
            headers={**(message.headers or {}), FIRST_SEEN: str(first_seen)},
            content_type=message.content_type or "application/json", content_encoding=message.content_encoding or "utf-8", **kept,
        )  # fmt: skip
        message.ack()

    def _on_dead(self, message: Message) -> None:
        headers: dict[str, Any] = message.headers or {}
        body = _bytes(message.body)
        quarantine.put(
            self._services.database,
            source=str(headers.get("x-first-death-queue", DEAD_QUEUE)),
            cause=f"DeadLetter:{headers.get('x-first-death-reason', 'unknown')}",
            message=f"RabbitMQ gave this message up: {json.dumps(headers.get('argsrepr', ''))}. The step's attempts decide its fate.",
            body=body,
        )
        message.ack()


def _bytes(body: Any) -> bytes:
    if isinstance(body, str):
        return body.encode("utf-8", "surrogatepass")
    return bytes(body)
