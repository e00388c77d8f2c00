"""The Redis transport of the fleet: kombu's, without the work that our rows make needless.

Kombu keeps every unacknowledged message a second time in Redis (two transactions a message) so that it may come back when
its worker dies; and it makes a new client object for each command it sends. Our commands carry ids only and can always be
made again from the rows: the sweeper does that. So this transport keeps them in the memory of the process that works on
them, and puts them back when that process stops. What is not made of rows, a submission, is kept as kombu keeps it.
On the wire nothing differs: Flower and foreign producers use kombu's own transport. See docs/adr/0003.
"""

# The types that come with kombu do not know its Redis transport:
# pyright: reportAttributeAccessIssue=false, reportUnknownVariableType=false, reportOptionalMemberAccess=false
# pyright: reportUnnecessaryComparison=false, reportArgumentType=false

import threading
import time
from collections.abc import Callable, Sequence
from queue import Empty
from typing import Any

from kombu.transport import virtual
from kombu.utils.encoding import bytes_to_str
from kombu.utils.json import dumps, loads

from contracts.roles import COORDINATOR, RoleName, task_name
from contracts.wire import MAX_MESSAGE_BYTES
from workers.app.bounded import as_error, most_bytes, refusal
from workers.app.key_types import WrongType, is_wrong_type, set_wrong_types_aside
from workers.app.redis_alone import exceptions, redis
from workers.app.redis_parser import bounded_parser
from workers.blackboard.quarantine import Cut
from workers.loggers import get_logger

log = get_logger(__name__)

NOT_A_MESSAGE = (ValueError, LookupError, TypeError, AttributeError, RecursionError, ArithmeticError)
"""What reading an outsider's text as a message raises: no JSON, no envelope, nested too deeply, numbers out of range."""

_COMMANDS = frozenset(task_name(role) for role in (*RoleName, COORDINATOR))


def _is_command(message: Any) -> bool:
    """Whether the message can be made again from the rows."""
    return (message.headers or {}).get("task") in _COMMANDS


class QoS(redis.QoS):
    """What was delivered and not yet acknowledged."""

    def append(self, message: Any, delivery_tag: str) -> None:
        """Delivered."""
        if _is_command(message):
            virtual.QoS.append(self, message, delivery_tag)
        else:
            super().append(message, delivery_tag)

    def append_all(self, messages: Sequence[Any]) -> None:
        """Several at once: what cannot be made again is kept in Redis in one round trip. Where that fails they are held here alone, as they
        are out of their queue already."""
        kept = [message for message in messages if not _is_command(message)]
        if kept:
            try:
                with self.pipe_or_acquire() as pipe:
                    for message in kept:
                        sent_to = message.delivery_info
                        raw = dumps([message._raw, sent_to["exchange"], sent_to["routing_key"]])
                        pipe.zadd(self.unacked_index_key, {message.delivery_tag: time.time()})
                        pipe.hset(self.unacked_key, message.delivery_tag, raw)
                    pipe.execute()
            except Exception as error:
                log.warning("messages_not_kept", count=len(kept), error=type(error).__name__, reason=str(error)[:200])
        for message in messages:
            virtual.QoS.append(self, message, message.delivery_tag)

    def ack(self, delivery_tag: str) -> None:
        """Done with."""
        if self._cut_off:
            return
        if self._command(delivery_tag) is None:
            super().ack(delivery_tag)
        else:
            virtual.QoS.ack(self, delivery_tag)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        """Refused; with `requeue` it goes to the end of its queue."""
        if self._cut_off:
            return
        if self._command(delivery_tag) is None:
            super().reject(delivery_tag, requeue)
            return
        if requeue:
            self.restore_by_tag(delivery_tag, leftmost=True)
        virtual.QoS.ack(self, delivery_tag)

    def put_back(self, delivery_tag: str) -> bool:
        """Into its queue again, as the next to be delivered: nobody began with it. False: the connection was lost."""
        if self._cut_off:
            return False
        try:
            self.restore_by_tag(delivery_tag)
        except Exception as error:
            log.warning("message_not_put_back", error=type(error).__name__, reason=str(error)[:200])
            return False
        virtual.QoS.ack(self, delivery_tag)
        return True

    def restore_by_tag(self, tag: str, client: Any = None, leftmost: bool = False) -> None:
        """Put a message back into its queue."""
        message = self._command(tag)
        if message is None:
            super().restore_by_tag(tag, client, leftmost)
            return
        sent_to = message.delivery_info
        with self.channel.conn_or_acquire(client) as connected:
            self.channel._do_restore_message(message._raw, sent_to["exchange"], sent_to["routing_key"], connected, leftmost)

    def restore_unacked(self, client: Any = None) -> None:
        """Put all of them back. A lost connection takes them along, and must not take the process too: commands are made
        again from the rows, and kombu's second copy of a submission comes back by itself."""
        try:
            super().restore_unacked(client)
        except Exception as error:
            log.warning("messages_not_put_back", count=len(self._delivered), error=type(error).__name__, reason=str(error)[:200])
            self._delivered.clear()

    @property
    def _cut_off(self) -> bool:
        """Whether the connection that delivered these messages is gone. A task that ends after that has nobody to tell."""
        return self.channel.closed or self.channel.connection is None

    def _command(self, tag: str) -> Any:
        message = self._delivered.get(tag)
        return message if message is not None and _is_command(message) else None


