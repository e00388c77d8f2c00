"""The broker's side: one queue a role, how they are declared on Redis and on RabbitMQ, and priorities on each."""

from typing import TYPE_CHECKING, Any

from contracts.roles import COORDINATOR, RoleName, queue_name
from workers.app.bounded import most_bytes

if TYPE_CHECKING:
    from kombu import Queue

JOBS_QUEUE = "bullpen.jobs"
"""AMQP queue for plain JSON submissions of any language."""
URGENT_QUEUE = "bullpen.jobs.urgent"
"""The same for the urgent, which pass by what waits in the other."""
LATER_QUEUE = "bullpen.jobs.later"
"""Where a submission of a newer version waits for a second, so that it does not hold up the others; RabbitMQ then moves it back."""
JOBS_STREAM = "bullpen:jobs"
"""Redis stream for the same."""
MEMORY_KEY = "bullpen:memory"
"""Redis key that a flush removes, so that the loss of its memory is noticed."""
DEAD_QUEUE = "bullpen.dead"
"""AMQP queue that RabbitMQ puts a message in which killed its consumers; the coordinator moves it to quarantine."""

PRIORITY_STEPS = (0, 3, 6, 9)
SEPARATOR = "\x06\x16"
"""What kombu writes between a queue's name and a step of priority in Redis."""
DELIVERY_LIMIT = 20
"""Deliveries of one message on RabbitMQ before it is dead. Attempts are counted on the board; this only ends a loop."""


def is_redis(broker_url: str) -> bool:
    """Whether the broker is Redis or Valkey (else it is AMQP)."""
    return broker_url.startswith(("redis://", "rediss://"))


def is_amqp(broker_url: str) -> bool:
    """Whether the broker is RabbitMQ."""
    return broker_url.startswith(("amqp://", "amqps://"))


def declare_queues(broker_url: str) -> "list[Queue]":
    """The queues of the roles and of the coordinator. All use the default exchange: no bindings that a broker can lose."""
    from kombu import Exchange, Queue

    exchange = Exchange("", type="direct")
    arguments: dict[str, Any] | None = None
    if not is_redis(broker_url):
        arguments = {
            "x-queue-type": "quorum",
            "x-delivery-limit": DELIVERY_LIMIT,
            "x-dead-letter-exchange": "",
            "x-dead-letter-routing-key": DEAD_QUEUE,
            "x-dead-letter-strategy": "at-least-once",
            "x-overflow": "reject-publish",
        }
    names = [queue_name(role) for role in (*RoleName, COORDINATOR)]
    return [Queue(name, exchange, routing_key=name, durable=True, queue_arguments=arguments) for name in names]


def list_name(queue: str, step: int) -> str:
    """The list in Redis of the messages of this step of priority in a queue."""
    return f"{queue}{SEPARATOR}{step}" if step else queue


def message_priority(broker_url: str, priority: int) -> int:
    """A job's priority (9 the most urgent) as the broker counts: Redis serves 0 first, AMQP 9."""
    return 9 - priority if is_redis(broker_url) else priority


def broker_transport(broker_url: str) -> str:
    """Our own variants of kombu's transports. `memory://` is kombu's own: the fleet of one process needs no broker."""
    if broker_url.startswith("memory://"):
        return "memory"
    if is_redis(broker_url):
        return "workers.app.redis_transport:Transport"
    return "workers.app.amqp_transport:" + ("SSLTransport" if broker_url.startswith("amqps://") else "Transport")


def transport_options(broker_url: str, *, message_bytes: int) -> dict[str, Any]:
    """Options of these. A lost message is made again from the rows, so the visibility timeout of Redis may be long."""
    if broker_url.startswith("memory://"):
        return {}
    if not is_redis(broker_url):
        from workers.app.amqp_transport import bounded_frames

        return {"frame_handler": bounded_frames(most_bytes(message_bytes))}
    return {
        "most_bytes": most_bytes(message_bytes),
        "visibility_timeout": 3600,
        "priority_steps": list(PRIORITY_STEPS),
        "queue_order_strategy": "priority",
        "socket_keepalive": True,
        "socket_connect_timeout": 5,
        "health_check_interval": 25,
    }
