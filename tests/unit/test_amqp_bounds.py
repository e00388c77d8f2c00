"""AMQP messages, bounded while their frames arrive."""

import hashlib
from struct import pack
from types import SimpleNamespace
from typing import Any

import amqp
import pytest
from amqp.serialization import dumps

from workers.app.amqp_transport import BoundedMessage, Message, UnreadableHeaders, bounded_frames
from workers.app.bounded import CompressedMessage, MessageTooLarge
from workers.blackboard.quarantine import KEPT_BYTES, Cut

DELIVER = (60, 60)


def received(body: bytes, properties: bytes, most_bytes: int = 200_000) -> BoundedMessage:
    """The message that these frames make."""
    taken: list[Any] = []
    on_frame = bounded_frames(most_bytes)(SimpleNamespace(bytes_recv=0), lambda *args: taken.append(args))
    on_frame((1, 1, pack(">HH", *DELIVER)))
    on_frame((2, 1, (pack(">HHQ", 60, 0, len(body)) + properties)))
    for start in range(0, len(body), 50_000):
        on_frame((3, 1, (body[start : start + 50_000])))
    ((_, _, _, message),) = taken
    return message


def headers(**values: Any) -> bytes:
    message = amqp.Message(b"", application_headers=values)
    return message._serialize_properties()  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]


def as_kombu_sees_it(raw: BoundedMessage) -> Message:
    raw.delivery_info, raw.channel = {"delivery_tag": 1}, None
    return Message(raw, channel=None)


def test_a_message_within_the_bound_arrives_whole() -> None:
    message = received(b"x" * 120_000, headers(task="t"))

    assert bytes(message.body) == b"x" * 120_000
    assert message.properties["application_headers"] == {"task": "t"}


def test_a_message_beyond_the_bound_leaves_its_beginning_size_and_hash() -> None:
    body = bytes(range(256)) * 4_000

    message = received(body, headers())

    assert isinstance(message.body, Cut)
    assert (len(message.body), message.body.size) == (KEPT_BYTES, len(body))
    assert message.body.sha256 == hashlib.sha256(body).hexdigest()
    assert as_kombu_sees_it(message).errors[0][0] is MessageTooLarge


@pytest.mark.parametrize("name", ["zlib", "nonsense", "gzip"])
def test_a_compressed_message_is_refused_before_anything_is_decompressed(name: str) -> None:
    message = as_kombu_sees_it(received(b"anything", headers(compression=name)))

    assert message.errors[0][0] is CompressedMessage
    assert bytes(message.body) == b"anything"


def nested_table(depth: int) -> bytes:
    table = b""
    for _ in range(depth):
        field = b"\x01dF" + pack(">I", len(table)) + table
        table = field
    return table


@pytest.mark.parametrize(
    "table", [b"\x01?" + b"\x7f", b"\x01dT" + b"\xff" * 8, b"\x01dS" + pack(">I", 2) + b"\xff\xfe", nested_table(5_000)],
    ids=["unknown type", "no such time", "no utf-8", "deep"],
)  # fmt: skip
def test_headers_that_nobody_can_read_leave_a_message_without_them(table: bytes) -> None:
    """An error while a frame is read ended the connection, at every delivery, and with it all intake."""
    properties = pack(">H", 1 << 13) + pack(">I", len(table)) + table

    message = received(b"body", properties)

    assert bytes(message.body) == b"body"
    if message.fault is not None:
        assert isinstance(message.fault, UnreadableHeaders)
        assert as_kombu_sees_it(message).errors[0][0] is UnreadableHeaders


def test_serialization_of_amqp_is_still_what_these_tests_build() -> None:
    assert dumps("F", [{"d": {}}]) == pack(">I", 7) + nested_table(1)