class Message(virtual.Message):
    """A message whose refusal is known before kombu looks at its headers: then it is not decompressed."""

    def __init__(self, payload: Any, channel: Any = None, **more: Any) -> None:
        refused = refusal(payload.get("headers"), None)
        if refused is not None:
            self.errors = [as_error(refused)]
        super().__init__(payload, channel=channel, **more)


class Channel(redis.Channel):
    """A channel with one client object as long as it has one pool of connections."""

    QoS = QoS
    Message = Message
    from_transport_options = (*redis.Channel.from_transport_options, "most_bytes", "unreadable")
    most_bytes: int = most_bytes(MAX_MESSAGE_BYTES)
    """Of one message; see `workers.app.bounded`."""
    unreadable: Callable[[str, bytes, Exception], None] | None = None
    """Keeps what is no message: its queue, its bytes, and why not. None: it is only logged."""
    is_read_by_slots = False
    """The slots of the worker's pool read its queues (see `redis_reading.py`), and the event loop does not."""
    _one_client: Any = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.receivers: dict[str, Callable[[Any], Any]] = {}
        """Queue that is consumed from → what takes its messages. Fanout queues are not among them."""
        self.consuming = threading.Event()
        """There is a receiver."""
        super().__init__(*args, **kwargs)

    def basic_consume(self, queue: str, no_ack: bool, callback: Callable[[Any], Any], *args: Any, **kwargs: Any) -> Any:
        """As kombu's."""
        done = super().basic_consume(queue, no_ack, callback, *args, **kwargs)
        if queue not in self._fanout_queues:
            self.receivers[queue] = callback
            self.consuming.set()
        return done

    def _basic_cancel(self, consumer_tag: str) -> Any:
        self.receivers.pop(self._tag_to_queue.get(consumer_tag, ""), None)
        if not self.receivers:
            self.consuming.clear()
        return super()._basic_cancel(consumer_tag)

    def _create_client(self, asynchronous: bool = False) -> Any:
        if asynchronous:  # these hold a connection of their own
            return super()._create_client(asynchronous=True)
        if self._one_client is None or self._one_client.connection_pool is not self.pool:
            self._one_client = super()._create_client()
        return self._one_client

    def _connparams(self, asynchronous: bool = False) -> Any:
        """Every connection of this channel holds a bounded part of any message."""
        parser = bounded_parser(most_bytes=self.most_bytes)
        return {**super()._connparams(asynchronous=asynchronous), "protocol": 2, "parser_class": parser}

    def _brpop_read(self, **options: Any) -> Any:
        """Something in a queue that is no message goes to quarantine: it must not end the process that reads it."""
        try:
            found = self._popped(**options)
            if not found:
                raise Empty
            queue, raw = bytes_to_str(found[0]).rsplit(self.sep, 1)[0], found[1]
            self._queue_cycle.rotate(queue)
            try:
                if isinstance(raw, Cut):
                    raise refusal({}, raw) or ValueError
                self.connection._deliver(loads(bytes_to_str(raw)), queue)
            except NOT_A_MESSAGE as error:
                self.set_aside(queue, raw, error)
            return True
        finally:
            self._in_poll = None

    def _popped(self, **options: Any) -> Any:
        try:
            return self.client.parse_response(self.client.connection, "BRPOP", **options)
        except exceptions.ResponseError as error:
            if not is_wrong_type(error):
                raise
            self.set_wrong_types_aside()
            return None
        except self.connection_errors:  # the next round connects again
            self.client.connection.disconnect()
            raise

    def set_wrong_types_aside(self) -> None:
        """Give the fleet its keys back where somebody overwrote them; see `key_types.py`. Raises redis' errors."""
        with self.conn_or_acquire() as client:
            for renamed in set_wrong_types_aside(client):
                if self.unreadable is not None:
                    self.unreadable(renamed.key, renamed.aside.encode(), WrongType(renamed.says))

    def set_aside(self, queue: str, raw: bytes, error: Exception) -> None:
        """Keep what is no message."""
        log.error("not_a_message", queue=queue, error=type(error).__name__, reason=str(error)[:200], text=repr(raw[:200]))
        if self.unreadable is not None:
            self.unreadable(queue, raw, error)


class Poller(redis.MultiChannelPoller):
    """Kombu's, which leaves those channels alone that are read by slots."""

    def _register_BRPOP(self, channel: Any) -> None:  # noqa: N802  kombu's name
        if not channel.is_read_by_slots:
            super()._register_BRPOP(channel)


class Transport(redis.Transport):
    """Named in `broker_transport`."""

    Channel = Channel

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.cycle = Poller()
