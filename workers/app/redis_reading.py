"""Reads a worker's queues in Redis on a connection of its own, several messages in one command, for the slots of its pool.

What kombu does with a message is done here too: the order of priorities, the record of what is not yet acknowledged, and the way of
something that is no message into quarantine. Pausing a role cancels its queue at the channel, which is where this looks before each read.
"""

# The types that come with kombu and redis do not know their connections:
# pyright: reportAttributeAccessIssue=false, reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportPrivateUsage=false

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from celery import bootsteps
from celery.worker.consumer import Consumer
from kombu.utils.encoding import bytes_to_str
from kombu.utils.json import loads
from redis import ConnectionPool
from redis.backoff import NoBackoff
from redis.exceptions import ResponseError
from redis.retry import Retry

from contracts.commands import RunStep
from contracts.roles import COORDINATOR, queue_name, task_name
from workers.app.bounded import refusal
from workers.app.command_messages import Command, as_message
from workers.app.key_types import is_wrong_type
from workers.app.neighbours import Neighbours
from workers.app.outbox import Outbox
from workers.app.publish_redis import is_watched, sent_event
from workers.app.queues import message_priority
from workers.app.redis_transport import NOT_A_MESSAGE, Channel
from workers.app.slots import LOOK_S, SlotPool, Taken
from workers.blackboard.quarantine import Cut
from workers.loggers import get_logger

log = get_logger(__name__)

BLOCK_S = 0.5
"""How long one command waits in the server: a paused role and a stopping worker are known after that."""
PATIENCE_S = 10.0
"""A server that does not answer for so long after that is gone."""


LOOKS_EVERY_S = 0.02
"""How often the slots of a process look whether something more urgent waits, while they go on with steps: to ask the server after each
short step takes a sixth of its time."""

_NO_SUCH_COMMAND = ("unknown command", "no permissions")
"""In the answer of a server before Redis 7, and of one whose access list was written for such a server.
Messages are then read one by one."""


class TakenMessage:
    """A message of kombu's that this process holds, and what its consumer does with it."""

    __slots__ = ("_channel", "_consumer", "_message", "_queue", "_receive")

    def __init__(self, message: Any, queue: str, channel: Channel, consumer: Any) -> None:
        self._message = message
        self._queue = queue
        self._channel = channel
        self._receive = channel.receivers.get(queue)
        self._consumer = consumer

    def run(self) -> None:
        """As Celery's consumer does."""
        if self._channel.receivers.get(self._queue) is None and self.put_back():  # the role was paused meanwhile
            return
        self.begin()

    def begin(self) -> None:
        """Although its role was paused meanwhile. What needs Celery's timer goes to its own thread: an ETA, a rate limit."""
        receive = self._channel.receivers.get(self._queue) or self._receive  # after a lost connection there is nobody to acknowledge it to
        headers = self._message.headers or {}
        if receive is None:
            return
        if headers.get("eta") or self._consumer.task_buckets.get(headers.get("task")):
            self._consumer.call_soon(receive, self._message)
        else:
            receive(self._message)

    def put_back(self) -> bool:
        """As the next message of its queue. False: the connection was lost."""
        return self._channel.qos.put_back(self._message.delivery_tag)


