"""Plain JSON submissions on AMQP: any client publishes to queue `bullpen.jobs`. Also moves dead letters to quarantine."""

import json
import threading
import time
from typing import Any

import structlog
from kombu import Consumer, Exchange, Queue
from kombu.message import Message

from contracts.commands import NewerVersion
from workers.app.queues import DEAD_QUEUE, JOBS_QUEUE, declare_queues
from workers.app.services import ProcessServices
from workers.app.submissions import take_submission
from workers.blackboard import quarantine
from workers.errors import BullpenError

log = structlog.get_logger()

NEWER_PAUSE_S = 1.0


def declare_all(services: ProcessServices) -> None:
    """Declare every queue of the fleet, so that a message can be sent before its first worker is up."""
    with services.celery.connection_for_write() as connection:
        for queue in [*declare_queues(services.settings.broker_url or ""), *_own_queues()]:
            queue(connection.default_channel).declare()


def _own_queues() -> list[Queue]:
    exchange, arguments = Exchange("", type="direct"), {"x-queue-type": "quorum"}
    return [Queue(name, exchange, routing_key=name, durable=True, queue_arguments=arguments) for name in (JOBS_QUEUE, DEAD_QUEUE)]


class AmqpIntake(threading.Thread):
    """Consumes until `stop` is set; a message is acknowledged after it is a durable job or stands in quarantine."""

    def __init__(self, services: ProcessServices, stop: threading.Event) -> None:
        super().__init__(name="bullpen-intake", daemon=True)
        self._services = services
        self._stopping = stop
        self._newer_since: dict[bytes, float] = {}

    def run(self) -> None:
        """Until told to stop."""
        pause_s = 0.2
        while not self._stopping.is_set():
            try:
                self._consume()
                pause_s = 0.2
            except (*self._services.celery.connection().connection_errors, BullpenError, OSError) as error:
                log.warning("intake_reconnecting", error=type(error).__name__, reason=str(error)[:200])
                self._stopping.wait(pause_s)
                pause_s = min(pause_s * 2, 5.0)

    def _consume(self) -> None:
        declare_all(self._services)
        jobs, dead = _own_queues()
        with self._services.celery.connection_for_read() as connection:
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
        try:
            take_submission(
                self._services, body, source=JOBS_QUEUE,
                reply_to=f"queue:{reply}" if reply else None, correlation_id=properties.get("correlation_id"),
            )  # fmt: skip
        except NewerVersion as error:
            since = self._newer_since.setdefault(body[:1024], time.monotonic())
            if time.monotonic() - since < self._services.settings.newer_message_wait_s:
                self._stopping.wait(NEWER_PAUSE_S)
                message.reject(requeue=True)
                return
            del self._newer_since[body[:1024]]
            quarantine.put(self._services.database, source=JOBS_QUEUE, cause="NewerVersion", message=str(error), body=body)
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
