"""The AMQP transport of the fleet: kombu's, except that a message is bounded while its frames arrive, and never decompressed.

Of a body that is too large, only the beginning, the size and the hash are kept. Headers that cannot be read would end the connection at
each delivery, so the message is passed on without headers. The consumer's `on_decode_error` refuses both.
"""

# The types that come with kombu and amqp know neither of these transports:
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false, reportMissingTypeStubs=false
# pyright: reportUnknownParameterType=false, reportMissingParameterType=false, reportAttributeAccessIssue=false, reportUntypedBaseClass=false
# pyright: reportPrivateUsage=false

from collections import defaultdict
from collections.abc import Callable
from struct import unpack_from
from typing import Any

import amqp
from amqp.exceptions import UnexpectedFrame
from amqp.method_framing import _CONTENT_METHODS
from kombu.transport import pyamqp

from workers.app.bounded import as_error, refusal
from workers.app.transport_hooks import TransportHook
from workers.blackboard.quarantine import Cutter

METHOD, HEADER, BODY, HEARTBEAT = 1, 2, 3, 8


class UnreadableHeaders(ValueError):
    """The properties or headers of an AMQP message are not what AMQP describes, or are nested too deeply."""


class BoundedMessage(amqp.Message):
    """A message that keeps at most `most_bytes` of its body. `fault`: why its headers could not be read."""

    def __init__(self, most_bytes: int, **how: Any) -> None:
        super().__init__(**how)
        self._most_bytes = most_bytes
        self._cutter: Cutter | None = None
        self.fault: Exception | None = None

    def inbound_header(self, buf: Any, offset: int = 0) -> int:
        """Reads the size, properties and headers."""
        try:
            read: int = super().inbound_header(buf, offset)
        except Exception as error:  # a table from outside can make the parser raise anything
            self.fault = UnreadableHeaders(f"The headers cannot be read: {type(error).__name__}: {str(error)[:200]}.")
            self.properties, read = {}, len(buf)
            self.ready = not self.body_size
        if self.body_size > self._most_bytes:
            self._cutter = Cutter()
        return read

    def inbound_body(self, buf: Any) -> None:
        """Reads the next part of the body."""
        if self._cutter is None:
            super().inbound_body(buf)
            return
        self._cutter.add(buf)
        self.body_received += len(buf)
        if self.body_received >= self.body_size:
            self.body = self._cutter.cut()
            self.ready = True


def bounded_frames(most_bytes: int) -> TransportHook[..., Callable[[Any], bool]]:
    """amqp's own reader of frames (`amqp.method_framing.frame_handler`), making messages of at most `most_bytes`."""

    def frame_handler(connection: Any, callback: Callable[..., Any]) -> Callable[[Any], bool]:
        expected: defaultdict[int, int] = defaultdict(lambda: METHOD)
        partial: dict[int, BoundedMessage] = {}

        def deliver(channel: int) -> bool:
            message = partial[channel]
            if not message.ready:
                expected[channel] = BODY
                return False
            expected[channel] = METHOD
            del partial[channel]
            callback(channel, message.frame_method, message.frame_args, message)
            return True

        def on_frame(frame: tuple[int, int, Any]) -> bool:
            kind, channel, buf = frame
            connection.bytes_recv += 1
            if kind == HEARTBEAT:
                return False
            if kind != expected[channel]:
                raise UnexpectedFrame(f"Received frame {kind} while expecting type: {expected[channel]}")
            if kind == HEADER:
                partial[channel].inbound_header(buf)
                return deliver(channel)
            if kind == BODY:
                partial[channel].inbound_body(buf)
                return deliver(channel)
            method = unpack_from(">HH", buf, 0)
            if method in _CONTENT_METHODS:
                partial[channel] = BoundedMessage(most_bytes, frame_method=method, frame_args=buf)
                expected[channel] = HEADER
                return False
            callback(channel, method, buf, None)
            return True

        return on_frame

    return TransportHook(frame_handler)


class Message(pyamqp.Message):
    """A message whose refusal is known before kombu looks at its headers: then it is not decompressed."""

    def __init__(self, msg: Any, channel: Any = None, **more: Any) -> None:
        headers = msg.properties.get("application_headers")
        refused = getattr(msg, "fault", None) or refusal(headers, msg.body)
        if refused is not None:
            self.errors = [as_error(refused)]
        super().__init__(msg, channel=channel, **more)


class Channel(pyamqp.Channel):
    """Makes our messages, and leaves their bodies bytes: amqp would decode them by an encoding that the sender names."""

    Message = Message

    def __init__(self, connection: Any, channel_id: int | None = None, auto_decode: bool = False, on_open: Any = None) -> None:
        super().__init__(connection, channel_id, auto_decode, on_open)


class Connection(pyamqp.Connection):
    """Makes our channels."""

    Channel = Channel


class Transport(pyamqp.Transport):
    """Named in `broker_transport`."""

    Connection = Connection


class SSLTransport(pyamqp.SSLTransport):
    """The same for amqps."""

    Connection = Connection
