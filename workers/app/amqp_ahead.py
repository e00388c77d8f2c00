"""Reads the queues of submissions on AMQP: a few messages, or, when a queue is long, as far ahead as memory allows."""

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import amqp

from workers.app.amqp_messages import FIRST_SEEN, Odd, RawMessage
from workers.app.entries import Entry
from workers.app.queues import DEAD_QUEUE, LATER_QUEUE
from workers.app.waiting import Waiting

PREFETCH = 20
"""Messages that a coordinator holds of each queue as a rule, so that several share them, and few wait if one of them is frozen."""
AHEAD = 60_000
"""Messages that it holds of a long queue. The protocol allows 65,535."""
LONG = 200
"""Messages from which a queue is long: they take some 0.2 s."""
HELD_BYTES = 96 << 20
"""Of all messages that are held, unless they are a few: then each may be as large as a message may be."""
READ_AT_ONCE = 2_000
"""Messages that are read before some are taken."""
IDLE_S, AT_ONCE_S, AHEAD_S = 1.0, 0.005, 0.1
"""How long to wait for a message when nothing is held, when something is, and when more is known to come."""


class AheadReader:
    """The consumers of one connection. Messages are acknowledged one by one, in any order."""

    def __init__(self, connection: Any, queues: Sequence[str], *, message_bytes: int) -> None:
        self._connection = connection
        self._channel: Any = connection.default_channel
        self._message_bytes = message_bytes
        self._odd: list[Odd] = []
        self._long: dict[str, str] = {}
        """Long queue → the consumer that reads ahead."""
        self._queues = [queue for queue in queues if queue != DEAD_QUEUE]
        self.lost: tuple[type[BaseException], ...] = (*connection.connection_errors, *connection.channel_errors)
        """What the connection raises when it has gone."""
        self.waiting = Waiting(most=AHEAD, most_bytes=HELD_BYTES)
        self.reads_on = False
        """Whether more had arrived than was read at once."""
        self._channel.basic_qos(0, PREFETCH, False)
        for queue in queues:
            self._consume(queue)

    def read(self) -> None:
        """Read what has arrived. Waits for it, if nothing is held."""
        self.reads_on = False
        soon = AHEAD_S if self._long else AT_ONCE_S
        timeout = soon if len(self.waiting) else IDLE_S
        try:
            for _ in range(READ_AT_ONCE):
                if self._odd or self.waiting.is_full:
                    break
                self._connection.drain_events(timeout=timeout)
                timeout = soon
            else:
                self.reads_on = True
        except TimeoutError:
            self._connection.heartbeat_check()
        self._read_further()

    def odd(self) -> list[Odd]:
        """What was read and is not to be taken; the caller acknowledges each."""
        odd, self._odd = self._odd, []
        return odd

    def ack(self, entry: Entry) -> None:
        """Done with."""
        self._channel.basic_ack(int(entry.name))

    def put_off(self, entry: Entry, first_seen: float) -> None:
        """It comes again a moment later, as a new message: a rejected one would be dead after some deliveries, and be in the way."""
        again = later_message(
            entry.body, first_seen=first_seen, message_id=entry.message_id, correlation_id=entry.correlation_id, reply_to=entry.reply_to
        )  # fmt: skip
        self._channel.basic_publish(again, exchange="", routing_key=LATER_QUEUE)

    def _consume(self, queue: str) -> str:
        return self._channel.basic_consume(queue, callback=partial(self._arrived, queue))

    def _read_further(self) -> None:
        """Begin to read far ahead when a queue is long, and end it when nothing waits any more."""
        held = len(self.waiting)
        if held >= PREFETCH:
            for queue in self._queues:
                if queue not in self._long and self._channel.queue_declare(queue, passive=True).message_count >= LONG:
                    self._channel.basic_qos(0, AHEAD, False)  # of the consumers that begin after this
                    self._long[queue] = self._consume(queue)
        elif not held:
            for queue in list(self._long):
                self._channel.basic_cancel(self._long.pop(queue))

    def _arrived(self, queue: str, raw: Any) -> None:
        message = RawMessage(raw)
        error = message.refusal(queue)
        if error is None and queue != DEAD_QUEUE:
            try:
                self.waiting.add(message.entry(queue, message_bytes=self._message_bytes))
                return
            except Exception as fault:  # what a message makes us raise is that message's fate
                error = fault
        self._odd.append(Odd(queue, message, error))


def later_message(
    body: bytes, *, first_seen: float | None = None, message_id: str | None, correlation_id: str | None, reply_to: str | None = None
) -> amqp.Message:
    """A submission for `LATER_QUEUE`. Of the headers that it came with none goes along."""
    named = {"message_id": message_id, "correlation_id": correlation_id, "reply_to": reply_to.removeprefix("queue:") if reply_to else None}
    return amqp.Message(
        body, delivery_mode=2, content_type="application/json", application_headers={FIRST_SEEN: str(first_seen or time.time())},
        **{name: value for name, value in named.items() if value is not None},
    )  # fmt: skip