class QueueReader:
    """Reads those queues that a channel consumes from and that are its own. They take turns: of messages that are equally urgent
    none waits for those of another queue for ever."""

    def __init__(self, channel: Channel, consumer: Any, reads: Callable[[str], bool] = lambda queue: True) -> None:
        """`reads`: whether a queue is one of this reader's."""
        self._channel = channel
        self._consumer = consumer
        self._reads = reads
        parameters: Any = {**channel._connparams(), "socket_timeout": BLOCK_S + PATIENCE_S, "retry": Retry(NoBackoff(), 0)}
        self._connection: Any = ConnectionPool(**parameters).make_connection()
        self._queues: tuple[str, ...] = ()
        self._turns: list[list[str]] = []
        """The keys of all queues by their urgency; in each turn another queue comes first."""
        self._turn = 0
        self._many = True

    def read(self, most: int) -> list[Taken]:
        """See `Source`. Raises redis' errors; the next read connects again."""
        queues = tuple(queue for queue in list(self._channel.receivers) if self._reads(queue))
        if not queues:
            if self._channel.consuming.wait(BLOCK_S):  # other queues are read: those of this reader are paused
                time.sleep(LOOK_S)
            return []
        if queues != self._queues:
            self._queues = queues
            self._turns = [self._keys_from(number) for number in range(len(queues))]
        self._turn = (self._turn + 1) % len(self._turns)
        try:
            answer = self._pop(most)
        except Exception as error:
            self._connection.disconnect()
            if not isinstance(error, ResponseError) or not is_wrong_type(error):
                raise
            self._channel.set_wrong_types_aside()
            return []
        if answer is None:
            return []
        key, values = answer
        queue = bytes_to_str(key).rsplit(self._channel.sep, 1)[0]
        messages = [message for value in values if (message := self._message(queue, value)) is not None]
        self._channel.qos.append_all(messages)
        return [TakenMessage(message, queue, self._channel, self._consumer) for message in messages]

    def close(self) -> None:
        """Close the connection."""
        self._connection.disconnect()

    def _keys_from(self, number: int) -> list[str]:
        queues = self._queues[number:] + self._queues[:number]
        return [self._channel._q_for_pri(queue, step) for step in self._channel.priority_steps for queue in queues]

    def _pop(self, most: int) -> tuple[bytes, list[Any]] | None:
        keys = self._turns[self._turn]
        if self._many:
            self._connection.send_command("BLMPOP", BLOCK_S, len(keys), *keys, "RIGHT", "COUNT", most)
            try:
                return self._connection.read_response()
            except ResponseError as error:
                if not any(sign in str(error).lower() for sign in _NO_SUCH_COMMAND):
                    raise
                self._many = False
        self._connection.send_command("BRPOP", *keys, BLOCK_S)
        answer = self._connection.read_response()
        return None if answer is None else (answer[0], [answer[1]])

    def _message(self, queue: str, value: Any) -> Any | None:
        try:
            if isinstance(value, Cut):
                raise refusal({}, value) or ValueError
            return self._channel.Message(loads(bytes_to_str(value)), channel=self._channel)
        except NOT_A_MESSAGE as error:
            self._channel.set_aside(queue, value, error)
            return None


