"""What every transport refuses before it decodes anything: messages that are compressed, and messages that are too large.

A small compressed message becomes a large one: 600 KB of zlib took a coordinator from 81 MB to 1.3 GB. Nothing of ours is compressed.
"""

from typing import Any

from workers.blackboard.quarantine import Cut

ENVELOPE_BYTES = 65_536
"""What Celery and kombu put around a message: headers, the description of the arguments, delivery information."""


class CompressedMessage(ValueError):
    """The header `compression` is set. The body was not touched."""


class MessageTooLarge(ValueError):
    """The message was larger than `BULLPEN_MESSAGE_BYTES`; only its beginning was kept."""


class DeliveredTooOften(ValueError):
    """The broker delivered the message again and again, and nobody ever finished with it."""


def most_bytes(message_bytes: int) -> int:
    """What a transport takes of one message: base64 and JSON escapes may double what the producer wrote."""
    return 2 * message_bytes + ENVELOPE_BYTES


def refusal(headers: Any, body: Any) -> ValueError | None:
    """Why this message is not decoded; None: it may be."""
    if isinstance(body, Cut):
        return MessageTooLarge(f"The message has {body.size} bytes, more than BULLPEN_MESSAGE_BYTES allows. Its first 64 KB are kept.")
    if isinstance(headers, dict) and headers.get("compression"):  # pyright: ignore[reportUnknownMemberType] headers from outside
        return CompressedMessage("Compressed messages are not taken. Send it without the header `compression`.")
    return None


def as_error(refused: Exception) -> tuple[type[Exception], Exception, None]:
    """As kombu keeps the errors of a message that it does not decode."""
    return type(refused), refused, None
