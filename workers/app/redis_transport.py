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

from typing import Any

import structlog
from kombu.transport import redis, virtual

from contracts.roles import COORDINATOR, RoleName, task_name

log = structlog.get_logger()

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

    def ack(self, delivery_tag: str) -> None:
        """Done with."""
        if self._cut_off:
            return
        if self._command(delivery_tag) is None:
            super().ack(delivery_tag)
        else:
            virtual.QoS.ack(self, delivery_tag)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        """Refused; with `requeue` it is the next to be delivered."""
        if self._cut_off:
            return
        if self._command(delivery_tag) is None:
            super().reject(delivery_tag, requeue)
            return
        if requeue:
            self.restore_by_tag(delivery_tag, leftmost=True)
        virtual.QoS.ack(self, delivery_tag)

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


class Channel(redis.Channel):
    """A channel with one client object as long as it has one pool of connections."""

    QoS = QoS
    _one_client: Any = None

    def _create_client(self, asynchronous: bool = False) -> Any:
        if asynchronous:  # these hold a connection of their own
            return super()._create_client(asynchronous=True)
        if self._one_client is None or self._one_client.connection_pool is not self.pool:
            self._one_client = super()._create_client()
        return self._one_client

    def _brpop_read(self, **options: Any) -> Any:
        """Something in a queue that is no message is told of and left out: it must not end the process that reads it."""
        try:
            return super()._brpop_read(**options)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            shown = str(getattr(error, "doc", ""))[:200]
            log.error("not_a_message", error=type(error).__name__, reason=str(error)[:200], text=shown)
            return True


class Transport(redis.Transport):
    """Named in `broker_transport`."""

    Channel = Channel