class SlotFollower:
    """Gives a slot the command that its own step would send to a queue of this process. Where somebody hears of tasks, as a message that
    was sent and read at once, so that Celery does with it what it does with any, and Flower sees it; else the slot runs it, and no more."""

    def __init__(
        self,
        pool: SlotPool,
        channel: Channel,
        consumer: Any,
        publisher: Outbox,
        neighbours: Neighbours,
        run: Callable[[RunStep], None],
    ) -> None:
        """`run`: what the task of a role does."""
        self._run = run
        self._looks: dict[int, tuple[float, bool]] = {}
        """Priority → when a slot looked for something more urgent (monotonic seconds), and whether there was any."""
        self._pool = pool
        self._channel = channel
        self._consumer = consumer
        self._publisher = publisher
        self._neighbours = neighbours
        self._broker_url = str(consumer.app.conf.broker_url)

    def can(self) -> bool:
        """Whether this is a slot that is free next."""
        return self._pool.may_follow() and self._publisher.sent_events is not None

    def takes(self, role: str, priority: int, *, after: str) -> bool:
        """Whether the slot may go on with a step of this role: its queue is read here, neither it nor its rate is held back, nothing more
        urgent waits here, and no other process that serves the role is idle. `after`: the role of the slot's last step."""
        queue = queue_name(role)
        if queue not in self._channel.receivers or self._consumer.task_buckets.get(task_name(role)):
            return False
        try:
            if not self._pool.finds_nothing and self._is_outranked(priority):
                return False
            return role == after or not self._neighbours.serve(role) or self._waits([queue])
        except Exception as error:  # each transport raises its own; the message takes the long way
            log.warning("queues_not_seen", error=type(error).__name__, reason=str(error)[:200])
            return False

    def _is_outranked(self, priority: int) -> bool:
        """Whether something more urgent waited here when one of the slots last looked."""
        now = time.monotonic()
        looked_at, waits = self._looks.get(priority, (0.0, False))
        if now - looked_at >= LOOKS_EVERY_S:
            waits = self._waits(list(self._channel.receivers), more_urgent_than=priority)
            self._looks[priority] = (now, waits)
        return waits

    def _waits(self, queues: list[str], *, more_urgent_than: int | None = None) -> bool:
        """Whether a message waits in one of these queues, or one that is served before those of this priority."""
        channel, steps = self._channel, self._channel.priority_steps
        if more_urgent_than is not None:
            own = channel.priority(message_priority(self._broker_url, more_urgent_than))
            steps = [step for step in steps if step < own]
        keys = [channel._q_for_pri(queue, step) for queue in queues for step in steps]
        if not keys:
            return False
        with channel.conn_or_acquire() as client:
            return bool(client.exists(*keys))

    def follow(self, command: Command) -> None:
        """As the next work of this slot."""
        events = self._publisher.sent_events
        order = command[1]
        if isinstance(order, RunStep) and events is not None and not events.are_wanted and not is_watched():
            self._pool.follow(partial(self._run, order))
            return
        message = as_message(command, self._broker_url)
        if events is not None and events.are_wanted:
            events.publish("task-sent", sent_event(message), None)
        read: Any = self._channel.Message(message, channel=self._channel)
        self._channel.qos.append_all([read])
        self._pool.follow(TakenMessage(read, queue_name(command[0]), self._channel, self._consumer).begin)


class SlotConsumer(Consumer):
    """Celery's consumer, where each slot acknowledges its own message at once, without a turn of the event loop."""

    def call_soon_ack(self, p: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """As Celery's. A step does not fail because nobody heard of its end."""
        try:
            return p(*args, **kwargs)
        except Exception as error:
            log.warning("not_acknowledged", error=type(error).__name__, reason=str(error)[:200])
            return None


def read_in_slots(publisher: Outbox, neighbours: Neighbours, run: Callable[[RunStep], None]) -> type[bootsteps.StartStopStep]:
    """A bootstep: the slots read the queues of the consumer's channel as long as it is connected, and the publisher may follow them.
    `run`: what a slot does with a command that passes no queue and that nobody hears of."""

    class ReadInSlots(bootsteps.StartStopStep):
        requires = ("celery.worker.consumer.tasks:Tasks",)

        def __init__(self, parent: Any, **kwargs: Any) -> None:
            super().__init__(parent, **kwargs)
            self._readers: list[tuple[SlotPool, QueueReader]] = []
            self._timers: list[Any] = []

        def start(self, parent: Any) -> None:
            """At each (re)connection, which brings a new channel."""
            pool, channel = parent.pool, parent.task_consumer.channel
            if not isinstance(pool, SlotPool) or not isinstance(channel, Channel):
                return
            channel.is_read_by_slots = True
            boss = queue_name(COORDINATOR)
            if pool.aside is None:
                self._readers = [(pool, QueueReader(channel, parent))]
            else:
                self._readers = [
                    (pool, QueueReader(channel, parent, lambda queue: queue != boss)),
                    (pool.aside, QueueReader(channel, parent, lambda queue: queue == boss)),
                ]
            for slots, reader in self._readers:
                self._timers.append(parent.timer.call_repeatedly(LOOK_S, slots.put_back_waiting))
                slots.listen(reader)
            publisher.follower = SlotFollower(pool, channel, parent, publisher, neighbours, run)

        def stop(self, parent: Any) -> None:
            """Nothing is read any more."""
            readers, self._readers = self._readers, []
            timers, self._timers = self._timers, []
            if readers:
                publisher.follower = None
            for slots, reader in readers:
                slots.stop_listening()
                reader.close()
            for timer in timers:
                timer.cancel()

        shutdown = stop

    return ReadInSlots
