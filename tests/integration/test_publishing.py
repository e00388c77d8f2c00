"""The commands that a worker builds itself are the messages that Celery would send, in a real Redis."""

import base64
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from celery import signals
from redis import Redis

from contracts.roles import RoleName, queue_name
from workers.app.celery_app import create_app
from workers.app.outbox import run_command
from workers.app.publish import Publisher
from workers.app.publish_one import send_one
from workers.app.queues import SEPARATOR
from workers.app.redis_alone import redis
from workers.coordinator.advance import QueuedStep
from workers.settings import Settings

QUEUE = queue_name(RoleName.ANALYST)


class Kept:
    """What a worker's batch of events takes."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.are_wanted = True

    def publish(self, kind: str, fields: dict[str, Any], *_: object, **__: Any) -> None:
        self.events.append({"type": kind, **fields})


@pytest.fixture
def client(broker_url: str) -> Iterator["Redis"]:
    with Redis.from_url(broker_url) as made:
        yield made


def _publisher(broker_url: str, events: Kept | None = None) -> Publisher:
    publisher = Publisher(create_app(Settings(broker_url=broker_url)))
    publisher.sent_events = events
    return publisher


def _step(number: int, priority: int = 5) -> QueuedStep:
    return QueuedStep(UUID(int=number), UUID(int=1), "plan", RoleName.ANALYST, priority)


def _arrived(client: "Redis") -> list[tuple[str, dict[str, Any]]]:
    """Key and message of all that is in the queues of the role, the first sent first."""
    keys: Any = client.keys(f"{QUEUE}*")
    found = [(key.decode(), json.loads(text)) for key in sorted(keys) for text in reversed(client.lrange(key, 0, -1))]  # pyright: ignore
    client.delete(*keys)
    return found


def _comparable(message: dict[str, Any]) -> dict[str, Any]:
    """Without what is random or a time, its body read."""
    headers, properties = message["headers"], message["properties"]
    assert headers["id"] == headers["root_id"] == properties["correlation_id"]
    assert UUID(headers["id"]) != UUID(properties.pop("delivery_tag"))
    del headers["id"], headers["root_id"], properties["correlation_id"]
    body = json.loads(base64.b64decode(message.pop("body")))
    assert body[0][0].pop("at") > 0
    return message | {"read": body}


@pytest.mark.parametrize("priority", range(10))
def test_a_command_is_what_celery_would_send_in_every_field_and_under_the_same_key(broker_url: str, client: "Redis", priority: int) -> None:
    celery_sent, ours_sent = Kept(), Kept()
    by_celery, by_us = _publisher(broker_url), _publisher(broker_url, ours_sent)

    def nothing(**_: Any) -> None:
        """A receiver, so that Celery itself sends."""

    signals.before_task_publish.connect(nothing)
    by_celery.sent_events = celery_sent
    try:
        assert by_celery.run_steps([_step(1, priority)]) == 1
    finally:
        signals.before_task_publish.disconnect(nothing)
    theirs = _arrived(client)
    assert by_us.run_steps([_step(1, priority)]) == 1
    ours = _arrived(client)

    assert [key for key, _ in ours] == [key for key, _ in theirs]
    assert [_comparable(message) for _, message in ours] == [_comparable(message) for _, message in theirs]
    for event in (*celery_sent.events, *ours_sent.events):
        assert event.pop("uuid") == event.pop("root_id")
    assert ours_sent.events == celery_sent.events


def test_several_commands_arrive_in_their_order(broker_url: str, client: "Redis") -> None:
    kept = Kept()

    assert _publisher(broker_url, kept).run_steps([_step(number) for number in (1, 2, 3)]) == 3

    ids = [json.loads(base64.b64decode(message["body"]))[0][0]["step_id"] for _, message in _arrived(client)]
    assert ids == [str(UUID(int=number)) for number in (1, 2, 3)]
    assert [event["type"] for event in kept.events] == ["task-sent"] * 3


def test_what_listens_to_celerys_publishing_is_asked_first(broker_url: str, client: "Redis") -> None:
    """As tracing does, which adds the trace to the headers."""

    def add(headers: dict[str, Any], **_: Any) -> None:
        headers["traceparent"] = "00-1"

    signals.before_task_publish.connect(add)
    try:
        _publisher(broker_url, Kept()).run_steps([_step(1)])
    finally:
        signals.before_task_publish.disconnect(add)

    assert [message["headers"]["traceparent"] for _, message in _arrived(client)] == ["00-1"]


@pytest.mark.parametrize("priority", range(10))
def test_a_command_that_is_sent_alone_is_what_celery_would_send(broker_url: str, client: "Redis", priority: int) -> None:
    """A command of the terminal puts its one message into the queue itself."""
    assert _publisher(broker_url).run_steps([_step(1, priority)]) == 1
    [(key, by_celery)] = _arrived(client)

    assert send_one(broker_url, run_command(_step(1, priority), 1.0))

    [(own_key, alone)] = _arrived(client)
    assert own_key == key
    assert _comparable(alone) == _comparable(by_celery)


@pytest.mark.parametrize("url", ["rediss://127.0.0.1:1/0", "amqp://127.0.0.1:1//", "redis://127.0.0.1:1/0", "redis://127.0.0.1:1/0?x=1"])
def test_what_is_not_plain_redis_or_does_not_answer_is_left_to_celery(url: str) -> None:
    assert not send_one(url, run_command(_step(1), 1.0))


def test_a_server_that_refuses_is_left_to_celery(broker_url: str, client: "Redis") -> None:
    """Such as one whose key holds another type: Celery's way sets that aside."""
    command = run_command(_step(1), 1.0)
    assert send_one(broker_url, command)
    (key,) = [found.decode() for found in client.keys(f"{QUEUE}*")]  # pyright: ignore[reportUnknownVariableType, reportGeneralTypeIssues] no types
    client.delete(key)
    client.set(key, "taken")

    assert not send_one(broker_url, command)
    assert not send_one(broker_url.replace("redis://", "redis://nobody:wrong@") if "@" not in broker_url else f"{broker_url}9999", command)
    client.delete(key)


def test_nothing_is_sent_into_another_database_than_the_one_that_is_named(broker_url: str, client: "Redis") -> None:
    """Behind a database that the server refuses the message went into the first one."""
    path = urlsplit(broker_url).path
    elsewhere = broker_url.removesuffix(path) if path else broker_url

    assert not send_one(f"{elsewhere}/99", run_command(_step(1), 1.0))
    assert not send_one(f"{elsewhere}/0;redis://other/1", run_command(_step(1), 1.0))
    assert client.keys(f"{QUEUE}*") == []


def test_the_separator_of_priorities_is_kombu_s() -> None:
    assert redis.Channel.sep == SEPARATOR
