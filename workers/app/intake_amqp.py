"""Plain JSON submissions on AMQP: any client publishes to queue `bullpen.jobs`. Also moves dead letters to quarantine."""

import json
import threading
import time
from collections.abc import Callable
from typing import Any, TypedDict

import amqp
import structlog
from kombu import Exchange, Queue

from contracts.commands import NewerVersion
from workers.app.bounded import DeliveredTooOften, refusal
from workers.app.queues import DEAD_QUEUE, DELIVERY_LIMIT, JOBS_QUEUE, declare_queues
from workers.app.services import ProcessServices
from workers.app.submissions import refuse, take_submission
from workers.blackboard import quarantine
from workers.blackboard.quarantine import Cut
from workers.errors import Unavailable

log = structlog.get_logger()

LATER_QUEUE = "bullpen.jobs.later"
"""Where a submission of a newer version waits for `LATER_MS`, so that it does not hold up the others; RabbitMQ then moves it back."""
LATER_MS = 1_000
HELD_PAUSE_S = 0.2
"""First pause before a message is tried again that met a server which is away; doubles up to 5 s."""
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
    later = {
        "x-message-ttl": LATER_MS,
        "x-dead-letter-exchange": "",
        "x-dead-letter-routing-key": JOBS_QUEUE,
        "x-dead-letter-strategy": "at-least-once",
        "x-overflow": "reject-publish",
    }
    return [
        Queue(JOBS_QUEUE, exchange, routing_key=JOBS_QUEUE, durable=True, queue_arguments={**quorum, **dead}),
        Queue(LATER_QUEUE, exchange, routing_key=LATER_QUEUE, durable=True, queue_arguments={**quorum, **later}),
        Queue(DEAD_QUEUE, exchange, routing_key=DEAD_QUEUE, durable=True, queue_arguments=quorum),
    ]


class AmqpIntake(threading.Thread):
    """Consumes until `stop` is set; a message is acknowledged after it is a durable job or in quarantine."""

    def __init__(self, services: ProcessServices, stop: threading.Event) -> None:
        super().__init__(name="bullpen-intake", daemon=True)
        self._services = services
        self._stopping = stop

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
            channel: Any = connection.default_channel
            lost = (*connection.connection_errors, *connection.channel_errors)
            channel.basic_qos(0, 1, False)
            for queue, take in ((JOBS_QUEUE, self._on_job), (DEAD_QUEUE, self._on_dead)):
                channel.basic_consume(queue, callback=self._guarded(queue, take, connection, lost))
            while not self._stopping.is_set():
                try:
                    connection.drain_events(timeout=1.0)
                except TimeoutError:
                    connection.heartbeat_check()

    def _guarded(
        self, queue: str, take: Callable[["RawMessage"], None], connection: Any, lost: tuple[type[BaseException], ...]
    ) -> Callable[[Any], None]:
        """Nothing that is in a message ends the intake: what cannot be taken goes to quarantine. A message that meets a server which is
        away is held, not given back, since RabbitMQ counts deliveries."""

        def on_message(raw: Any) -> None:
            message, pause_s = RawMessage(raw), HELD_PAUSE_S
            while not self._stopping.is_set():
                try:
                    self._take_or_keep(queue, message, take, lost)
                except Unavailable as error:
                    log.warning("intake_waiting", error=type(error).__name__, reason=str(error)[:200])
                    self._stopping.wait(pause_s)
                    pause_s = min(2 * pause_s, 5.0)
                    connection.heartbeat_check()
                else:
                    message.ack()
                    return

        return on_message

    def _take_or_keep(
        self, queue: str, message: "RawMessage", take: Callable[["RawMessage"], None], lost: tuple[type[BaseException], ...]
    ) -> None:
        try:
            refused = message.refusal(queue)
            if refused is not None:
                raise refused
            take(message)
        except (Unavailable, *lost):
            raise
        except Exception as error:  # what a message makes us raise is that message's fate
            log.warning("message_not_taken", queue=queue, error=type(error).__name__, reason=str(error)[:200])
            refuse(self._services, message.body, error, source=queue, **message.addresses())

    def _on_job(self, message: "RawMessage") -> None:
        try:
            take_submission(
                self._services, message.body, source=JOBS_QUEUE, **message.addresses(), message_id=message.text("message_id")
            )  # fmt: skip
        except NewerVersion as error:
            first_seen = message.first_seen()
            if time.time() - first_seen >= self._services.settings.newer_message_wait_s:
                refuse(self._services, message.body, error, source=JOBS_QUEUE, **message.addresses())
                return
            message.put_off(first_seen)

    def _on_dead(self, message: "RawMessage") -> None:
        shown = str(message.header("argsrepr", ""))[:500]
        quarantine.put(
            self._services.database,
            source=str(message.header("x-first-death-queue", DEAD_QUEUE))[:200],
            cause=f"DeadLetter:{str(message.header('x-first-death-reason', 'unknown'))[:100]}",
            message=f"RabbitMQ gave this message up: {json.dumps(shown)}. The step's attempts decide its fate.",
            body=message.body,
        )


class Addresses(TypedDict):
    """Where a producer listens."""

    reply_to: str | None
    correlation_id: str | None


class RawMessage:
    """A message as amqp delivers it, not decoded. Its properties and headers are written by its sender and can be anything."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        body: Any = raw.body
        self.body: bytes = (
            body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body if isinstance(body, Cut) else bytes(body)
        )

    def refusal(self, queue: str) -> Exception | None:
        """Why it is not looked at. A dead letter is kept in any case."""
        if queue == DEAD_QUEUE:
            return None
        fault: Exception | None = getattr(self._raw, "fault", None)
        count = self.header("x-delivery-count", 0)
        if isinstance(count, int) and count >= DELIVERY_LIMIT:
            return DeliveredTooOften(f"This message was delivered {count} times and never taken: it ends or stops who reads it.")
        too_large = isinstance(self.body, Cut)  # said by `take_submission`, as on every other way in
        return fault or (None if too_large else refusal(self._headers(), self.body))

    def _headers(self) -> dict[str, Any]:
        found: Any = self._raw.properties.get("application_headers")
        return found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType] headers from outside

    def header(self, name: str, default: Any) -> Any:
        """One header, of any type."""
        return self._headers().get(name, default)

    def text(self, name: str) -> str | None:
        """One property, when it is text."""
        value: Any = self._raw.properties.get(name)
        return value if isinstance(value, str) and value else None

    def addresses(self) -> Addresses:
        """Where its producer listens, as AMQP has it."""
        reply = self.text("reply_to")
        return {"reply_to": f"queue:{reply}" if reply else None, "correlation_id": self.text("correlation_id")}

    def first_seen(self) -> float:
        """Unix seconds; now, when the header is not one that we wrote."""
        now = time.time()
        try:
            value = float(str(self.header(FIRST_SEEN, now)))
        except ValueError:
            return now
        return value if 0 < value <= now else now

    def put_off(self, first_seen: float) -> None:
        """It comes again a moment later, as a new message: a rejected one would be dead after some deliveries, and be in the way. Of its
        headers only ours goes along."""
        kept = {name: self.text(name) for name in ("content_type", "content_encoding", "reply_to", "correlation_id", "message_id")}
        again = amqp.Message(
            self.body, delivery_mode=2, application_headers={FIRST_SEEN: str(first_seen)},
            **{name: value for name, value in kept.items() if value is not None},
        )  # fmt: skip
        self._raw.channel.basic_publish(again, exchange="", routing_key=LATER_QUEUE)

    def ack(self) -> None:
        """Done with."""
        self._raw.channel.basic_ack(self._raw.delivery_tag)
