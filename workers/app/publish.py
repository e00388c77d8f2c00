"""The outbox of a process that speaks with the broker through Celery."""

from contextlib import nullcontext
from typing import Any
from uuid import uuid4

from celery import Celery

from contracts.roles import queue_name, task_name
from workers.app.command_messages import Command
from workers.app.key_types import is_read_only, is_wrong_type
from workers.app.outbox import Follower, Outbox
from workers.app.publish_redis import is_overheard, send
from workers.app.queues import is_redis, message_priority
from workers.app.redis_transport import Channel


class Publisher(Outbox):
    """Sends commands as Celery does, and on Redis without its way through Celery and kombu."""

    def __init__(self, app: Celery) -> None:
        super().__init__()
        self._app = app
        self._broker_url = str(app.conf.broker_url)
        self._declare = [] if is_redis(self._broker_url) else None
        """None: kombu declares a queue before the first message to it; in Redis a queue comes with its first message."""

    def free_follower(self) -> Follower | None:
        """See `Outbox`. None too where somebody listens to messages being sent."""
        return None if is_overheard() else super().free_follower()

    def publish(self, commands: list[Command], *, after: Exception | None = None) -> None:
        """What `send_task` does without its look-ups, and in one round trip where the transport can (Redis). `after`: what the first try
        ended with."""
        pool: Any = self._app.producer_pool
        with pool.acquire(block=True) as producer:
            channel: Any = producer.channel
            if isinstance(channel, Channel) and is_wrong_type(after):
                channel.set_wrong_types_aside()
            if isinstance(channel, Channel) and is_read_only(after):
                channel.pool.disconnect()  # as it sends, it connects again, to whom the address leads now
            if self.sent_events is not None and after is None and isinstance(channel, Channel) and not is_overheard():
                send(self._app, channel, commands, self.sent_events)
            else:
                self._publish_each(producer, commands, again=after is not None)

    def _publish_each(self, producer: Any, commands: list[Command], *, again: bool) -> None:
        amqp: Any = self._app.amqp
        wanted = bool(self._app.conf.task_send_sent_event) if self.sent_events is None else self.sent_events.are_wanted
        with nullcontext() if again else producer.batch():
            for role, command, priority, shown in commands:
                message = amqp.create_task_message(
                    str(uuid4()), task_name(role), args=(command.to_json(),),
                    argsrepr=shown, kwargsrepr="", ignore_result=True, create_sent_event=wanted,
                )  # fmt: skip
                amqp.send_task_message(
                    producer, task_name(role), message, queue=queue_name(role),
                    priority=message_priority(self._broker_url, priority), retry=again, declare=self._declare,
                    event_dispatcher=self.sent_events,
                )  # fmt: skip
